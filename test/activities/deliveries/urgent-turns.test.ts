// HIGH payments that wait at a full gate take no turn (receiver-gate.ts: `urgentInMs`); who waits beside them without a deadline is
// sent as soon as there is room (CBK-3, I-15).
import { expect, test } from 'vitest';
import { createReceiverGate, type Held, type Place } from '../../../activities/wire/receiver-gate.ts';

const receiver = 'https://ipso.example/iso20022';

function slowReceiver() {
  const clock = { ms: 0 };
  const gate = createReceiverGate({ now: () => clock.ms, random: () => 0.5 });
  const enter = (): Place => {
    const place = gate.enter(receiver);
    if (!('admitted' in place)) {
      place.begin();
      return place;
    }
    throw new Error(`held: ${place.reason}`);
  };
  const held = (): Held => {
    const place = gate.enter(receiver);
    if ('admitted' in place) return place;
    throw new Error('admitted');
  };
  return { clock, enter, held, gate };
}

test('a callback that finds the gate full beside 20 HIGH payments waits no minute for a receiver that is idle by then', () => {
  const { clock, enter, held, gate } = slowReceiver();
  // it is in use all the time, and takes 2 s for each of its sends
  let places: Place[] = [];
  for (let sent = 0; sent < 48; sent += 1) {
    places.push(enter());
    if (places.length < 16) continue;
    clock.ms += 2_000;
    for (const place of places.splice(0, 15)) place.end('alive');
  }
  places = [...places, ...Array.from({ length: 16 - places.length }, enter)];
  // twenty HIGH payments ask when they are told, for 9 s in which it is silent
  const dueAt = Array.from({ length: 20 }, () => clock.ms);
  for (const until = clock.ms + 9_000; clock.ms < until; clock.ms += 10) {
    for (const [index, due] of dueAt.entries())
      if (due <= clock.ms) dueAt[index] = clock.ms + held().takeTurn(20_000);
  }
  const retryInMs = held().takeTurn(); // the only one without a deadline
  for (const place of places) place.end('alive');
  // the twenty go now, in two rounds of 2 s: then the receiver is idle
  for (let left = 20; left > 0; left -= 16) {
    const some = Array.from({ length: Math.min(16, left) }, enter);
    clock.ms += 2_000;
    for (const place of some) place.end('alive');
  }
  expect(gate.states()).toEqual([]); // nobody is before it
  expect(retryInMs).toBeLessThan(5_000);
});
