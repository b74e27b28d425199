// Makes answers from reference data once per snapshot and address, with an ETag. A repeated request costs
// almost nothing. Do not use this for rates, quotes or anything that depends on the caller. `hono/etag`
// hashes every answer again, which costs 6 to 8 times the CPU per request. By default, its 304 answers also
// lack the security headers.
import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { renderJson, type JsonValue } from '../../core/money/money.ts';
import { jsonHeaders } from './response.ts';

/** A cached answer, which any authorised caller may get. */
export interface Kept {
  readonly kind: 'kept';
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The properties that all routes of reference data share.
 * @param current returns the snapshot that answers are made from
 */
export function referenceRoute(current: () => object) {
  return { method: 'get', tag: 'Reference data', roles: 'any', madeFrom: current } as const;
}

const keptOf = new WeakMap<object, Map<string, Kept>>();
const maxKept = 2_000; // per snapshot, so that a client that tries many addresses cannot fill the memory

/**
 * Returns the cached answer for this address, from the same snapshot. Answers to addresses with a query are
 * not cached.
 */
export function keptAnswer(snapshot: object, { req }: Context): Kept | undefined {
  return req.raw.url.includes('?') ? undefined : keptAt(snapshot, req.path);
}

/** @param path as Hono normalises it: decoded once, without a trailing slash */
export function keptAt(snapshot: object, path: string): Kept | undefined {
  return keptOf.get(snapshot)?.get(path);
}

/** Makes the answer for this address, and caches it with its snapshot. */
export function referenceAnswer(
  context: Context,
  snapshot: object,
  value: JsonValue,
  headers: Readonly<Record<string, string>> = {},
): Kept {
  const body = renderJson(value);
  const etag = etagOf(body);
  // no-cache: the client may store the answer, but must revalidate it; private: the answer requires a token
  const made: Kept = {
    kind: 'kept',
    body,
    etag,
    headers: { ...jsonHeaders, 'cache-control': 'private, no-cache', etag, ...headers },
  };
  if (!context.req.raw.url.includes('?')) keep(snapshot, context.req.path, made);
  return made;
}

/** Returns an ETag. 128 bits of the hash are enough to distinguish answers. */
export function etagOf(body: Kept['body']): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

function keep(snapshot: object, path: string, answer: Kept): void {
  let known = keptOf.get(snapshot);
  if (known === undefined) keptOf.set(snapshot, (known = new Map<string, Kept>()));
  if (known.size >= maxKept) known.clear();
  known.set(path, answer);
}

/** Returns 200 with the answer, or 304 if the client already has it. */
export function renderKept({ body, etag, headers }: Kept, context: Context): Response {
  const known = context.req.raw.headers.get('if-none-match');
  return known !== null && matches(known, etag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { status: 200, headers });
}

/** Whether If-None-Match matches. The header is a list of tags, weak ones too, or `*` (RFC 9110, 13.1.2). */
function matches(header: string, etag: string): boolean {
  return header.split(',').some((part) => {
    const tag = part.trim().replace(/^W\//, '');
    return tag === etag || tag === '*';
  });
}
