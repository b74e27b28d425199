// Refusals of bytes that Node could not read as a request, because they are too slow, too large, or not HTTP.
import { STATUS_CODES, type ServerResponse } from 'node:http';
import { KnownResponse } from './access-log.ts';
import { problem, problemBody, problemHead, type Problem } from './problems/problem.ts';
import { malformed, notHttp } from './problems/refused-requests.ts';

/** An error of TLS or of Node's HTTP parser. For the parser's codes, see https://github.com/nodejs/llhttp. */
export interface ParserError extends NodeJS.ErrnoException {
  readonly reason?: string;
  readonly rawPacket?: Buffer;
}

export function refusalOf({ code = '', reason = 'it cannot be parsed', rawPacket }: ParserError): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return problem('headers-too-large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return problem('request-timeout');
  if (rawPacket?.[0] === 0x16) return malformed('tls');
  if (code === 'HPE_PAUSED_H2_UPGRADE') return malformed('version');
  if (code === 'HPE_INVALID_EOF_STATE') return malformed('ended');
  return notHttp(reason);
}

/** Answers a request with the refusal, and closes the connection. */
export function refuse(response: ServerResponse, refusal: Problem): void {
  const { ruleId } = refusal;
  if (response instanceof KnownResponse && ruleId !== undefined) response.about.ruleId = ruleId;
  const { status, headers } = problemHead(refusal);
  const body = problemBody(refusal);
  response.shouldKeepAlive = false;
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' });
  response.end(body);
}

/**
 * Returns the refusal as text for the socket, for use if there is no request object to answer.
 * @param requestId undefined if the client made no request
 */
export function rawRefusal(refusal: Problem, requestId?: string): string {
  const { status, headers } = problemHead(refusal);
  const body = problemBody(refusal);
  const lines = Object.entries({
    ...headers,
    ...(requestId !== undefined && { 'x-request-id': requestId }),
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
