// Checks the claims of a client's login assertion (RFC 7523) after its signature was verified. A fault goes
// to the operators' log, and the sender does not learn it.

export interface AssertionTerms {
  readonly clientId: string;
  /** The accepted audiences: the built-in issuer and the address of its token endpoint. */
  readonly audiences: readonly string[];
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

export interface AssertionClaims {
  readonly jti: string;
  /** Epoch seconds. */
  readonly exp: number;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * The accepted `typ` values of a login assertion, from RFC 7519 and from the revision of RFC 7523. A JWT with
 * another type was made for another purpose.
 */
const types = ['jwt', 'client-authentication+jwt'];
/** Maximum lifetime. It is short, because an assertion is made for one request. */
const longestSeconds = 300;
const toleranceSeconds = 5; // the client's clock may run ahead by this much
const longestJti = 256;

/**
 * Does not check whether the assertion was used before.
 * @returns the reason why the assertion is invalid; undefined if it is valid
 */
export function faultOfAssertion(
  { header, claims }: { readonly header: Members; readonly claims: Members },
  { clientId, audiences, nowMs }: AssertionTerms,
): string | undefined {
  const { typ } = header;
  if (typ !== undefined && !isType(typ)) return 'its typ is that of another kind of JWT';
  if (claims['iss'] !== clientId || claims['sub'] !== clientId) return 'iss and sub are not its client id';
  const aud = [claims['aud']].flat();
  if (!aud.some((one) => audiences.some((ours) => ours === one)))
    return 'aud is neither our issuer nor the address of the token endpoint';
  if (aud.length !== 1) return 'aud names others beside us';
  return faultOfTimes(claims, nowMs / 1_000) ?? faultOfJti(claims['jti']);
}

const isType = (typ: unknown) =>
  typeof typ === 'string' && types.includes(typ.toLowerCase().replace(/^application\//, ''));

function faultOfTimes({ exp, iat, nbf = iat }: Members, now: number): string | undefined {
  if (!isNumber(exp)) return 'exp is missing, or no number';
  if (!isNumber(iat)) return 'iat is missing, or no number';
  if (!isNumber(nbf)) return 'nbf is no number';
  if (exp <= now) return `it ended ${seconds(now - exp)} ago, by our clock`;
  if (iat > now + toleranceSeconds)
    return `iat is ${seconds(iat - now)} ahead of our clock, and may be ${toleranceSeconds} s`;
  if (nbf > now + toleranceSeconds) return `nbf is ${seconds(nbf - now)} ahead of our clock`;
  if (iat < now - longestSeconds - toleranceSeconds)
    return `iat is ${seconds(now - iat)} ago, and may be ${longestSeconds} s`;
  return exp > now + longestSeconds + toleranceSeconds
    ? `exp is ${seconds(exp - now)} away, and may be ${longestSeconds} s`
    : undefined;
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const seconds = (some: number) => `${Math.round(some)} s`;

function faultOfJti(jti: unknown): string | undefined {
  if (typeof jti !== 'string') return 'jti is missing, or no text';
  if (jti === '') return 'jti is empty';
  return jti.length > longestJti ? `jti is longer than ${longestJti} characters` : undefined;
}
