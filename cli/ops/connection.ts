// Chooses the gateway for `isthmus ops` and `isthmus admin`, and the client that logs in. Both come from the
// environment or from the running demo.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { setting, withFilesOf, type Environment } from '../../core/settings/environment-variables.ts';
import type { CommandContext } from '../command.ts';
import { findRunningDemo } from '../demo/run-file.ts';
import { cliEnvironmentVariables } from '../environment.ts';
import { UserError } from '../errors.ts';
import { demoSecretOf } from '../gateway-client.ts';
import { openGateway, read, type Gateway } from '../gateway.ts';
import type { Terminal } from '../terminal.ts';

export interface JsonOption {
  /** Whether to print the answer unchanged, as JSON. */
  readonly json?: true;
}

export interface Asked {
  readonly ask: (gateway: Gateway) => Promise<string>;
  /** Parses the answer; default: `read`. */
  readonly parse?: (text: string) => unknown;
  /**
   * Prints the parsed answer. The parameter has type `never`, so that each command can declare the type of
   * its own answer.
   */
  readonly print: (terminal: Terminal, answer: never, gateway: Gateway) => void | Promise<void>;
}

/**
 * Sends a request to the gateway, and prints the answer by `print`. With --json, it prints the answer
 * unchanged.
 */
export async function tell(
  context: CommandContext,
  { json }: JsonOption,
  { ask, parse = read, print }: Asked,
): Promise<void> {
  const gateway = await connectGateway(context);
  const text = await ask(gateway);
  if (json) context.terminal.line(text);
  else await print(context.terminal, parse(text) as never, gateway);
}

/**
 * Connects to the gateway at ISTHMUS_URL. Without ISTHMUS_URL, it connects to the running demo as the demo's
 * operator.
 */
export async function connectGateway({ env, folder }: CommandContext): Promise<Gateway> {
  const given = env['ISTHMUS_URL'] ?? '';
  const secret = secretFrom(env);
  if (given === '') {
    const { apiUrl } = await findRunningDemo(folder).catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
      throw new UserError(`${error.message} To ask another gateway, name it in ISTHMUS_URL.`);
    });
    const clientId = env['ISTHMUS_CLIENT_ID'] || 'operator'; // the demo's second operator is operator2
    return openGateway({ url: apiUrl, clientId, secret: secret || demoSecretOf(clientId) });
  }
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    throw new UserError(
      `ISTHMUS_URL=${given} must be the address of a gateway, as in http://127.0.0.1:8080.`,
    );
  const clientId = env['ISTHMUS_CLIENT_ID'] ?? '';
  if (clientId === '' || secret === '') {
    throw new UserError(
      'ISTHMUS_URL names a gateway, but not as whom to ask it: set ISTHMUS_CLIENT_ID, and ISTHMUS_CLIENT_SECRET or ISTHMUS_CLIENT_SECRET_FILE, to a client with the role operator.',
    );
  }
  const url = given.endsWith('/') ? given.slice(0, -1) : given;
  return openGateway({ url, clientId, secret, tokenUrl: env['ISTHMUS_TOKEN_URL'] || `${url}/oauth/token` });
}

const clientSecret = setting(
  'ISTHMUS_CLIENT_SECRET',
  z.string(),
  cliEnvironmentVariables.ISTHMUS_CLIENT_SECRET,
);

/**
 * Reads the client secret from the environment or its file; an empty string if none is set.
 * @throws ConfigurationError
 */
export const secretFrom = (env: Environment): string =>
  withFilesOf([clientSecret], env, (path) => readFileSync(path, 'utf8'))[clientSecret.name] ?? '';
