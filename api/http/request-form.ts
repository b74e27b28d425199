// Whether a request is plain HTTP/1.1 that can be read in one way only, judged before anything else sees it (SEC-4). What
// Node's parser already refuses is put into words by api/http/unreadable.ts.
import type { IncomingMessage } from 'node:http';
import { problem, type Problem } from './problem.ts';

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
  if (httpVersion !== '1.1') return malformed(versionDetail);
  const repeated = repeatedHeader(request.rawHeaders);
  if (repeated !== undefined)
    return malformed(`The ${repeated} header is given more than once. Send it once.`);
  if (headers.host === undefined || !hostForm.test(headers.host)) {
    return malformed('Send one Host header with the name or address of this service, and its port if any.');
  }
  if (!url.startsWith('/')) {
    return malformed(
      'Write the target of the request as a path, such as /countries, with the host in the Host header.',
    );
  }
  if (url.includes('#'))
    return malformed('The target of a request has no fragment. Leave out # and what follows.');
  if (oddPath.test(url))
    return malformed('The path has dot segments or a backslash. Write the path that is meant.');
  const { expect, upgrade, 'transfer-encoding': coding } = headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') return problem('expectation-failed');
  // an offer of HTTP/2 may be ignored (RFC 9110, 7.8), and some clients make it with every first request
  if (upgrade !== undefined && upgrade !== 'h2c') {
    return malformed('This service changes to no other protocol. Leave out the Upgrade header.');
  }
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return malformed('The only Transfer-Encoding that is known here is chunked. Send no other.');
  }
  return undefined;
}

export const versionDetail =
  'Send HTTP/1.1: no other version is spoken here. (A proxy may need to be told, as nginx by proxy_http_version 1.1.)';

export function malformed(detail: string): Problem {
  return problem('invalid-request', { detail });
}

/** The name of a header that stands twice and may not. */
function repeatedHeader(raw: readonly string[]): string | undefined {
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
