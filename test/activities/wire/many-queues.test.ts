// Many FX providers take their messages from queues of one broker (NOT-1), and many trades end at once.
import { afterAll, expect, test } from 'vitest';
import { createOutbound, type Admission } from '../../../activities/wire/outbound.ts';
import { broker } from './broker.ts';
import { headers, message } from './receivers.ts';

// a busy machine takes seconds to start the process that speaks to a broker
const http = createOutbound({ allowLoopback: true, headersTimeoutMs: 20_000, totalTimeoutMs: 40_000 });
afterAll(() => http.close());

test('of 1,760 messages to the queues of one broker no more are on their way than the process that speaks to it can take; the rest wait before the gate (CBK-3, TIM-3)', async () => {
  const { url, taken } = await broker();
  const queues = Array.from({ length: 110 }, (_, nth) => `${url}queue-${nth}`);
  const all = Array.from({ length: 16 }, () => queues).flat();
  const admitted: (readonly [string, Admission])[] = [];
  const reasons = new Set<string>();
  for (const queue of all) {
    const place = http.enter(queue);
    if (place.admitted) admitted.push([queue, place]);
    else reasons.add(`${place.reason} ${place.takeTurn() > 0}`);
  }
  expect(admitted.length).toBe(64);
  expect([...reasons]).toEqual(['gate-full true']);
  const results = await Promise.all(admitted.map(([queue, place]) => place.post(queue, message, headers)));
  expect(results.filter((one) => one.outcome === 'ANSWERED' && one.status === 200)).toHaveLength(64);
  expect(taken).toHaveLength(64);
  const [next] = queues;
  expect(http.enter(next ?? '').admitted).toBe(true); // their places are free again
});
