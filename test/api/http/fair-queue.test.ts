// Fair queueing of the thread (SEC-7, I-16), with work that holds it for as long as a test says.
import { expect, test } from 'vitest';
import { createFairQueue, type FairQueue } from '../../../api/http/fair-queue.ts';

function holdThread(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Asks for the thread, and holds it once something has been resolved, as most of our work does. */
function ask(queue: FairQueue, asker: string, ms: number): Promise<number> {
  return new Promise<void>((resolve) => void queue.ask(asker, resolve)).then(() => {
    const begunAt = performance.now();
    holdThread(ms);
    return begunAt;
  });
}

/** From here on the round has no room. */
const fill = (queue: FairQueue) => queue.ask('first', () => holdThread(3));

test('askers take turns, however many requests each has (SEC-7)', async () => {
  const queue = createFairQueue();
  fill(queue);
  const begun: string[] = [];
  const asked = ['A', 'A', 'A', 'B', 'B', 'B', 'C'].map((asker) =>
    ask(queue, asker, 0).then(() => begun.push(asker)),
  );
  await Promise.all(asked);
  expect(begun.join('')).toBe('ABCABAB');
});

test('after one that holds the thread the queue rests for as long, so that what was begun before goes on (SEC-7, I-16)', async () => {
  const queue = createFairQueue();
  const [ms, count] = [20, 6];
  fill(queue);
  const begunAt = performance.now();
  const lasts = await Promise.all(Array.from({ length: count }, () => ask(queue, 'A', ms)));
  const rested = (count - 1) * (ms - 2);
  expect(Math.max(...lasts) - begunAt).toBeGreaterThanOrEqual((count - 1) * ms + rested);
});

test('of one asker no more wait than may, and others find room; what is taken back is not begun', () => {
  const queue = createFairQueue({ maxWaiting: 2 });
  const begun: string[] = [];
  const put = (asker: string, name: string) => queue.ask(asker, () => void begun.push(name));
  fill(queue);
  const takeBack = put('one', 'a');
  expect(typeof put('one', 'b')).toBe('function');
  expect(put('one', 'c')).toBeUndefined();
  expect(typeof put('other', 'd')).toBe('function');
  takeBack?.();
  expect(typeof put('one', 'e')).toBe('function');
  return expect.poll(() => begun.toSorted()).toEqual(['b', 'd', 'e']);
});
