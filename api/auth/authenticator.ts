// Turns bearer tokens into callers (SEC-1). A verified token is cached for half a minute. In that time, a
// busy client costs one signature check per token. The cache never exceeds the times of SEC-8.
import type { Context } from 'hono';
import { refuseBrowser } from '../../core/browser.ts';
import type { AuthConfig } from '../../core/settings/config.ts';
import { findInstitution } from '../../core/scheme/reference.ts';
import type { CertificateOf } from './client-certificate.ts';
import { senderOf, type Authenticator, type Caller } from '../http/caller.ts';
import { isProblem, problem, type Problem } from '../http/problems/problem.ts';
import { problems } from '../http/problems/problems.ts';
import {
  createTokenVerifier,
  invalidToken,
  realm,
  type TokenDependencies,
  type TokenVerifier,
  type VerifiedToken,
} from './token.ts';

export interface AuthenticatorDependencies extends TokenDependencies {
  /** Returns the client certificate of a request. If absent, no client presents a certificate. */
  readonly certificateOf?: CertificateOf;
  /** Origins whose web pages may make requests with AUTH=none. */
  readonly corsOrigins?: readonly string[];
}

const maxTokenLength = 8_192; // limits memory; real tokens are far shorter
const maxRememberedTokens = 10_000; // about 20 MB at 2 KB per token
/**
 * Milliseconds for which a verified token is cached. With the maximum age of an external key set, a withdrawn
 * key is accepted for at most 60 s (SEC-8).
 */
const rememberMs = 30_000;
const b64token = /^[A-Za-z0-9\-._~+/]+=*$/; // the form of a token in RFC 6750

/** @throws if AUTH=builtin has no issuer, which is a programming error */
export function createAuthenticator(config: AuthConfig, deps: AuthenticatorDependencies): Authenticator {
  if (config.kind === 'none') {
    deps.logger.warn(
      'AUTH=none: EVERYBODY WHO REACHES THIS PORT MAY DO EVERYTHING. For play on one machine only.',
    );
    return believing(deps);
  }
  return saying(whereToGetOne(config), verifying(createTokenVerifier(config, deps), deps));
}

function whereToGetOne(config: Exclude<AuthConfig, { kind: 'none' }>): string {
  return config.kind === 'builtin'
    ? 'POST /oauth/token issues one (client credentials).'
    : `${config.issuer} gives one (client credentials).`;
}

/** Tells the caller in each 401 answer where to get a valid token. */
function saying(where: string, inner: Authenticator): Authenticator {
  const tell = (outcome: Caller | Problem) =>
    isProblem(outcome) && problems[outcome.code].status === 401
      ? { ...outcome, detail: `${outcome.detail} ${where}` }
      : outcome;
  return {
    ...inner,
    authenticate: (context) => {
      const outcome = inner.authenticate(context);
      return outcome instanceof Promise ? outcome.then(tell) : tell(outcome);
    },
  };
}

interface Remembered {
  readonly token: VerifiedToken;
  readonly sinceMs: number;
  readonly untilMs: number;
}

function verifying(
  verify: TokenVerifier,
  { reference, clock, certificateOf = () => undefined }: AuthenticatorDependencies,
): Authenticator {
  const remembered = new Map<string, Remembered>(); // by token, in the order of verification

  function accept({ caller, thumbprint }: VerifiedToken, context: Context): Caller | Problem {
    return thumbprint === undefined || thumbprint === certificateOf(context)
      ? caller
      : invalidToken('The token is bound to a client certificate that was not presented, or counts no more.');
  }

  function remember(text: string, token: VerifiedToken): void {
    const sinceMs = clock();
    remembered.delete(text);
    for (const [oldest, { token: known }] of remembered) {
      if (known.endsAtMs > sinceMs && remembered.size < maxRememberedTokens) break;
      remembered.delete(oldest);
    }
    remembered.set(text, { token, sinceMs, untilMs: Math.min(sinceMs + rememberMs, token.endsAtMs) });
  }

  /**
   * Whether the cached result is still valid. The token is verified again if the clock went back. The same
   * holds if reference data, clients or keys have changed.
   */
  function stillCounts({ token, sinceMs, untilMs }: Remembered): boolean {
    const now = clock();
    return token.judgedBy === reference() && sinceMs <= now && now < untilMs;
  }

  return {
    knownSender(authorization) {
      const token = remembered.get(bearerOf(authorization))?.token;
      const isTheirs = token !== undefined && token.thumbprint === undefined && clock() < token.endsAtMs;
      return isTheirs ? senderOf(token.caller) : undefined;
    },
    authenticate(context) {
      const authorization = context.req.raw.headers.get('authorization');
      if (authorization === null || authorization === '') {
        return problem('unauthenticated', { headers: { 'www-authenticate': `Bearer realm="${realm}"` } });
      }
      const text = bearerOf(authorization);
      const known = remembered.get(text);
      if (known !== undefined && stillCounts(known)) return accept(known.token, context);
      if (text.length > maxTokenLength || !b64token.test(text)) {
        return invalidToken('The Authorization header does not hold a bearer token.');
      }
      return verify(text).then((token) => {
        if (isProblem(token)) {
          remembered.delete(text);
          return token;
        }
        remember(text, token);
        return accept(token, context);
      });
    },
  };
}

/**
 * The token after `Bearer` in an Authorization header, in any case and spacing. Empty if the header has
 * another scheme.
 */
function bearerOf(authorization: string): string {
  if (authorization.charCodeAt(6) !== 32 || authorization.slice(0, 6).toLowerCase() !== 'bearer') return '';
  let start = 7;
  while (authorization.charCodeAt(start) === 32) start += 1;
  // the token ends the header, because HTTP strips trailing white space and a token contains none
  return authorization.slice(start);
}

/**
 * Implements AUTH=none. A caller may name itself: `Bearer` and a BIC, a payment system or `operator`. Any
 * other caller may do everything. Pages of other origins are refused, because a visit to a page must not give
 * it access.
 */
function believing({ reference, corsOrigins = [] }: AuthenticatorDependencies): Authenticator {
  return {
    knownSender: () => undefined, // with AUTH=none, no caller is authenticated
    authenticate: ({ req }) => {
      const [host, origin, site] = [req.header('host'), req.header('origin'), req.header('sec-fetch-site')];
      const refusal = refuseBrowser({ host, origin, site }, { origins: corsOrigins });
      if (refusal !== undefined) return problem('forbidden', { detail: refusal });
      const name = bearerOf(req.header('authorization') ?? '');
      const data = reference();
      if (['operator', 'operator2'].includes(name)) return { role: 'operator', clientId: name };
      if (data.clearingSystems.has(name)) return { role: 'ipso', clientId: name, clearingSystemId: name };
      const institution = findInstitution(data, 'BICFI', name);
      const role = (['fxp', 'psp'] as const).find((candidate) => institution?.roles.includes(candidate));
      return institution === undefined || role === undefined
        ? { role: 'all', clientId: 'anonymous' }
        : { role, clientId: name, institutionId: institution.institutionId };
    },
  };
}
