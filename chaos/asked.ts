// Reads the command-line options of a run, and plans its faults.
import { randomInt } from 'node:crypto';
import { UsageError } from '../cli/errors.ts';
import { faultNamed } from './faults/all.ts';
import type { Fault } from './faults/fault.ts';
import { createRandom } from './load/random.ts';
import type { Mutant } from './mutants/all.ts';
import { numberOf, type ChaosOptions } from './options.ts';
import { planFaults, type PlannedFault } from './plan.ts';
import { names } from './system/names.ts';

export interface Asked {
  readonly mutant?: Mutant;
  readonly seed: number;
  readonly minutes: number;
  readonly ratePerSecond: number;
  readonly hours?: number;
  readonly keep: boolean;
  /** Whether to play no faults. */
  readonly isCalm: boolean;
  /** The only fault to play. Absent: the seed draws the faults. */
  readonly alone?: {
    readonly name: string;
    readonly seconds: number;
    /** How often to play the fault. New payments are under way each time. */
    readonly times: number;
    readonly target?: string;
  };
}

export const largestSeed = 2 ** 31 - 1;
// Seconds with payments but without a fault: before, after and between the plays of a single fault. The fault
// thus meets payments of every age, including decided ones with repeated enquiries.
const beforeSeconds = 30;
const afterSeconds = 15;
const betweenSeconds = 15;

/** @throws UsageError if an option is unknown or out of range */
export function readOptions(options: ChaosOptions): Asked {
  const seed =
    options.seed === undefined
      ? randomInt(1, largestSeed)
      : numberOf(options.seed, '--seed', [0, largestSeed]);
  const hours = options.hours === undefined ? undefined : numberOf(options.hours, '--hours', [0.01, 1_000]);
  const fault = options.fault === undefined ? undefined : faultNamed(options.fault);
  const seconds =
    fault &&
    (options.seconds === undefined ? fault.seconds[1] : numberOf(options.seconds, '--seconds', [1, 3_600]));
  const times = numberOf(options.times ?? '1', '--times', [1, 100]);
  return {
    seed,
    minutes:
      seconds === undefined
        ? numberOf(options.minutes ?? '5', '--minutes', [0.2, 600])
        : (beforeSeconds + times * (seconds + betweenSeconds) - betweenSeconds + afterSeconds) / 60,
    ratePerSecond: numberOf(options.rate, '--rate', [0.1, 100]),
    keep: options.keep === true,
    isCalm: options.calm === true,
    ...(hours === undefined ? {} : { hours }),
    ...(fault === undefined || seconds === undefined
      ? {}
      : {
          alone: {
            name: fault.name,
            seconds,
            times,
            ...(options.target === undefined ? {} : { target: targetOf(fault, options.target) }),
          },
        }),
  };
}

/** Returns the faults and their times for this seed. */
export function planOf({ alone, minutes, isCalm }: Asked, seed: number): readonly PlannedFault[] {
  if (isCalm) return [];
  const random = createRandom(seed ^ 0xfa17);
  if (alone === undefined) return planFaults({ random, minutes, seed });
  const fault = faultNamed(alone.name);
  const target = alone.target ?? random.pick(fault.targets(names));
  return Array.from({ length: alone.times }, (_, index) => ({
    fault,
    target,
    atMs: (beforeSeconds + index * (alone.seconds + betweenSeconds)) * 1_000,
    durationMs: alone.seconds * 1_000,
  }));
}

/**
 * Reads the target of a single fault. `all` means every possible target. Several targets at once are allowed
 * only if the fault supports them.
 * @throws UsageError if the fault cannot hit one of the targets
 */
function targetOf(fault: Fault, asked: string): string {
  const { each, isTogether } = whom(fault);
  if (asked === 'all' && (isTogether || each.length === 1)) return each.join(',');
  const several = asked.split(',');
  const isKnown = several.every((one) => each.includes(one)) && (several.length === 1 || isTogether);
  if (isKnown) return asked;
  throw new UsageError(`--target ${asked}: ${fault.name} hits ${targetsInWords(fault)}.`);
}

function whom(fault: Fault): { readonly each: readonly string[]; readonly isTogether: boolean } {
  const targets = fault.targets(names);
  return {
    each: [...new Set(targets.flatMap((one) => one.split(',')))],
    isTogether: targets.some((one) => one.includes(',')),
  };
}

/** Lists in words the names that --target accepts, such as `worker-1 or worker-2`. */
export function targetsInWords(fault: Fault): string {
  const { each, isTogether } = whom(fault);
  const words = [...each, ...(isTogether && each.length > 1 ? ['several with a comma', 'all'] : [])];
  const last = words.pop() ?? '';
  return words.length === 0 ? last : `${words.join(', ')} or ${last}`;
}
