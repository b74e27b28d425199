// Writes JSON answers: exact decimals, and the headers of every answer. Headers are plain objects and bodies
// strings: the HTTP adapter writes such a response without building a web Response.
import { renderJson, type JsonValue } from '../../core/money/money.ts';

/** On every answer: no sniffing, no framing, nothing to load, nothing told of where one came from; https alone, where it is read over https. */
export const baseHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
} as const;

/** For answers that apply to this moment or caller only. */
export const jsonHeaders = {
  ...baseHeaders,
  'content-type': 'application/json',
  'cache-control': 'no-store',
} as const;

/** 200 (or another status) with the value as JSON, its marked numbers digit for digit. */
export function json(value: JsonValue, status = 200, headers?: Readonly<Record<string, string>>): Response {
  return new Response(renderJson(value), {
    status,
    headers: headers === undefined ? jsonHeaders : { ...jsonHeaders, ...headers },
  });
}
