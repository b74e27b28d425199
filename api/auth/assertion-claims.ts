// What an assertion by which a client logs in has to say (RFC 7523), once its signature is known to be good. What is
// wrong is for the log of the operators: whoever sent it is not told.

export interface AssertionTerms {
  readonly clientId: string;
  /** Our issuer, or the address of the token endpoint. */
  readonly audiences: readonly string[];
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

export interface AssertionClaims {
  readonly jti: string;
  /** Seconds since 1970. */
  readonly exp: number;
}

type Members = Readonly<Record<string, unknown>>;

/** Of RFC 7519 and of the revision of RFC 7523. A JWT that was made for something else names another, and is no login. */
const types = ['jwt', 'client-authentication+jwt'];
/** An assertion is made for one request. */
const longestSeconds = 300;
const toleranceSeconds = 5; // by which the client's clock may be ahead of ours
const longestJti = 256;

/** @returns why it does not count; undefined: it does, unless it has been used */
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
