// A whole API process in this one: real HTTP on a free port, the built-in issuer, a database of the test's own.
import pino, { type Logger } from 'pino';
import { createApp } from '../../../api/app.ts';
import type { ApiDependencies, RouteModule } from '../../../api/dependencies.ts';
import { createAuthenticator } from '../../../api/auth/authenticator.ts';
import { openBuiltinIssuer } from '../../../api/auth/issuer.ts';
import { oauthRoutes } from '../../../api/oauth.ts';
import type { AnsweredRequest, RequestListeners } from '../../../api/http/access-log.ts';
import { startServer, type ServerLimits } from '../../../api/http/server.ts';
import { unlimited } from '../../../core/settings/config.ts';
import type { ApiConfig } from '../../../core/settings/config.ts';
import {
  patientConnects,
  patientDatabase,
  patientReference,
  patientStatements,
} from '../../harness/patience.ts';
import { connect, type ConnectionLimits, type Db } from '../../../db/pool/connection.ts';
import { openReferenceCache, type ReferenceLimits } from '../../../db/scheme/reference-cache.ts';
import type { vaultPlugin } from '../../../db/keys/vault.ts';
import { fetch as connected, type Dispatcher } from 'undici';
import { certificatesBy } from '../../../api/auth/client-certificate.ts';
import { issuerKeyRoutes } from '../../../api/keys/issuer-keys.ts';
import { createQuotas, minutesOfDay } from '../../../api/http/limits/quotas.ts';
import { shareCounts } from '../../../api/http/limits/share-counts.ts';
import type { Problem } from '../../../fixtures/bodies.ts';
import { withRole } from '../../harness/database.ts';
import { conformanceWith, type OpenApiDocument } from '../../harness/conformance.ts';

const address = 'https://isthmus.test';

const testConfig: ApiConfig = {
  databaseUrl: 'postgres://test',
  logLevel: 'silent',
  temporal: { address: '127.0.0.1:1', namespace: 'default' },
  host: '127.0.0.1',
  port: 0,
  publicUrl: address,
  auth: { kind: 'builtin', issuer: address, audience: address },
  demo: true,
  drainSeconds: 0,
  corsOrigins: ['https://pages.test'],
  serves: 'payments',
  xsdEngine: 'libxml2',
  xercesShare: 0,
  allowLoopbackCallbacks: true,
  deliveryKeyDays: 90,
  issuerKeyDays: 0,
  portal: {},
  fourEyes: true,
  ...unlimited,
};

export interface Answer<Body = Problem> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON, held against the OpenAPI document; a refusal's, unless the test says which kind it asks for. */
  readonly body: Body;
}

export interface RunningApi {
  readonly url: string;
  /** Of the owner, who may change everything. */
  readonly db: Db;
  /** Its own, with the rights of an api. */
  readonly ownDb: Db;
  /** The OpenAPI document that every answer was held against. */
  readonly document: OpenApiDocument;
  /** @param client client id, or null for no token */
  get<Body = Problem>(
    path: string,
    client?: string | null,
    headers?: Record<string, string>,
  ): Promise<Answer<Body>>;
  post<Body = Problem>(
    path: string,
    body: unknown,
    client?: string | null,
    headers?: Record<string, string>,
  ): Promise<Answer<Body>>;
  /** As it is given, without a token. */
  request<Body = Problem>(path: string, init?: RequestInit): Promise<Answer<Body>>;
  token(client: string): Promise<string>;
  close(): Promise<void>;
}

export interface ApiOptions {
  readonly config?: Partial<ApiConfig>;
  readonly clock?: () => number;
  readonly modules?: readonly RouteModule[];
  readonly serverLimits?: Partial<ServerLimits>;
  /** Default: one that says nothing. */
  readonly logger?: Logger;
  readonly metrics?: ApiDependencies['metrics'];
  readonly onAnswered?: (request: AnsweredRequest) => void;
  readonly trace?: RequestListeners['trace'];
  /** Default: long ones, because the database of a busy machine may answer seconds late. */
  readonly databaseLimits?: ConnectionLimits;
  readonly referenceLimits?: ReferenceLimits;
  /** How it is connected to; needed where it ends TLS. */
  readonly dispatcher?: Dispatcher;
  /** Default: it has no sealing keys. */
  readonly vault?: ReturnType<typeof vaultPlugin>;
}

/** With the rights of an api (SEC-6) on a database of which the address is that of its owner. */
export async function startApi(ownerUrl: string, options: ApiOptions = {}): Promise<RunningApi> {
  const databaseUrl = withRole(ownerUrl, 'isthmus_api');
  const config = { ...testConfig, ...options.config, databaseUrl };
  const clock = options.clock ?? Date.now;
  const logger = options.logger ?? pino({ level: 'silent' });
  const limits = options.databaseLimits ?? { ...patientDatabase, ...patientStatements };
  const { vault } = options;
  const db = connect(databaseUrl, { applicationName: 'isthmus-test-api', limits, vault });
  const owner = connect(ownerUrl, {
    applicationName: 'isthmus-test',
    maxConnections: 4,
    limits: patientConnects,
  });
  const reference = await openReferenceCache(
    databaseUrl,
    () => undefined,
    options.referenceLimits ?? patientReference,
  );
  const issuer =
    config.auth.kind === 'builtin'
      ? await openBuiltinIssuer(db, { ...config.auth, clock, reference: reference.current })
      : undefined;
  const certificateOf = certificatesBy(config, clock);
  const auth = createAuthenticator(config.auth, {
    reference: reference.current,
    logger,
    clock,
    corsOrigins: config.corsOrigins,
    certificateOf,
    ...(issuer === undefined ? {} : { builtin: issuer }),
  });
  const modules = [
    ...(issuer === undefined ? [] : [oauthRoutes(issuer), issuerKeyRoutes(issuer)]),
    ...(options.modules ?? []),
  ];
  const quotas = createQuotas(clock);
  const ofDay = createQuotas(clock, minutesOfDay);
  const counts = shareCounts(db, [quotas, ofDay], logger);
  const closeData = async () => {
    await counts.close();
    await reference.close();
    await db.destroy();
    await owner.destroy();
  };
  let app;
  try {
    const { metrics } = options;
    const parts = { db, reference, config, auth, logger, modules, quotas, ofDay, certificateOf };
    app = createApp({ ...parts, ...(metrics && { metrics }) });
  } catch (error) {
    await closeData();
    throw error;
  }
  const { onAnswered, trace } = options;
  const server = await startServer(app, {
    ...config,
    logger,
    onAnswered,
    trace,
    limits: options.serverLimits ?? {},
    knownSender: (authorization) => auth.knownSender(authorization),
  });
  const url = `${config.tls === undefined ? 'http' : 'https'}://127.0.0.1:${server.port}`;
  const send = sender(options.dispatcher);
  const tokens = new Map<string, Promise<string>>();

  const described = await send(`${url}/openapi.json`, {});
  const conformance = conformanceWith(JSON.parse(described.text) as OpenApiDocument);

  async function request<Body = Problem>(path: string, init: RequestInit = {}): Promise<Answer<Body>> {
    const { status, headers, text } = await send(`${url}${path}`, init);
    const contentType = headers.get('content-type');
    const body: unknown = (contentType ?? '').includes('json') && text !== '' ? JSON.parse(text) : undefined;
    conformance.check({ method: init.method ?? 'GET', path, status, contentType, body });
    return { status, headers, text, body: body as Body };
  }

  async function fetchToken(client: string): Promise<string> {
    const answer = await request<{ access_token: string }>('/oauth/token', {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: client,
        client_secret: `demo-${client}`,
      }),
    });
    if (answer.status !== 200) throw new Error(`no token for ${client}: ${answer.status} ${answer.text}`);
    return answer.body.access_token;
  }

  function token(client: string): Promise<string> {
    const known = tokens.get(client);
    if (known !== undefined) return known;
    const fetched = fetchToken(client);
    tokens.set(client, fetched);
    fetched.catch(() => tokens.delete(client)); // the next one asks again
    return fetched;
  }

  const authorized = async (client: string | null, headers: Record<string, string>) =>
    client === null ? headers : { authorization: `Bearer ${await token(client)}`, ...headers };

  return {
    url,
    db: owner,
    ownDb: db,
    document: conformance.document,
    request,
    token,
    get: async (path, client = 'LOTUSGS0', headers = {}) =>
      request(path, { headers: await authorized(client, headers) }),
    post: async (path, body, client = 'MERISGS0', headers = {}) =>
      request(path, {
        method: 'POST',
        headers: await authorized(client, { 'content-type': 'application/json', ...headers }),
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    close: async () => {
      await server.close();
      await closeData();
    },
  };
}

type Send = (
  url: string,
  init: RequestInit,
) => Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }>;

const sender =
  (dispatcher: Dispatcher | undefined): Send =>
  async (url, init) => {
    const asked = { redirect: 'manual', ...init } as const;
    const response =
      dispatcher === undefined
        ? await fetch(url, asked)
        : ((await connected(url, { ...asked, dispatcher } as never)) as unknown as Response);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
