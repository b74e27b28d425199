// CBK-3: what keeps a send of ours from leaving at once, apart from what is broken on purpose: a breaker that is open,
// a gate that is full. Read from what became of the other sends to that receiver.
import type { World } from '../world.ts';

const breakerMs = 120_000; // two probes of a breaker that is open as long as can be
const failuresToOpen = 5; // in a row, of one process
const atOnce = 16; // to one receiver, of one process

/** Sends to a receiver that may tell of its breakers between two moments. */
const besides = ({ attemptsTo }: World, receiver: string, from: number, to: number) =>
  (attemptsTo.get(receiver) ?? []).filter(
    ({ startedAt, finishedAt = Infinity }) => startedAt < to && finishedAt > from - breakerMs,
  );

/**
 * Whether a receiver failed too seldom for a breaker of any process to be open between two moments.
 * @param receiver as the faults name it
 */
export function isAnswering(world: World, receiver: string, from: number, to: number): boolean {
  const failed = besides(world, receiver, from, to).filter(
    ({ httpStatus = 0 }) => httpStatus < 200 || httpStatus >= 300,
  );
  return failed.length < failuresToOpen;
}

/** The same, and it had too little to do for a gate to be full. */
export function isWell(world: World, receiver: string, from: number, to: number): boolean {
  const open = besides(world, receiver, from, to).filter(({ finishedAt = Infinity }) => finishedAt > from);
  return isAnswering(world, receiver, from, to) && open.length < atOnce / 2;
}
