// Were connections kept (docs/decisions.md): what a receiver sends before it was asked is the answer to nothing that we
// are going to send.
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createOutbound } from '../../../activities/wire/outbound.ts';
import { listening, post } from './receivers.ts';

const http = createOutbound({ allowLoopback: true, headersTimeoutMs: 300, totalTimeoutMs: 800 });
afterAll(() => http.close());

const answer = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

/** Answers the n-th request of all connections with its number. */
async function counting() {
  const state = { requests: 0, sockets: [] as net.Socket[], url: '' };
  state.url = await listening(
    net.createServer((socket) => {
      state.sockets.push(socket);
      socket
        .on('error', () => undefined)
        .on('data', () => {
          state.requests += 1;
          socket.write(answer(String(state.requests)));
        });
    }),
  );
  return state;
}

test('an answer that was there before the request left is not taken for its answer (TIM-3, I-4)', async () => {
  const receiver = await counting();
  expect(await post(http, receiver.url)).toMatchObject({ outcome: 'ANSWERED', body: Buffer.from('1') });
  await sleep(50);
  receiver.sockets[0]?.write(answer('stray')); // again for the first one
  const second = await post(http, receiver.url);
  await sleep(50);
  expect({
    second: 'body' in second ? String(second.body) : second.outcome,
    requests: receiver.requests,
  }).toEqual({
    second: '2',
    requests: 2,
  });
});

test('a connection on which something came unasked is not used again (RFC 9112, section 9.2)', async () => {
  const receiver = await counting();
  await post(http, receiver.url);
  await sleep(50);
  receiver.sockets[0]?.write(answer('stray'));
  await sleep(50);
  expect(await post(http, receiver.url)).toMatchObject({ outcome: 'ANSWERED', body: Buffer.from('2') });
  expect(receiver.sockets.length).toBe(2);
});

test('the rest of an answer whose beginning came unasked is no answer to the next request (TIM-3, I-4)', async () => {
  const [beginning, rest] = ['HTTP/1.1 200 OK\r\ncontent-length: 5\r\n', '\r\nstray'];
  const sockets: net.Socket[] = [];
  const url = await listening(
    net.createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined).once('data', () => socket.write(answer('1'))); // then it is silent
    }),
  );
  await post(http, url);
  await sleep(50);
  sockets[0]?.write(beginning);
  const posting = post(http, url);
  await sleep(20);
  sockets[0]?.write(rest);
  const second = await posting;
  expect('body' in second ? String(second.body) : second.outcome).not.toBe('stray');
});

test('101 without an upgrade is no answer, and what follows it is not that to the next request (RFC 9110, TIM-3, I-4)', async () => {
  let requests = 0;
  const url = await listening(
    net.createServer((socket) => {
      socket
        .on('error', () => undefined)
        .on('data', () => {
          requests += 1;
          if (requests > 1) return; // silent
          socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
          setTimeout(() => socket.write(answer('first')), 20);
        });
    }),
  );
  const results = [await post(http, url), await post(http, url)].map((result) =>
    'status' in result ? `${result.status} ${String(result.body)}` : `${result.outcome} ${result.errorClass}`,
  );
  expect(results).toEqual(['MAYBE_SENT not-http', 'MAYBE_SENT timeout']);
});

test.each([
  ['408 and a close', 'HTTP/1.1 408 Request Time-out\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'],
  ['101 and a close', 'HTTP/1.1 101 Bye\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
])(
  '%s of an idle connection is no answer: the request leaves on another one (TIM-3, CBK-4)',
  async (_, text) => {
    const receiver = await counting();
    await post(http, receiver.url);
    await sleep(50);
    receiver.sockets[0]?.end(text); // it is there when the next request looks for a connection, as after a standstill
    const second = await post(http, receiver.url);
    expect({ ...second, requests: receiver.requests }).toMatchObject({
      outcome: 'ANSWERED',
      status: 200,
      requests: 2,
    });
  },
);
