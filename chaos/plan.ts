// Plans the faults of a seed with their targets, times and durations. The plan is complete before anything
// starts, so that the same seed plays the same faults. Only the interleaving of the processes depends on the
// machine.
import { faults } from './faults/all.ts';
import type { Fault } from './faults/fault.ts';
import type { Random } from './load/random.ts';
import { names } from './system/names.ts';

export interface PlannedFault {
  readonly fault: Fault;
  readonly target: string;
  /** Milliseconds since the start of the load. */
  readonly atMs: number;
  readonly durationMs: number;
}

export interface PlanOptions {
  readonly random: Random;
  readonly minutes: number;
  /**
   * Four consecutive seeds begin with different quarters of the faults, so that four runs of five minutes
   * play all faults.
   */
  readonly seed: number;
}

const turns = 4; // a run of five minutes plays about twenty faults, a quarter of all

const firstMs = 4_000; // time for the first payments to get under way
// Share of the run without faults, at its end. Payments that began during a fault can then continue.
const calmShare = 0.15;
const fullLengthMinutes = 5; // the ranges of the durations of faults apply to runs of this length

/**
 * Plans one fault after the other; half of the time, it adds a second fault of another group at the same
 * time. It first draws from the quarter of all faults that the seed selects, then from all faults.
 */
export function planFaults({ random, minutes, seed }: PlanOptions): readonly PlannedFault[] {
  const endMs = minutes * 60_000 * (1 - calmShare);
  const lengthShare = Math.min(1, minutes / fullLengthMinutes);
  const planned: PlannedFault[] = [];
  let bag = faults.filter((_, index) => index % turns === seed % turns);
  const draw = (fits: (fault: Fault) => boolean): Fault | undefined => {
    if (!bag.some(fits)) bag = [...faults];
    const fitting = bag.filter(fits);
    if (fitting.length === 0) return undefined;
    const drawn = random.pick(fitting);
    bag = bag.filter((one) => one !== drawn);
    return drawn;
  };
  const plan = (fault: Fault, atMs: number): PlannedFault => {
    const [least, most] = fault.seconds;
    const drawnMs = random.integer(least * 1_000, most * 1_000) * lengthShare;
    const target = random.pick(fault.targets(names));
    return { fault, target, atMs, durationMs: Math.max(least * 1_000, Math.round(drawnMs)) };
  };
  let atMs = firstMs * lengthShare;
  while (atMs < endMs) {
    const first = draw(() => true);
    if (first === undefined) break;
    const one = plan(first, atMs);
    planned.push(one);
    const second = random.chance(50)
      ? draw(({ groups }) => !groups.some((group) => first.groups.includes(group)))
      : undefined;
    const other = second && plan(second, atMs + random.integer(0, Math.round(one.durationMs / 2)));
    if (other !== undefined) planned.push(other);
    const ends = [one, ...(other === undefined ? [] : [other])].map((each) => each.atMs + each.durationMs);
    atMs = Math.max(...ends) + random.integer(500, 4_000);
  }
  return planned;
}
