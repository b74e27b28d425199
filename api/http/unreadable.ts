// What is told to a client whose bytes Node could not read as a request: too slow, too large, or no HTTP (SEC-4, SEC-7).
import { STATUS_CODES, type ServerResponse } from 'node:http';
import { problem, problemBody, problemHead, type Problem } from './problem.ts';
import { malformed, versionDetail } from './request-form.ts';

/** An error of Node's HTTP parser: https://github.com/nodejs/llhttp names them. */
export interface ParserError extends NodeJS.ErrnoException {
  readonly reason?: string;
  readonly rawPacket?: Buffer;
}

const lineEnds = 'A line of the head or of a chunk does not end with CRLF, and with nothing else.';
const header = 'A header is not written as name: value on one line of printable characters.';
const requestLine =
  'The request line is not written as method, path and HTTP/1.1, with one space between and the path percent-encoded.';
const length =
  'The length of the body is not told in one way: send one Content-Length with a number, or Transfer-Encoding: chunked.';

const details: Readonly<Record<string, string>> = {
  HPE_CR_EXPECTED: lineEnds,
  HPE_LF_EXPECTED: lineEnds,
  HPE_STRICT: lineEnds,
  HPE_INVALID_HEADER_TOKEN: header,
  HPE_UNEXPECTED_SPACE: header,
  HPE_INVALID_URL: requestLine,
  HPE_INVALID_CONSTANT: requestLine,
  HPE_INVALID_VERSION: versionDetail,
  HPE_PAUSED_H2_UPGRADE: versionDetail,
  HPE_INVALID_METHOD:
    'The request begins with no method that is known here. Methods are GET, HEAD, OPTIONS and POST.',
  HPE_INVALID_CONTENT_LENGTH: length,
  HPE_UNEXPECTED_CONTENT_LENGTH: length,
  HPE_INVALID_CHUNK_SIZE: 'The size of a chunk is not written as a hexadecimal number (RFC 9112, 7.1).',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'The chunk extensions are too long. Send chunks without.',
  HPE_INVALID_EOF_STATE:
    'The request ended before it was whole. Send all of it, and keep the connection open meanwhile.',
};

export function refusalOf({ code = '', reason = '', rawPacket }: ParserError): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return problem('headers-too-large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return problem('request-timeout');
  if (rawPacket?.[0] === 0x16)
    return malformed('This port speaks plain HTTP, and TLS was sent. Use http:// here.');
  if (/expected (CR|LF)/i.test(reason)) return malformed(lineEnds);
  if (code === 'HPE_INVALID_TRANSFER_ENCODING') {
    const isBoth = reason.includes('Content-Length');
    return malformed(isBoth ? length : 'The only Transfer-Encoding that is known here is chunked, once.');
  }
  return malformed(details[code] ?? 'This is not HTTP/1.1.');
}

/** Writes the refusal as the answer to a request, and ends the connection with it. */
export function refuse(response: ServerResponse, refusal: Problem): void {
  const { status, headers } = problemHead(refusal);
  const body = problemBody(refusal);
  response.shouldKeepAlive = false;
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' });
  response.end(body);
}

/** The bytes of the refusal, where there is no request to answer. */
export function rawRefusal(refusal: Problem): string {
  const { status, headers } = problemHead(refusal);
  const body = problemBody(refusal);
  const lines = Object.entries({
    ...headers,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n');
}
