// What a seed means: which faults, upon whom, when and for how long. It is drawn before anything starts, so that the
// same seed plays the same faults; how processes interleave with them is the machine's.
import type { Fault } from './faults/fault.ts';
import type { Random } from './load/random.ts';
import { names } from './system/names.ts';

export interface PlannedFault {
  readonly fault: Fault;
  readonly target: string;
  /** Since the start of the load. */
  readonly atMs: number;
  readonly durationMs: number;
}

export interface PlanOptions {
  readonly random: Random;
  readonly faults: readonly Fault[];
  readonly minutes: number;
  /** Seeds that follow each other begin with different faults: four runs of five minutes meet all. */
  readonly seed: number;
}

const turns = 4; // a run of five minutes plays some twenty faults

const firstMs = 4_000; // some payments are under way
const calmShare = 0.15; // of the run, at its end: what was begun under faults goes on without
const fullLengthMinutes = 5; // for which the lengths of faults are given

/**
 * One fault follows the other, and half of the time two are played at once, of different groups. The quarter of all
 * whose turn it is with this seed is drawn first.
 */
export function planFaults({ random, faults, minutes, seed }: PlanOptions): readonly PlannedFault[] {
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
