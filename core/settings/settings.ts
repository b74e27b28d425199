/**
 * Every setting that the api, the worker and the jobs read. docs/reference/configuration.md is made from
 * them.
 */
import { z } from 'zod';
import {
  flag,
  list,
  number,
  oneOf,
  parsed,
  port,
  setting,
  settingsIn,
  text,
  withFilesOf,
  type Environment,
} from './environment-variables.ts';
import { queueLogins, receiverCertificates } from './receivers.ts';
import { parseSealingKeys, sealingKeysForm } from './sealing-keys.ts';
import {
  isBrowserOrigin,
  isDatabaseUrl,
  isHost,
  isHostAndPort,
  isNetwork,
  isOwnAddress,
  isPem,
  isWebAddress,
  isWord,
  parseHeaders,
} from './setting-forms.ts';

const webAddress = 'an http or https address in lower case, without userinfo, query or fragment';
const ownAddress =
  'an https address (http on loopback alone) in lower case, without userinfo, query or fragment';
const address = text(isHost, 'a name or an address, without a port');
const word = text(isWord, 'text without spaces');
const pem = text(isPem, 'PEM');
const directory = z.string().describe('the path of a directory');
const days = number(0, 3_650);
const limit = number(0, 999_999_999);
const share = parsed(
  (value) => (/^(?:0?(?:\.\d+)?|1(?:\.0+)?)$/.test(value) ? Number(value) : undefined),
  'a decimal, 0 to 1',
);

const databaseAddress = text(isDatabaseUrl, 'postgres://user:password@host:port/database');

export const databaseUrl = setting('DATABASE_URL', databaseAddress, {
  required: true,
  file: true,
  description: 'TLS: add ?sslmode=verify-full and, for a CA of your own, &sslrootcert=<path>',
});

const common = {
  databaseUrl,
  logLevel: setting('LOG_LEVEL', oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'silent']), {
    default: 'info',
    description: 'The least severe entries that are logged',
  }),
  metrics: {
    host: setting('METRICS_HOST', address, {
      default: '127.0.0.1',
      description: 'Address that METRICS_PORT is bound at',
    }),
    port: setting('METRICS_PORT', port, {
      description: 'Port of /metrics and /health, which ask for no token; empty: none',
    }),
  },
};

export const temporal = {
  address: setting('TEMPORAL_ADDRESS', text(isHostAndPort, 'host:port'), {
    required: true,
    description: 'The Temporal frontend',
  }),
  namespace: setting('TEMPORAL_NAMESPACE', word, {
    default: 'default',
    description: 'Temporal namespace, for this system alone: another would take its work',
  }),
  isSecure: setting('TEMPORAL_TLS', flag, {
    default: '0',
    description: '1: TLS to Temporal, whose certificate is checked',
  }),
  ca: setting('TEMPORAL_TLS_CA', pem, {
    file: true,
    description: 'The CA of its certificate, if this system does not trust that CA already',
  }),
  cert: setting('TEMPORAL_TLS_CERT', pem, {
    file: true,
    description: 'Our certificate, where Temporal asks for one (mTLS)',
  }),
  key: setting('TEMPORAL_TLS_KEY', pem, { file: true, description: 'Its key' }),
  serverName: setting('TEMPORAL_TLS_SERVER_NAME', address, {
    description: "Name in Temporal's certificate, if it is not the host of TEMPORAL_ADDRESS",
  }),
  apiKey: setting(
    'TEMPORAL_API_KEY',
    text((value) => /^[!-~]+$/.test(value), 'printable ASCII without spaces'),
    { file: true, description: 'API key of Temporal Cloud, over TLS' },
  ),
  deployment: {
    name: setting('TEMPORAL_DEPLOYMENT_NAME', word, {
      description:
        "Worker Deployment in Temporal of which this worker is a version; Temporal's Worker Controller sets it. Empty: a worker without a version",
    }),
    buildId: setting('TEMPORAL_WORKER_BUILD_ID', word, {
      description: 'Version of this worker in its Worker Deployment',
    }),
  },
};

export const sealing = {
  keys: setting('SEALING_KEYS', parsed(parseSealingKeys, sealingKeysForm), {
    file: true,
    description:
      'Keys that seal messages, excerpts of answers and our private keys in the database (SEC-3): the first seals, all open. The same for every api and worker. Empty: nothing is sealed',
  }),
  seals: setting('SEALING', flag, {
    default: '1',
    description: '0: only open, do not seal: while not all processes have SEALING_KEYS yet',
  }),
};

/** OpenTelemetry defines the names of these settings. */
export const traces = {
  endpoint: setting('OTEL_EXPORTER_OTLP_ENDPOINT', text(isWebAddress, webAddress), {
    description: 'Address of a collector; traces go to /v1/traces below it. Empty: no traces (OBS-3)',
  }),
  tracesEndpoint: setting('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', text(isWebAddress, webAddress), {
    description: 'The same for traces alone, with its whole path; it takes precedence',
  }),
  disabled: setting(
    'OTEL_SDK_DISABLED',
    text((value) => /^(true|false)$/i.test(value), 'true or false'),
    { default: 'false', description: 'true: no traces, whatever else is set' },
  ),
  exporter: setting('OTEL_TRACES_EXPORTER', oneOf(['otlp', 'none']), {
    default: 'otlp',
    description: 'none: no traces, whatever else is set',
  }),
  protocol: setting('OTEL_EXPORTER_OTLP_PROTOCOL', oneOf(['http/protobuf']), {
    default: 'http/protobuf',
    description: 'Any other protocol is refused: we export by this one only',
  }),
  headers: setting(
    'OTEL_EXPORTER_OTLP_HEADERS',
    parsed(parseHeaders, 'name=value, separated by commas, percent-encoded'),
    { file: true, description: 'Headers for the collector, such as its key' },
  ),
  sampler: setting(
    'OTEL_TRACES_SAMPLER',
    oneOf([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ]),
    {
      default: 'parentbased_always_on',
      description: 'Which traces are exported. parentbased: whoever began the trace decides',
    },
  ),
  ratio: setting('OTEL_TRACES_SAMPLER_ARG', share, {
    default: '1',
    description: 'For traceidratio: the share of traces',
  }),
  serviceName: setting('OTEL_SERVICE_NAME', z.string().describe('text'), {
    description: 'Name of the process in its traces; default: isthmus-api, isthmus-worker',
  }),
};

export const worker = {
  ...common,
  temporal,
  queueLogins: setting('AMQP_LOGINS', queueLogins, {
    file: true,
    description: 'Our logins at the brokers of FX providers; without one: anonymous',
  }),
  serves: setting('WORKER_SERVES', oneOf(['payments', 'amqp', 'all']), {
    default: 'payments',
    description:
      'payments: all work but deliveries to queues; amqp: these alone, so that no broker can harm a payment; all: both, for demos',
  }),
  receiverCertificates: setting('RECEIVER_CERTIFICATES', receiverCertificates, {
    file: true,
    description: 'Our certificates for receivers that ask for one (mTLS), and CAs for theirs',
  }),
  deliveryKeyDays: setting('DELIVERY_KEY_DAYS', days, {
    default: '90',
    description: 'Days until the key that signs our messages is rotated (CBK-2); 0: by operators only',
  }),
  sealing,
  publicUrl: setting(
    'PUBLIC_URL',
    parsed((url) => (isOwnAddress(url) ? url.replace(/\/$/, '') : undefined), ownAddress),
    {
      default: 'http://127.0.0.1:8080',
      description: 'Address at which operators reach the api; destinations report to it',
    },
  ),
  trustedProxies: setting('TRUSTED_PROXIES', list(isNetwork, 'addresses or networks such as 10.0.0.0/8'), {
    default: '',
    description: 'Proxies whose X-Forwarded-For header is trusted (SEC-7); empty: none',
  }),
  usageGuideline: setting('USAGE_GUIDELINE', directory, {
    description: 'Usage guideline of your own, in place of ours; the same for every api and worker',
  }),
  officialSchemas: setting('OFFICIAL_SCHEMAS', directory, {
    description: 'The official ISO 20022 schemas, as published: they judge each message first',
  }),
  codeSetsDirectory: setting('CODE_SETS_DIR', directory, {
    description:
      'Newer editions of the external code sets, one JSON file each: the latest counts, the shipped one included; the same for every api and worker',
  }),
  xsdEngine: setting('XSD_ENGINE', oneOf(['libxml2', 'xerces']), {
    default: 'libxml2',
    description: 'The engine that decides',
  }),
  xercesShare: setting('XERCES_SHARE', share, {
    default: '0.01',
    description: 'Share of the messages that Xerces checks in the background, if there is Java (MSG-8)',
  }),
  allowLoopbackCallbacks: setting('ALLOW_LOOPBACK_CALLBACKS', flag, {
    default: '0',
    description: '1: callbacks and operators on loopback over http are allowed (SEC-2); for demos',
  }),
  traces,
};

export const api = {
  ...worker,
  host: setting('HOST', address, { default: '127.0.0.1', description: 'Address that the api binds' }),
  port: setting('PORT', port, { default: '8080', description: 'Port that the api binds' }),
  auth: {
    kind: setting('AUTH', oneOf(['jwt', 'builtin', 'none']), {
      default: 'jwt',
      description: 'jwt: tokens of an external issuer; builtin: of our own; none: experiments (SEC-1)',
    }),
    issuer: setting('AUTH_ISSUER', z.string().describe(ownAddress), {
      description: 'Expected issuer of tokens; default for builtin: PUBLIC_URL',
    }),
    audience: setting('AUTH_AUDIENCE', word, {
      description: 'Expected audience of tokens; default: PUBLIC_URL',
    }),
    jwksUrl: setting(
      'AUTH_JWKS_URL',
      z.string().describe('an https address (http on loopback with DEMO=1)'),
      {
        description: 'Key set of the external issuer (AUTH=jwt), at most 256 KiB',
      },
    ),
    allowsDemoOnNetwork: setting('ALLOW_DEMO_ON_NETWORK', flag, {
      default: '0',
      description: '1: DEMO=1 with AUTH=builtin may bind beyond loopback, where nobody else reaches it',
    }),
  },
  portal: {
    clientId: setting('PORTAL_CLIENT_ID', word, {
      description: 'Client of the portal at the external issuer (AUTH=jwt), for sign-in by OpenID Connect',
    }),
    clientSecret: setting('PORTAL_CLIENT_SECRET', word, {
      file: true,
      description: 'Its secret; empty: a public client, by PKCE alone',
    }),
    temporalUi: setting('TEMPORAL_UI_URL', text(isWebAddress, webAddress), {
      description: "Address of Temporal's UI, for links of the portal to executions; empty: no links",
    }),
  },
  issuerKeyDays: setting('ISSUER_KEY_DAYS', days, {
    default: '90',
    description: 'Days until the key of the built-in issuer is rotated (SEC-8); 0: by operators only',
  }),
  demo: setting('DEMO', flag, {
    default: '0',
    description: '1: demo clients may exist (seed data); the default of the embedded demo',
  }),
  corsOrigins: setting('CORS_ORIGINS', list(isBrowserOrigin, 'https (http on loopback), without a path'), {
    default: '',
    description: 'Origins that browsers may call from, such as https://a.example',
  }),
  fourEyes: setting('FOUR_EYES', flag, {
    default: '1',
    description: '0: changes of the scheme count without a second operator (ADM-2); on loopback only',
  }),
  instanceId: setting('INSTANCE_ID', z.string().describe('text'), {
    description: 'Returned by GET /health/live; the demo knows its own api by it',
  }),
  tls: {
    cert: setting('TLS_CERT', pem, {
      file: true,
      description: 'Our certificate with its chain: the api ends TLS itself; empty: a proxy does',
    }),
    key: setting('TLS_KEY', pem, { file: true, description: 'Its key' }),
    clientCa: setting('TLS_CLIENT_CA', pem, {
      file: true,
      description:
        "CAs of clients' certificates (mTLS); empty: any counts, for the tokens that are bound to it (RFC 8705)",
    }),
  },
  clientCertificateHeader: setting(
    'CLIENT_CERT_HEADER',
    word.toLowerCase().describe('the name of a header'),
    {
      description:
        "Header in which a proxy of TRUSTED_PROXIES puts its client's certificate, in place of what the client wrote there: as RFC 9440 (Client-Cert), or as PEM with percent-encoding (nginx: $ssl_client_escaped_cert)",
    },
  ),
  /** The limits for each sender. */
  senderLimits: {
    requestsPerMinute: setting('REQUESTS_PER_MINUTE', limit, {
      default: '12000',
      description: 'Requests of one client to one route, over all apis (SEC-7); 0: any number',
    }),
    messagesPerMinute: setting('MESSAGES_PER_MINUTE', limit, {
      default: '60000',
      description: 'The same where messages are taken or quotes are given; 0: any number',
    }),
    failedLoginsPerMinute: setting('FAILED_LOGINS_PER_MINUTE', limit, {
      default: '10',
      description:
        'Wrong secrets of a client from one address, and ten times as many from one address (SEC-7); 0: any number',
    }),
    undecidedPayments: setting('UNDECIDED_PAYMENTS', limit, {
      default: '100000',
      description: 'Undecided payments of one source payment system (SEC-7); 0: any number',
    }),
    megabytesPerDay: setting('MEGABYTES_PER_DAY', limit, {
      default: '20000',
      description:
        'Millions of bytes that are stored of one source payment system in a day (UTC), over all apis (OVL-2); 0: any number',
    }),
  },
  drainSeconds: setting('DRAIN_SECONDS', number(0, 5), {
    default: '3',
    description: 'Seconds after SIGTERM in which an api still takes requests, and is not ready',
  }),
};

export const recordsYears = setting('RECORDS_KEPT_YEARS', number(1, 100), {
  default: '10',
  description: 'Years for which all other records are kept (LIF-6), no shorter than the bytes',
});

export const retention = {
  databaseUrl,
  messagesMonths: setting('MESSAGES_KEPT_MONTHS', number(3, 1_200), {
    default: '13',
    description: 'Months for which the bytes of messages are kept (LIF-6)',
  }),
  recordsYears,
};

/** @internal exported for tests */
export const allSettings = settingsIn({ ...api, ...retention });

/** @throws ConfigurationError if a file cannot be read, or a value is given twice */
export const withFiles = (env: Environment, readFile: (path: string) => string): Environment =>
  withFilesOf(allSettings, env, readFile);
