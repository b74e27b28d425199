// A whole answer, and more behind it in the same segment: what comes after the answer is no part of it (RFC 9112,
// section 9.2).
import net from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createOutbound } from '../../../activities/wire/outbound.ts';
import { listening, post } from './receivers.ts';

const http = createOutbound({ allowLoopback: true, headersTimeoutMs: 300, totalTimeoutMs: 800 });
afterAll(() => http.close());

const sized = 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok';
const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n';

test.each([
  ['the same again', sized + sized],
  ['a byte', `${sized}\0`],
  ['a byte, on a connection that is kept', `${sized.replace('connection: close\r\n', '')}x`],
  ['a byte after the last chunk', `${chunked}x`],
])('an answer is read to its end, whatever comes behind it: %s (CBK-4)', async (_, text) => {
  const server = net.createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => socket.end(text));
  });
  expect(await post(http, await listening(server))).toMatchObject({
    outcome: 'ANSWERED',
    status: 200,
    body: Buffer.from('ok'),
    truncated: false,
  });
});
