// What a seed means (chaos/plan.ts), without anything started.
import { describe, expect, it } from 'vitest';
import { faults } from '../../chaos/faults/all.ts';
import { createRandom } from '../../chaos/load/random.ts';
import { planFaults, type PlannedFault } from '../../chaos/plan.ts';

const plan = (seed: number, minutes = 5) => planFaults({ random: createRandom(seed), faults, minutes, seed });
const brief = (planned: readonly PlannedFault[]) =>
  planned.map(({ fault, target, atMs, durationMs }) => [fault.name, target, atMs, durationMs]);
const seeds = Array.from({ length: 50 }, (_, index) => index);

describe('a plan of faults', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(brief(plan(7))).toEqual(brief(plan(7)));
    expect(brief(plan(7))).not.toEqual(brief(plan(8)));
  });

  it('plays two faults at once in every run of five minutes, and never two that would undo each other', () => {
    for (const seed of seeds) {
      const planned = plan(seed);
      const overlapping = planned.flatMap((one, index) =>
        planned
          .slice(index + 1)
          .filter(
            (other) => other.atMs < one.atMs + one.durationMs && one.atMs < other.atMs + other.durationMs,
          )
          .map((other) => [one, other] as const),
      );
      expect(overlapping.length).toBeGreaterThan(0);
      for (const [one, other] of overlapping) {
        expect(one.fault.groups.filter((group) => other.fault.groups.includes(group))).toEqual([]);
      }
    }
  });

  it('lets a fault last as long as it may, and begins none in the calm at the end', () => {
    for (const { fault, atMs, durationMs } of seeds.flatMap((seed) => plan(seed))) {
      const [least, most] = fault.seconds;
      expect(durationMs).toBeGreaterThanOrEqual(least * 1_000);
      expect(durationMs).toBeLessThanOrEqual(most * 1_000);
      expect(atMs).toBeLessThan(5 * 60_000);
    }
  });

  it('meets every fault within four runs of five minutes', () => {
    const met = new Set(seeds.slice(20, 24).flatMap((seed) => plan(seed).map((one) => one.fault.name)));
    expect(faults.map((one) => one.name).filter((name) => !met.has(name))).toEqual([]);
  });
});
