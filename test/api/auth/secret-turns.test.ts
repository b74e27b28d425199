// Secrets that are tried take turns (SEC-7): whoever tries many, from however many addresses, keeps no other client waiting.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSecretTurns } from '../../../api/auth/secret-turns.ts';

const stays = { closed: () => new Promise<void>(() => undefined) };

/** A secret takes so long; the order in which they came to an end. */
function trier() {
  const turns = createSecretTurns();
  const order: string[] = [];
  const tried = (named: string) =>
    turns(stays)(named, async () => {
      await delay(5);
      order.push(named);
      return false;
    });
  return { order, tried };
}

test('hundreds for one client keep another waiting for a turn or two', async () => {
  const { order, tried } = trier();
  const flood = Array.from({ length: 300 }, () => tried('MERISGS0'));
  await delay(20);
  const before = order.length;
  await tried('LOTUSGS0');
  expect(order.length - before).toBeLessThan(6);
  await Promise.all(flood);
});

test('what nobody waits for any longer is not tried', async () => {
  const turns = createSecretTurns();
  let tried = 0;
  const slow = turns(stays)('LOTUSGS0', async () => {
    await delay(50);
    return false;
  });
  const leaves = { closed: () => delay(10) };
  const left = await turns(leaves)('LOTUSGS0', () => {
    tried += 1;
    return Promise.resolve(true);
  });
  expect(left).toMatchObject({
    code: 'too-many-messages',
    detail: expect.stringContaining('not looked at') as string,
  });
  await slow;
  expect(tried).toBe(0);
});
