// An HTTP connection of one client to a gateway. It logs in, sends requests, and turns refusals into error
// messages.
import { z } from 'zod';
import { reasonOf, TurnedAwayError, UnavailableError, UsageError, UserError } from './errors.ts';
import { visible, visibleJson, visibleTexts } from './foreign-text.ts';

/** Query parameters by name. Undefined values are omitted. */
export type Query = Readonly<Record<string, string | undefined>>;

export interface Access {
  readonly url: string;
  readonly clientId: string;
  readonly secret: string;
  /** Address of the token endpoint; default: /oauth/token of the gateway. */
  readonly tokenUrl?: string;
}

interface Sent {
  readonly method?: 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Gateway {
  readonly url: string;
  /** Returns the client's token. It fetches a token only if it has none. */
  logIn(): Promise<string>;
  /**
   * Sends any request. The body of the answer is not escaped for a terminal.
   * @throws UserError with the gateway's explanation. It is a UsageError for 400 and a TurnedAwayError for
   *   429. It is an UnavailableError for 5xx or no answer; the gateway may then have accepted the request.
   */
  ask(path: string, init?: Sent): Promise<Response>;
  /** Returns the JSON answer, with control characters escaped for a terminal. */
  get(path: string, query?: Query): Promise<string>;
  post(path: string, body: object): Promise<string>;
}

/** The gateway answered HTTP 401. */
class Unauthenticated extends UserError {}

const timeoutMs = 40_000; // longer than the gateway waits before any answer (at most 30 s)

export function openGateway({ url, clientId, secret, tokenUrl = `${url}/oauth/token` }: Access): Gateway {
  let token: string | undefined;

  async function logIn(): Promise<string> {
    if (token !== undefined) return token;
    const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`;
    const response = await call(tokenUrl, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    });
    ({ access_token: token } = (await response.json()) as { readonly access_token: string });
    return token;
  }

  /**
   * If the token has expired, it retries once with a new token. This matters to `ops tail`, which runs for
   * hours.
   */
  async function ask(path: string, init: Sent = {}): Promise<Response> {
    const send = async () => {
      const authorization = `Bearer ${await logIn()}`;
      return call(`${url}${path}`, { ...init, headers: { ...init.headers, authorization } });
    };
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof Unauthenticated) || token === undefined) throw error;
      token = undefined;
      return await send();
    }
  }

  const textOf = async (response: Response) => visibleJson(await response.text());
  return {
    url,
    logIn,
    ask,
    get: async (path, query = {}) => {
      const asked = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) if (value !== undefined) asked.append(name, value);
      return textOf(await ask(asked.size === 0 ? path : `${path}?${asked.toString()}`));
    },
    post: async (path, body) => {
      const headers = { 'content-type': 'application/json' };
      return textOf(await ask(path, { method: 'POST', headers, body: JSON.stringify(body) }));
    },
  };
}

async function call(url: string, init: Sent): Promise<Response> {
  const { origin, pathname } = new URL(url);
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) }).catch(
    (error: unknown) => {
      throw new UnavailableError(
        `${origin} does not answer (${reasonOf(error)}). Is it running, and is that its address?`,
      );
    },
  );
  if (response.ok) return response;
  const explanation = await explainRefusal(`${init.method ?? 'GET'} ${pathname}`, response);
  if (response.status === 400) throw new UsageError(explanation);
  if (response.status === 401) throw new Unauthenticated(explanation);
  if (response.status === 429) throw new TurnedAwayError(explanation);
  throw response.status >= 500 ? new UnavailableError(explanation) : new UserError(explanation);
}

const problem = z.object({
  title: z.string().optional(),
  detail: z.string().optional(),
  ruleId: z.string().optional(),
  errors: z.array(z.object({ pointer: z.string().optional(), detail: z.string() })).optional(),
  /** Error code from the token endpoint (RFC 6749, section 5.2). */
  error: z.string().optional(),
  error_description: z.string().optional(),
});

/** Builds the error message of a refused request from the gateway's explanation. */
async function explainRefusal(request: string, response: Response): Promise<string> {
  const head = `${request} was answered with HTTP ${response.status}`;
  const parsed = problem.safeParse(await response.json().catch(() => undefined));
  if (!parsed.success) {
    const doubted =
      response.status === 401 ? 'are the address, the client id and its secret' : 'is the address';
    return `${head}, and not as Isthmus answers: ${doubted} right?`;
  }
  const { error = '', error_description: description = '', ruleId, errors = [] } = parsed.data;
  const { title = error, detail = description } = parsed.data;
  const more = errors
    .slice(1) // the detail already contains the first error
    .map(({ pointer, detail: why }) => (pointer === undefined ? why : `${pointer} ${why}`));
  const said = [title, detail, ...more].filter((part) => part !== '').join(': ');
  if (said === '') return `${head}.`;
  return visible(`${head}: ${said}${ruleId === undefined ? '' : ` (${ruleId})`}`);
}

/**
 * Parses JSON and returns each number as a string, with exactly the digits that were sent.
 * @internal exported for tests
 */
export function parseExactJson(text: string): unknown {
  const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  return JSON.parse(
    text.replaceAll(stringOrNumber, (token) => (token.startsWith('"') ? token : `"${token}"`)),
  );
}

/** The type that `read` returns for an answer of this schema: each number becomes a string. */
export type Shown<Schema extends z.ZodType> = Exact<z.infer<Schema>>;
type Exact<Value> = Value extends number
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly Exact<Item>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: Exact<Value[Name]> }
      : Value;

/** Parses an answer. Numbers become strings with the same digits, and strings are escaped for a terminal. */
export const read = (text: string): unknown => visibleTexts(parseExactJson(text));
