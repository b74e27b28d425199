// Plans the faults of a seed: which, on which target, when and for how long. The plan is drawn before anything starts,
// so that the same seed plays the same faults. How processes interleave with them depends on the machine.
import { faults } from './faults/all.ts';
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
  readonly minutes: number;
  /** Consecutive seeds begin with different faults, so that four runs of five minutes play all. */
  readonly seed: number;
}

const turns = 4; // a run of five minutes plays about twenty faults

const firstMs = 4_000; // time to get some payments under way
// share of the run without faults, at its end, so that payments that began under faults can go on
const calmShare = 0.15;
const fullLengthMinutes = 5; // the length of a run for which the durations of faults are specified

/**
 * Plays one fault after the other. In half of the cases it plays two at once, from different groups. It draws first
 * from a quarter of all faults, which the seed selects.
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
