// Whether a request is plain HTTP/1.1 that can be read in one way only, judged before anything else sees it (SEC-4). What
// Node's parser already refuses is put into words by api/http/unreadable.ts.
import type { IncomingMessage } from 'node:http';
import { problem, type Problem } from './problem.ts';
import { malformed, repeatedHeader } from './refused-requests.ts';

/** Headers that have one value: given twice, another reader might choose the other one. */
const singletons = [
  'Host',
  'Origin',
  'Expect',
  'Upgrade',
  'Content-Type',
  'Authorization',
  'Content-Length',
  'Idempotency-Key',
  'Content-Encoding',
  'Transfer-Encoding',
];
/** By length, in lower case: most headers of a request need no closer look. */
const singletonsOfLength = new Map(
  singletons.map(({ length }) => [
    length,
    singletons.filter((name) => name.length === length).map((name) => ({ name, lower: name.toLowerCase() })),
  ]),
);
const hostForm = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9.])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const oddPath = /^[^?]*(?:\\|\/(?:\.|%2e){1,2}(?:[/?]|$))/i;

/** Undefined for a request that may go on. */
export function refuseForm(request: IncomingMessage): Problem | undefined {
  const { httpVersion, url = '', headers } = request;
  if (httpVersion !== '1.1') return malformed('version');
  const repeated = findRepeated(request.rawHeaders);
  if (repeated !== undefined) return repeatedHeader(repeated);
  if (headers.host === undefined || !hostForm.test(headers.host)) return malformed('host');
  if (!url.startsWith('/')) return malformed('target');
  if (url.includes('#')) return malformed('fragment');
  if (oddPath.test(url)) return malformed('oddPath');
  const { expect, upgrade, 'transfer-encoding': coding } = headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') return problem('expectation-failed');
  // an offer of HTTP/2 may be ignored (RFC 9110, 7.8), and some clients make it with every first request
  if (upgrade !== undefined && upgrade !== 'h2c') return malformed('upgrade');
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return malformed('transferEncoding');
  return undefined;
}

/** The name of a header that stands twice and may not. */
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
