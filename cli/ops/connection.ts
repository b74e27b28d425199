// Chooses the gateway that `isthmus ops` asks, and the client: from the environment, or the running demo.
import { readFileSync } from 'node:fs';
import type { Environment } from '../../core/settings/environment-variables.ts';
import type { CommandContext } from '../command.ts';
import { UnavailableError, UsageError, UserError } from '../errors.ts';
import { visibleJson } from '../foreign-text.ts';
import { explainRefusal } from '../gateway-client.ts';
import { findRunningDemo } from '../demo/run-file.ts';

/** Query parameters by name; undefined ones are omitted. */
export type Query = Readonly<Record<string, string | undefined>>;

export interface Gateway {
  readonly url: string;
  /**
   * Returns the body with control characters escaped for a terminal.
   * @throws UserError with the gateway's explanation; UnavailableError for 503, 429 or no answer
   */
  get(path: string, query?: Query): Promise<string>;
  /** Returns the unescaped bytes. They may contain terminal control characters. */
  getBytes(path: string): Promise<Buffer>;
  post(path: string, body: object): Promise<string>;
}

interface Access {
  readonly url: string;
  readonly clientId: string;
  readonly secret: string;
  /** Address of the token endpoint. */
  readonly tokenUrl: string;
}

interface Sent {
  readonly method?: 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** HTTP 401. */
class Unauthenticated extends UserError {}

const timeoutMs = 15_000;

/** Connects to the gateway of ISTHMUS_URL, or to the running demo as its operator. */
export async function connectGateway(context: CommandContext): Promise<Gateway> {
  const access = await accessOf(context);
  let token: string | undefined;

  async function call(url: string, init: Sent): Promise<Response> {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) }).catch(
      (error: unknown) => {
        const { message } =
          (error as Error).cause instanceof Error ? ((error as Error).cause as Error) : (error as Error);
        const { origin } = new URL(url);
        const [who, where] = origin === new URL(access.url).origin ? ['api', 'URL'] : ['issuer', 'TOKEN_URL'];
        throw new UnavailableError(
          `${origin} does not answer (${message}). Is the ${who} running, and is ISTHMUS_${where} its address?`,
        );
      },
    );
    if (response.ok) return response;
    const { pathname } = new URL(url);
    const explanation = await explainRefusal(`${init.method ?? 'GET'} ${pathname}`, response);
    if (response.status === 401) throw new Unauthenticated(explanation);
    if (response.status === 400) throw new UsageError(explanation);
    throw response.status === 503 || response.status === 429
      ? new UnavailableError(explanation)
      : new UserError(explanation);
  }

  async function fetchToken(): Promise<string> {
    const credentials = `${encodeURIComponent(access.clientId)}:${encodeURIComponent(access.secret)}`;
    const response = await call(access.tokenUrl, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    });
    return ((await response.json()) as { access_token: string }).access_token;
  }

  /** Retries once with a new token if the old one has expired, because tail runs for hours. */
  async function ask(url: string, init: Sent): Promise<Response> {
    const send = async () => {
      token ??= await fetchToken();
      return call(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });
    };
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof Unauthenticated) || token === undefined) throw error;
      token = undefined;
      return await send();
    }
  }

  return {
    url: access.url,
    get: async (path, query = {}) => {
      const asked = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) if (value !== undefined) asked.append(name, value);
      return textOf(await ask(`${access.url}${path}${asked.size === 0 ? '' : `?${asked.toString()}`}`, {}));
    },
    getBytes: async (path) => Buffer.from(await (await ask(`${access.url}${path}`, {})).arrayBuffer()),
    post: async (path, body) =>
      textOf(
        await ask(`${access.url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      ),
  };
}

const textOf = async (response: Response) => visibleJson(await response.text());

async function accessOf({ env, folder }: CommandContext): Promise<Access> {
  const given = env['ISTHMUS_URL'] ?? '';
  if (given === '') {
    const { apiUrl } = await findRunningDemo(folder).catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
      throw new UserError(`${error.message} To ask another gateway, name it in ISTHMUS_URL.`);
    });
    const clientId = env['ISTHMUS_CLIENT_ID'] || 'operator'; // operator2 is the demo's second operator
    const secret = secretFrom(env) || `demo-${clientId}`;
    return { url: apiUrl, clientId, secret, tokenUrl: `${apiUrl}/oauth/token` };
  }
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    throw new UserError(
      `ISTHMUS_URL=${given} must be the address of a gateway, as in http://127.0.0.1:8080.`,
    );
  const url = given.endsWith('/') ? given.slice(0, -1) : given;
  const clientId = env['ISTHMUS_CLIENT_ID'] ?? '';
  const secret = secretFrom(env);
  if (clientId === '' || secret === '') {
    throw new UserError(
      'ISTHMUS_URL names a gateway, but not as whom to ask it: set ISTHMUS_CLIENT_ID, and ISTHMUS_CLIENT_SECRET or ISTHMUS_CLIENT_SECRET_FILE, to a client with the role operator.',
    );
  }
  return { url, clientId, secret, tokenUrl: env['ISTHMUS_TOKEN_URL'] || `${url}/oauth/token` };
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
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'it is no file';
    throw new UserError(`ISTHMUS_CLIENT_SECRET_FILE does not name a file that can be read (${code}).`);
  }
}
