// The token endpoint of the built-in issuer (RFC 6749, client credentials), with metadata and keys (RFC 8414,
// RFC 7517). It never reveals whether a client exists: a wrong id and a wrong secret get the same answer.
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { refuseBrowser } from '../core/browser.ts';
import type { ApiConfig } from '../core/settings/config.ts';
import { isUnencoded } from '../core/media-type.ts';
import { isLoopback } from '../core/settings/setting-forms.ts';
import { authenticateClient, findClient, type InTurn } from '../db/keys/clients.ts';
import { createSecretCheck, type SecretCheck } from '../db/scheme/secrets.ts';
import type { ApiDependencies } from './dependencies.ts';
import {
  assertionAlgorithms,
  assertionType,
  claimedClient,
  clientByAssertion,
} from './auth/client-assertion.ts';
import { certificatesBy, type CertificateOf } from './auth/client-certificate.ts';
import { createSecretTurns } from './auth/secret-turns.ts';
import { loginsOf, type Logins } from './logins.ts';
import { isRole, type CallerClaims } from './auth/claims.ts';
import { maxTokenLifetimeSeconds, type BuiltinIssuer } from './auth/issuer.ts';
import { aboutRequest } from './http/access-log.ts';
import { counting, type Count } from './http/limits/arrival.ts';
import { waiting } from './http/client.ts';
import { readLimited } from './http/input/input.ts';
import { problemsShown } from './http/openapi.ts';
import { createQuotas } from './http/limits/quotas.ts';
import { json } from './http/response.ts';
import { isProblem, type Problem } from './http/problems/problem.ts';
import type { Router } from './http/route.ts';
import { createTurns, turnKinds, type Turns } from './http/limits/turns.ts';
import { component } from './http/component.ts';

const maxFormBytes = 16_384; // enough for a client assertion, which takes a few KB
const formType = /^application\/x-www-form-urlencoded[ \t]*(;.*)?$/i; // the form is ASCII in any charset

const tokenPath = '/oauth/token';
const keySetPath = '/oauth/jwks';
const metadataPath = '/.well-known/oauth-authorization-server';

const tokenSchema = component('AccessToken', {
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
});
const tokenErrorSchema = component(
  'TokenError',
  {
    error: z.enum(['invalid_request', 'invalid_client', 'unsupported_grant_type']),
    error_description: z.string(),
  },
  'RFC 6749, 5.2',
);
const metadataSchema = component('IssuerMetadata', {
  issuer: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
  response_types_supported: z.array(z.string()),
  grant_types_supported: z.array(z.string()),
  token_endpoint_auth_methods_supported: z.array(z.string()),
  token_endpoint_auth_signing_alg_values_supported: z.array(z.string()),
  tls_client_certificate_bound_access_tokens: z.boolean(),
});
const tokenRequestSchema = z
  .object({
    grant_type: z.literal('client_credentials'),
    client_id: z.string().optional(),
    client_secret: z.string().optional(),
    client_assertion_type: z.literal(assertionType).optional(),
    client_assertion: z.string().optional(),
  })
  .openapi('TokenRequest');

export function oauthRoutes(issuer: BuiltinIssuer): (router: Router, deps: ApiDependencies) => void {
  return (router, deps) => {
    const turns = createTurns(turnKinds.stranger);
    const logins = loginsOf(deps);
    const secrets = createSecretCheck();
    const secretTurns = createSecretTurns();
    const { requestsPerMinute } = deps.config.senderLimits;
    const count = counting(
      deps.quotas ?? createQuotas(),
      { method: 'POST', path: tokenPath },
      requestsPerMinute,
    );
    const certificateOf = deps.certificateOf ?? certificatesBy(deps.config);
    const refused = {
      description: 'Refused',
      content: { 'application/json': { schema: tokenErrorSchema } },
    };
    router.addPublic(
      {
        method: 'post',
        path: tokenPath,
        operationId: 'getToken',
        summary: 'An access token for a client (RFC 6749, client credentials)',
        description:
          'The client identifies itself by HTTP Basic, by `client_id` and `client_secret` in the form, or by `client_assertion`, ' +
          'which is signed by a key of its party (RFC 7523, private_key_jwt) and counts once. Where it presents a TLS client ' +
          'certificate, its token is bound to that (RFC 8705).',
        tag: 'Service',
        request: {
          body: {
            required: true,
            content: {
              'application/x-www-form-urlencoded': {
                schema: tokenRequestSchema,
                example: {
                  grant_type: 'client_credentials',
                  client_id: 'LOTUSGS0',
                  client_secret: 'demo-LOTUSGS0',
                },
              },
            },
          },
        },
        answers: {
          200: { description: 'The token', content: { 'application/json': { schema: tokenSchema } } },
          400: refused,
          401: refused,
          429: {
            description: 'too-many-messages, too-many-requests',
            content: problemsShown(['too-many-messages', 'too-many-requests']),
          },
          503: { description: 'unavailable', content: problemsShown(['unavailable']) },
        },
      },
      (context) =>
        issueToken(context, { ...deps, issuer, turns, logins, secrets, secretTurns, certificateOf, count }),
    );
    addKeySet(router, issuer);
    addMetadata(router, deps.config);
  };
}

function addKeySet(router: Router, issuer: BuiltinIssuer): void {
  router.addPublic(
    {
      method: 'get',
      path: keySetPath,
      operationId: 'getKeySet',
      summary: "The issuer's public keys (RFC 7517)",
      tag: 'Service',
      answers: {
        200: {
          description: 'A key set',
          content: {
            'application/json': {
              schema: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }).openapi('KeySet'),
            },
          },
        },
      },
    },
    async () => {
      const { keys } = await issuer.jwks();
      return json({ keys: keys.map((key) => ({ ...key }) as Record<string, string>) }, 200, {
        // a verifier with this cache accepts no key for longer than SEC-8 allows
        'cache-control': 'public, max-age=25',
      });
    },
  );
}

/**
 * Serves the metadata (RFC 8414), which leads libraries from the issuer to the token endpoint and the keys.
 */
function addMetadata(router: Router, { auth, publicUrl }: ApiConfig): void {
  if (auth.kind !== 'builtin') return;
  const { issuer } = auth;
  const metadata = {
    issuer,
    token_endpoint: `${publicUrl}${tokenPath}`,
    jwks_uri: `${publicUrl}${keySetPath}`,
    response_types_supported: [], // there is no authorization endpoint
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: [...assertionAlgorithms],
    tls_client_certificate_bound_access_tokens: true,
  };
  const route = {
    method: 'get',
    operationId: 'getIssuerMetadata',
    summary: 'Where the issuer has its token endpoint and keys (RFC 8414)',
    tag: 'Service',
    answers: {
      200: { description: 'The metadata', content: { 'application/json': { schema: metadataSchema } } },
    },
  } as const;
  const answer = () => json(metadata, 200, { 'cache-control': 'public, max-age=300' });
  router.addPublic({ ...route, path: metadataPath }, answer);
  // the metadata path is the well-known part, then the path of the issuer (RFC 8414, section 3.1)
  const path = new URL(issuer).pathname.replace(/\/$/, '');
  if (path !== '') router.addPublic({ ...route, path: `${metadataPath}${path}`, hidden: true }, answer);
}

const whatToSend =
  'Send the form grant_type=client_credentials as application/x-www-form-urlencoded, with HTTP Basic of client id and secret, or with client_assertion.';

interface Issuing extends ApiDependencies {
  readonly issuer: BuiltinIssuer;
  readonly turns: Turns;
  readonly logins: Logins;
  readonly secrets: SecretCheck;
  readonly secretTurns: ReturnType<typeof createSecretTurns>;
  readonly certificateOf: CertificateOf;
  readonly count: Count;
}

async function issueToken(context: Context, deps: Issuing): Promise<Response | Problem> {
  const page = refusePage(context, deps.config);
  if (page !== undefined) return refuse('invalid_request', page);
  const form = await readForm(context);
  if (typeof form === 'string') return refuse('invalid_request', form);
  const grantType = form.get('grant_type');
  if (grantType === null) {
    return refuse('invalid_request', `grant_type is missing. ${whatToSend}`);
  }
  if (grantType !== 'client_credentials') {
    return refuse('unsupported_grant_type', 'Only client_credentials is supported.');
  }
  const given = readCredentials(context, form);
  if (typeof given === 'string') return refuse('invalid_request', given);
  const unknown = () =>
    refuse(
      'invalid_client',
      'The client is unknown, or its secret or assertion is wrong, has ended or was used before.',
    );
  if (given === undefined) return unknown();
  const login = deps.logins.by(given.id, context);
  return deps.turns.take(
    login.address,
    async () => {
      const over = login.refusal();
      if (over !== undefined) return over;
      const { requestId } = aboutRequest(context);
      const inTurn = deps.secretTurns(waiting(context));
      const claims = await claimsOf(deps, given, { inTurn, requestId });
      if (claims === undefined) {
        login.failed();
        await tellFailed(deps, given, requestId);
        return unknown();
      }
      if (isProblem(claims)) {
        // this problem comes only from the queue of secret checks, where clients with a secret wait
        deps.metrics?.turnedAwayLogin(given.id);
        return claims;
      }
      return tokenFor(claims, context, deps);
    },
    waiting(context),
  );
}

/** Warns operators if a secret is being guessed or has expired. Looks up and counts unknown names too. */
async function tellFailed(
  { db, logger, metrics }: Issuing,
  given: ClientCredentials,
  requestId: string,
): Promise<void> {
  const client = given.id.includes('\0') ? undefined : await findClient(db, given.id);
  if (client !== undefined && 'secret' in given) {
    logger.warn({ requestId, client: client.clientId }, 'a secret of a client was refused');
  }
  metrics?.failedLogin(client?.clientId ?? '');
}

/** Issues the token of an authenticated client, which counts towards its limit of requests per minute. */
async function tokenFor(claims: CallerClaims, context: Context, deps: Issuing): Promise<Response | Problem> {
  const over = deps.count(context, claims);
  if (over !== undefined) return over;
  const certificate = deps.certificateOf(context);
  if (certificate === null) {
    const detail =
      'The TLS client certificate of the request cannot be read, has expired, or does not come from a trusted authority. Use another certificate, or none.';
    return refuse('invalid_request', detail);
  }
  return json({
    access_token: await deps.issuer.issue(claims, certificate),
    token_type: 'Bearer',
    expires_in: maxTokenLifetimeSeconds,
  });
}

/** Refuses web pages, because the demo's secrets are public and a page on this machine must not use them. */
function refusePage(
  { req }: Context,
  { demo, host: bound, publicUrl, corsOrigins }: ApiConfig,
): string | undefined {
  if (!demo || !isLoopback(bound)) return undefined;
  const [host, origin, site] = [req.header('host'), req.header('origin'), req.header('sec-fetch-site')];
  return refuseBrowser({ host, origin, site }, { origins: corsOrigins, hosts: [new URL(publicUrl).host] });
}

/** Returns the form, or why it is refused: each parameter once, and in the body (RFC 6749, 2.3.1 and 3.2). */
async function readForm({ req }: Context): Promise<URLSearchParams | string> {
  if (!formType.test(req.header('content-type') ?? '')) return whatToSend;
  if (!isUnencoded(req.header('content-encoding'))) return 'Send the form without Content-Encoding.';
  if (req.query('client_id') !== undefined || req.query('client_secret') !== undefined) {
    return 'Identify the client by HTTP Basic or in the form, never in the URL, which proxies log.';
  }
  const bytes = await readLimited(req.raw, maxFormBytes);
  if (bytes === undefined) return 'The form is larger than 16 KiB.';
  const form = new URLSearchParams(Buffer.from(bytes).toString('utf8'));
  const seen = new Set<string>();
  for (const name of form.keys()) {
    // repeat only a name that looks like a protocol name, because any other may contain anything
    if (seen.has(name))
      return `${/^[a-z_]{1,40}$/.test(name) ? `The parameter ${name}` : 'A parameter'} is given more than once.`;
    seen.add(name);
  }
  return form;
}

type ClientCredentials =
  { readonly id: string; readonly secret: string } | { readonly id: string; readonly assertion: string };

/** Returns undefined if there are no credentials, and a string with the reason if they are refused. */
function readCredentials({ req }: Context, form: URLSearchParams): ClientCredentials | string | undefined {
  const basic = req.header('authorization');
  const [id, secret] = [form.get('client_id'), form.get('client_secret')];
  const asserted = readAssertion(form);
  if (typeof asserted === 'string') return asserted;
  if (asserted !== undefined) {
    return basic === undefined && secret === null && (id === null || id === asserted.id)
      ? asserted
      : 'Identify the client in one way only: by its assertion, or by a secret.';
  }
  if (basic === undefined) return id === null || secret === null ? undefined : { id, secret };
  if (secret !== null)
    return 'Identify the client in one way only: by HTTP Basic, or by client_secret in the form.';
  const credentials = readBasic(basic);
  return credentials !== undefined && id !== null && id !== credentials.id
    ? 'client_id in the form names another client than HTTP Basic does.'
    : credentials;
}

function readAssertion(form: URLSearchParams): ClientCredentials | string | undefined {
  const [type, assertion] = [form.get('client_assertion_type'), form.get('client_assertion')];
  if (type === null && assertion === null) return undefined;
  if (type !== assertionType) return `client_assertion_type must be ${assertionType}.`;
  const id = assertion === null ? undefined : claimedClient(assertion);
  if (assertion === null || id === undefined) {
    return 'client_assertion must be a JWT whose iss and sub are the client id.';
  }
  return { id, assertion };
}

/** Reads HTTP Basic credentials, both parts form-encoded (RFC 6749, 2.3.1). */
function readBasic(header: string): ClientCredentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1) return undefined;
  try {
    const decode = (part: string) => decodeURIComponent(part.replaceAll('+', ' '));
    return { id: decode(text.slice(0, colon)), secret: decode(text.slice(colon + 1)) };
  } catch {
    return undefined; // the percent encoding is malformed
  }
}

async function claimsOf(
  { db, config, secrets, logger }: Issuing,
  given: ClientCredentials,
  { inTurn, requestId }: { readonly inTurn: InTurn<Problem>; readonly requestId: string },
): Promise<CallerClaims | Problem | undefined> {
  const { id } = given;
  const { auth, publicUrl } = config;
  const onRefused = (client: string | null, why: string) =>
    logger.warn({ requestId, client, why }, 'an assertion of a client was refused');
  const audiences = [...(auth.kind === 'builtin' ? [auth.issuer] : []), `${publicUrl}${tokenPath}`];
  // text in the database cannot contain U+0000
  if (!('assertion' in given) && id.includes('\0')) return undefined;
  const client =
    'assertion' in given
      ? await clientByAssertion({ db, audiences, nowMs: Date.now(), onRefused }, { ...given, clientId: id })
      : await authenticateClient(db, { check: secrets, inTurn }, { clientId: id, secret: given.secret });
  if (client !== undefined && isProblem(client)) return client;
  if (client === undefined || !isRole(client.role)) return undefined;
  return {
    role: client.role,
    clientId: client.clientId,
    institutionId: client.institutionId ?? undefined,
    clearingSystemId: client.clearingSystemId ?? undefined,
    credential: client.credential,
  };
}

function refuse(error: z.output<typeof tokenErrorSchema>['error'], description: string): Response {
  const unknownClient = error === 'invalid_client';
  return json(
    { error, error_description: description },
    unknownClient ? 401 : 400,
    unknownClient ? { 'www-authenticate': 'Basic realm="isthmus"' } : {},
  );
}
