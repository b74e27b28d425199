// CORS: only pages of the configured origins may read answers. Without any, no header is added. `hono/cors` is not
// used: it answers OPTIONS for addresses that do not exist, sends no Allow, and copies each response to add its
// headers. That costs 2.3 to 2.6 times our CPU per request.
import type { Context } from 'hono';

/** The same response, readable for the requesting page if its origin is configured. */
export function withCors(response: Response, context: Context, origins: readonly string[]): Response {
  if (origins.length === 0) return response;
  const origin = context.req.header('origin');
  response.headers.append('vary', 'Origin'); // without an Origin too: a cache must not serve that answer to a page
  if (origin !== undefined && origins.includes(origin)) {
    response.headers.set('access-control-allow-origin', origin);
    response.headers.set('access-control-expose-headers', readableHeaders);
  }
  return response;
}

/** Headers that a page may read. */
const readableHeaders =
  'etag, isthmus-contradiction, isthmus-quotes-expire, isthmus-rejection, link, preference-applied, retry-after, www-authenticate';

const preflightSeconds = '600'; // how long a browser may cache the preflight answer

/** The preflight headers; empty for origins that are not configured. */
export function preflightHeaders(
  context: Context,
  allow: string,
  origins: readonly string[],
): Record<string, string> {
  const origin = context.req.header('origin');
  return origin !== undefined && origins.includes(origin)
    ? {
        'access-control-allow-origin': origin,
        'access-control-allow-methods': allow,
        'access-control-allow-headers':
          'authorization, content-type, idempotency-key, if-none-match, prefer, x-namespace',
        'access-control-max-age': preflightSeconds,
      }
    : {};
}
