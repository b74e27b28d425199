/** The sandbox's settings. The environment is an argument; a wrong setting stops the start. */
import { z } from 'zod';
import { read, type Environment, type Settings } from '../core/settings/environment-variables.ts';
import { isWebAddress } from '../core/settings/setting-forms.ts';
import { flag, port, text } from '../core/settings/settings.ts';
import type { SandboxOptions } from './options.ts';

const anything = z.string().describe('text');
const directory = z.string().describe('the path of a directory');

/** Every environment variable that the sandbox reads. */
export const sandboxEnvironmentVariables = {
  HOST: { form: anything, default: '127.0.0.1', description: 'Address that the parties bind' },
  SOURCE_PORT: { form: port, default: '9101', description: 'Port of the source operators (callbacks)' },
  DESTINATION_PORT: { form: port, default: '9102', description: 'Port of the destination operators' },
  FXP_PORT: { form: port, default: '9103', description: 'Port of the FX providers' },
  TOKEN_URL: {
    form: text(isWebAddress, 'an http or https address in lower case'),
    default: 'http://127.0.0.1:8080/oauth/token',
    description: 'Token endpoint at which destinations get their token for the gateway (SEC-1)',
  },
  GATEWAY_KEYS_URL: {
    form: text(
      (value) => value === 'none' || isWebAddress(value),
      'an http or https address in lower case, or none',
    ),
    default: 'http://127.0.0.1:8080/.well-known/webhooks/jwks.json',
    description:
      'Key set by which the parties verify what the gateway sends, and refuse anything else (CBK-2); none: they do not look',
  },
  SIGNING_KEYS_DIR: {
    form: directory,
    description:
      'Directory with an ed25519 key, `<payment system id>.pem`, for each system whose destination signs what it sends (SEC-1); the id of the key is that of the system. Empty: none signs',
  },
  JOURNAL_DIR: { form: directory, description: 'Directory of the journals; empty: none are written' },
  INSTANCE_ID: {
    form: anything,
    description:
      'Returned by GET /health, for commands that must know which sandbox answers; the demo sets it',
  },
  USAGE_GUIDELINE: {
    form: directory,
    description: 'Directory with the usage guideline of the scheme, as the gateway has it; empty: ours',
  },
  VALIDATE: {
    form: flag,
    default: '1',
    description: '0: messages are not validated against their schema (benchmarks)',
  },
} as const satisfies Settings;

export interface SandboxSettings extends Pick<
  SandboxOptions,
  'host' | 'ports' | 'gatewayKeysUrl' | 'journalDirectory' | 'validate' | 'instanceId'
> {
  readonly tokenUrl: string;
  /** Undefined: nobody signs. */
  readonly signingKeysDirectory: string | undefined;
  /** Undefined: ours. */
  readonly usageGuideline: string | undefined;
}

/** @throws ConfigurationError, naming the variables */
export function parseSandboxEnvironment(env: Environment): SandboxSettings {
  const values = read(sandboxEnvironmentVariables, env);
  const { GATEWAY_KEYS_URL: gatewayKeysUrl, JOURNAL_DIR: journalDirectory, INSTANCE_ID: instanceId } = values;
  return {
    host: values.HOST,
    ports: { source: values.SOURCE_PORT, destination: values.DESTINATION_PORT, fxProvider: values.FXP_PORT },
    ...(gatewayKeysUrl !== 'none' && { gatewayKeysUrl }),
    ...(journalDirectory && { journalDirectory }),
    ...(instanceId && { instanceId }),
    validate: values.VALIDATE,
    tokenUrl: values.TOKEN_URL,
    signingKeysDirectory: values.SIGNING_KEYS_DIR,
    usageGuideline: values.USAGE_GUIDELINE,
  };
}
