// Throughput by the number of workers, and what limits it: the rule is applied to figures that a reader can check.
import { describe, expect, it } from 'vitest';
import { isSaturated, limitOf, limitsOf, usedCores, type UsedCores } from '../../bench/by-workers.ts';

const halfIdle: UsedCores = {
  machineCores: 2,
  parts: { api: 0.2, worker: 0.3, Temporal: 0.4, 'everything else': 0.1 },
  busiestThread: { part: 'worker', cores: 0.3 },
};

const measured = (workers: number, perSecond: number) => ({
  workers,
  usedCores: halfIdle,
  payments: { perSecond },
  fixedFloor: { perSecond: 40 },
});

describe('the limit of the throughput', () => {
  it('is the cores of the machine if more than 90 % are busy', () => {
    const parts = { ...halfIdle.parts, Temporal: 0.7, sandbox: 0.6 }; // 1.9 cores with the others
    expect(limitOf({ ...halfIdle, parts }, 0.5)).toBe(
      'the cores of this machine, most used by Temporal (0.7 of 2)',
    );
    expect(limitOf({ ...halfIdle, parts, machineCores: 4 }, NaN)).toBe('none found');
  });

  it('is other programs if they use most of a busy machine', () => {
    const parts = { ...halfIdle.parts, 'everything else': 1 };
    expect(limitOf({ ...halfIdle, parts }, 0)).toMatch(/most used by everything else \(1\.0 of 2\)/);
  });

  it('is a part on Node if one of its threads is busy for more than 90 % of the time', () => {
    const busiestThread = { part: 'sandbox', cores: 0.95 };
    expect(limitOf({ ...halfIdle, busiestThread }, 0.5)).toBe('one thread of sandbox (0.95 of one core)');
    expect(limitOf({ ...halfIdle, busiestThread: { ...busiestThread, cores: 0.9 } }, 0)).toBe('none found');
  });

  it('is the number of workers if more of them bring at least 5 %', () => {
    expect(limitsOf([measured(1, 20), measured(2, 30), measured(4, 31)])).toEqual([
      'the number of workers',
      'none found',
      'none found',
    ]);
  });
});

it('more workers are tried until they bring less than 5 %', () => {
  expect(isSaturated([measured(1, 20)])).toBe(false);
  expect(isSaturated([measured(1, 20), measured(2, 22)])).toBe(false);
  expect(isSaturated([measured(1, 20), measured(2, 22), measured(4, 22.5)])).toBe(true);
});

it('the cores of each part are means over the rounds, and the rest of the machine is named too', () => {
  const reading = (atMs: number, machineMs: number, [api, sandbox]: readonly [number, number]) => ({
    ...{ atMs, machineMs, partMs: { api, sandbox } },
    threadMs: { 'api/11': api - 50, 'sandbox/12': sandbox / 2, 'sandbox/13': sandbox / 2 },
  });
  const rounds = [
    [reading(0, 500, [100, 100]), reading(1_000, 1_500, [500, 300])],
    [reading(5_000, 4_000, [900, 400]), reading(6_000, 5_000, [1_500, 800])],
  ] as const;
  expect(usedCores(rounds, 2)).toEqual({
    machineCores: 2,
    parts: { api: 0.5, sandbox: 0.3, 'everything else': expect.closeTo(0.2) as number },
    busiestThread: { part: 'api', cores: 0.5 },
  });
});
