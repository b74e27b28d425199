// Verifies access tokens. A token is a JWT (RFC 9068) with fixed algorithms, issuer, audience and lifetime.
// Its holder must be in the reference data. api/auth/authenticator.ts caches the results.
import { jwtVerify, type JWTPayload, type JWTVerifyOptions } from 'jose';
import type { Logger } from 'pino';
import { assert } from '../../core/assert.ts';
import type { AuthConfig } from '../../core/settings/config.ts';
import type { ReferenceData } from '../../core/scheme/reference.ts';
import type { Caller } from '../http/caller.ts';
import { callerFrom, claimsFrom } from './claims.ts';
import { builtinAlgorithm, maxTokenLifetimeSeconds, type BuiltinIssuer } from './issuer.ts';
import { KeySetError, openKeySet, type VerifyByKeys } from './issuer-key-set.ts';
import { problem, type Problem } from '../http/problems/problem.ts';
import { faultOfToken, malformedToken } from './token-faults.ts';

export interface TokenDependencies {
  readonly reference: () => ReferenceData;
  readonly logger: Logger;
  /** The built-in issuer; required only for `builtin`. */
  readonly builtin?: Pick<BuiltinIssuer, 'verificationKey' | 'stands'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** The client id of the portal at an external issuer. */
  readonly portalClientId?: string | undefined;
}

export interface VerifiedToken {
  readonly caller: Caller;
  /** Epoch milliseconds at which the token expires. There is no tolerance. */
  readonly endsAtMs: number;
  /** Thumbprint of the certificate that the token is bound to; undefined if it is not bound. */
  readonly thumbprint: string | undefined;
  /** The reference data that the token was verified against. */
  readonly judgedBy: ReferenceData;
}

export type TokenVerifier = (token: string) => Promise<VerifiedToken | Problem>;

/** Asymmetric algorithms only. The token cannot choose another one. RFC 9068 requires support of RS256. */
const externalAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'];
// the issuer's clock may run ahead by this much, and a lifetime may exceed an hour by this much
const clockToleranceSeconds = 5;
export const realm = 'isthmus';

/** @throws if AUTH=builtin has no issuer, which is a programming error */
export function createTokenVerifier(
  config: Exclude<AuthConfig, { kind: 'none' }>,
  deps: TokenDependencies,
): TokenVerifier {
  const expected = {
    issuer: config.issuer,
    audience: config.audience,
    typ: 'at+jwt', // RFC 9068: rejects an id token used as an access token
    requiredClaims: ['exp', 'iat', 'sub', 'client_id', 'jti'],
    maxTokenAge: maxTokenLifetimeSeconds,
    clockTolerance: clockToleranceSeconds,
  } satisfies JWTVerifyOptions;
  const onFailure = (error: unknown) =>
    deps.logger.error({ err: error }, "the token issuer's keys or clients could not be had");
  if (config.kind === 'builtin') {
    const { builtin } = deps;
    assert(builtin !== undefined, 'AUTH=builtin needs the built-in issuer');
    const options = { ...expected, algorithms: [builtinAlgorithm] };
    const byBuiltin: VerifyByKeys = (verify) => verify(builtin.verificationKey);
    return (token) =>
      readToken(token, { byKeys: byBuiltin, options, deps, onFailure, stands: builtin.stands });
  }
  const byKeys = openKeySet(config.jwksUrl, deps.logger);
  const options = { ...expected, algorithms: externalAlgorithms };
  const verification = { byKeys, options, deps, onFailure: sparing(onFailure) };
  return (token) => readToken(token, verification);
}

const quietMs = 5_000;

/**
 * Limits the log lines. The issuer may publish an unusable key, and strangers may send tokens with its key id
 * at any rate.
 */
function sparing(tell: (error: unknown) => void): typeof tell {
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (performance.now() - toldAtMs < quietMs) return;
    toldAtMs = performance.now();
    tell(error);
  };
}

/**
 * Attributes a token that the portal obtained to the person who signed in, not to the portal. The rule of two
 * persons needs both identities (ADM-2).
 */
const ofPerson = (payload: JWTPayload, portalClientId: string | undefined): JWTPayload =>
  portalClientId !== undefined && payload['client_id'] === portalClientId
    ? { ...payload, client_id: payload.sub }
    : payload;

interface Verification {
  readonly byKeys: VerifyByKeys;
  readonly options: JWTVerifyOptions & { issuer: string; audience: string; algorithms: string[] };
  readonly deps: TokenDependencies;
  /**
   * Called for errors that are neither the token's fault nor those of a key set. The key set logs its own
   * errors.
   */
  readonly onFailure: (error: unknown) => void;
  /**
   * Whether the client still exists with these claims. Absent for an external issuer, whose clients are not
   * checked.
   */
  readonly stands?: BuiltinIssuer['stands'];
}

async function readToken(token: string, verification: Verification): Promise<VerifiedToken | Problem> {
  const { byKeys, options, deps, stands } = verification;
  if (!isCanonical(token)) return invalidToken(malformedToken);
  // read the reference data before any await, so that a change in the meantime causes another verification
  const judgedBy = deps.reference();
  try {
    const currentDate = new Date(deps.clock());
    const { payload } = await byKeys((keys) => jwtVerify(token, keys, { ...options, currentDate }));
    const endsAtMs = endOf(payload, deps.clock());
    if (typeof endsAtMs !== 'number') return endsAtMs;
    const binding = bindingOf(payload);
    if (binding === unknownBinding)
      return invalidToken('The token is bound in a way that is not supported here.');
    const claims = claimsFrom(ofPerson(payload, deps.portalClientId), judgedBy);
    if (!claims.ok) return invalidToken(claims.refusal);
    const caller = callerFrom(claims.value, judgedBy);
    if (!caller.ok) return invalidToken(caller.refusal);
    if (stands !== undefined && !(await stands(claims.value))) {
      return invalidToken(
        'Since the token was issued the client has ended, its role or institution has changed, or the secret or key that it logged in by counts no more. Log in again; if that fails, ask the operators of the scheme.',
        'SEC-8',
      );
    }
    return { caller: caller.value, endsAtMs, thumbprint: binding, judgedBy };
  } catch (error) {
    return refusalOf(error, verification);
  }
}

/** Whether each part is canonical base64url (RFC 7515). This way, a token has only one spelling. */
function isCanonical(token: string): boolean {
  const parts = token.split('.');
  return parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

/**
 * Returns the expiry in epoch milliseconds, or the problem with the token's times. A lifetime is at most an
 * hour, and the expiry has no tolerance.
 */
function endOf({ exp = 0, iat = 0 }: JWTPayload, nowMs: number): number | Problem {
  if (exp - iat > maxTokenLifetimeSeconds + clockToleranceSeconds) {
    const detail = `The token is valid for more than ${maxTokenLifetimeSeconds} s (exp - iat). Get one with a shorter lifetime.`;
    return invalidToken(detail, 'SEC-8');
  }
  return exp * 1_000 <= nowMs || exp <= iat ? expired() : exp * 1_000;
}

/**
 * An invalid token is a 401. If the issuer's keys cannot be fetched, the answer is `unavailable`, because the
 * caller is not at fault.
 */
function refusalOf(error: unknown, { options, onFailure }: Verification): Problem {
  const fault = faultOfToken(error, options);
  if (fault !== undefined) return invalidToken(fault);
  if (!(error instanceof KeySetError)) onFailure(error);
  return problem('unavailable', { detail: "The token issuer's keys could not be fetched. Try again." });
}

const unknownBinding = Symbol('a binding that we cannot check');

/**
 * Reads the certificate thumbprint `cnf.x5t#S256` (RFC 8705). Tokens with any other binding are refused,
 * because it cannot be checked.
 */
function bindingOf(payload: JWTPayload): string | undefined | typeof unknownBinding {
  const confirmation = payload['cnf'];
  if (confirmation === undefined) return undefined;
  if (typeof confirmation !== 'object' || confirmation === null) return unknownBinding;
  const entries = Object.entries(confirmation);
  const [name, value] = entries[0] ?? [];
  return entries.length === 1 && name === 'x5t#S256' && typeof value === 'string' ? value : unknownBinding;
}

function expired(): Problem {
  return invalidToken('The token has expired.');
}

const notInHeader = /[^ !#-[\]-~]/g; // characters not allowed in error_description (RFC 6750, section 3)

export function invalidToken(detail: string, ruleId?: string): Problem {
  return problem('invalid-token', {
    detail,
    ...(ruleId === undefined ? {} : { ruleId }),
    headers: {
      'www-authenticate': `Bearer realm="${realm}", error="invalid_token", error_description="${detail.replaceAll(notInHeader, "'")}"`,
    },
  });
}
