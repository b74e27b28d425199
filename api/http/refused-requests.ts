// What is told where no route is asked: the request is no plain HTTP/1.1 that can be read in one way only (SEC-4), or there is
// no such address or method. The server, the reader of unreadable bytes and the app all take their refusals from here.
import { problem, type Problem } from './problem.ts';

/** Each an `invalid-request`. */
const malformations = {
  notHttp: 'This is not HTTP/1.1.',
  tls: 'This port speaks plain HTTP, and TLS was sent. Use http:// here.',
  version:
    'Send HTTP/1.1: no other version is spoken here. (A proxy may need to be told, as nginx by proxy_http_version 1.1.)',
  method: 'The request begins with no method that is known here. Methods are GET, HEAD, OPTIONS and POST.',
  requestLine:
    'The request line is not written as method, path and HTTP/1.1, with one space between and the path percent-encoded.',
  target: 'Write the target of the request as a path, such as /countries, with the host in the Host header.',
  fragment: 'The target of a request has no fragment. Leave out # and what follows.',
  oddPath: 'The path has dot segments or a backslash. Write the path that is meant.',
  address: 'The Host header and the path do not make up an address.',
  host: 'Send one Host header with the name or address of this service, and its port if any.',
  lineEnds: 'A line of the head or of a chunk does not end with CRLF, and with nothing else.',
  header: 'A header is not written as name: value on one line of printable characters.',
  upgrade: 'This service changes to no other protocol. Leave out the Upgrade header.',
  bodyLength:
    'The length of the body is not told in one way: send one Content-Length with a number, or Transfer-Encoding: chunked.',
  transferEncoding: 'The only Transfer-Encoding that is known here is chunked, once. Send no other.',
  chunkSize: 'The size of a chunk is not written as a hexadecimal number (RFC 9112, 7.1).',
  chunkExtensions: 'The chunk extensions are too long. Send chunks without.',
  ended: 'The request ended before it was whole. Send all of it, and keep the connection open meanwhile.',
} as const;
export type Malformation = keyof typeof malformations;

export function malformed(what: Malformation): Problem {
  return problem('invalid-request', { detail: malformations[what] });
}

/** A header of which another reader might choose the other value. */
export function repeatedHeader(name: string): Problem {
  return problem('invalid-request', { detail: `The ${name} header is given more than once. Send it once.` });
}

/** 404 where no route is; the address is repeated where that is harmless. */
export function nothingAt(method: string, path: string): Problem {
  const asked = /^[\w/.-]{1,80}$/.test(path) ? `${method} ${path}` : 'this address';
  return problem('not-found', { detail: `There is nothing at ${asked}; /reference shows every address.` });
}

/** 405 with what the address takes. */
export function methodNotAllowed(method: string, allow: string): Problem {
  const detail =
    method === 'CONNECT'
      ? 'This service is no proxy; it takes no CONNECT.'
      : `This address takes the methods ${allow}; not ${method}.`;
  return problem('method-not-allowed', { detail, headers: { allow } });
}
