/**
 * Configuration, parsed once at start; an entry file passes its environment in. It never guesses: a setting that is
 * wrong stops the start.
 */
import type { QueueLogins } from '../deliveries/queue-logins.ts';
import type { ReceiverCertificates } from '../deliveries/receiver-certificates.ts';
import {
  assertNone,
  notSet,
  notValid,
  read,
  type Environment,
  type Values,
} from './environment-variables.ts';
import type { SealingConfig } from './sealing-keys.ts';
import { isLoopback, isOwnAddress, isSecureAddress } from './setting-forms.ts';
import { api, common, ownAddress, recordsKept, retention, sealing, traces, worker } from './settings.ts';

/** What the retention job needs (LIF-6). */
export interface RetentionConfig {
  readonly databaseUrl: string;
  /** The bytes of messages. */
  readonly messagesMonths: number;
  /** Everything else. */
  readonly recordsYears: number;
}

/** What every process needs. */
interface CommonConfig {
  readonly databaseUrl: string;
  readonly logLevel: Values<typeof common>['LOG_LEVEL'];
  /** The port for metrics and health (OBS-2, OBS-4); undefined: none. Port 0: the operating system chooses. */
  readonly metrics?: { readonly host: string; readonly port: number };
}

export interface TemporalConfig {
  readonly address: string;
  readonly namespace: string;
  /** Undefined: no TLS. PEM each. */
  readonly tls?: {
    /** Undefined: the CAs that the system trusts. */
    readonly ca?: string;
    readonly client?: { readonly cert: string; readonly key: string };
    readonly serverName?: string;
  };
  readonly apiKey?: string;
}

export type AuthConfig =
  | { readonly kind: 'jwt'; readonly issuer: string; readonly audience: string; readonly jwksUrl: string }
  | { readonly kind: 'builtin'; readonly issuer: string; readonly audience: string }
  | { readonly kind: 'none' };

export interface WorkerConfig extends CommonConfig {
  readonly temporal: TemporalConfig;
  readonly publicUrl: string;
  /** Absent: our usage guideline, in `schemas`. */
  readonly usageGuideline?: string;
  /** Absent: the official schemas are not asked. */
  readonly officialSchemas?: string;
  /** With editions of the external code sets; absent: the shipped one (MSG-4). */
  readonly codeSetsDirectory?: string;
  readonly xsdEngine: 'libxml2' | 'xerces';
  /** Share of the messages that Xerces checks in the background, 0 to 1 (MSG-8). */
  readonly xercesShare: number;
  readonly allowLoopbackCallbacks: boolean;
  /** Days after which another key signs (CBK-2); 0: when an operator says so. */
  readonly deliveryKeyDays: number;
  /** Absent: nothing is sealed (SEC-3). */
  readonly sealing?: SealingConfig;
  readonly queueLogins?: QueueLogins;
  readonly receiverCertificates?: ReceiverCertificates;
  /** Undefined: no traces (OBS-3). */
  readonly traces?: TracesConfig;
}

interface TracesConfig {
  /** Of an OTLP receiver over HTTP, with its path. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: Values<typeof traces>['OTEL_TRACES_SAMPLER'];
  /** Share of the traces, where the sampler is of that kind. */
  readonly ratio: number;
  /** Undefined: the process's own. */
  readonly serviceName?: string;
}

export interface ApiConfig extends WorkerConfig {
  readonly host: string;
  /** 0: the operating system chooses. */
  readonly port: number;
  readonly auth: AuthConfig;
  readonly demo: boolean;
  /** Days after which another key of the built-in issuer signs (SEC-8); 0: when an operator says so. */
  readonly issuerKeyDays: number;
  /** For which it goes on taking requests once it is asked to stop, not ready any more (OBS-4). */
  readonly drainSeconds: number;
  /** Empty: not returned. */
  readonly instanceId?: string;
  readonly corsOrigins: readonly string[];
  /** Whether a second operator must approve changes of the scheme (ADM-2). */
  readonly fourEyes: boolean;
  readonly senderLimits: SenderLimits;
  /** Addresses and networks whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** Absent: plain HTTP, behind a proxy that ends TLS. */
  readonly tls?: ServerTls;
  /** Lower case; in it a trusted proxy says which certificate its client presented (RFC 9440). Absent: nobody is asked. */
  readonly clientCertificateHeader?: string;
}

/** How much one sender may ask for (SEC-7). 0 is no limit. */
export interface SenderLimits {
  /** Of one client and route. */
  readonly requestsPerMinute: number;
  /** Of one client and route, where messages are taken or quotes given. */
  readonly messagesPerMinute: number;
  /** Of one client and address; of one address ten times as many. */
  readonly failedLoginsPerMinute: number;
  /** Payments of one source clearing system that have no final status. */
  readonly undecidedPayments: number;
  /** Millions of bytes of messages of one source clearing system in a day (UTC). */
  readonly megabytesPerDay: number;
}

/** PEM each. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
  /** By which certificates of clients are judged; absent: each counts as the key that it is of (RFC 8705, 2.2). */
  readonly clientCa?: string;
}

/** Where nobody else asks: benchmarks, and what only reads the routes. */
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

/** @throws ConfigurationError, as all of these do */
export function parseCommonConfig(env: Environment): CommonConfig {
  return commonOf(read(common, env));
}

/** What `isthmus audit verify` goes by, beside the database. */
export function parseAuditConfig(
  env: Environment,
): Pick<RetentionConfig, 'recordsYears'> & Pick<WorkerConfig, 'sealing'> {
  const values = read({ ...recordsKept, ...sealing }, env);
  return { recordsYears: values.RECORDS_KEPT_YEARS, ...sealingOf(values) };
}

export function parseRetentionConfig(env: Environment): RetentionConfig {
  const values = read(retention, env);
  const [messagesMonths, recordsYears] = [values.MESSAGES_KEPT_MONTHS, values.RECORDS_KEPT_YEARS];
  assertNone([
    messagesMonths > recordsYears * 12 &&
      `MESSAGES_KEPT_MONTHS=${messagesMonths} is longer than RECORDS_KEPT_YEARS=${recordsYears}: the bytes of a message are of no use without its record. Raise the years, or lower the months.`,
  ]);
  return { databaseUrl: values.DATABASE_URL, messagesMonths, recordsYears };
}

export function parseWorkerConfig(env: Environment): WorkerConfig {
  const values = read(worker, withoutUnusedTraces(env));
  assertNone([...faultsOfTemporal(values), ...faultsOfPrivate(values, ['ALLOW_LOOPBACK_CALLBACKS'])]);
  return workerOf(values);
}

export function parseApiConfig(env: Environment): ApiConfig {
  const values = read(api, withoutUnusedTraces(env));
  const isPublicPlain = (env['PUBLIC_URL'] ?? '').startsWith('http:');
  assertNone([
    ...faultsOfTemporal(values),
    ...faultsOfPrivate(values, ['DEMO', 'AUTH', 'FOUR_EYES', 'ALLOW_LOOPBACK_CALLBACKS']),
    ...faultsOfTls(values, isPublicPlain),
    ...faultsOfAuth(values),
  ]);
  const { TLS_CERT: cert, TLS_KEY: key, TLS_CLIENT_CA: clientCa } = values;
  const header = values.CLIENT_CERT_HEADER?.toLowerCase();
  return {
    ...workerOf(values),
    host: values.HOST,
    port: values.PORT,
    auth: authOf(values),
    demo: values.DEMO,
    issuerKeyDays: values.ISSUER_KEY_DAYS,
    drainSeconds: values.DRAIN_SECONDS,
    instanceId: values.INSTANCE_ID,
    corsOrigins: values.CORS_ORIGINS ?? [],
    fourEyes: values.FOUR_EYES,
    senderLimits: {
      requestsPerMinute: values.REQUESTS_PER_MINUTE,
      messagesPerMinute: values.MESSAGES_PER_MINUTE,
      failedLoginsPerMinute: values.FAILED_LOGINS_PER_MINUTE,
      undecidedPayments: values.UNDECIDED_PAYMENTS,
      megabytesPerDay: values.MEGABYTES_PER_DAY,
    },
    trustedProxies: values.TRUSTED_PROXIES ?? [],
    ...(cert && key && { tls: { cert, key, ...(clientCa && { clientCa }) } }),
    ...(header && { clientCertificateHeader: header }),
  };
}

type WorkerValues = Values<typeof worker>;
type ApiValues = Values<typeof api>;

function commonOf(values: Values<typeof common>): CommonConfig {
  const { METRICS_HOST: host, METRICS_PORT: port } = values;
  return {
    databaseUrl: values.DATABASE_URL,
    logLevel: values.LOG_LEVEL,
    ...(port !== undefined && { metrics: { host, port } }),
  };
}

function sealingOf(values: Values<typeof sealing>): Pick<WorkerConfig, 'sealing'> {
  const { SEALING_KEYS: keys, SEALING: seals } = values;
  return { ...(keys && { sealing: { keys, seals } }) };
}

function workerOf(values: WorkerValues): WorkerConfig {
  const {
    USAGE_GUIDELINE: usageGuideline,
    OFFICIAL_SCHEMAS: officialSchemas,
    CODE_SETS_DIR: codeSetsDirectory,
  } = values;
  return {
    ...commonOf(values),
    temporal: temporalOf(values),
    publicUrl: publicUrlOf(values),
    ...(usageGuideline && { usageGuideline }),
    ...(officialSchemas && { officialSchemas }),
    ...(codeSetsDirectory && { codeSetsDirectory }),
    xsdEngine: values.XSD_ENGINE,
    xercesShare: values.XERCES_SHARE,
    allowLoopbackCallbacks: values.ALLOW_LOOPBACK_CALLBACKS,
    deliveryKeyDays: values.DELIVERY_KEY_DAYS,
    queueLogins: values.AMQP_LOGINS,
    receiverCertificates: values.RECEIVER_CERTIFICATES,
    ...sealingOf(values),
    ...tracesOf(values),
  };
}

const publicUrlOf = (values: WorkerValues) => values.PUBLIC_URL.replace(/\/$/, '');

function temporalOf(values: WorkerValues): TemporalConfig {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = values;
  if (!values.TEMPORAL_TLS) return { address, namespace };
  const { TEMPORAL_TLS_CA: ca, TEMPORAL_TLS_CERT: cert, TEMPORAL_TLS_KEY: key } = values;
  const { TEMPORAL_TLS_SERVER_NAME: serverName, TEMPORAL_API_KEY: apiKey } = values;
  return {
    address,
    namespace,
    tls: {
      ...(ca && { ca }),
      ...(cert && key && { client: { cert, key } }),
      ...(serverName && { serverName }),
    },
    ...(apiKey && { apiKey }),
  };
}

function faultsOfTemporal(values: WorkerValues): readonly (string | false)[] {
  const names = [
    'TEMPORAL_TLS_CA',
    'TEMPORAL_TLS_CERT',
    'TEMPORAL_TLS_KEY',
    'TEMPORAL_TLS_SERVER_NAME',
    'TEMPORAL_API_KEY',
  ] as const;
  const useless = values.TEMPORAL_TLS ? [] : names.filter((name) => values[name] !== undefined);
  if (useless.length > 0)
    return useless.map((name) => `${name} is set, and TEMPORAL_TLS is not 1: without TLS it is not used.`);
  return [
    (values.TEMPORAL_TLS_CERT === undefined) !== (values.TEMPORAL_TLS_KEY === undefined) &&
      'TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY go together: one of them is missing.',
  ];
}

/** Without an address to export to, or switched off, nothing of OpenTelemetry's is read: others may have set it. */
function withoutUnusedTraces(env: Environment): Environment {
  const has = env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  const isOff = env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none';
  if (has && !isOff) return env;
  return { ...env, ...Object.fromEntries(Object.keys(traces).map((name) => [name, undefined])) };
}

function tracesOf(values: WorkerValues): Pick<WorkerConfig, 'traces'> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: shared, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = values;
  const url = own ?? (shared && `${shared.replace(/\/$/, '')}/v1/traces`);
  if (url === undefined) return {};
  const serviceName = values.OTEL_SERVICE_NAME;
  return {
    traces: {
      url,
      headers: values.OTEL_EXPORTER_OTLP_HEADERS ?? {},
      sampler: values.OTEL_TRACES_SAMPLER,
      ratio: values.OTEL_TRACES_SAMPLER_ARG,
      ...(serviceName && { serviceName }),
    },
  };
}

const privateSettings = { DEMO: '1', AUTH: 'none', FOUR_EYES: '0', ALLOW_LOOPBACK_CALLBACKS: '1' } as const;

/**
 * Settings that are safe on loopback only (SEC-1). A public PUBLIC_URL or a trusted proxy means that others reach the
 * process, whatever HOST it binds.
 */
function faultsOfPrivate(
  values: WorkerValues & Partial<ApiValues>,
  names: readonly (keyof typeof privateSettings)[],
): readonly string[] {
  const [, ip6, host = ''] = /^https?:\/\/(?:\[([^\]]*)\]|([^/:]*))/.exec(values.PUBLIC_URL) ?? [];
  const isPublic = !isLoopback(ip6 ?? host);
  if (!isPublic && values.TRUSTED_PROXIES === undefined) return [];
  const [where, remedy] = isPublic
    ? ['PUBLIC_URL', 'set PUBLIC_URL to an address on loopback']
    : ['TRUSTED_PROXIES', 'leave TRUSTED_PROXIES out'];
  const asText = (value: unknown) => (typeof value === 'boolean' ? String(Number(value)) : value);
  return names
    .filter((name) => asText(values[name]) === privateSettings[name])
    .map(
      (name) =>
        `${name}=${privateSettings[name]} is safe on loopback only, and ${where} shows that others can reach this process: leave ${name} out, or ${remedy}.`,
    );
}

/** TLS that ends in the api, and certificates that clients present to us, or to a proxy that says which (SEC-1). */
function faultsOfTls(values: ApiValues, isPublicPlain: boolean): readonly (string | false)[] {
  const { TLS_CERT: cert, TLS_KEY: key, TLS_CLIENT_CA: clientCa } = values;
  return [
    (cert === undefined) !== (key === undefined) &&
      notValid(api, cert === undefined ? 'TLS_CERT' : 'TLS_KEY', 'PEM: TLS_CERT and TLS_KEY go together'),
    cert === undefined &&
      clientCa !== undefined &&
      notValid(api, 'TLS_CLIENT_CA', 'nothing, without TLS_CERT'),
    // it is the issuer of our tokens, and where receivers answer
    cert !== undefined &&
      isPublicPlain &&
      notValid(api, 'PUBLIC_URL', 'https, where the api ends TLS by TLS_CERT'),
    values.CLIENT_CERT_HEADER !== undefined &&
      values.TRUSTED_PROXIES === undefined &&
      notValid(api, 'CLIENT_CERT_HEADER', 'nothing, unless TRUSTED_PROXIES says whose word counts'),
  ];
}

/**
 * SEC-1: without authentication, or with the demo's clients, whose secrets are public, bind to loopback only, unless
 * allowed.
 */
function faultsOfAuth(values: ApiValues): readonly (string | false)[] {
  const { AUTH: kind, AUTH_ISSUER: issuer, AUTH_JWKS_URL: jwksUrl, HOST: host, DEMO: demo } = values;
  const policy = { allowLoopbackHttp: demo };
  const isOpen = !isLoopback(host);
  return [
    kind === 'none' &&
      isOpen &&
      `AUTH=none answers anyone, so it may bind to loopback only, not to HOST=${host}: set HOST=127.0.0.1, or AUTH=builtin or AUTH=jwt.`,
    kind === 'builtin' &&
      demo &&
      isOpen &&
      !values.ALLOW_DEMO_ON_NETWORK &&
      `DEMO=1 with AUTH=builtin has clients whose secrets are public, so it may bind to loopback only, not to HOST=${host}: set HOST=127.0.0.1 or DEMO=0; or, if nobody else can reach that address, as in a container whose port is published on loopback only, ALLOW_DEMO_ON_NETWORK=1.`,
    kind === 'builtin' &&
      issuer !== undefined &&
      !isOwnAddress(issuer) &&
      notValid(api, 'AUTH_ISSUER', ownAddress),
    kind === 'jwt' && issuer === undefined && notSet(api, 'AUTH_ISSUER'),
    kind === 'jwt' && jwksUrl === undefined && notSet(api, 'AUTH_JWKS_URL'),
    kind === 'jwt' &&
      issuer !== undefined &&
      !isSecureAddress(issuer, policy) &&
      notValid(api, 'AUTH_ISSUER', 'an https address (http on loopback with DEMO=1), no query'),
    kind === 'jwt' &&
      jwksUrl !== undefined &&
      !isSecureAddress(jwksUrl, policy) &&
      notValid(api, 'AUTH_JWKS_URL'),
  ];
}

function authOf(values: ApiValues): AuthConfig {
  const own = publicUrlOf(values);
  const {
    AUTH: kind,
    AUTH_ISSUER: issuer = own,
    AUTH_AUDIENCE: audience = own,
    AUTH_JWKS_URL: jwksUrl = '',
  } = values;
  switch (kind) {
    case 'jwt':
      return { kind, issuer, audience, jwksUrl };
    case 'builtin':
      return { kind, issuer, audience };
    case 'none':
      return { kind };
  }
}
