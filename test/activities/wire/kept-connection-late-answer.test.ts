// Were connections kept (docs/decisions.md): what a receiver sends after its answer, while the rest of the request is on
// its way or with the answer itself, is the answer to nothing.
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createOutbound } from '../../../activities/wire/outbound.ts';
import { entered, headers, listening, message } from './receivers.ts';

const http = createOutbound({ allowLoopback: true });
afterAll(() => http.close());

const large = Buffer.alloc(8 * 1024 * 1024, ' '); // as in early-answer.test.ts
const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';

test('a connection on which something came unasked before its request had left whole is not used again (RFC 9112, section 9.2)', async () => {
  const sockets: net.Socket[] = [];
  const url = await listening(
    net.createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined).on('data', () => undefined);
      if (sockets.length > 1) {
        socket.on('data', () => socket.write(answer));
        return;
      }
      socket.once('data', () => {
        socket.pause().write(answer);
        setTimeout(() => socket.write(answer), 200); // once more, the same
        setTimeout(() => socket.resume(), 400);
        setTimeout(() => socket.on('data', () => socket.write(answer)), 1_000);
      });
    }),
  );
  expect(await entered(http, url).post(url, large, headers)).toMatchObject({ outcome: 'ANSWERED' });
  await sleep(1_200);
  await entered(http, url).post(url, message, headers);
  expect(sockets.length).toBe(2);
});

test('a connection on which the beginning of another answer came with the first is not used again (RFC 9112, section 9.2)', async () => {
  const sockets: net.Socket[] = [];
  const url = await listening(
    net.createServer((socket) => {
      sockets.push(socket);
      socket
        .on('error', () => undefined)
        .once('data', () => {
          socket.write(`${answer}HTTP/1.1 200 OK\r\ncontent-le`);
          socket.on('data', () => socket.write(`ngth: 0\r\n\r\n${answer}`));
        });
    }),
  );
  await entered(http, url).post(url, message, headers);
  await sleep(100);
  const { outcome } = await entered(http, url).post(url, message, headers);
  expect({ outcome, connections: sockets.length }).toEqual({ outcome: 'ANSWERED', connections: 2 });
});
