/**
 * Reads the settings of the sandbox from environment variables. With a wrong setting, the sandbox does not
 * start.
 */
import { z } from 'zod';
import {
  flag,
  port,
  read,
  setting,
  text,
  type Environment,
  type Values,
} from '../core/settings/environment-variables.ts';
import { isWebAddress } from '../core/settings/setting-forms.ts';
import type { SandboxOptions } from './options.ts';

const anything = z.string().describe('text');
const directory = z.string().describe('the path of a directory');

/** All environment variables that the sandbox reads. */
export const sandboxSettings = {
  host: setting('HOST', anything, { default: '127.0.0.1', description: 'Address that the parties bind' }),
  ports: {
    source: setting('SOURCE_PORT', port, {
      default: '9101',
      description: 'Port of the source operators (callbacks)',
    }),
    destination: setting('DESTINATION_PORT', port, {
      default: '9102',
      description: 'Port of the destination operators',
    }),
    fxProvider: setting('FXP_PORT', port, { default: '9103', description: 'Port of the FX providers' }),
  },
  tokenUrl: setting('TOKEN_URL', text(isWebAddress, 'an http or https address in lower case'), {
    default: 'http://127.0.0.1:8080/oauth/token',
    description: 'Token endpoint at which destinations get their token for the gateway (SEC-1)',
  }),
  gatewayKeysUrl: setting(
    'GATEWAY_KEYS_URL',
    text(
      (value) => value === 'none' || isWebAddress(value),
      'an http or https address in lower case, or none',
    ),
    {
      default: 'http://127.0.0.1:8080/.well-known/webhooks/jwks.json',
      description:
        'Key set by which the parties verify what the gateway sends, and refuse anything else (CBK-2); none: they do not look',
    },
  ),
  signingKeysDirectory: setting('SIGNING_KEYS_DIR', directory, {
    description:
      'Directory with an ed25519 key, `<payment system id>.pem`, for each system whose destination signs what it sends (SEC-1); the id of the key is that of the system. Empty: none signs',
  }),
  journalDirectory: setting('JOURNAL_DIR', directory, {
    description: 'Directory of the journals; empty: none are written',
  }),
  instanceId: setting('INSTANCE_ID', anything, {
    description:
      'Returned by GET /health, for commands that must know which sandbox answers; the demo sets it',
  }),
  usageGuideline: setting('USAGE_GUIDELINE', directory, {
    description: 'Directory with the usage guideline of the scheme, as the gateway has it; empty: ours',
  }),
  validate: setting('VALIDATE', flag, {
    default: '1',
    description: '0: messages are not validated against their schema (benchmarks)',
  }),
};

export type SandboxSettings = Omit<Values<typeof sandboxSettings>, 'gatewayKeysUrl'> &
  Pick<SandboxOptions, 'gatewayKeysUrl'>;

/** @throws ConfigurationError that names the wrong variables */
export function parseSandboxEnvironment(env: Environment): SandboxSettings {
  const { gatewayKeysUrl, ...others } = read(sandboxSettings, env);
  return { ...others, ...(gatewayKeysUrl !== 'none' && { gatewayKeysUrl }) };
}
