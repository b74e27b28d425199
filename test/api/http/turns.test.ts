// SEC-7: a turn that is handed to a message at the very moment when that message's patience ends.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPace } from '../../../api/http/pace.ts';
import { createTurns } from '../../../api/http/turns.ts';

const sender = 'SGDFAST';

test('a turn that is handed on when the waiting one is turned away is not lost (SEC-7, I-15)', async () => {
  const turns = createTurns({ atOnce: 1, waiting: 10, waitMs: 50 }, createPace());
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

test('where a line may be of several, one with many that wait keeps no other waiting or out (SEC-7)', async () => {
  const turns = createTurns({ atOnce: 1, waiting: 10, waitMs: 5_000 });
  const begun: string[] = [];
  const ask = (name: string, connection: object) =>
    turns.take(sender, () => Promise.resolve(begun.push(name)), {
      connection,
      closed: () => new Promise(() => undefined),
    });
  const [greedy, modest, third] = [{ name: 'greedy' }, { name: 'modest' }, { name: 'third' }];
  let end: () => void = () => undefined;
  const first = turns.take(sender, () => new Promise<void>((resolve) => (end = resolve)));
  await delay(1);
  const many = Array.from({ length: 12 }, (_, n) => ask(`greedy ${n}`, greedy));
  const others = [ask('modest 0', modest), ask('modest 1', modest), ask('third 0', third)];
  await delay(1);
  end();
  await first;
  const answers = await Promise.all(many);
  expect(answers.filter((one) => typeof one !== 'number')).toHaveLength(5); // two at once, and one for each of the others
  expect((await Promise.all(others)).every((one) => typeof one === 'number')).toBe(true);
  expect(begun.slice(0, 5)).toEqual(['greedy 0', 'modest 0', 'third 0', 'greedy 1', 'modest 1']);
});
