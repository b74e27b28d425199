// SEC-7: a turn that is handed to a message at the very moment when that message's patience ends.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createFairQueue } from '../../../api/http/fair-queue.ts';
import { createTurns } from '../../../api/http/turns.ts';
import { problemTexts } from '../../harness/problem-texts.ts';

const sender = 'SGDFAST';

test('a turn that is handed on when the waiting one is turned away is not lost (SEC-7, I-15)', async () => {
  const turns = createTurns({ atOnce: 1, waiting: 10, waitMs: 50 }, createFairQueue());
  const first = turns.take(sender, async (giveUp) => {
    await delay(50);
    giveUp();
    return delay(150, 'answered');
  });
  await delay(1);
  const second = turns.take(sender, () => Promise.resolve('answered')); // and is turned away after 50 ms
  const until = performance.now() + 60;
  while (performance.now() < until); // other work holds the event loop while both times come
  await Promise.all([first, second]);
  // nothing is under way any more: whoever comes now has the turn at once
  expect(await turns.take(sender, () => Promise.resolve('answered'))).toBe('answered');
});

test('a turn whose answer is taken bit by bit ends with the last of it (SEC-7)', async () => {
  const turns = createTurns({ atOnce: 1, waiting: 10, waitMs: 5_000 });
  let take: () => void = () => undefined;
  const taken = new Promise<void>((resolve) => (take = resolve));
  const begun: string[] = [];
  const work = (name: string) => () => Promise.resolve(begun.push(name));
  await turns.take(sender, work('first'), { closed: () => taken, untilClosed: true });
  const second = turns.take(sender, work('second'));
  await delay(20);
  expect(begun).toEqual(['first']);
  take();
  await second;
  expect(begun).toEqual(['first', 'second']);
});

test('where as many wait as may, one more is turned away, and told to come again (SEC-7)', async () => {
  const turns = createTurns({ atOnce: 1, waiting: 1, waitMs: 5_000 });
  let end: () => void = () => undefined;
  const first = turns.take(sender, () => new Promise<void>((resolve) => (end = resolve)));
  const second = turns.take(sender, () => Promise.resolve('answered'));
  const detail = problemTexts['too-many-messages'].told;
  expect(await turns.take(sender, () => Promise.resolve('answered'))).toMatchObject({
    code: 'too-many-messages',
    detail,
  });
  expect(await turns.take('THBPPAY', () => Promise.resolve('answered'))).toBe('answered');
  end();
  await first;
  expect(await second).toBe('answered');
});
