// How requests begin beside each other (SEC-7, I-16), with work that holds the thread for as long as a test says.
import { setImmediate as immediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPace } from '../../../api/http/pace.ts';
import { createTurns } from '../../../api/http/turns.ts';
import { problemTexts } from '../../harness/problem-texts.ts';

function holdThread(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Asks for the thread, and holds it once something has been resolved, as most of our work does. */
function ask(pace: ReturnType<typeof createPace>, sender: string, ms: number): Promise<number> {
  return new Promise<void>((resolve) => void pace.ask(sender, resolve)).then(() => {
    const begunAt = performance.now();
    holdThread(ms);
    return begunAt;
  });
}

test('of several senders one request begins in a pass of the event loop, and they take turns (SEC-7)', async () => {
  const pace = createPace(() => 0); // whatever else the machine does, they cost nothing
  for (const sender of ['A', 'B', 'C']) await ask(pace, sender, 0); // all are known
  let pass = 0;
  const passes = new AbortController();
  const counting = (async () => {
    for (; !passes.signal.aborted; pass += 1) await immediate();
  })();
  const begun: { sender: string; pass: number }[] = [];
  const asked = ['A', 'A', 'A', 'B', 'B', 'B', 'C'].map(async (sender) => {
    await ask(pace, sender, 0);
    begun.push({ sender, pass });
  });
  await Promise.all(asked);
  passes.abort();
  await counting;
  expect(begun.map(({ sender }) => sender).join('')).toBe('ABCABAB'); // A came first
  expect(new Set(begun.map((one) => one.pass)).size).toBe(begun.length);
});

test('those that hold the thread have it for half of the time, all of them together (SEC-7, I-16)', async () => {
  const pace = createPace();
  const senders = ['A', 'B', 'C'];
  const [ms, each] = [20, 4];
  const begunAt = performance.now();
  const ends = senders.flatMap((sender) => Array.from({ length: each }, () => ask(pace, sender, ms)));
  const lastBegunAt = Math.max(...(await Promise.all(ends)));
  const before = (senders.length * each - 1) * ms; // what the others cost, until the last one begins
  const granted = senders.length * 5; // what each may owe when its next one begins
  const firstRound = senders.length * ms; // nobody owes anything at first, or knows of the others
  expect(lastBegunAt - begunAt).toBeGreaterThan(2 * (before - granted) - firstRound);
});

test('while a sender rests, another that costs little begins at once (SEC-7)', async () => {
  const pace = createPace();
  const order: string[] = [];
  const costly = Array.from({ length: 3 }, () => ask(pace, 'A', 40).then(() => order.push('costly')));
  await costly[0];
  for (let n = 0; n < 3; n += 1) await ask(pace, 'B', 0).then(() => order.push('cheap'));
  await Promise.all(costly);
  expect(order).toEqual(['costly', 'cheap', 'cheap', 'cheap', 'costly', 'costly']);
});

test('a request whose sender rests for longer than it may wait is turned away, and keeps no place (SEC-7)', async () => {
  const turns = createTurns({ atOnce: 1, waiting: 10, waitMs: 50 }, createPace());
  const take = (ms: number) =>
    turns.take('SGDFAST', () => {
      holdThread(ms);
      return Promise.resolve('taken');
    });
  expect(await take(200)).toBe('taken');
  const detail = problemTexts['too-many-messages'].told;
  const refused = { kind: 'problem', code: 'too-many-messages', detail };
  expect(await Promise.all([take(0), take(0)])).toMatchObject([refused, refused]);
  await expect.poll(() => take(0), { timeout: 5_000 }).toBe('taken');
});

test('while many send, nobody rests for long because the process stood still during a message of theirs (SEC-7)', async () => {
  const pace = createPace();
  const others = Array.from({ length: 39 }, (_, n) => [ask(pace, `S${n}`, 0.4), ask(pace, `S${n}`, 0.4)]);
  await Promise.all([ask(pace, 'A', 120), ...others.flat()]);
  const askedAt = performance.now();
  expect((await ask(pace, 'A', 0)) - askedAt).toBeLessThan(1_000); // it was 9 s: 120 ms by 79
});
