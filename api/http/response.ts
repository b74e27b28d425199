// Writes JSON answers: exact decimals, and the headers of every answer. Headers are plain objects and bodies
// strings: the HTTP adapter writes such a response without building a web Response.
import { renderJson, type JsonValue } from '../../core/money/money.ts';

/**
 * On every answer. Browsers must not sniff types, frame the page, load anything or send a referrer, and must keep to
 * https.
 */
export const baseHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
} as const;

/** For answers that are valid only now or for this caller: no cache may store them. */
export const jsonHeaders = {
  ...baseHeaders,
  'content-type': 'application/json',
  'cache-control': 'no-store',
} as const;

/** 200 (or another status) with the value as JSON. Exact decimals keep every digit. */
export function json(value: JsonValue, status = 200, headers?: Readonly<Record<string, string>>): Response {
  return new Response(renderJson(value), {
    status,
    headers: headers === undefined ? jsonHeaders : { ...jsonHeaders, ...headers },
  });
}
