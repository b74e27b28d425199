// The API as the portal uses it: each page asks the routes of the API with the token of its reader, in this process. So
// one function decides what a person may see and do, and the portal has no query and no act that the API lacks.
import { EventEmitter } from 'node:events';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { KnownResponse } from '../http/access-log.ts';

/** An answer other than 2xx, as the API gave it. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  readonly refusal: Refusal;

  constructor(status: number, refusal: Refusal) {
    super(refusal.detail ?? refusal.title ?? `status ${status}`);
    this.status = status;
    this.refusal = refusal;
  }
}

/** RFC 9457, and the error of the token endpoint (RFC 6749, 5.2). */
export interface Refusal {
  readonly title?: string;
  readonly detail?: string;
  readonly code?: string;
  readonly ruleId?: string;
  readonly error_description?: string;
  readonly errors?: readonly {
    readonly pointer?: string;
    readonly parameter?: string;
    readonly detail: string;
  }[];
}

export interface Gateway {
  /**
   * The JSON answer of a route. A number with more digits than JavaScript keeps is its text.
   * @throws Refused
   */
  get<Value>(path: string): Promise<Value>;
  /** As `get`; undefined if the reader may not see it, or it does not exist. */
  find<Value>(path: string): Promise<Value | undefined>;
  /** @param bodyText JSON, which the API judges as it is. @throws Refused */
  post<Value>(path: string, bodyText: string): Promise<Value>;
  /** A message, or another answer that is not JSON. */
  send(path: string, init?: RequestInit): Promise<Response>;
}

const underWay = new WeakMap<KnownResponse, Set<AnswerInProcess>>();

/**
 * Stands in for the HTTP response of a request in this process. It closes when the answer has been read or given up, so
 * that its turn ends then, and not with the page.
 */
class AnswerInProcess extends EventEmitter {
  closed = false;
  readonly page: KnownResponse | undefined;

  constructor(page: KnownResponse | undefined) {
    super();
    this.page = page;
    // a page that has gone emits nothing more
    if (page === undefined || page.closed || page.destroyed) {
      this.closed = true;
      return;
    }
    let all = underWay.get(page);
    if (all === undefined) {
      underWay.set(page, (all = new Set()));
      const open = all;
      page.once('close', () => [...open].forEach((one) => one.close()));
    }
    all.add(this);
  }

  get about() {
    return this.page?.about;
  }

  /** The page cannot be completed either. */
  destroy(): void {
    this.page?.destroy();
  }

  watching(answer: Response): Response {
    const end = () => this.close();
    if (answer.body === null) {
      end();
      return answer;
    }
    return new Response(answer.body.pipeThrough(new TransformStream({ flush: end, cancel: end })), answer);
  }

  private close(): void {
    if (this.closed) return;
    this.closed = true;
    if (this.page !== undefined) underWay.get(this.page)?.delete(this);
    this.emit('close');
  }
}

const notTheirs = new Set([403, 404, 410]);

export function gatewayFor(app: OpenAPIHono, context: Context, token: string | undefined): Gateway {
  const own = new URL(context.req.url);
  const env = context.env as Record<string, unknown>;
  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    // it would lead to another route than the one that is meant
    if (/\/\.{1,2}(?:[/?]|$)/.test(path)) throw new Refused(404, {});
    const headers = new Headers(init.headers);
    headers.set('host', context.req.header('host') ?? own.host);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    const outgoing = new AnswerInProcess(env['outgoing'] as KnownResponse | undefined);
    const answer = await app.fetch(new Request(new URL(path, own.origin), { ...init, headers }), {
      ...env,
      outgoing,
    });
    return outgoing.watching(answer);
  }
  async function get<Value>(path: string): Promise<Value> {
    return readAnswer<Value>(await send(path));
  }
  return {
    send,
    get,
    async find<Value>(path: string) {
      try {
        return await get<Value>(path);
      } catch (error) {
        if (error instanceof Refused && notTheirs.has(error.status)) return undefined;
        throw error;
      }
    },
    post: async <Value>(path: string, bodyText: string) =>
      readAnswer<Value>(
        await send(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: bodyText,
        }),
      ),
  };
}

/** @throws Refused */
export async function readAnswer<Value>(response: Response): Promise<Value> {
  const text = await response.text();
  if (response.ok) return parseExact(text) as Value;
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  throw new Refused(response.status, isJson ? (parseExact(text) as Refusal) : { detail: text });
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** Keeps each digit of an amount: a number that JavaScript would round stays text. */
const keepDigits: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? source : value;

export function parseExact(text: string): unknown {
  return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown);
}

/** `/payments?state=waiting&limit=50`; undefined and empty values are left out. */
export function pathWith(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((one): one is [string, string] => (one[1] ?? '') !== '');
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
