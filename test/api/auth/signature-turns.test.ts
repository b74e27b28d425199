// Signatures are verified in turn (SEC-7): who has a token and cannot sign, from however many connections and addresses, keeps
// who can sign waiting for a turn or two. What is counted is how many of the others were verified before.
import { expect, test } from 'vitest';
import { createSignatureTurns } from '../../../api/auth/signature-turns.ts';

const stays = () => new Promise<void>(() => undefined);

/** Each signature takes a pass of the event loop. */
function verifying() {
  let nowMs = 0;
  const turns = createSignatureTurns(() => nowMs);
  const order: string[] = [];
  const verified = (address: string, isGood: boolean, { connection = {}, closed = stays } = {}) =>
    turns.take(
      async () => {
        await new Promise((resolve) => setImmediate(resolve));
        order.push(address);
        return isGood ? {} : { why: 'it is not good' };
      },
      { system: 'SGDFAST', address },
      { connection, closed },
    );
  /** Of how many others before it. */
  const before = async (address: string, connection = {}) => {
    const from = order.length;
    await verified(address, true, { connection });
    return order.length - from;
  };
  return { order, verified, before, wait: (ms: number) => (nowMs += ms) };
}

const times = <T>(count: number, make: (nth: number) => T) =>
  Array.from({ length: count }, (_, nth) => make(nth));

test('hundreds on many connections of one address keep another address waiting for a turn or two', async () => {
  const { verified, before } = verifying();
  const flood = times(900, () => verified('10.0.0.1', false));
  expect(await before('10.9.9.9')).toBeLessThan(24);
  await Promise.all(flood);
});

test('behind one address it is the connection that takes turns, and where too many wait the greedy one loses', async () => {
  const { verified, before } = verifying();
  const [one, other] = [{}, {}];
  const flood = times(1_400, (nth) =>
    verified('10.0.0.1', false, { connection: nth % 2 === 0 ? one : other }),
  );
  expect(await before('10.0.0.1')).toBeLessThan(24);
  const turnedAway = (await Promise.all(flood)).filter((judged) => 'code' in judged);
  expect(turnedAway.length).toBeGreaterThan(0);
});

test('addresses of which a signature was refused have one turn between them, for a minute', async () => {
  const { verified, before, wait } = verifying();
  const flood = () => times(400, (nth) => verified(`10.0.${nth % 200}.1`, false));
  await Promise.all(flood()); // of each the first was refused
  const again = flood();
  expect(await before('10.9.9.9')).toBeLessThan(24);
  await Promise.all(again);
  await verified('10.9.9.9', false); // the operator itself may sign wrongly once
  wait(61_000);
  await Promise.all(times(200, (nth) => verified(`10.0.${nth}.1`, false)));
  const last = flood();
  expect(await before('10.9.9.9')).toBeLessThan(24);
  await Promise.all(last);
});

test('an address from which a good one came keeps its turn, whatever is refused from there after that', async () => {
  const { verified, before } = verifying();
  await verified('10.9.9.9', true);
  await verified('10.9.9.9', false);
  const refused = () => times(400, (nth) => verified(`10.0.${nth % 200}.1`, false));
  await Promise.all(refused());
  const again = refused();
  expect(await before('10.9.9.9')).toBeLessThan(24);
  await Promise.all(again);
});

test('what nobody waits for any longer is not verified', async () => {
  const { order, verified } = verifying();
  const flood = times(100, (nth) => verified(nth % 2 === 0 ? '10.0.0.1' : '10.0.0.3', true));
  const left = verified('10.0.0.2', true, { closed: () => Promise.resolve() });
  const behind = verified('10.0.0.1', true, { closed: () => Promise.resolve() });
  expect(await Promise.all([left, behind])).toMatchObject([
    { code: 'too-many-messages' },
    { code: 'too-many-messages' },
  ]);
  await Promise.all(flood);
  expect(order).toHaveLength(100);
});
