/**
 * Every setting that the api, the worker and the jobs read; docs/reference/configuration.md is made from them.
 */
import { z } from 'zod';
import { parseQueueLogins } from '../deliveries/queue-logins.ts';
import { parseReceiverCertificates, receiverCertificatesForm } from '../deliveries/receiver-certificates.ts';
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
import { parseSealingKeys, sealingKeysForm } from './sealing-keys.ts';
import {
  isBindHost,
  isBrowserOrigin,
  isDatabaseUrl,
  isHostAndPort,
  isNetwork,
  isOwnAddress,
  isPem,
  isSecureAddress,
  isWebAddress,
  isWord,
  parseHeaders,
} from './setting-forms.ts';

const webAddress = 'an http or https address in lower case, without userinfo, query or fragment';
const ownAddress =
  'an https address (http on loopback alone) in lower case, without userinfo, query or fragment';
const address = text(isBindHost, 'a name or an address, without a port');
const word = text(isWord, 'text without spaces');
const pem = text(isPem, 'PEM');
const directory = z.string().describe('the path of a directory');
const days = number(0, 3_650);
const limit = number(0, 999_999_999);

const databaseUrl = setting(
  'DATABASE_URL',
  text(isDatabaseUrl, 'an address with a host and a database, percent-encoded where needed'),
  {
    required: true,
    file: true,
    description:
      'postgres://user:password@host:port/database; over TLS with ?sslmode=verify-full and, for a CA of your own, &sslrootcert=<path>',
  },
);

export const common = {
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
      description:
        'Port of /metrics (Prometheus), /health/live and /health/ready of this process; empty: none. It asks for no token: bind it where only they can reach it',
    }),
  },
};

export const temporal = {
  address: setting(
    'TEMPORAL_ADDRESS',
    text(isHostAndPort, 'a host and a port, 1 to 65535, without a scheme'),
    { required: true, description: 'host:port of the Temporal frontend' },
  ),
  namespace: setting('TEMPORAL_NAMESPACE', word, {
    default: 'default',
    description:
      'Temporal namespace, for this system alone: two systems in one namespace would take work from each other',
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
};

export const sealing = {
  keys: setting('SEALING_KEYS', parsed(parseSealingKeys, sealingKeysForm), {
    file: true,
    description:
      'Keys under which messages, excerpts of answers and our private keys are sealed in the database (SEC-3). The first seals, all open; the same for every api and worker. Empty: nothing is sealed',
  }),
  seals: setting('SEALING', flag, {
    default: '1',
    description:
      '0: what is stored is not sealed, only opened: while not all processes have SEALING_KEYS yet',
  }),
};

/** The names of these settings are OpenTelemetry's. */
export const traces = {
  endpoint: setting('OTEL_EXPORTER_OTLP_ENDPOINT', text(isWebAddress, webAddress), {
    description:
      'Address of an OpenTelemetry collector; traces go to /v1/traces below it. Empty, and no OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: no traces, whatever else is set (OBS-3)',
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
  ratio: setting(
    'OTEL_TRACES_SAMPLER_ARG',
    parsed(
      (value) => (/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/.test(value) ? Number(value) : undefined),
      'a decimal, 0 to 1',
    ),
    { default: '1', description: 'For traceidratio: the share of traces' },
  ),
  serviceName: setting('OTEL_SERVICE_NAME', z.string().describe('text'), {
    description: 'Name of the process in its traces; default: isthmus-api, isthmus-worker',
  }),
};

export const worker = {
  ...common,
  temporal,
  queueLogins: setting(
    'AMQP_LOGINS',
    parsed(parseQueueLogins, 'JSON: {"host:port": {"username": "...", "password": "..."}}'),
    {
      file: true,
      description:
        'What a worker that serves queues (WORKER_SERVES) logs in with at the brokers of FX providers; anonymously where a broker is not named',
    },
  ),
  serves: setting('WORKER_SERVES', oneOf(['payments', 'amqp', 'all']), {
    default: 'payments',
    description:
      'What a worker does: payments: everything but deliveries to queues; amqp: deliveries to queues alone, so that no broker can harm a payment; all: both, for demos',
  }),
  receiverCertificates: setting(
    'RECEIVER_CERTIFICATES',
    parsed((value) => parseReceiverCertificates(value, isPem), receiverCertificatesForm),
    {
      file: true,
      description:
        'What we present to receivers that ask for a certificate (mTLS), and by which authorities theirs are judged where the system does not trust them',
    },
  ),
  deliveryKeyDays: setting('DELIVERY_KEY_DAYS', days, {
    default: '90',
    description:
      'Days after which the key that signs our messages is rotated (CBK-2); 0: only when an operator says so',
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
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    list(isNetwork, 'addresses or networks such as 10.0.0.0/8 or fd00::/8, separated by commas alone'),
    {
      default: '',
      description: 'Proxies whose X-Forwarded-For header is trusted (SEC-7); empty: none',
    },
  ),
  usageGuideline: setting('USAGE_GUIDELINE', directory, {
    description:
      'Directory with a usage guideline of your own, in place of ours: schemas, guideline.json, examples; the same for every api and worker',
  }),
  officialSchemas: setting('OFFICIAL_SCHEMAS', directory, {
    description:
      'Directory with the official ISO 20022 schemas, as published: by them each message is judged first',
  }),
  codeSetsDirectory: setting('CODE_SETS_DIR', directory, {
    description:
      'Directory with newer editions of the external code sets, one JSON file each: the edition with the latest date counts, the shipped one included; the same for every api and worker',
  }),
  xsdEngine: setting('XSD_ENGINE', oneOf(['libxml2', 'xerces']), {
    default: 'libxml2',
    description: 'The engine that decides',
  }),
  xercesShare: setting(
    'XERCES_SHARE',
    parsed(
      (value) => (/^(0|1|0?\.\d{1,6})$/.test(value) ? Number(value) : undefined),
      'a number from 0 to 1, such as 0.01',
    ),
    {
      default: '0.01',
      description:
        'Share of the messages that a worker has Xerces check in the background (MSG-8), where Java is present; 0: none',
    },
  ),
  allowLoopbackCallbacks: setting('ALLOW_LOOPBACK_CALLBACKS', flag, {
    default: '0',
    description: '1: callbacks and operators on loopback over http are allowed (SEC-2); for demos only',
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
      description:
        'jwt: tokens of an external issuer; builtin: the built-in issuer; none: local experiments only (SEC-1)',
    }),
    issuer: setting('AUTH_ISSUER', text(isWebAddress, ownAddress), {
      description: 'Expected issuer of tokens; default for builtin: PUBLIC_URL',
    }),
    audience: setting('AUTH_AUDIENCE', word, {
      description: 'Expected audience of tokens; default: PUBLIC_URL',
    }),
    jwksUrl: setting(
      'AUTH_JWKS_URL',
      text(
        (value) => isSecureAddress(value, { allowLoopbackHttp: true }),
        'an https address (http on loopback with DEMO=1)',
      ),
      { description: 'Key set of the external issuer (AUTH=jwt), at most 256 KiB' },
    ),
    allowsDemoOnNetwork: setting('ALLOW_DEMO_ON_NETWORK', flag, {
      default: '0',
      description:
        '1: DEMO=1 with AUTH=builtin may bind beyond loopback, to an address that nobody else can reach (a container)',
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
    description:
      'Days after which the key of the built-in issuer is rotated (SEC-8); 0: only when an operator says so',
  }),
  demo: setting('DEMO', flag, {
    default: '0',
    description: '1: demo clients may exist (seed data); the default of the embedded demo',
  }),
  corsOrigins: setting(
    'CORS_ORIGINS',
    list(
      isBrowserOrigin,
      'origins such as https://a.example, separated by commas alone: https (http on loopback), no path, no *, not null',
    ),
    { default: '', description: 'Origins that browsers may call from' },
  ),
  fourEyes: setting('FOUR_EYES', flag, {
    default: '1',
    description:
      '0: changes of the scheme count without a second operator (ADM-2); for demos only: refused if PUBLIC_URL or TRUSTED_PROXIES show that others can reach the process',
  }),
  instanceId: setting('INSTANCE_ID', z.string().describe('text'), {
    description:
      'Returned by GET /health/live, for commands that must know which instance they talk to; the demo sets it',
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
        'The CAs of certificates that clients present (mTLS); empty: any counts, for the tokens that are bound to it alone (RFC 8705)',
    }),
  },
  clientCertificateHeader: setting(
    'CLIENT_CERT_HEADER',
    parsed(
      (value) => (/^[A-Za-z0-9-]+$/.test(value) ? value.toLowerCase() : undefined),
      'the name of a header',
    ),
    {
      description:
        'Header in which a proxy of TRUSTED_PROXIES says which certificate its client presented: in the form of RFC 9440 (Client-Cert), or as PEM with percent-encoding (nginx: $ssl_client_escaped_cert). The proxy must remove what its client wrote there',
    },
  ),
  /** Limits per sender. */
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
        'Wrong secrets of one client from one address, and ten times as many from one address (SEC-7); 0: any number',
    }),
    undecidedPayments: setting('UNDECIDED_PAYMENTS', limit, {
      default: '100000',
      description:
        'Payments of one source payment system without a final status, from which on it can make no new ones (SEC-7); 0: any number',
    }),
    megabytesPerDay: setting('MEGABYTES_PER_DAY', limit, {
      default: '20000',
      description:
        'Millions of bytes of pacs.008 and acmt.023 that are stored of one source payment system in a day (UTC), over all apis (OVL-2); 0: any number',
    }),
  },
  drainSeconds: setting('DRAIN_SECONDS', number(0, 5), {
    default: '3',
    description:
      'Seconds for which an api goes on taking requests after SIGTERM, while it says that it is not ready',
  }),
};

export const recordsYears = setting('RECORDS_KEPT_YEARS', number(1, 100), {
  default: '10',
  description:
    'Years for which the retention job keeps all other records (LIF-6), and no shorter than the bytes; `isthmus audit verify` names what is gone and younger',
});

export const retention = {
  databaseUrl,
  messagesMonths: setting('MESSAGES_KEPT_MONTHS', number(3, 1_200), {
    default: '13',
    description:
      'Months for which the retention job keeps the bytes of messages (LIF-6); at least 3, because what is asked again is answered with them',
  }),
  recordsYears,
};

/** @internal exported for tests */
export const allSettings = settingsIn({ ...api, ...retention });

/** @throws ConfigurationError if a file cannot be read, or a value is given twice */
export const withFiles = (env: Environment, readFile: (path: string) => string): Environment =>
  withFilesOf(allSettings, env, readFile);
