/**
 * Configuration from named settings, parsed once at start; an entry file passes its environment in. It never guesses:
 * an invalid setting stops the start.
 */
import {
  environmentVariables,
  type Environment,
  type EnvironmentVariableName,
} from './environment-variables.ts';
import {
  isBindHost,
  isBrowserOrigin,
  isDatabaseUrl,
  isHostAndPort,
  isPort,
  isSecureAddress,
  isWebAddress,
  isWord,
} from './setting-forms.ts';
import { parseJudgingDirectories, type JudgingDirectories } from './judging-directories.ts';
import { parseLimits, type LimitsConfig } from './limits-config.ts';
import { faultOfPrivate, isLoopback, type PrivateSetting } from './private-settings.ts';
import { parseSecrets, type SecretSettings } from './secret-settings.ts';
import { parseTls, type TlsConfig } from './tls-config.ts';
import { parseTraces, type TracesConfig } from './traces-config.ts';

const ownForm =
  'an https address (http on loopback alone) in lower case, without userinfo, query or fragment';
const isOwnAddress = (text: string) =>
  isWebAddress(text) && isSecureAddress(text, { allowLoopbackHttp: true });
const databaseUrlForm = 'an address with a host and a database, percent-encoded where needed';
const wordForm = 'text without spaces';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** What the retention job needs (LIF-6). */
export interface RetentionConfig {
  readonly databaseUrl: string;
  /** The bytes of messages. */
  readonly messagesMonths: number;
  /** Everything else. */
  readonly recordsYears: number;
}

/** What every process needs. */
export interface CommonConfig {
  readonly databaseUrl: string;
  readonly logLevel: LogLevel;
  /** The port for metrics and health (OBS-2, OBS-4); undefined: none. Port 0: the operating system chooses. */
  readonly metrics?: { readonly host: string; readonly port: number };
}

export interface TemporalConfig {
  readonly address: string;
  readonly namespace: string;
  /** Undefined: no TLS. */
  readonly tls?: TemporalTls;
  readonly apiKey?: string;
}

/** PEM each. */
export interface TemporalTls {
  /** Undefined: the CAs that the system trusts. */
  readonly ca?: string;
  readonly client?: { readonly cert: string; readonly key: string };
  readonly serverName?: string;
}

export type AuthConfig =
  | { readonly kind: 'jwt'; readonly issuer: string; readonly audience: string; readonly jwksUrl: string }
  | { readonly kind: 'builtin'; readonly issuer: string; readonly audience: string }
  | { readonly kind: 'none' };

export interface ApiConfig extends WorkerConfig, LimitsConfig, TlsConfig {
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
}

export interface WorkerConfig extends CommonConfig, SecretSettings, JudgingDirectories {
  /** `amqp`: deliveries to queues of brokers alone; `payments`: everything else; `all`: both (CBK-3). */
  readonly serves: 'payments' | 'amqp' | 'all';
  readonly temporal: TemporalConfig;
  readonly publicUrl: string;
  readonly xsdEngine: 'libxml2' | 'xerces';
  /** Share of the messages that Xerces checks in the background, 0 to 1 (MSG-8). */
  readonly xercesShare: number;
  readonly allowLoopbackCallbacks: boolean;
  /** Days after which another key signs (CBK-2); 0: when an operator says so. */
  readonly deliveryKeyDays: number;
  /** Undefined: no traces (OBS-3). */
  readonly traces?: TracesConfig;
}

/** What `isthmus audit verify` goes by, beside the database. */
export type AuditConfig = Pick<RetentionConfig, 'recordsYears'> & Pick<SecretSettings, 'sealing'>;

/** A setting that is missing or invalid; the message names it and says what is expected. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

export function parseCommonConfig(env: Environment): CommonConfig {
  return {
    databaseUrl: formed(env, 'DATABASE_URL', isDatabaseUrl, databaseUrlForm),
    logLevel: oneOf(env, 'LOG_LEVEL', logLevels),
    ...parseMetrics(env),
  };
}

/** @throws ConfigurationError as for every setting */
export function parseAuditConfig(env: Environment): AuditConfig {
  const { sealing } = parseSecrets({ ...asks(env), isPem }, { seals: flag(env, 'SEALING') });
  return { recordsYears: recordsYearsOf(env), ...(sealing && { sealing }) };
}

const isWithin = (low: number, high: number) => (text: string) =>
  /^\d{1,4}$/.test(text) && Number(text) >= low && Number(text) <= high;

const isShare = (text: string) => /^(0|1|0?\.\d{1,6})$/.test(text);

const recordsYearsOf = (env: Environment) =>
  Number(formed(env, 'RECORDS_KEPT_YEARS', isWithin(1, 100), 'a whole number, 1 to 100'));

/** @throws ConfigurationError as for every setting, and when records would go before what they tell of */
export function parseRetentionConfig(env: Environment): RetentionConfig {
  const messagesMonths = Number(
    formed(env, 'MESSAGES_KEPT_MONTHS', isWithin(3, 1_200), 'a whole number, 3 to 1200'),
  );
  const recordsYears = recordsYearsOf(env);
  if (messagesMonths > recordsYears * 12) {
    throw new ConfigurationError(
      `MESSAGES_KEPT_MONTHS=${messagesMonths} is longer than RECORDS_KEPT_YEARS=${recordsYears}: the bytes of a message are of ` +
        'no use without its record. Raise the years, or lower the months.',
    );
  }
  return {
    databaseUrl: formed(env, 'DATABASE_URL', isDatabaseUrl, databaseUrlForm),
    messagesMonths,
    recordsYears,
  };
}

function parseMetrics(env: Environment): Pick<CommonConfig, 'metrics'> {
  if (read(env, 'METRICS_PORT') === '') return {};
  const host = formed(env, 'METRICS_HOST', isBindHost, 'a name or an address, without a port');
  const isAnyPort = (text: string) => text === '0' || isPort(text);
  return {
    metrics: { host, port: Number(formed(env, 'METRICS_PORT', isAnyPort, 'a port number, 0 to 65535')) },
  };
}

export function parseWorkerConfig(env: Environment): WorkerConfig {
  const traces = parseTraces(asks(env));
  const publicUrl = formed(env, 'PUBLIC_URL', isOwnAddress, ownForm).replace(/\/$/, '');
  refusePublic(env, publicUrl, ['ALLOW_LOOPBACK_CALLBACKS']);
  return {
    ...parseCommonConfig(env),
    temporal: parseTemporal(env),
    publicUrl,
    serves: oneOf(env, 'WORKER_SERVES', ['payments', 'amqp', 'all']),
    xsdEngine: oneOf(env, 'XSD_ENGINE', ['libxml2', 'xerces']),
    xercesShare: Number(formed(env, 'XERCES_SHARE', isShare, 'a number from 0 to 1, such as 0.01')),
    ...parseJudgingDirectories((name) => read(env, name)),
    allowLoopbackCallbacks: flag(env, 'ALLOW_LOOPBACK_CALLBACKS'),
    deliveryKeyDays: days(env, 'DELIVERY_KEY_DAYS'),
    ...parseSecrets({ ...asks(env), isPem }, { seals: flag(env, 'SEALING') }),
    ...(traces && { traces }),
  };
}

export function parseApiConfig(env: Environment): ApiConfig {
  const limits = parseLimits(asks(env));
  const worker = parseWorkerConfig(env);
  refusePublic(env, worker.publicUrl, ['DEMO', 'AUTH', 'FOUR_EYES']);
  const host = formed(env, 'HOST', isBindHost, 'a name or an address, without a port');
  const demo = flag(env, 'DEMO');
  const port = Number(
    formed(env, 'PORT', (text) => text === '0' || isPort(text), 'a port number, 0 to 65535'),
  );
  return {
    ...worker,
    host,
    port,
    auth: parseAuth(env, { host, publicUrl: worker.publicUrl, demo }),
    demo,
    issuerKeyDays: days(env, 'ISSUER_KEY_DAYS'),
    drainSeconds: Number(
      formed(env, 'DRAIN_SECONDS', (text) => /^[0-5]$/.test(text), 'a whole number, 0 to 5'),
    ),
    instanceId: read(env, 'INSTANCE_ID'),
    corsOrigins: parseOrigins(env),
    ...limits,
    ...parseTls({
      ...asks(env),
      isPem,
      hasProxies: limits.trustedProxies.length > 0,
      isPublicPlain: (env['PUBLIC_URL'] ?? '').startsWith('http:'),
    }),
    fourEyes: flag(env, 'FOUR_EYES'),
  };
}

function parseOrigins(env: Environment): readonly string[] {
  const list = read(env, 'CORS_ORIGINS');
  const origins = list === '' ? [] : list.split(',');
  if (origins.every(isBrowserOrigin)) return origins;
  const expected =
    'origins such as https://a.example, separated by commas alone: https (http on loopback), no path, no *, not null';
  throw refused('CORS_ORIGINS', expected);
}

function parseTemporal(env: Environment): TemporalConfig {
  return {
    ...parseTemporalTls(env),
    address: formed(
      env,
      'TEMPORAL_ADDRESS',
      isHostAndPort,
      'a host and a port, 1 to 65535, without a scheme',
    ),
    namespace: formed(env, 'TEMPORAL_NAMESPACE', isWord, wordForm),
  };
}

const tlsVariables = [
  'TEMPORAL_TLS_CA',
  'TEMPORAL_TLS_CERT',
  'TEMPORAL_TLS_KEY',
  'TEMPORAL_TLS_SERVER_NAME',
  'TEMPORAL_API_KEY',
] as const satisfies readonly EnvironmentVariableName[];

/** RFC 7468: any line break, and whatever explains it before and between. */
const isPem = (text: string) => /^-----BEGIN ([A-Z0-9 ]+)-----\r?\n[^]*^-----END \1-----\s*$/m.test(text);

function parseTemporalTls(env: Environment): Pick<TemporalConfig, 'tls' | 'apiKey'> {
  if (!flag(env, 'TEMPORAL_TLS')) {
    const [useless] = tlsVariables.filter((name) => read(env, name) !== '');
    if (useless === undefined) return {};
    throw new ConfigurationError(`${useless} is set, and TEMPORAL_TLS is not 1: without TLS it is not used.`);
  }
  const optional = (name: EnvironmentVariableName, isFormed: (text: string) => boolean, expected: string) =>
    read(env, name) === '' ? undefined : formed(env, name, isFormed, expected);
  const ca = optional('TEMPORAL_TLS_CA', isPem, 'PEM');
  const cert = optional('TEMPORAL_TLS_CERT', isPem, 'PEM');
  const key = optional('TEMPORAL_TLS_KEY', isPem, 'PEM');
  if ((cert === undefined) !== (key === undefined)) {
    throw new ConfigurationError(
      'TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY go together: one of them is missing.',
    );
  }
  const serverName = optional('TEMPORAL_TLS_SERVER_NAME', isBindHost, 'a name, without a port');
  const apiKey = optional(
    'TEMPORAL_API_KEY',
    (text) => /^[!-~]+$/.test(text),
    'printable ASCII without spaces',
  );
  return {
    tls: {
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && key !== undefined && { client: { cert, key } }),
      ...(serverName !== undefined && { serverName }),
    },
    ...(apiKey !== undefined && { apiKey }),
  };
}

interface OwnSettings {
  readonly host: string;
  readonly publicUrl: string;
  readonly demo: boolean;
}

function parseAuth(env: Environment, own: OwnSettings): AuthConfig {
  const kind = oneOf(env, 'AUTH', ['jwt', 'builtin', 'none']);
  const audience =
    read(env, 'AUTH_AUDIENCE') === '' ? own.publicUrl : formed(env, 'AUTH_AUDIENCE', isWord, wordForm);
  assertNotOnNetwork(env, kind, own);
  switch (kind) {
    case 'jwt': {
      const policy = { allowLoopbackHttp: own.demo };
      const isTrusted = (text: string) => isSecureAddress(text, policy);
      const expected = 'an https address (http on loopback with DEMO=1)';
      return {
        kind,
        issuer: formed(
          env,
          'AUTH_ISSUER',
          (text) => isTrusted(text) && isWebAddress(text),
          `${expected}, no query`,
        ),
        audience,
        jwksUrl: formed(env, 'AUTH_JWKS_URL', isTrusted, expected),
      };
    }
    case 'builtin': {
      const issuer =
        read(env, 'AUTH_ISSUER') === '' ? own.publicUrl : formed(env, 'AUTH_ISSUER', isOwnAddress, ownForm);
      return { kind, issuer, audience };
    }
    case 'none':
      return { kind };
  }
}

/**
 * SEC-1: without authentication, or with the demo's clients, whose secrets are public, bind to loopback only, unless
 * allowed.
 */
function assertNotOnNetwork(env: Environment, kind: AuthConfig['kind'], { host, demo }: OwnSettings): void {
  const allowsDemo = flag(env, 'ALLOW_DEMO_ON_NETWORK');
  if (isLoopback(host)) return;
  if (kind === 'none') {
    throw new ConfigurationError(
      `AUTH=none answers anyone, so it may bind to loopback only, not to HOST=${host}: ` +
        'set HOST=127.0.0.1, or AUTH=builtin or AUTH=jwt.',
    );
  }
  if (kind === 'builtin' && demo && !allowsDemo) {
    throw new ConfigurationError(
      `DEMO=1 with AUTH=builtin has clients whose secrets are public, so it may bind to loopback only, not to HOST=${host}: ` +
        'set HOST=127.0.0.1 or DEMO=0; or, if nobody else can reach that address, as in a container whose port is ' +
        'published on loopback only, ALLOW_DEMO_ON_NETWORK=1.',
    );
  }
}

function refusePublic(env: Environment, publicUrl: string, names: readonly PrivateSetting[]): void {
  const fault = faultOfPrivate((name) => read(env, name), { publicUrl, names });
  if (fault !== undefined) throw new ConfigurationError(fault);
}

const days = (env: Environment, name: EnvironmentVariableName) => {
  const isDays = (text: string) => /^\d{1,4}$/.test(text) && Number(text) <= 3_650;
  return Number(formed(env, name, isDays, 'a whole number, 0 to 3650'));
};

const asks = (env: Environment) => ({
  read: (name: EnvironmentVariableName) => read(env, name),
  refused,
});

function read(env: Environment, name: EnvironmentVariableName): string {
  const value = env[name];
  return value === undefined || value === '' ? (environmentVariables[name].default ?? '') : value;
}

function required(env: Environment, name: EnvironmentVariableName): string {
  const value = read(env, name);
  if (value === '') {
    throw new ConfigurationError(`${name} is not set: ${environmentVariables[name].description}.`);
  }
  return value;
}

function oneOf<const Choice extends string>(
  env: Environment,
  name: EnvironmentVariableName,
  choices: readonly Choice[],
): Choice {
  const value = read(env, name);
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined) throw refused(name, choices.join(', '));
  return choice;
}

function flag(env: Environment, name: EnvironmentVariableName): boolean {
  return oneOf(env, name, ['0', '1']) === '1';
}

function formed(
  env: Environment,
  name: EnvironmentVariableName,
  isFormed: (text: string) => boolean,
  expected: string,
): string {
  const value = required(env, name);
  if (!isFormed(value)) throw refused(name, expected);
  return value;
}

function refused(name: EnvironmentVariableName, expected: string): ConfigurationError {
  return new ConfigurationError(
    `${name} is not valid; expected: ${expected}. (${environmentVariables[name].description})`,
  );
}
