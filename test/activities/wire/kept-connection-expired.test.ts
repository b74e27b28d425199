// Were connections kept (docs/decisions.md): one whose time is over when the process goes on after a standstill is not
// taken for a request.
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createOutbound } from '../../../activities/wire/outbound.ts';
import { listening, post } from './receivers.ts';

const http = createOutbound({ allowLoopback: true, headersTimeoutMs: 300, totalTimeoutMs: 800 });
afterAll(() => http.close());

const answer = (seconds: number) =>
  `HTTP/1.1 200 OK\r\nkeep-alive: timeout=${seconds}\r\ncontent-length: 0\r\n\r\n`;

test('a connection that is no longer kept is not taken: what reaches nobody is not on record as MAYBE_SENT (TIM-3)', async () => {
  let requests = 0;
  let first: net.Socket | undefined;
  const url = await listening(
    net.createServer((socket) => {
      socket
        .on('error', () => undefined)
        .on('data', () => {
          requests += 1;
          if (requests === 1) {
            first = socket;
          } else if (requests === 2) {
            first?.write(answer(30)); // kept for 28 s
            setTimeout(() => socket.write(answer(3)), 30); // for 1 s, and the last to become idle
          } else socket.write(answer(30));
        });
    }),
  );
  await Promise.all([post(http, url), post(http, url)]);
  await sleep(900);
  const posting = post(http, url);
  const until = performance.now() + 300;
  while (performance.now() < until); // the process stands still
  const result = await posting;
  expect({ ...result, requests }).toMatchObject({ outcome: 'ANSWERED', status: 200, requests: 3 });
});
