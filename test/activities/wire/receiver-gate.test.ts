// The gate and the circuit breaker of a receiver, with a clock that the test controls (CBK-3).
import { describe, expect, test } from 'vitest';
import {
  createReceiverGate,
  type Held,
  type Place,
  type Sign,
} from '../../../activities/wire/receiver-gate.ts';

const receiver = 'https://ipso.example/iso20022';

function gate() {
  const clock = { ms: 0 };
  const { enter, states } = createReceiverGate({ now: () => clock.ms, random: () => 0.5 });
  return {
    clock,
    states,
    enter,
    admitted: (name = receiver): Place => {
      const place = enter(name);
      if ('admitted' in place) throw new Error(`held: ${place.reason}`);
      place.begin();
      return place;
    },
    held: (name = receiver): Held => {
      const place = enter(name);
      if (!('admitted' in place)) throw new Error('admitted');
      return place;
    },
  };
}

type Gate = ReturnType<typeof gate>;
const send = ({ admitted }: Gate, sign: Sign, times = 1) => {
  for (let sent = 0; sent < times; sent += 1) admitted().end(sign);
};

describe('the gate', () => {
  test('admits 16 sends at once; the 17th is held, and the next goes when one has ended', () => {
    const { admitted, held } = gate();
    const places = Array.from({ length: 16 }, () => admitted());
    expect(held()).toMatchObject({ admitted: false, reason: 'gate-full' });
    expect(held().takeTurn()).toBe(200);
    places[3]?.end('alive');
    places[3]?.end('alive'); // twice is once
    admitted();
    expect(held().reason).toBe('gate-full');
  });

  test("holds nobody before another's door", () => {
    const { admitted } = gate();
    for (let count = 0; count < 16; count += 1) admitted('https://one.example');
    admitted('https://other.example');
  });
});

describe('those who wait', () => {
  const waitsOf = (one: Gate, count: number) => Array.from({ length: count }, () => one.held().takeTurn());

  test('at a full gate ask in turn, twice as often as its receiver has a place for one; but for at most half a minute', () => {
    const one = gate();
    one.admitted(); // in use all the time
    for (let round = 0; round < 10; round += 1) {
      const places = Array.from({ length: 15 }, () => one.admitted());
      one.clock.ms += 4_000; // it takes its time
      for (const place of places) place.end('alive');
    }
    for (let count = 0; count < 15; count += 1) one.admitted();
    const waits = waitsOf(one, 800);
    expect(waits.slice(0, 4)).toEqual([200, 325, 450, 575]);
    expect(waits.at(-1)).toBe(30_200);
  });

  test('in front of a deadline have turns of their own, and ask at half of the time left at the latest', () => {
    const one = gate();
    send(one, 'failed', 5);
    one.clock.ms += 5_000;
    one.admitted(); // the probe
    expect(waitsOf(one, 2)).toEqual([750, 770]);
    expect(Array.from({ length: 3 }, () => one.held().takeTurn(20_000))).toEqual([750, 770, 790]);
    expect(waitsOf(one, 1)).toEqual([790]);
    expect(Array.from({ length: 30 }, () => one.held().takeTurn(1_800)).at(-1)).toBe(1_150);
    expect(one.held().takeTurn(-1)).toBe(750); // it is over: asks once more, and is told so
  });
});

describe('the breaker', () => {
  test('opens after 5 failures in a row; one success between starts the count anew', () => {
    const one = gate();
    send(one, 'failed', 4);
    send(one, 'alive');
    send(one, 'failed', 4);
    send(one, 'nothing', 10);
    one.admitted().end('failed');
    expect(one.held()).toMatchObject({ admitted: false, reason: 'breaker-open' });
    expect(one.held().takeTurn()).toBe(5_125);
    expect(one.states()).toEqual([{ receiver, sendsUnderWay: 0, breaker: 'open', failuresInARow: 5 }]);
  });

  test('lets one probe through after 5 s, then after twice as long each time, up to 60 s', () => {
    const one = gate();
    send(one, 'failed', 5);
    for (const waitMs of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      expect(one.held().takeTurn(10 * waitMs)).toBe(waitMs + 125);
      one.clock.ms += waitMs - 1;
      expect(one.held().reason).toBe('breaker-open');
      one.clock.ms += 1;
      const probe = one.admitted();
      expect(one.held().reason).toBe('breaker-open');
      expect(one.held().takeTurn(10 * waitMs)).toBe(750);
      probe.end('failed');
    }
  });

  test('closes at the first success, of the probe or of a send that began before', () => {
    const one = gate();
    const early = one.admitted();
    send(one, 'failed', 5);
    one.clock.ms = 5_000;
    one.admitted().end('alive');
    send(one, 'failed', 4);
    one.admitted().end('failed');
    expect(one.held().reason).toBe('breaker-open');
    early.end('alive');
    one.admitted().end('alive');
    expect(one.states()).toEqual([]);
  });

  test('is not locked by a probe that left, or said nothing', () => {
    const one = gate();
    send(one, 'failed', 5);
    one.clock.ms = 5_000;
    one.admitted().end('nothing');
    one.admitted().end('alive');
    one.admitted();
  });
});

describe('several parties behind one receiver', () => {
  const { enterFor, states } = createReceiverGate();
  const take = (party: string) => {
    const place = enterFor(receiver, party);
    if ('admitted' in place) return place.reason;
    place.begin();
    return place;
  };

  test('have 16 places together, and none of them more than half', () => {
    const places = Array.from({ length: 8 }, () => take('one') as Place);
    expect(take('one')).toBe('gate-full');
    places.push(...Array.from({ length: 8 }, () => take('other') as Place));
    expect(take('third')).toBe('gate-full');
    places.forEach((place) => place.end('alive'));
    expect(states()).toEqual([]);
  });

  test('have a breaker each', () => {
    for (let count = 0; count < 5; count += 1) (take('one') as Place).end('failed');
    expect(take('one')).toBe('breaker-open');
    (take('other') as Place).end('alive');
    expect(states().map((state) => [state.receiver, state.breaker])).toEqual([[`${receiver} one`, 'open']]);
  });
});
