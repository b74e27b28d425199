/**
 * Every setting that the api, the worker and the jobs read; docs/reference/configuration.md is made from them.
 */
import { z } from 'zod';
import { parseQueueLogins } from '../deliveries/queue-logins.ts';
import { parseReceiverCertificates, receiverCertificatesForm } from '../deliveries/receiver-certificates.ts';
import { assertNone, type Environment, type Settings } from './environment-variables.ts';
import { parseSealingKeys, sealingKeysForm } from './sealing-keys.ts';
import {
  isBindHost,
  isBrowserOrigin,
  isDatabaseUrl,
  isHostAndPort,
  isNetwork,
  isOwnAddress,
  isPem,
  isPort,
  isSecureAddress,
  isWebAddress,
  isWord,
  parseHeaders,
} from './setting-forms.ts';

/** Text that is of a form, with that form in words. */
export const text = (isFormed: (value: string) => boolean, allowed: string) =>
  z.string().refine(isFormed).describe(allowed);

/** Text that something else is read from; undefined where it cannot be. */
const parsed = <T>(parse: (value: string) => T | undefined, allowed: string) =>
  z
    .string()
    .transform((value, context) => {
      const found = parse(value);
      if (found === undefined) context.addIssue({ code: 'custom' });
      return found ?? z.NEVER;
    })
    .describe(allowed);

const number = (low: number, high: number) =>
  parsed((value) => {
    const found = /^\d{1,9}$/.test(value) ? Number(value) : undefined;
    return found !== undefined && found >= low && found <= high ? found : undefined;
  }, `a whole number, ${low} to ${high}`);

const list = (isFormed: (value: string) => boolean, allowed: string) =>
  parsed((value) => {
    const items = value.split(',');
    return items.every(isFormed) ? items : undefined;
  }, allowed);

export const oneOf = <const Choice extends string>(choices: readonly Choice[]) =>
  z.enum(choices).describe(choices.join(', '));

export const flag = z
  .enum(['0', '1'])
  .transform((value) => value === '1')
  .describe('0 or 1');

export const port = text((value) => value === '0' || isPort(value), 'a port number, 0 to 65535').transform(
  Number,
);

const webAddress = 'an http or https address in lower case, without userinfo, query or fragment';
export const ownAddress =
  'an https address (http on loopback alone) in lower case, without userinfo, query or fragment';
const address = text(isBindHost, 'a name or an address, without a port');
const word = text(isWord, 'text without spaces');
const pem = text(isPem, 'PEM');
const directory = z.string().describe('the path of a directory');
const days = number(0, 3_650);
const limit = number(0, 999_999_999);

const database = {
  DATABASE_URL: {
    form: text(isDatabaseUrl, 'an address with a host and a database, percent-encoded where needed'),
    required: true,
    file: true,
    description:
      'postgres://user:password@host:port/database; over TLS with ?sslmode=verify-full and, for a CA of your own, &sslrootcert=<path>',
  },
} as const satisfies Settings;

export const common = {
  ...database,
  LOG_LEVEL: {
    form: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'silent']),
    default: 'info',
    description: 'The least severe entries that are logged',
  },
  METRICS_HOST: { form: address, default: '127.0.0.1', description: 'Address that METRICS_PORT is bound at' },
  METRICS_PORT: {
    form: port,
    description:
      'Port of /metrics (Prometheus), /health/live and /health/ready of this process; empty: none. It asks for no token: bind it where only they can reach it',
  },
} as const satisfies Settings;

export const temporal = {
  TEMPORAL_ADDRESS: {
    form: text(isHostAndPort, 'a host and a port, 1 to 65535, without a scheme'),
    required: true,
    description: 'host:port of the Temporal frontend',
  },
  TEMPORAL_NAMESPACE: {
    form: word,
    default: 'default',
    description: 'Temporal namespace, of this system alone: two in one take the work of each other',
  },
  TEMPORAL_TLS: { form: flag, default: '0', description: '1: TLS to Temporal, whose certificate is checked' },
  TEMPORAL_TLS_CA: {
    form: pem,
    file: true,
    description: 'The CA of its certificate, if it is none that this system trusts',
  },
  TEMPORAL_TLS_CERT: {
    form: pem,
    file: true,
    description: 'Our certificate, where Temporal asks for one (mTLS)',
  },
  TEMPORAL_TLS_KEY: { form: pem, file: true, description: 'Its key' },
  TEMPORAL_TLS_SERVER_NAME: {
    form: address,
    description: "Name in Temporal's certificate, if it is not the host of TEMPORAL_ADDRESS",
  },
  TEMPORAL_API_KEY: {
    form: text((value) => /^[!-~]+$/.test(value), 'printable ASCII without spaces'),
    file: true,
    description: 'API key of Temporal Cloud, over TLS',
  },
} as const satisfies Settings;

export const sealing = {
  SEALING_KEYS: {
    form: parsed(parseSealingKeys, sealingKeysForm),
    file: true,
    description:
      'Keys under which messages, excerpts of answers and our private keys are sealed in the database (SEC-3). The first seals, all open; the same for every api and worker. Empty: nothing is sealed',
  },
  SEALING: {
    form: flag,
    default: '1',
    description:
      '0: what is stored is not sealed, only opened: while not all processes have SEALING_KEYS yet',
  },
} as const satisfies Settings;

/** OpenTelemetry's own names (OBS-3). */
export const traces = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    form: text(isWebAddress, webAddress),
    description:
      'Address of an OpenTelemetry collector; traces go to /v1/traces below it. Empty, and no OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: no traces, whatever else is set (OBS-3)',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    form: text(isWebAddress, webAddress),
    description: 'The same for traces alone, with its whole path; it goes before the other',
  },
  OTEL_SDK_DISABLED: {
    form: text((value) => /^(true|false)$/i.test(value), 'true or false'),
    default: 'false',
    description: 'true: no traces, whatever else is set',
  },
  OTEL_TRACES_EXPORTER: {
    form: oneOf(['otlp', 'none']),
    default: 'otlp',
    description: 'none: no traces, whatever else is set',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    form: oneOf(['http/protobuf']),
    default: 'http/protobuf',
    description: 'Refused where a platform sets another: its collector would not understand ours',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    form: parsed(parseHeaders, 'name=value, separated by commas, percent-encoded'),
    file: true,
    description: 'Headers for the collector, such as its key',
  },
  OTEL_TRACES_SAMPLER: {
    form: oneOf([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ]),
    default: 'parentbased_always_on',
    description: 'Which traces are exported. parentbased: whoever began the trace decides',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    form: text((value) => /^(?:0(?:\.\d+)?|1(?:\.0+)?)$/.test(value), 'a decimal, 0 to 1').transform(Number),
    default: '1',
    description: 'For traceidratio: the share of traces',
  },
  OTEL_SERVICE_NAME: {
    form: z.string().describe('text'),
    description: 'Name of the process in its traces; default: isthmus-api, isthmus-worker',
  },
} as const satisfies Settings;

export const worker = {
  ...common,
  ...temporal,
  AMQP_LOGINS: {
    form: parsed(parseQueueLogins, 'JSON: {"host:port": {"username": "...", "password": "..."}}'),
    default: '{}',
    file: true,
    description:
      'What the worker logs in with where FX providers take their messages from queues; anonymously where a broker is not named',
  },
  RECEIVER_CERTIFICATES: {
    form: parsed((value) => parseReceiverCertificates(value, isPem), receiverCertificatesForm),
    default: '{}',
    file: true,
    description:
      'What we present to receivers that ask for a certificate (mTLS), and by which authorities theirs are judged where the system does not trust them',
  },
  DELIVERY_KEY_DAYS: {
    form: days,
    default: '90',
    description:
      'Days after which the key that signs what we send is followed by another (CBK-2); 0: only when an operator says so',
  },
  ...sealing,
  PUBLIC_URL: {
    form: text(isOwnAddress, ownAddress),
    default: 'http://127.0.0.1:8080',
    description: 'Address at which operators reach the api; destinations report to it',
  },
  TRUSTED_PROXIES: {
    form: list(isNetwork, 'addresses or networks such as 10.0.0.0/8 or fd00::/8, separated by commas alone'),
    description: 'Whose X-Forwarded-For says for whom they ask (SEC-7); empty: nobody is believed',
  },
  USAGE_GUIDELINE: {
    form: directory,
    description:
      'Directory with a usage guideline of your own, in place of ours: schemas, guideline.json, examples; the same for every api and worker',
  },
  OFFICIAL_SCHEMAS: {
    form: directory,
    description:
      'Directory with the official ISO 20022 schemas, as published: by them each message is judged first',
  },
  CODE_SETS_DIR: {
    form: directory,
    description:
      'Directory with newer editions of the external code sets, one JSON file each: the edition with the latest date counts, the shipped one included; the same for every api and worker',
  },
  XSD_ENGINE: {
    form: oneOf(['libxml2', 'xerces']),
    default: 'libxml2',
    description: 'The engine that decides',
  },
  XERCES_SHARE: {
    form: text((value) => /^(0|1|0?\.\d{1,6})$/.test(value), 'a number from 0 to 1, such as 0.01').transform(
      Number,
    ),
    default: '0.01',
    description:
      'Share of the messages that a worker has Xerces check in the background (MSG-8), where Java is present; 0: none',
  },
  ALLOW_LOOPBACK_CALLBACKS: {
    form: flag,
    default: '0',
    description: '1: callbacks and operators on loopback over http are allowed (SEC-2); for demos only',
  },
  ...traces,
} as const satisfies Settings;

export const api = {
  ...worker,
  HOST: { form: address, default: '127.0.0.1', description: 'Address that the api binds' },
  PORT: { form: port, default: '8080', description: 'Port that the api binds' },
  AUTH: {
    form: oneOf(['jwt', 'builtin', 'none']),
    default: 'jwt',
    description:
      'jwt: tokens of an external issuer; builtin: the built-in issuer; none: local experiments only (SEC-1)',
  },
  AUTH_ISSUER: {
    form: text(isWebAddress, ownAddress),
    description: 'Expected issuer of tokens; default for builtin: PUBLIC_URL',
  },
  AUTH_AUDIENCE: { form: word, description: 'Expected audience of tokens; default: PUBLIC_URL' },
  AUTH_JWKS_URL: {
    form: text(
      (value) => isSecureAddress(value, { allowLoopbackHttp: true }),
      'an https address (http on loopback with DEMO=1)',
    ),
    description: 'Key set of the external issuer (AUTH=jwt), at most 256 KiB',
  },
  ISSUER_KEY_DAYS: {
    form: days,
    default: '90',
    description:
      'Days after which the key of the built-in issuer is followed by another (SEC-8); 0: only when an operator says so',
  },
  DEMO: {
    form: flag,
    default: '0',
    description: '1: demo clients may exist (seed data); the default of the embedded demo',
  },
  ALLOW_DEMO_ON_NETWORK: {
    form: flag,
    default: '0',
    description:
      '1: DEMO=1 with AUTH=builtin may bind beyond loopback, to an address that nobody else can reach (a container)',
  },
  CORS_ORIGINS: {
    form: list(
      isBrowserOrigin,
      'origins such as https://a.example, separated by commas alone: https (http on loopback), no path, no *, not null',
    ),
    description: 'Origins that browsers may call from',
  },
  FOUR_EYES: {
    form: flag,
    default: '1',
    description:
      '0: changes of the scheme count without a second operator (ADM-2); for demos only: refused where PUBLIC_URL or TRUSTED_PROXIES say that others come',
  },
  INSTANCE_ID: {
    form: z.string().describe('text'),
    default: '',
    description:
      'Returned by GET /health/live, for commands that must know which instance they talk to; the demo sets it',
  },
  TLS_CERT: {
    form: pem,
    file: true,
    description: 'Our certificate with its chain: the api ends TLS itself; empty: a proxy does',
  },
  TLS_KEY: { form: pem, file: true, description: 'Its key' },
  TLS_CLIENT_CA: {
    form: pem,
    file: true,
    description:
      'The CAs of certificates that clients present (mTLS); empty: any counts, for the tokens that are bound to it alone (RFC 8705)',
  },
  CLIENT_CERT_HEADER: {
    form: text((value) => /^[A-Za-z0-9-]+$/.test(value), 'the name of a header'),
    description:
      'Header in which a proxy of TRUSTED_PROXIES says which certificate its client presented: in the form of RFC 9440 (Client-Cert), or as PEM with percent-encoding (nginx: $ssl_client_escaped_cert). The proxy must remove what its client wrote there',
  },
  REQUESTS_PER_MINUTE: {
    form: limit,
    default: '12000',
    description: 'Requests of one client to one route, over all apis (SEC-7); 0: any number',
  },
  MESSAGES_PER_MINUTE: {
    form: limit,
    default: '60000',
    description: 'The same where messages are taken or quotes are given; 0: any number',
  },
  FAILED_LOGINS_PER_MINUTE: {
    form: limit,
    default: '10',
    description:
      'Wrong secrets of one client from one address, and ten times as many from one address (SEC-7); 0: any number',
  },
  UNDECIDED_PAYMENTS: {
    form: limit,
    default: '100000',
    description:
      'Payments of one source payment system without a final status, from which on it can make no new ones (SEC-7); 0: any number',
  },
  MEGABYTES_PER_DAY: {
    form: limit,
    default: '20000',
    description:
      'Millions of bytes of pacs.008 and acmt.023 that are stored of one source payment system in a day (UTC), over all apis (OVL-2); 0: any number',
  },
  DRAIN_SECONDS: {
    form: number(0, 5),
    default: '3',
    description:
      'Seconds for which an api goes on taking requests after SIGTERM, while it says that it is not ready',
  },
} as const satisfies Settings;

export const recordsKept = {
  RECORDS_KEPT_YEARS: {
    form: number(1, 100),
    default: '10',
    description:
      'Years for which the retention job keeps all other records (LIF-6), and no shorter than the bytes; `isthmus audit verify` names what is gone and younger',
  },
} as const satisfies Settings;

export const retention = {
  ...database,
  MESSAGES_KEPT_MONTHS: {
    form: number(3, 1_200),
    default: '13',
    description:
      'Months for which the retention job keeps the bytes of messages (LIF-6); at least 3, because what is asked again is answered with them',
  },
  ...recordsKept,
} as const satisfies Settings;

/** Every setting of ours. */
export const environmentVariables = { ...api, ...retention } as const satisfies Settings;

/**
 * The environment with what the files of `NAME_FILE` hold, as orchestrators hand over secrets. White space at the end of
 * a file does not count.
 * @throws ConfigurationError where a file cannot be read, or a value is given twice
 */
export function withFiles(env: Environment, readFile: (path: string) => string): Environment {
  const settings: Settings = environmentVariables;
  const held: Record<string, string> = {};
  const faults = Object.entries(settings).map(([name, { file }]) => {
    const path = env[`${name}_FILE`];
    if (!path) return false;
    if (!file) {
      const may = Object.keys(settings).filter((one) => settings[one]?.file);
      return `${name}_FILE is set, but ${name} is not read from a file; these may be: ${may.join(', ')}.`;
    }
    if (env[name]) return `${name} and ${name}_FILE are both set: leave one of them out.`;
    try {
      held[name] = readFile(path).trimEnd();
      return held[name] === '' && `${name}_FILE names an empty file.`;
    } catch (error) {
      // never its path: it may be the secret itself, by mistake
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'it is no file';
      return `${name}_FILE does not name a file that can be read (${code}).`;
    }
  });
  assertNone(faults);
  return { ...env, ...held };
}
