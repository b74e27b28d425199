// Chooses the gateway that `isthmus ops` and `isthmus admin` ask, and the client: from the environment, or the running
// demo.
import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import type { Environment } from '../../core/settings/environment-variables.ts';
import type { CommandContext } from '../command.ts';
import { findRunningDemo } from '../demo/run-file.ts';
import { codeOf, UserError } from '../errors.ts';
import { demoSecretOf } from '../gateway-client.ts';
import { openGateway, read, type Gateway, type Query } from '../gateway.ts';
import type { Terminal } from '../terminal.ts';

export interface JsonOption {
  /** Print the answer unchanged. */
  readonly json?: true;
}

/** Asks the gateway, and prints its answer: unchanged with --json, else by `print`. */
export async function tell<Value>(
  context: CommandContext,
  { json }: JsonOption,
  {
    ask,
    shape,
    parse,
    print,
  }: {
    readonly ask: (gateway: Gateway) => Promise<string>;
    readonly shape: z.ZodType<Value>;
    readonly parse?: (text: string) => unknown;
    readonly print: (terminal: Terminal, answer: Value, gateway: Gateway) => void | Promise<void>;
  },
): Promise<void> {
  const gateway = await connectGateway(context);
  const text = await ask(gateway);
  if (json) context.terminal.line(text);
  else await print(context.terminal, read(shape, text, parse), gateway);
}

const pageSize = 500; // the gateway's maximum

/**
 * Reads a list page by page.
 * @param take reads a page: the address of the next one, and how many items it has
 * @returns whether the list has more items
 */
export async function eachPage(
  gateway: Gateway,
  path: string,
  { query, limit = Infinity }: { readonly query: Query; readonly limit?: number },
  take: (text: string) => {
    readonly next: string | null;
    readonly count: number;
    readonly isEnough?: boolean;
  },
): Promise<boolean> {
  let cursor: string | undefined;
  let left = limit;
  for (;;) {
    const asked = { ...query, limit: String(Math.min(left, pageSize)), cursor };
    const { next, count, isEnough } = take(await gateway.get(path, asked));
    left -= count;
    if (next === null) return false;
    if (left <= 0 || isEnough === true) return true;
    cursor = new URL(next).searchParams.get('cursor') ?? undefined;
  }
}

/** Connects to the gateway of ISTHMUS_URL, or to the running demo as its operator. */
export async function connectGateway({ env, folder }: CommandContext): Promise<Gateway> {
  const given = env['ISTHMUS_URL'] ?? '';
  const secret = secretFrom(env);
  if (given === '') {
    const { apiUrl } = await findRunningDemo(folder).catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
      throw new UserError(`${error.message} To ask another gateway, name it in ISTHMUS_URL.`);
    });
    const clientId = env['ISTHMUS_CLIENT_ID'] || 'operator'; // operator2 is the demo's second operator
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

/** Returns an empty string if no secret is set. */
export function secretFrom(env: Environment): string {
  const { ISTHMUS_CLIENT_SECRET: value, ISTHMUS_CLIENT_SECRET_FILE: file } = env;
  if (file === undefined || file === '') return value ?? '';
  if (value !== undefined && value !== '') {
    throw new UserError(
      'ISTHMUS_CLIENT_SECRET and ISTHMUS_CLIENT_SECRET_FILE are both set: leave one of them out.',
    );
  }
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    // do not print the path: the user may have put the secret itself there by mistake
    throw new UserError(
      `ISTHMUS_CLIENT_SECRET_FILE does not name a file that can be read (${codeOf(error) ?? ''}).`,
    );
  }
}
