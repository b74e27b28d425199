// A send that ended before its connection stood leaves nothing behind that the gate does not count.
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createOutbound } from '../../../activities/wire/outbound.ts';
import { entered, headers, listening, message } from './receivers.ts';

const http = createOutbound({ allowLoopback: true });
afterAll(() => http.close());

test.each([
  ['that came too late', () => ({ sendBefore: performance.now() + 20 })],
  ['that had little time', () => ({ timeoutMs: 20 })],
])(
  'sends %s to a receiver that is slow to connect are no more than 16 connections at once (CBK-3)',
  async (_, limits) => {
    let open = 0;
    let most = 0;
    const silent = net.createServer((socket) => {
      open += 1;
      // once the ends that have come together with it are heard of, too
      setImmediate(() => setImmediate(() => (most = Math.max(most, open))));
      socket
        .resume()
        .on('error', () => undefined)
        .on('close', () => (open -= 1));
    });
    const url = (await listening(silent)).replace('http:', 'https:'); // TLS never comes about
    for (let round = 0; round < 5; round += 1) {
      const sends = Array.from({ length: 16 }, () =>
        entered(http, url).post(url, message, headers, limits()),
      );
      for (const { outcome } of await Promise.all(sends)) expect(outcome).toBe('NOT_SENT');
    }
    await sleep(100);
    expect(most).toBeLessThanOrEqual(16);
  },
);
