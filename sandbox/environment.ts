/**
 * The sandbox's settings, and their table for the documentation. The environment is an argument; an invalid setting
 * stops the start.
 */
import { ConfigurationError } from '../core/settings/config.ts';
import type { Environment, EnvironmentVariable } from '../core/settings/environment-variables.ts';
import { isPort, isWebAddress } from '../core/settings/setting-forms.ts';
import type { SandboxOptions } from './options.ts';

export const sandboxEnvironmentVariables = {
  HOST: { description: 'Address that the parties bind', default: '127.0.0.1' },
  SOURCE_PORT: { description: 'Port of the source operators (callbacks)', default: '9101' },
  DESTINATION_PORT: { description: 'Port of the destination operators', default: '9102' },
  FXP_PORT: { description: 'Port of the FX providers', default: '9103' },
  TOKEN_URL: {
    description: 'Token endpoint at which destinations get their token for the gateway (SEC-1)',
    default: 'http://127.0.0.1:8080/oauth/token',
  },
  GATEWAY_KEYS_URL: {
    description:
      'Key set by which the parties verify what the gateway sends, and refuse anything else (CBK-2); none: they do not look',
    default: 'http://127.0.0.1:8080/.well-known/webhooks/jwks.json',
  },
  CLIENT_SECRET_PREFIX: {
    description: 'The secret of a client is this prefix and its id; ids are the payment system ids',
    default: 'demo-',
  },
  SIGNING_KEYS_DIR: {
    description:
      'Directory with an ed25519 key, `<payment system id>.pem`, for each system whose destination signs what it sends (SEC-1); the id of the key is that of the system. Empty: none signs',
    default: '',
  },
  CLEARING_SYSTEMS_FILE: {
    description: 'JSON file with the clearing systems and their operators',
    default: 'db/seed/clearing-systems.json',
  },
  JOURNAL_DIR: { description: 'Directory of the journals; empty: none are written', default: '' },
  INSTANCE_ID: {
    description:
      'Returned by GET /health, for commands that must know which sandbox answers; the demo sets it',
    default: '',
  },
  USAGE_GUIDELINE: {
    description: 'Directory with the usage guideline of the scheme, as the gateway has it; empty: ours',
    default: '',
  },
  VALIDATE: { description: '0: messages are not validated against their schema (benchmarks)', default: '1' },
} as const satisfies Record<string, EnvironmentVariable>;

type Name = keyof typeof sandboxEnvironmentVariables;

export interface SandboxSettings extends Pick<
  SandboxOptions,
  'host' | 'ports' | 'gatewayKeysUrl' | 'journalDirectory' | 'validate' | 'instanceId'
> {
  readonly tokenUrl: string;
  readonly clientSecretPrefix: string;
  readonly clearingSystemsFile: string;
  /** Undefined: no destination signs its messages. */
  readonly signingKeysDirectory: string | undefined;
  /** Undefined: our usage guideline. */
  readonly usageGuideline: string | undefined;
}

/** @throws ConfigurationError, naming the variable */
export function parseSandboxEnvironment(env: Environment): SandboxSettings {
  const read = (name: Name): string => env[name] || sandboxEnvironmentVariables[name].default;
  const refused = (name: Name, expected: string) =>
    new ConfigurationError(`${name} is not valid; expected: ${expected}.`);
  const port = (name: Name): number => {
    const value = read(name);
    if (value !== '0' && !isPort(value)) throw refused(name, 'a port number, 0 to 65535');
    return Number(value);
  };
  const tokenUrl = read('TOKEN_URL');
  if (!isWebAddress(tokenUrl)) throw refused('TOKEN_URL', 'an http or https address in lower case');
  const gatewayKeysUrl = read('GATEWAY_KEYS_URL');
  if (gatewayKeysUrl !== 'none' && !isWebAddress(gatewayKeysUrl))
    throw refused('GATEWAY_KEYS_URL', 'an http or https address in lower case, or none');
  const validate = read('VALIDATE');
  if (validate !== '0' && validate !== '1') throw refused('VALIDATE', '0 or 1');
  const journalDirectory = read('JOURNAL_DIR');
  const instanceId = read('INSTANCE_ID');
  return {
    host: read('HOST'),
    ports: {
      source: port('SOURCE_PORT'),
      destination: port('DESTINATION_PORT'),
      fxProvider: port('FXP_PORT'),
    },
    ...(gatewayKeysUrl === 'none' ? {} : { gatewayKeysUrl }),
    ...(journalDirectory === '' ? {} : { journalDirectory }),
    ...(instanceId === '' ? {} : { instanceId }),
    validate: validate === '1',
    tokenUrl,
    clientSecretPrefix: read('CLIENT_SECRET_PREFIX'),
    clearingSystemsFile: read('CLEARING_SYSTEMS_FILE'),
    signingKeysDirectory: read('SIGNING_KEYS_DIR') || undefined,
    usageGuideline: read('USAGE_GUIDELINE') || undefined,
  };
}
