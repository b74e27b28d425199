// Were connections kept (docs/decisions.md): one that has just been closed is not taken while another one stands.
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createOutbound } from '../../../activities/wire/outbound.ts';
import { listening, post } from './receivers.ts';

const http = createOutbound({ allowLoopback: true, headersTimeoutMs: 300, totalTimeoutMs: 800 });
afterAll(() => http.close());

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';

/** Two kept connections, in the order in which they became idle. */
async function twoKept() {
  const state = { requests: 0, order: [] as net.Socket[], url: '' };
  const waiting: (() => void)[] = [];
  state.url = await listening(
    net.createServer((socket) => {
      socket.setNoDelay(true);
      socket
        .on('error', () => undefined)
        .on('data', () => {
          state.requests += 1;
          waiting.push(() => {
            state.order.push(socket);
            socket.write(answer);
          });
          if (state.requests === 2) {
            waiting[0]?.();
            setTimeout(() => waiting[1]?.(), 30);
          } else if (state.requests > 2) waiting.at(-1)?.();
        });
    }),
  );
  await Promise.all([post(http, state.url), post(http, state.url)]);
  await sleep(50);
  return state;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test.each([
  ['something came unasked', (socket?: net.Socket) => void socket?.write(answer)],
  ['its receiver ended', (socket?: net.Socket) => void socket?.end()],
])(
  'one on which %s just before is not taken while another one stands (TIM-3, RFC 9112 section 9.2)',
  async (_, spoil) => {
    const results: string[] = [];
    for (const turnsBefore of [-1, 0, 1, 2]) {
      const receiver = await twoKept();
      await sleep(1); // from a timer: a turn begins
      let posting;
      if (turnsBefore < 0) {
        posting = post(http, receiver.url); // before it: while what has come is read
        await turn();
        spoil(receiver.order[1]);
      } else {
        spoil(receiver.order[1]);
        for (let count = 0; count < turnsBefore; count += 1) await turn();
        posting = post(http, receiver.url);
      }
      const result = await posting;
      results.push(
        `${turnsBefore}: ${result.outcome} ${'status' in result ? result.status : result.errorClass}, requests ${receiver.requests}`,
      );
    }
    expect(results).toEqual([-1, 0, 1, 2].map((turns) => `${turns}: ANSWERED 200, requests 3`));
  },
);

test('the only one that its receiver ended just before is not taken: the request leaves on another one (TIM-3)', async () => {
  let requests = 0;
  const sockets: net.Socket[] = [];
  const url = await listening(
    net.createServer((socket) => {
      sockets.push(socket);
      socket
        .on('error', () => undefined)
        .on('data', () => {
          requests += 1;
          socket.write(answer);
        });
    }),
  );
  await post(http, url);
  await sleep(50);
  const posting = post(http, url);
  await turn();
  sockets[0]?.end(); // what comes in this turn is read before a connection is taken
  expect({ ...(await posting), requests }).toMatchObject({ outcome: 'ANSWERED', requests: 2 });
});

test('nothing has left for a receiver that ended its connections and went away (TIM-3)', async () => {
  const sockets: net.Socket[] = [];
  const server = net.createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined).on('data', () => socket.write(answer));
  });
  const url = await listening(server);
  await post(http, url);
  await sleep(50);
  server.close();
  sockets[0]?.end();
  expect(await post(http, url)).toEqual({ outcome: 'NOT_SENT', errorClass: 'refused' });
});
