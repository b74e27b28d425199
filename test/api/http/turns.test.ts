// SEC-7: a turn that is handed to a message at the very moment when that message's patience ends.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPace } from '../../../api/http/pace.ts';
import { createTurns } from '../../../api/http/turns.ts';
import type { Caller } from '../../../api/http/caller.ts';

const caller = { clientId: 'SGDFAST', clearingSystemId: 'SGDFAST', role: 'ipso' } as Caller;

test('a turn that is handed on when the waiting one is turned away is not lost (SEC-7, I-15)', async () => {
  const turns = createTurns({ atOnce: 1, waiting: 10, waitMs: 50 }, createPace());
  const first = turns.take(caller, async (giveUp) => {
    await delay(50);
    giveUp();
    return delay(150, 'answered');
  });
  await delay(1);
  const second = turns.take(caller, () => Promise.resolve('answered')); // and is turned away after 50 ms
  const until = performance.now() + 60;
  while (performance.now() < until); // other work holds the event loop while both times come
  await Promise.all([first, second]);
  // nothing is under way any more: whoever comes now has the turn at once
  expect(await turns.take(caller, () => Promise.resolve('answered'))).toBe('answered');
});
