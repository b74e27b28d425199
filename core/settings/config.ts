/**
 * Parses the configuration once at start, from the environment that an entry file passes in. It never guesses: a wrong
 * setting stops the start.
 */
import {
  assertNone,
  notSet,
  notValid,
  read,
  type Environment,
  type Values,
} from './environment-variables.ts';
import { isLoopback, isOwnAddress, isSecureAddress, isWebAddress } from './setting-forms.ts';
import { api, databaseUrl, recordsYears, retention, sealing, temporal, traces, worker } from './settings.ts';

/** The configuration of the retention job. */
export type RetentionConfig = Values<typeof retention>;

export interface TemporalConfig {
  readonly address: string;
  readonly namespace: string;
  /** Undefined if TLS is off. Certificates and keys are in PEM format. */
  readonly tls?: {
    /** If undefined, the CAs that the operating system trusts. */
    readonly ca?: string;
    readonly client?: { readonly cert: string; readonly key: string };
    readonly serverName?: string;
  };
  readonly apiKey?: string;
  /** The version of this worker; absent if workers have no versions. */
  readonly deployment?: { readonly name: string; readonly buildId: string };
}

export type AuthConfig =
  | { readonly kind: 'jwt'; readonly issuer: string; readonly audience: string; readonly jwksUrl: string }
  | { readonly kind: 'builtin'; readonly issuer: string; readonly audience: string }
  | { readonly kind: 'none' };

type WorkerValues = Values<typeof worker>;
type ApiValues = Values<typeof api>;

export interface WorkerConfig extends Omit<WorkerValues, 'metrics' | 'temporal' | 'sealing' | 'traces'> {
  /**
   * Where the process serves metrics and health; undefined if nowhere. With port 0 the operating system
   * chooses a port.
   */
  readonly metrics?: Required<WorkerValues['metrics']>;
  readonly temporal: TemporalConfig;
  /** Absent if the process seals nothing. */
  readonly sealing?: Required<WorkerValues['sealing']>;
  /** Undefined if tracing is off. */
  readonly traces?: TracesConfig;
}

interface TracesConfig extends Pick<WorkerValues['traces'], 'sampler' | 'ratio' | 'serviceName'> {
  /** Address of an OTLP receiver over HTTP, with its path. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ApiConfig extends WorkerConfig, Omit<ApiValues, keyof WorkerValues | 'auth' | 'tls'> {
  readonly auth: AuthConfig;
  /** Absent if the api serves plain HTTP, behind a proxy that terminates TLS. */
  readonly tls?: ServerTls;
}

export type SenderLimits = ApiValues['senderLimits'];

/** Certificates and keys, in PEM format. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
  /**
   * The CAs that must have issued the clients' certificates. If absent, the api compares only the public key
   * of a certificate (RFC 8705, 2.2).
   */
  readonly clientCa?: string;
}

/**
 * Sets no limits. Only for processes without foreign callers: benchmarks, and tools that only read the
 * routes.
 */
export const unlimited: Pick<ApiConfig, 'senderLimits' | 'trustedProxies'> = {
  senderLimits: {
    requestsPerMinute: 0,
    messagesPerMinute: 0,
    failedLoginsPerMinute: 0,
    undecidedPayments: 0,
    megabytesPerDay: 0,
  },
  trustedProxies: [],
};

/**
 * The configuration of the migration.
 * @throws ConfigurationError, as all parse functions here do
 */
export const parseCommonConfig = (env: Environment) => read({ databaseUrl }, env);

/** The configuration of `isthmus audit verify`, besides the database. */
export function parseAuditConfig(
  env: Environment,
): Pick<RetentionConfig, 'recordsYears'> & Pick<WorkerConfig, 'sealing'> {
  const values = read({ recordsYears, sealing }, env);
  return { recordsYears: values.recordsYears, ...sealingOf(values.sealing) };
}

export function parseRetentionConfig(env: Environment): RetentionConfig {
  const config = read(retention, env);
  assertNone([
    config.messagesMonths > config.recordsYears * 12 &&
      `MESSAGES_KEPT_MONTHS=${config.messagesMonths} is longer than RECORDS_KEPT_YEARS=${config.recordsYears}: the bytes of a message are of no use without its record. Raise the years, or lower the months.`,
  ]);
  return config;
}

export function parseWorkerConfig(env: Environment): WorkerConfig {
  const values = read(worker, withoutUnusedTraces(env));
  assertNone([...faultsOfTemporal(values), ...faultsOfPrivate(values)]);
  return workerOf(values);
}

export function parseApiConfig(env: Environment): ApiConfig {
  const values = read(api, withoutUnusedTraces(env));
  const isPublicPlain = (env['PUBLIC_URL'] ?? '').startsWith('http:');
  assertNone([
    ...faultsOfTemporal(values),
    ...faultsOfPrivate(values),
    ...faultsOfTls(values, isPublicPlain),
    ...faultsOfAuth(values),
  ]);
  const { auth, tls, ...others } = values;
  const { cert, key, clientCa } = tls;
  return {
    ...workerOf(others),
    auth: authOf(auth, values.publicUrl),
    ...(cert && key && { tls: { cert, key, ...(clientCa && { clientCa }) } }),
  };
}

function sealingOf({ keys, seals }: WorkerValues['sealing']): Pick<WorkerConfig, 'sealing'> {
  return { ...(keys && { sealing: { keys, seals } }) };
}

function workerOf<V extends WorkerValues>({
  metrics: { host, port },
  temporal,
  sealing,
  traces,
  ...others
}: V) {
  return {
    ...others,
    ...(port !== undefined && { metrics: { host, port } }),
    temporal: temporalOf(temporal),
    ...sealingOf(sealing),
    ...tracesOf(traces),
  };
}

function temporalOf(values: WorkerValues['temporal']): TemporalConfig {
  const { isSecure, address, namespace, deployment, ca, cert, key, serverName, apiKey } = values;
  const { name, buildId } = deployment;
  const plain = { address, namespace, ...(name && buildId && { deployment: { name, buildId } }) };
  if (!isSecure) return plain;
  const client = cert && key && { client: { cert, key } };
  const tls = { ...(ca && { ca }), ...client, ...(serverName && { serverName }) };
  return { ...plain, tls, ...(apiKey && { apiKey }) };
}

function faultsOfTemporal({ temporal: values }: WorkerValues): readonly (string | false)[] {
  const { ca, cert, key, serverName, apiKey } = temporal;
  const useless = Object.entries({ ca, cert, key, serverName, apiKey })
    .filter(([member]) => member in values)
    .map(([, { name }]) => `${name} is set, and TEMPORAL_TLS is not 1: without TLS it is not used.`);
  const isHalf =
    (values.deployment.name === undefined) !== (values.deployment.buildId === undefined) &&
    'TEMPORAL_DEPLOYMENT_NAME and TEMPORAL_WORKER_BUILD_ID go together: one of them is missing.';
  if (!values.isSecure) return [...useless, isHalf];
  return [
    isHalf,
    (values.cert === undefined) !== (values.key === undefined) &&
      'TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY go together: one of them is missing.',
  ];
}

/** Ignores OpenTelemetry's settings if tracing is off or has no address to export to: other software may use them. */
function withoutUnusedTraces(env: Environment): Environment {
  const has = env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  const isOff = env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none';
  if (has && !isOff) return env;
  return { ...env, ...Object.fromEntries(Object.values(traces).map(({ name }) => [name, undefined])) };
}

function tracesOf({
  endpoint,
  tracesEndpoint,
  ...values
}: WorkerValues['traces']): Pick<WorkerConfig, 'traces'> {
  const { headers = {}, sampler, ratio, serviceName } = values;
  const url = tracesEndpoint ?? (endpoint && `${endpoint.replace(/\/$/, '')}/v1/traces`);
  if (url === undefined) return {};
  return { traces: { url, headers, sampler, ratio, ...(serviceName && { serviceName }) } };
}

/**
 * Finds faults in settings that are safe only on a loopback address. A public PUBLIC_URL or a trusted proxy
 * means that others can reach the process, whatever HOST it binds.
 */
function faultsOfPrivate(values: WorkerValues & Partial<ApiValues>): readonly string[] {
  const [, ip6, host = ''] = /^https?:\/\/(?:\[([^\]]*)\]|([^/:]*))/.exec(values.publicUrl) ?? [];
  const isPublic = !isLoopback(ip6 ?? host);
  if (!isPublic && values.trustedProxies.length === 0) return [];
  const [where, remedy] = isPublic
    ? ['PUBLIC_URL', 'set PUBLIC_URL to an address on loopback']
    : ['TRUSTED_PROXIES', 'leave TRUSTED_PROXIES out'];
  const unsafe = [
    values.demo === true && 'DEMO=1',
    values.auth?.kind === 'none' && 'AUTH=none',
    values.fourEyes === false && 'FOUR_EYES=0',
    values.allowLoopbackCallbacks && 'ALLOW_LOOPBACK_CALLBACKS=1',
  ].filter((one) => one !== false);
  return unsafe.map(
    (one) =>
      `${one} is safe on loopback only, and ${where} shows that others can reach this process: leave ${one.replace(/=.*/, '')} out, or ${remedy}.`,
  );
}

/** Finds faults in the api's own TLS, and in client certificates, which a proxy may pass on in a header. */
function faultsOfTls(
  { tls: { cert, key, clientCa }, clientCertificateHeader, trustedProxies }: ApiValues,
  isPublicPlain: boolean,
): readonly (string | false)[] {
  return [
    (cert === undefined) !== (key === undefined) &&
      notValid(cert === undefined ? api.tls.cert : api.tls.key, 'PEM: TLS_CERT and TLS_KEY go together'),
    cert === undefined && clientCa !== undefined && notValid(api.tls.clientCa, 'nothing, without TLS_CERT'),
    // PUBLIC_URL is the issuer of the api's tokens, and the address to which receivers answer
    cert !== undefined &&
      isPublicPlain &&
      notValid(api.publicUrl, 'https, where the api ends TLS by TLS_CERT'),
    clientCertificateHeader !== undefined &&
      trustedProxies.length === 0 &&
      notValid(api.clientCertificateHeader, 'nothing, unless TRUSTED_PROXIES says whose word counts'),
  ];
}

/**
 * Without authentication, the api may bind to loopback only. The same holds for the demo's clients, whose secrets are
 * public, unless ALLOW_DEMO_ON_NETWORK is set.
 */
function faultsOfAuth({ auth, host, demo }: ApiValues): readonly (string | false)[] {
  const { kind, issuer, jwksUrl, allowsDemoOnNetwork } = auth;
  const isTrusted = (address: string) => isSecureAddress(address, { allowLoopbackHttp: demo });
  const isOpen = !isLoopback(host);
  if (kind === 'none') {
    return [
      isOpen &&
        `AUTH=none answers anyone, so it may bind to loopback only, not to HOST=${host}: set HOST=127.0.0.1, or AUTH=builtin or AUTH=jwt.`,
    ];
  }
  if (kind === 'builtin') {
    return [
      demo &&
        isOpen &&
        !allowsDemoOnNetwork &&
        `DEMO=1 with AUTH=builtin has clients whose secrets are public, so it may bind to loopback only, not to HOST=${host}: set HOST=127.0.0.1 or DEMO=0; or, if nobody else can reach that address, as in a container whose port is published on loopback only, ALLOW_DEMO_ON_NETWORK=1.`,
      issuer !== undefined && !isOwnAddress(issuer) && notValid(api.auth.issuer),
    ];
  }
  return [
    issuer === undefined && notSet(api.auth.issuer),
    issuer !== undefined &&
      !(isWebAddress(issuer) && isTrusted(issuer)) &&
      notValid(api.auth.issuer, 'an https address (http on loopback with DEMO=1), no query'),
    jwksUrl === undefined && notSet(api.auth.jwksUrl),
    jwksUrl !== undefined && !isTrusted(jwksUrl) && notValid(api.auth.jwksUrl),
  ];
}

function authOf(auth: ApiValues['auth'], publicUrl: string): AuthConfig {
  const { kind, issuer = publicUrl, audience = publicUrl, jwksUrl = '' } = auth;
  switch (kind) {
    case 'jwt':
      return { kind, issuer, audience, jwksUrl };
    case 'builtin':
      return { kind, issuer, audience };
    case 'none':
      return { kind };
  }
}
