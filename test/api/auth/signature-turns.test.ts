// Signatures are verified in turn by address (SEC-7). Clients that cannot sign, from any number of connections,
// delay another address by a turn or two. The test counts the signatures verified before it.
import { expect, test } from 'vitest';
import { signatureTurns } from '../../../api/auth/message-signature.ts';

const stays = () => new Promise<void>(() => undefined);

/** Each signature takes a pass of the event loop. */
function verifying() {
  const inTurn = signatureTurns();
  const order: string[] = [];
  const verified = (address: string, closed = stays) =>
    inTurn(
      async () => {
        await new Promise((resolve) => setImmediate(resolve));
        order.push(address);
        return {};
      },
      { system: 'SGDFAST', address },
      { closed },
    );
  /** Of how many others before it. */
  const before = async (address: string) => {
    const from = order.length;
    await verified(address);
    return order.length - from;
  };
  return { order, verified, before };
}

const times = <T>(count: number, make: (nth: number) => T) =>
  Array.from({ length: count }, (_, nth) => make(nth));

test('hundreds on many connections of one address keep another address waiting for a turn or two', async () => {
  const { verified, before } = verifying();
  const flood = times(900, () => verified('10.0.0.1'));
  expect(await before('10.9.9.9')).toBeLessThan(24);
  await Promise.all(flood);
});

test('hundreds of each of many addresses keep another waiting for a few turns of each, and not for all of theirs', async () => {
  const { verified, before } = verifying();
  const flood = times(2_000, (nth) => verified(`10.0.${nth % 20}.1`));
  expect(await before('10.9.9.9')).toBeLessThan(100);
  await Promise.all(flood);
});
