// Of several addresses of one name, the record says what is wrong with the one that answers, not that another is empty.
import { createServer } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createOutbound } from '../../../activities/wire/outbound.ts';
import { nameServer } from './name-server.ts';
import { entered, headers, listening, message } from './receivers.ts';

const names = await nameServer({ 'two.example': { addresses: ['127.0.0.1', '127.0.0.2'], ttl: 60 } });
const http = createOutbound({ allowLoopback: true, nameServers: [names.address], headersTimeoutMs: 600 });
afterAll(() => http.close());

test('a receiver that does not speak TLS is on record as tls, though its second address refuses (CBK-4)', async () => {
  const url = await listening(
    createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    }),
  );
  const secure = url.replace('http://127.0.0.1', 'https://two.example');
  expect(await entered(http, secure).post(secure, message, headers)).toEqual({
    outcome: 'NOT_SENT',
    errorClass: 'tls',
  });
});
