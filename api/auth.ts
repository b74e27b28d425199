// Bearer tokens become callers here (SEC-1): JWT access tokens (RFC 9068) with fixed algorithms, issuer, audience and expiry.
// A verified token is remembered until it expires, so that a busy client costs one signature check per token.
import {
  createRemoteJWKSet,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from 'jose';
import type { Context } from 'hono';
import type { Logger } from 'pino';
import type { AuthConfig } from '../core/config.ts';
import { findInstitution, type ReferenceData } from '../core/reference.ts';
import { clientCertificateThumbprint } from './client-certificate.ts';
import { callerFrom, isRole, type Caller } from './caller.ts';
import { problem, type Problem } from './problem.ts';

export interface Authenticator {
  /** Answers at once when the token was verified before. */
  authenticate(context: Context): Caller | Problem | Promise<Caller | Problem>;
}

export interface AuthenticatorDependencies {
  readonly reference: () => ReferenceData;
  readonly logger: Logger;
  /** Verification key of the built-in issuer; needed for `builtin` only. */
  readonly builtinKey?: JWTVerifyGetKey;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Asymmetric only, and never the token's own choice beyond this list. RS256 is what RFC 9068 demands of everybody. */
const externalAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'];
export const builtinAlgorithm = 'ES256';

const maxTokenLength = 8_192; // far above any real token; keeps the cache small
const maxRememberedTokens = 10_000; // some 20 MB at 2 KB each
const realm = 'isthmus';
const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i; // RFC 6750

/** @throws when AUTH=builtin is given no key: a defect of the start */
export function createAuthenticator(config: AuthConfig, deps: AuthenticatorDependencies): Authenticator {
  switch (config.kind) {
    case 'none':
      deps.logger.warn(
        'AUTH=none: EVERYBODY WHO REACHES THIS PORT MAY DO EVERYTHING. For play on one machine only.',
      );
      return believing(deps.reference);
    case 'builtin': {
      if (deps.builtinKey === undefined) throw new Error('AUTH=builtin needs the key of the built-in issuer');
      return verifying(deps, deps.builtinKey, { ...claimsExpected(config), algorithms: [builtinAlgorithm] });
    }
    case 'jwt':
      return verifying(deps, createRemoteJWKSet(new URL(config.jwksUrl)), {
        ...claimsExpected(config),
        algorithms: externalAlgorithms,
      });
  }
}

function claimsExpected(config: { issuer: string; audience: string }): JWTVerifyOptions {
  return {
    issuer: config.issuer,
    audience: config.audience,
    typ: 'at+jwt', // RFC 9068: an id token is no access token
    requiredClaims: ['exp', 'iat', 'sub', 'client_id', 'jti'],
    clockTolerance: 5, // seconds that the issuer's clock may differ
  };
}

interface Remembered {
  readonly caller: Caller;
  readonly expiresAtMs: number;
  /** The certificate that the token is bound to, or undefined. */
  readonly thumbprint: string | undefined;
}

function verifying(
  deps: AuthenticatorDependencies,
  key: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Authenticator {
  const remembered = new Map<string, Remembered>(); // by the whole Authorization header

  function accept(entry: Remembered, context: Context): Caller | Problem {
    return entry.thumbprint === undefined || entry.thumbprint === clientCertificateThumbprint(context)
      ? entry.caller
      : invalidToken('The token is bound to a client certificate that was not presented.');
  }

  async function verify(authorization: string, context: Context): Promise<Caller | Problem> {
    const token = bearer.exec(authorization)?.[1];
    if (token === undefined || token.length > maxTokenLength) {
      return invalidToken('The Authorization header does not hold a bearer token.');
    }
    const read = await readToken(token, { key, options, deps });
    if ('kind' in read) return read;
    if (remembered.size >= maxRememberedTokens) {
      const [oldest] = remembered.keys();
      if (oldest !== undefined) remembered.delete(oldest);
    }
    remembered.set(authorization, read);
    return accept(read, context);
  }

  return {
    authenticate(context) {
      const authorization = context.req.raw.headers.get('authorization');
      if (authorization === null || authorization === '') {
        return problem('unauthenticated', { headers: { 'www-authenticate': `Bearer realm="${realm}"` } });
      }
      const known = remembered.get(authorization);
      if (known === undefined) return verify(authorization, context);
      if (known.expiresAtMs > deps.clock()) return accept(known, context);
      remembered.delete(authorization);
      return invalidToken('The token has expired.');
    },
  };
}

interface Verification {
  readonly key: JWTVerifyGetKey;
  readonly options: JWTVerifyOptions;
  readonly deps: AuthenticatorDependencies;
}

async function readToken(token: string, { key, options, deps }: Verification): Promise<Remembered | Problem> {
  let payload: JWTPayload;
  try {
    ({ payload } = await jwtVerify(token, key, { ...options, currentDate: new Date(deps.clock()) }));
  } catch (error) {
    return refusalOf(error, deps.logger);
  }
  const binding = bindingOf(payload);
  if (binding === unknownBinding) return invalidToken('The token is bound in a way that is not known here.');
  const caller = callerOf(payload, deps.reference());
  if (caller === undefined) {
    return invalidToken('The token names no role here, or no institution or payment system for its role.');
  }
  return { caller, expiresAtMs: (payload.exp ?? 0) * 1_000, thumbprint: binding };
}

/** A token that does not hold is a 401; an issuer whose keys cannot be had is our failure, not the caller's. */
function refusalOf(error: unknown, logger: Logger): Problem {
  if (error instanceof errors.JWTExpired) return invalidToken('The token has expired.');
  if (error instanceof errors.JWTClaimValidationFailed) {
    return invalidToken(`The token's claim ${error.claim} is missing or not as expected.`);
  }
  const isTokensFault =
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys;
  if (isTokensFault) return invalidToken('The token is malformed or its signature does not hold.');
  logger.error({ err: error }, "the token issuer's keys could not be had");
  return problem('unavailable', { detail: "The token issuer's keys could not be had. Try again." });
}

const unknownBinding = Symbol('a binding that we cannot check');

/** RFC 8705: `cnf.x5t#S256`. Any other binding cannot be checked here, so that such a token is refused. */
function bindingOf(payload: JWTPayload): string | undefined | typeof unknownBinding {
  const confirmation = payload['cnf'];
  if (confirmation === undefined) return undefined;
  if (typeof confirmation !== 'object' || confirmation === null) return unknownBinding;
  const entries = Object.entries(confirmation);
  const [name, value] = entries[0] ?? [];
  return entries.length === 1 && name === 'x5t#S256' && typeof value === 'string' ? value : unknownBinding;
}

/** Claims: `roles` with exactly one role of ours, `institution_id` (internalId or BIC) or `clearing_system_id`. */
function callerOf(payload: JWTPayload, data: ReferenceData): Caller | undefined {
  const roles = payload['roles'];
  const ours = Array.isArray(roles) ? roles.filter(isRole) : [];
  const [role] = ours;
  const clientId = payload['client_id'];
  if (role === undefined || ours.length > 1 || typeof clientId !== 'string') return undefined;
  return callerFrom(
    {
      role,
      clientId,
      institutionId: institutionIdOf(payload['institution_id'], data),
      clearingSystemId: textOf(payload['clearing_system_id']),
    },
    data,
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function institutionIdOf(value: unknown, data: ReferenceData): string | undefined {
  if (typeof value !== 'string') return undefined;
  const institution = findInstitution(data, 'internalId', value) ?? findInstitution(data, 'BICFI', value);
  return institution?.institutionId;
}

function invalidToken(detail: string): Problem {
  return problem('invalid-token', {
    detail,
    headers: {
      'www-authenticate': `Bearer realm="${realm}", error="invalid_token", error_description="${detail.replaceAll('"', "'")}"`,
    },
  });
}

/** AUTH=none: who names itself (`Bearer` and a BIC, a payment system or `operator`) is that; who does not is everybody. */
function believing(reference: () => ReferenceData): Authenticator {
  return {
    authenticate: (context) => {
      const name = bearer.exec(context.req.raw.headers.get('authorization') ?? '')?.[1];
      if (name === undefined) return { role: 'all', clientId: 'anonymous' };
      const data = reference();
      if (name === 'operator') return { role: 'operator', clientId: name };
      if (data.clearingSystems.has(name)) return { role: 'ipso', clientId: name, clearingSystemId: name };
      const institution = findInstitution(data, 'BICFI', name);
      const role = (['fxp', 'psp'] as const).find((candidate) => institution?.roles.includes(candidate));
      return institution === undefined || role === undefined
        ? { role: 'all', clientId: 'anonymous' }
        : { role, clientId: name, institutionId: institution.institutionId };
    },
  };
}
