// What is on record of a receiver that does not speak HTTP: an operator reads the class of the error, and must not take
// it for an unknown one (CBK-4).
import net from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createOutbound } from '../../../activities/wire/outbound.ts';
import { listening, post } from './receivers.ts';

const http = createOutbound({ allowLoopback: true, headersTimeoutMs: 300, totalTimeoutMs: 800 });
afterAll(() => http.close());

test.each([
  ['a banner of another protocol', '220 mail ESMTP\r\n'],
  [
    'two lengths that contradict each other',
    'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n',
  ],
  [
    'a length beside chunks',
    'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
])('%s is on record as not-http (CBK-4)', async (_, answer) => {
  const url = await listening(
    net.createServer((socket) =>
      socket.on('error', () => undefined).once('data', () => socket.write(answer)),
    ),
  );
  expect(await post(http, url)).toEqual({ outcome: 'MAYBE_SENT', errorClass: 'not-http' });
});
