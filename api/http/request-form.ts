// Checks that a request is unambiguous plain HTTP/1.1, before any other code handles it.
// api/http/unreadable.ts words the refusals of Node's own parser.
import type { IncomingMessage } from 'node:http';
import { problem, type Problem } from './problems/problem.ts';
import { malformed, repeatedHeader } from './problems/refused-requests.ts';

/**
 * The usual limit of common servers. Each line costs time before the request's turn, and memory while the
 * request waits.
 */
export const maxHeaderLines = 100;

/**
 * Headers that must have a single value, by name in lower case. If one is repeated, another program might
 * choose the other value.
 */
const singletons = new Map(
  [
    'Host',
    'Origin',
    'Expect',
    'Content-Type',
    'Authorization',
    'Content-Length',
    'Idempotency-Key',
    'Content-Encoding',
    'Transfer-Encoding',
  ].map((name) => [name.toLowerCase(), name]),
);
const hostForm = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9.])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const oddPath = /\\|\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** Returns undefined if the request may proceed. Its `url` is then a path and query. */
export function refuseForm(request: IncomingMessage): Problem | undefined {
  // check this before `headers`, which Node builds only when they are read
  if (request.rawHeaders.length > 2 * maxHeaderLines) return problem('headers-too-large');
  const { httpVersion, headers } = request;
  if (httpVersion !== '1.1') return malformed('version');
  // if no header is repeated, `headers` has a key for each line
  const mayRepeat = Object.keys(headers).length * 2 < request.rawHeaders.length;
  const repeated = mayRepeat ? findRepeated(request.rawHeaders) : undefined;
  if (repeated !== undefined) return repeatedHeader(repeated);
  if (headers.host === undefined || !hostForm.test(headers.host)) return malformed('host');
  const refused = takeAbsolute(request, headers.host);
  if (refused !== undefined) return refused;
  const { url = '' } = request;
  if (url.includes('#')) return malformed('fragment');
  if (oddPath.test(pathOf(url))) return malformed('oddPath');
  const { expect, upgrade, 'transfer-encoding': coding } = headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') return problem('expectation-failed');
  // An upgrade is only an offer, and may be ignored (RFC 9110, 7.8). Some clients offer h2c or TLS/1.2 with
  // every request. Only a WebSocket client is refused, because it cannot continue in HTTP/1.1.
  if (upgrade?.toLowerCase().includes('websocket') === true) return malformed('upgrade');
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return malformed('transferEncoding');
  return undefined;
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

const absoluteTarget = /^https?:\/\/([^/?#]*)((?:[/?#].*)?)$/i;

/**
 * Replaces an absolute target (RFC 9112, 3.2.2) by its path. Its host must equal the Host header, because a
 * proxy in front may have used either of them.
 */
function takeAbsolute(request: IncomingMessage, asked: string): Problem | undefined {
  const { url = '' } = request;
  if (url.startsWith('/')) return undefined;
  const [, host = '', rest = ''] = absoluteTarget.exec(url) ?? [];
  if (!hostForm.test(host)) return malformed('target');
  if (host.toLowerCase() !== asked.toLowerCase()) return malformed('twoHosts');
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  return undefined;
}

/** Returns the name of a single-valued header that is repeated, if any. */
function findRepeated(raw: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let index = 0; index < raw.length; index += 2) {
    const name = singletons.get((raw[index] ?? '').toLowerCase());
    if (name === undefined) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}
