// Writes JSON answers with exact decimals and the common headers. Headers are plain objects and bodies are
// strings. The HTTP adapter writes such a response without building a web Response.
import { renderJson, type JsonValue } from '../../core/money/money.ts';

/**
 * The headers of every answer. Browsers must not guess content types, frame the page, load anything or send a
 * referrer, and must keep to https.
 */
export const baseHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
} as const;

/** Headers of answers that are valid only now or only for this caller. No cache may store them. */
export const jsonHeaders = {
  ...baseHeaders,
  'content-type': 'application/json',
  'cache-control': 'no-store',
} as const;

/** Returns the value as JSON, with status 200 by default. Exact decimals keep every digit. */
export function json(value: JsonValue, status = 200, headers?: Readonly<Record<string, string>>): Response {
  return new Response(renderJson(value), {
    status,
    headers: headers === undefined ? jsonHeaders : { ...jsonHeaders, ...headers },
  });
}
