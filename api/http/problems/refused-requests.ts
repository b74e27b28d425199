// Refusals of requests that belong to no route. The request is not unambiguous plain HTTP/1.1, or its address
// or method does not exist. The server, the handler of parser errors and the app use them.
import { problem, type Problem } from './problem.ts';

/** Texts for the problem `invalid-request`. */
const malformations = {
  tls: 'This port speaks plain HTTP, but got TLS. Use http:// here.',
  version:
    'Send HTTP/1.1: no other version is supported. (A proxy may need to be configured for it, for example nginx with proxy_http_version 1.1.)',
  target: 'Write the target of the request as a path, such as /countries, with the host in the Host header.',
  twoHosts:
    'The target of the request names another host than the Host header. Name the same, or send the path alone.',
  fragment: 'A request target must not have a fragment. Leave out # and what follows.',
  oddPath: 'The path has dot segments or a backslash. Write the resolved path.',
  address: 'The Host header and the path do not form a valid address.',
  host: 'Send one Host header with the name or address of this service, and its port if any.',
  upgrade: 'This service does not speak WebSocket. Leave out the Upgrade header.',
  transferEncoding: 'The only supported Transfer-Encoding is chunked, once. Send no other.',
  pieces:
    'The body comes in thousands of chunks of a few bytes. Send it in larger ones, or with a Content-Length.',
  ended: 'The request ended before it was complete. Send all of it, and keep the connection open until then.',
} as const;
export type Malformation = keyof typeof malformations;

export function malformed(what: Malformation): Problem {
  return problem('invalid-request', { detail: malformations[what] });
}

/** @param reason the reason that Node's parser states; see https://github.com/nodejs/llhttp */
export function notHttp(reason: string): Problem {
  return problem('invalid-request', { detail: `This is not HTTP/1.1 (RFC 9112): ${reason}.` });
}

/** Refuses a repeated header, because another program might choose the other value. */
export function repeatedHeader(name: string): Problem {
  return problem('invalid-request', { detail: `The ${name} header is given more than once. Send it once.` });
}

/** Returns a 404 for an unknown address. The text repeats the address only if it is harmless. */
export function nothingAt(method: string, path: string): Problem {
  const asked = /^[\w/.-]{1,80}$/.test(path) ? `${method} ${path}` : 'this address';
  return problem('not-found', { detail: `There is nothing at ${asked}; /reference lists every address.` });
}

/** Returns a 405 with the methods of the address. */
export function methodNotAllowed(method: string, allow: string): Problem {
  const detail =
    method === 'CONNECT'
      ? 'This service is not a proxy; it does not accept CONNECT.'
      : `This address accepts the methods ${allow}, not ${method}.`;
  return problem('method-not-allowed', { detail, headers: { allow } });
}
