// Sends one HTTP request of a PSP, a source operator or an FX provider to an api, and records the exchange as
// evidence. The record contains request and answer unchanged, but no tokens and no secrets.
import { Pool } from 'undici';
import type { Exchange, Expected } from '../oracle/evidence.ts';
import type { LoadTokens } from './tokens.ts';

export interface Api {
  /** For example `api-1`. */
  readonly name: string;
  readonly url: string;
}

export interface Request {
  /** Index of the api, from 0. The sender reduces it modulo the number of apis. */
  readonly api: number;
  /** Id of the client whose token the request carries. */
  readonly client: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly purpose: string;
  readonly body?: string;
  /** The default is application/xml if there is a body. */
  readonly contentType?: string;
  /** Headers in addition to Authorization, Content-Type and Prefer. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly prefer?: string;
  readonly uetr?: string;
  readonly messageId?: string;
  readonly expected?: Expected;
  /** The sender hangs up after this many milliseconds. */
  readonly hangUpAfterMs?: number;
}

/** Returns the request without the named properties. */
export function without<Name extends keyof Request>(request: Request, ...names: readonly Name[]) {
  const left = Object.entries(request).filter(([name]) => !names.some((one) => one === name));
  return Object.fromEntries(left) as unknown as Omit<Request, Name>;
}

export interface Answer {
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Sender {
  send(request: Request): Promise<Answer>;
  inFlight(): number;
  close(): Promise<void>;
}

// Longer than the longest preferred wait (PAY-1), and than a process that a fault freezes for 30 s.
const answerMs = 45_000;
const connectMs = 10_000;

/** Answer headers that are recorded as evidence. */
const told = [
  'content-type',
  'isthmus-rejection',
  'isthmus-quotes-expire',
  'preference-applied',
  'retry-after',
  'location',
];

/**
 * Whether the answer concerns only the token or the connection, not the message. The sender should then
 * repeat the message.
 */
export const isPassing = (status: number | undefined): boolean =>
  status === undefined || status >= 500 || [401, 408, 429].includes(status);

export function openSender(options: {
  readonly apis: readonly Api[];
  readonly tokens: LoadTokens;
  readonly record: (exchange: Exchange) => void;
}): Sender {
  const { apis, tokens, record } = options;
  const pools = apis.map(({ url }) => new Pool(url, { connect: { timeout: connectMs } }));
  let inFlight = 0;

  async function send(request: Request): Promise<Answer> {
    const place = request.api % apis.length;
    const [api, pool] = [apis[place], pools[place]];
    if (api === undefined || pool === undefined) throw new Error('a load needs an api');
    const token = await tokens.tokenFor(request.client);
    const sentAt = new Date().toISOString();
    inFlight += 1;
    const outcome = await attempt(pool, request, token);
    inFlight -= 1;
    if (outcome.status === 401) tokens.forget(request.client);
    record(lineOf(request, { api: api.name, sentAt, endedAt: new Date().toISOString(), outcome }));
    const { status, text = '', headers = {} } = outcome;
    return { status, text, headers };
  }

  return {
    send,
    inFlight: () => inFlight,
    close: async () => {
      await Promise.all(pools.map((pool) => pool.destroy()));
    },
  };
}

type ErrorWord = 'refused' | 'reset' | 'timeout' | 'aborted';

interface Outcome extends Partial<Answer> {
  readonly error?: ErrorWord;
}

async function attempt(pool: Pool, request: Request, token: string): Promise<Outcome> {
  const hangUp = new AbortController();
  const giveUp = (why: ErrorWord, afterMs: number) => setTimeout(() => hangUp.abort(why), afterMs);
  const timers = [giveUp('timeout', answerMs)];
  if (request.hangUpAfterMs !== undefined) timers.push(giveUp('aborted', request.hangUpAfterMs));
  try {
    const { body, contentType = 'application/xml', prefer } = request;
    const answer = await pool.request({
      path: request.path,
      method: request.method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': contentType }),
        ...(prefer === undefined ? {} : { prefer }),
        ...request.headers,
      },
      body: body ?? null,
      signal: hangUp.signal,
      headersTimeout: answerMs,
      bodyTimeout: answerMs,
    });
    const text = await answer.body.text();
    const headers = Object.fromEntries(
      Object.entries(answer.headers).flatMap(([name, value]) =>
        told.includes(name) && value !== undefined ? [[name, String(value)]] : [],
      ),
    );
    return { status: answer.statusCode, text, headers };
  } catch (error) {
    return { error: hangUp.signal.aborted ? (hangUp.signal.reason as ErrorWord) : wordFor(error) };
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

function wordFor(error: unknown): ErrorWord {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.includes('TIMEOUT') || code === 'ETIMEDOUT') return 'timeout';
  return ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code) ? 'refused' : 'reset';
}

function lineOf(
  request: Request,
  about: {
    readonly api: string;
    readonly sentAt: string;
    readonly endedAt: string;
    readonly outcome: Outcome;
  },
): Exchange {
  const { client, method, path, purpose, uetr, messageId, body, prefer, expected } = request;
  const { status, text, headers, error } = about.outcome;
  const isJudged = status !== 401 && status !== 408;
  return {
    sentAt: about.sentAt,
    endedAt: about.endedAt,
    api: about.api,
    client,
    method,
    path,
    purpose,
    ...(uetr === undefined ? {} : { uetr }),
    ...(messageId === undefined ? {} : { messageId }),
    ...(body === undefined ? {} : { requestBody: body }),
    ...(prefer === undefined ? {} : { prefer }),
    ...(status === undefined ? {} : { status }),
    ...(text === undefined ? {} : { responseBody: text }),
    ...(headers === undefined ? {} : { headers }),
    ...(error === undefined ? {} : { error }),
    ...(expected !== undefined && isJudged ? { expected } : {}),
  };
}
