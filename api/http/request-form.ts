// Whether a request is unambiguous plain HTTP/1.1, checked before anything else sees it (SEC-4). api/http/unreadable.ts
// words the refusals of Node's own parser.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { problem, type Problem } from './problem.ts';
import { malformed, repeatedHeader } from './refused-requests.ts';

/** As many as common servers read. Each costs time before it is anybody's turn, and memory while it waits (SEC-7). */
export const maxHeaderLines = 100;

/** Single-valued headers: if one is repeated, another program might choose the other value. */
const singletons = [
  'Host',
  'Origin',
  'Expect',
  'Content-Type',
  'Authorization',
  'Content-Length',
  'Idempotency-Key',
  'Content-Encoding',
  'Transfer-Encoding',
];
/** By length, in lower case, so that most headers need no further comparison. */
const singletonsOfLength = new Map(
  singletons.map(({ length }) => [
    length,
    singletons.filter((name) => name.length === length).map((name) => ({ name, lower: name.toLowerCase() })),
  ]),
);
const hostForm = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9.])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const oddPath = /^[^?]*(?:\\|\/(?:\.|%2e){1,2}(?:[/?]|$))/i;

/**
 * Undefined if the request may proceed: then its `url` is path and query.
 * @param publicHost host and port of the address that is published; absent: none is
 */
export function refuseForm(request: IncomingMessage, publicHost?: string): Problem | undefined {
  // before `headers`, which are only made when they are read
  if (request.rawHeaders.length > 2 * maxHeaderLines) return problem('headers-too-large');
  const { httpVersion, headers } = request;
  if (httpVersion !== '1.1') return malformed('version');
  const repeated = findRepeated(request.rawHeaders);
  if (repeated !== undefined) return repeatedHeader(repeated);
  if (headers.host === undefined || !hostForm.test(headers.host)) return malformed('host');
  const refused = takeAbsolute(request, publicHost);
  if (refused !== undefined) return refused;
  const { url = '' } = request;
  if (url.includes('#')) return malformed('fragment');
  if (oddPath.test(url)) return malformed('oddPath');
  const { expect, upgrade, 'transfer-encoding': coding } = headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') return problem('expectation-failed');
  // An offer is ignored (RFC 9110, 7.8): some clients make one with every request, of h2c or TLS/1.2. Only a client of
  // websockets has nothing to say in HTTP/1.1.
  if (upgrade?.toLowerCase().includes('websocket') === true) return malformed('upgrade');
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return malformed('transferEncoding');
  return undefined;
}

const absoluteTarget = /^https?:\/\/([^/?#]*)((?:[/?#].*)?)$/i;

/**
 * Makes an absolute target (RFC 9112, 3.2.2) the path that it is here. Its host must be the Host header's, so that nobody
 * before us can have chosen the other one, and ours: we are nobody's proxy.
 */
function takeAbsolute(request: IncomingMessage, publicHost: string | undefined): Problem | undefined {
  const { url = '', headers, socket } = request;
  if (url.startsWith('/')) return undefined;
  const [, host = '', rest = ''] = absoluteTarget.exec(url) ?? [];
  if (!hostForm.test(host)) return malformed('target');
  if (host.toLowerCase() !== headers.host?.toLowerCase()) return malformed('twoHosts');
  if (!isOurs(host.toLowerCase(), socket, publicHost)) return malformed('otherHost');
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  return undefined;
}

/** The published address, or this machine by its own names and the port that was connected to. */
function isOurs(host: string, { localAddress = '', localPort }: Socket, publicHost?: string): boolean {
  if (host === publicHost) return true;
  const address = localAddress.replace(/^::ffff:/, '');
  const names = ['localhost', address.includes(':') ? `[${address}]` : address];
  return names.some((name) => host === `${name}:${localPort}`);
}

/** The name of a single-valued header that is repeated. */
function findRepeated(raw: readonly string[]): string | undefined {
  let seen: string[] | undefined;
  for (let index = 0; index < raw.length; index += 2) {
    const given = raw[index] ?? '';
    const candidates = singletonsOfLength.get(given.length);
    if (candidates === undefined) continue;
    const lower = given.toLowerCase();
    const name = candidates.find((candidate) => candidate.lower === lower)?.name;
    if (name === undefined) continue;
    if (seen?.includes(name) === true) return name;
    (seen ??= []).push(name);
  }
  return undefined;
}
