/**
 * Every environment variable that the api, the worker and the jobs read, with its default; docs/reference/
 * configuration.md is made from it.
 */
import { limitVariables } from './limits-config.ts';
import { tlsVariables } from './tls-config.ts';
import { traceVariables } from './traces-config.ts';

export interface EnvironmentVariable {
  readonly description: string;
  /** Used when the variable is absent or empty; undefined: the variable is required where it is read. */
  readonly default: string | undefined;
}

/** Every environment variable that the api, the worker and the jobs (migrate, retention) read. */
export const environmentVariables = {
  DATABASE_URL: {
    description:
      'postgres://user:password@host:port/database; over TLS with ?sslmode=verify-full and, for a CA of your own, &sslrootcert=<path>',
    default: undefined,
  },
  TEMPORAL_ADDRESS: { description: 'host:port of the Temporal frontend', default: undefined },
  TEMPORAL_NAMESPACE: {
    description: 'Temporal namespace, of this system alone: two in one take the work of each other',
    default: 'default',
  },
  TEMPORAL_TLS: { description: '1: TLS to Temporal, whose certificate is checked', default: '0' },
  TEMPORAL_TLS_CA: {
    description: 'PEM of the CA of its certificate, if it is none that this system trusts',
    default: '',
  },
  TEMPORAL_TLS_CERT: {
    description: 'PEM of our certificate, where Temporal asks for one (mTLS)',
    default: '',
  },
  TEMPORAL_TLS_KEY: { description: 'PEM of its key', default: '' },
  TEMPORAL_TLS_SERVER_NAME: {
    description: "Name in Temporal's certificate, if it is not the host of TEMPORAL_ADDRESS",
    default: '',
  },
  TEMPORAL_API_KEY: { description: 'API key of Temporal Cloud, over TLS', default: '' },
  AMQP_LOGINS: {
    description:
      'JSON, {"host:port": {"username": "...", "password": "..."}}: what a worker that serves queues (WORKER_SERVES) logs in with at the brokers of FX providers; anonymously where a broker is not named',
    default: '',
  },
  WORKER_SERVES: {
    description:
      'What a worker does: payments: everything but deliveries to queues; amqp: deliveries to queues of FX providers alone, so that no broker can harm a payment (CBK-3); all: both, for demos',
    default: 'payments',
  },
  DELIVERY_KEY_DAYS: {
    description:
      'Days after which the key that signs what we send is followed by another, 1 to 3650 (CBK-2); 0: only when an operator says so',
    default: '90',
  },
  RECEIVER_CERTIFICATES: {
    description:
      'JSON, {"host:port": {"cert": "PEM", "key": "PEM", "ca": "PEM"}}: what we present to receivers that ask for a certificate (mTLS), and by which authorities theirs are judged where the system does not trust them',
    default: '',
  },
  SEALING_KEYS: {
    description:
      'Keys under which messages, excerpts of answers and our private keys are sealed in the database (SEC-3): id:key, separated by white space or commas, each key 32 bytes in base64. The first seals, all open; the same for every api and worker. Empty: nothing is sealed',
    default: '',
  },
  SEALING: {
    description:
      '0: what is stored is not sealed, only opened: while not all processes have SEALING_KEYS yet',
    default: '1',
  },
  ISSUER_KEY_DAYS: {
    description:
      'Days after which the key of the built-in issuer is followed by another, 1 to 3650 (SEC-8); 0: only when an operator says so',
    default: '90',
  },
  HOST: { description: 'Address that the api binds', default: '127.0.0.1' },
  PORT: { description: 'Port that the api binds', default: '8080' },
  PUBLIC_URL: {
    description:
      'Address at which operators reach the api, https (http on loopback); destinations report to it',
    default: 'http://127.0.0.1:8080',
  },
  AUTH: {
    description:
      'jwt: tokens of an external issuer; builtin: the built-in issuer; none: local experiments only (SEC-1)',
    default: 'jwt',
  },
  AUTH_ISSUER: { description: 'Expected issuer of tokens; default for builtin: PUBLIC_URL', default: '' },
  AUTH_AUDIENCE: { description: 'Expected audience of tokens; default: PUBLIC_URL', default: '' },
  AUTH_JWKS_URL: {
    description: 'Key set of the external issuer (AUTH=jwt), over https, at most 256 KiB',
    default: '',
  },
  DEMO: {
    description: '1: demo clients may exist (seed data); the default of the embedded demo',
    default: '0',
  },
  ALLOW_DEMO_ON_NETWORK: {
    description:
      '1: DEMO=1 with AUTH=builtin may bind beyond loopback, to an address that nobody else can reach (a container)',
    default: '0',
  },
  CORS_ORIGINS: { description: 'Origins that browsers may call from, separated by commas', default: '' },
  FOUR_EYES: {
    description:
      '0: changes of the scheme count without a second operator (ADM-2); for demos only: refused where PUBLIC_URL or TRUSTED_PROXIES say that others come',
    default: '1',
  },
  USAGE_GUIDELINE: {
    description:
      'Directory with a usage guideline of your own, in place of ours: schemas, guideline.json, examples; the same for every api and worker',
    default: '',
  },
  OFFICIAL_SCHEMAS: {
    description:
      'Directory with the official ISO 20022 schemas, as published: by them each message is judged first',
    default: '',
  },
  CODE_SETS_DIR: {
    description:
      'Directory with newer editions of the external code sets, one JSON file each: the edition with the latest date counts, the shipped one included; the same for every api and worker',
    default: '',
  },
  XSD_ENGINE: { description: 'The engine that decides: libxml2 or xerces', default: 'libxml2' },
  XERCES_SHARE: {
    description:
      'Share of the messages, 0 to 1, that a worker has Xerces check in the background (MSG-8), where Java is present; 0: none',
    default: '0.01',
  },
  ALLOW_LOOPBACK_CALLBACKS: {
    description: '1: callbacks and operators on loopback over http are allowed (SEC-2); for demos only',
    default: '0',
  },
  INSTANCE_ID: {
    description:
      'Returned by GET /health/live, for commands that must know which instance they talk to; the demo sets it',
    default: '',
  },
  METRICS_HOST: { description: 'Address that METRICS_PORT is bound at', default: '127.0.0.1' },
  METRICS_PORT: {
    description:
      'Port of /metrics (Prometheus), /health/live and /health/ready of this process; empty: none. It asks for no token: bind it where only they can reach it',
    default: '',
  },
  ...tlsVariables,
  ...limitVariables,
  DRAIN_SECONDS: {
    description:
      'Seconds, at most 5, for which an api goes on taking requests after SIGTERM, while it says that it is not ready',
    default: '3',
  },
  MESSAGES_KEPT_MONTHS: {
    description:
      'Months for which the retention job keeps the bytes of messages (LIF-6); at least 3, because what is asked again is answered with them',
    default: '13',
  },
  RECORDS_KEPT_YEARS: {
    description:
      'Years for which it keeps all other records (LIF-6), and no shorter than the bytes; `isthmus audit verify` names what is gone and younger',
    default: '10',
  },
  LOG_LEVEL: { description: 'fatal, error, warn, info, debug or silent', default: 'info' },
  ...traceVariables,
} as const satisfies Record<string, EnvironmentVariable>;

export type EnvironmentVariableName = keyof typeof environmentVariables;
export type Environment = Readonly<Record<string, string | undefined>>;
