// Answers of reference data: rendered once per snapshot, with an ETag, so that asking again costs next to nothing (REF-6).
// It must not be used for rates or quotes, nor for anything that depends on who asks.
import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { renderJson, type JsonValue } from '../core/money.ts';
import type { ReferenceData } from '../core/reference.ts';
import { jsonHeaders } from './response.ts';

interface Rendered {
  readonly body: string;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

const renderedOfSnapshot = new WeakMap<ReferenceData, Map<string, Rendered>>();
const maxRendered = 5_000; // names come from known things and pages; a walk over every page size must not fill the memory

export interface ReferenceAnswer {
  /** Names the answer within the snapshot; made from checked input only. */
  readonly name: string;
  readonly render: () => JsonValue;
  /** Link and the like; part of what is kept. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** 200 with the answer, or 304 when the client has it already. */
export function referenceAnswer(context: Context, data: ReferenceData, answer: ReferenceAnswer): Response {
  const rendered = renderedIn(data, answer);
  const known = context.req.raw.headers.get('if-none-match');
  if (known !== null && matches(known, rendered.etag)) {
    return new Response(null, { status: 304, headers: rendered.headers });
  }
  return new Response(rendered.body, { status: 200, headers: rendered.headers });
}

function renderedIn(data: ReferenceData, { name, render, headers }: ReferenceAnswer): Rendered {
  let known = renderedOfSnapshot.get(data);
  if (known === undefined) renderedOfSnapshot.set(data, (known = new Map<string, Rendered>()));
  const found = known.get(name);
  if (found !== undefined) return found;
  const body = renderJson(render());
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  // no-cache: may be kept, must be asked for again; private, for it was answered to a token
  const made = {
    body,
    etag,
    headers: { ...jsonHeaders, 'cache-control': 'private, no-cache', etag, ...headers },
  };
  if (known.size >= maxRendered) known.clear();
  known.set(name, made);
  return made;
}

/** If-None-Match: a list of tags, weak ones too, or `*` (RFC 9110, 13.1.2). */
function matches(header: string, etag: string): boolean {
  return header.split(',').some((part) => {
    const tag = part.trim().replace(/^W\//, '');
    return tag === etag || tag === '*';
  });
}
