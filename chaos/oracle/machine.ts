// Finds the times at which the machine was too slow to judge delays. It uses the measurements of a separate
// process (`MachineBeat` in evidence.ts). The oracle judges content even at these times.
import type { Evidence } from './read-evidence.ts';
import type { MachineBeat } from './evidence.ts';
import { instant } from './rows.ts';

/** A time span, in milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Machine {
  /** Returns the reason why a delay in this time span cannot be judged; undefined if it can be judged. */
  readonly tooSlow: (during: Span) => string | undefined;
  /** Share of the run in which the machine was too slow, from 0 to 1. */
  readonly slowShare: number;
}

/**
 * Limit of the average delay, in milliseconds. Each measurement includes 20 ms of work, so above the limit a
 * process gets less than a sixth of a processor. In trials, runs with 75 ms had no breach, and every run with
 * 350 ms had one.
 */
export const tooLateMs = 100;
const neighbours = 5; // measurements on each side (about 2.5 s), because a single late one can be chance
const beatMs = 500;
const aftermathMs = 10_000; // time for the gateway to work off its backlog
// A delay counts as unjudged if the machine was slow for at least this share of it. The slow time includes
// `aftermathMs` before the delay. A slow second thus cannot excuse a late minute.
const leastShare = 0.5;

export function machineOf({ machine, run }: Pick<Evidence, 'machine' | 'run'>): Machine {
  const slow = machine.flatMap(({ at, lateMs }, index) => {
    const near = machine.slice(Math.max(0, index - neighbours), index + neighbours + 1);
    const to = instant(at);
    return averageLateMs(near) > tooLateMs ? [{ from: to - beatMs - lateMs, to, lateMs }] : [];
  });
  const during = ({ from, to }: Span) => slow.filter((one) => one.from < to && one.to > from);
  const msIn = ({ from, to }: Span) =>
    during({ from, to }).reduce((sum, one) => sum + Math.min(one.to, to) - Math.max(one.from, from), 0);
  const whole = { from: instant(run.startedAt), to: instant(run.gatheredAt) };
  return {
    tooSlow: ({ from, to }) => {
      const around = { from: from - aftermathMs, to };
      const slowMs = msIn(around);
      if (slowMs === 0 || slowMs < (to - from) * leastShare) return undefined;
      const worstMs = Math.max(...during(around).map(({ lateMs }) => lateMs));
      return `the machine was too slow (up to ${worstMs} ms late, for ${(slowMs / 1_000).toFixed(1)} s)`;
    },
    slowShare: msIn(whole) / Math.max(1, whole.to - whole.from),
  };
}

export function averageLateMs(beats: readonly Pick<MachineBeat, 'lateMs'>[]): number {
  return beats.reduce((sum, { lateMs }) => sum + lateMs, 0) / Math.max(1, beats.length);
}
