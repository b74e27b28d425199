// Finds the times when the machine was too slow to judge the gateway's timing, from the beats of a separate process
// (evidence.ts). Content is judged all the same.
import type { Evidence } from './read-evidence.ts';
import type { MachineBeat } from './evidence.ts';
import { instant } from './rows.ts';

/** A time span, in milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Machine {
  /** The reason why a time in this span cannot be judged; undefined if it can. */
  readonly tooSlow: (during: Span) => string | undefined;
  /** Share of the run in which the machine was too slow, from 0 to 1. */
  readonly slowShare: number;
}

/**
 * Average delay in milliseconds. A beat has 20 ms of work, so above this limit a process gets less than a sixth of a
 * processor. Runs at 75 ms had no breach; a run at 350 ms had one each time.
 */
export const tooLateMs = 100;
const neighbours = 5; // beats on each side, about 2.5 s, because a single late beat can be chance
const beatMs = 500;
const aftermathMs = 10_000; // time for the gateway to work off its backlog
// share of the span that must be slow, with the aftermath: a slow second does not explain a late minute
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
