// A receiver accepts before it has read the whole message. The gateway must not cut the message off and record it as
// delivered.
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createOutbound } from '../../../activities/wire/outbound.ts';
import { entered, headers, listening } from './receivers.ts';

const http = createOutbound({ allowLoopback: true, headersTimeoutMs: 300, totalTimeoutMs: 800 });
afterAll(() => http.close());

/** Where segments are small and windows narrow, 256 KiB are enough. */
const large = Buffer.alloc(8 * 1024 * 1024, ' ');

/** Answers as soon as it has the head, waits, and reads on to the end. */
async function slowReader(answer: string, pauseMs: number) {
  const state = { bytes: 0, isClosed: false, url: '' };
  state.url = await listening(
    net.createServer((socket) => {
      socket
        .on('error', () => undefined)
        .on('close', () => (state.isClosed = true))
        .on('data', (chunk) => (state.bytes += chunk.length))
        .once('data', () => {
          socket.pause().write(answer);
          setTimeout(() => socket.resume(), pauseMs);
        });
    }),
  );
  return state;
}

test.each([
  ['whose answer is larger than we read', `content-length: 100000\r\n\r\n${'x'.repeat(100_000)}`, 300],
  ['that reads on after the limit', 'content-length: 0\r\n\r\n', 1_500],
])(
  'a receiver that accepts early, and %s, gets all of what is on record as taken (CBK-1, CBK-4)',
  async (_, rest, pauseMs) => {
    const receiver = await slowReader(`HTTP/1.1 200 OK\r\n${rest}`, pauseMs);
    const { outcome } = await entered(http, receiver.url).post(receiver.url, large, headers);
    await sleep(2_500);
    const isWhole = receiver.bytes >= large.length;
    expect(outcome === 'ANSWERED' && !isWhole ? 'ANSWERED, though cut off' : 'honest').toBe('honest');
  },
);

test('no byte of an instruction leaves after its deadline, though its first half left before (TIM-1)', async () => {
  let bytes = 0;
  let socket: net.Socket | undefined;
  const url = await listening(
    net.createServer({ pauseOnConnect: true }, (accepted) => {
      socket = accepted.on('error', () => undefined).on('data', (chunk) => (bytes += chunk.length));
    }),
  );
  const patient = createOutbound({ allowLoopback: true });
  const posting = entered(patient, url).post(url, large, headers, { sendBefore: performance.now() + 300 });
  await sleep(1_000); // the deadline is past; what the kernel has not got is ours still
  socket?.resume();
  await sleep(1_500);
  const isWhole = bytes >= large.length;
  await patient.close();
  await posting;
  expect(isWhole ? 'a whole instruction left after the deadline' : 'cut off').toBe('cut off');
});
