// The queue of the event loop: a sender of costly requests leaves the time of the others alone (SEC-7).
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { thread } from '../../../api/http/limits/fair-queue.ts';
import { eventually } from '../../harness/wait.ts';

const block = (ms: number) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

test('two hundred cheap requests of one sender do not wait for the costly ones of another (SEC-7)', async () => {
  let costly = 0;
  let cheap = 0;
  for (let made = 0; made < 200; made += 1) {
    thread.ask('costly', () => {
      costly += 1;
      block(20);
    });
  }
  await delay(1); // the first of them has begun
  for (let made = 0; made < 200; made += 1) thread.ask('cheap', () => void (cheap += 1));
  await eventually(() => expect(cheap).toBe(200), { everyMs: 1 });
  expect(costly).toBeLessThan(100); // one for each cheap one, if all senders rest
  await eventually(() => expect(costly).toBe(200));
});
