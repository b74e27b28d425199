// CBK-3: what keeps a send of ours from leaving at once, apart from what is broken on purpose: a breaker that is open,
// a gate that is full. Read from what became of the other sends to that receiver.
import type { World } from '../world.ts';

const breakerMs = 120_000; // two probes of a breaker that is open as long as can be
const failuresToOpen = 5; // in a row, of one process
const atOnce = 16; // to one receiver, of one process

/**
 * Whether a receiver failed too seldom for a breaker of any process to be open between two moments, and had too little
 * to do for a gate to be full.
 * @param receiver as the faults name it
 */
export function isWell({ attemptsTo }: World, receiver: string, from: number, to: number): boolean {
  const beside = (attemptsTo.get(receiver) ?? []).filter(
    ({ startedAt, finishedAt = Infinity }) => startedAt < to && finishedAt > from - breakerMs,
  );
  const failed = beside.filter(({ httpStatus = 0 }) => httpStatus < 200 || httpStatus >= 300);
  const open = beside.filter(({ finishedAt = Infinity }) => finishedAt > from);
  return failed.length < failuresToOpen && open.length < atOnce / 2;
}
