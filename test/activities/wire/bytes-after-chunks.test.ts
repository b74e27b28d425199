// A whole answer in several chunks, with bytes behind it, all in one segment: each chunk is part of it, what comes
// behind is not (RFC 9112, section 9.2).
import net from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createOutbound } from '../../../activities/wire/outbound.ts';
import { listening, post } from './receivers.ts';

const http = createOutbound({ allowLoopback: true, headersTimeoutMs: 300, totalTimeoutMs: 800 });
afterAll(() => http.close());

const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\n<a>\r\n4\r\n</a>\r\n0\r\n\r\n';

test.each([
  ['nothing', ''],
  ['a byte', 'x'],
  ['the same again', chunked],
  ['an empty line too many', '\r\n'],
  ['a NUL', '\0'],
])('every chunk of an answer counts, whatever comes behind the last one: %s (CBK-4)', async (_, more) => {
  const server = net.createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => socket.end(chunked + more));
  });
  const result = await post(http, await listening(server));
  expect(result).toMatchObject({ outcome: 'ANSWERED', status: 200, truncated: false });
  expect(result.outcome === 'ANSWERED' && result.body.toString()).toBe('<a></a>');
});
