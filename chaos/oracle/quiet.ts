// When something was broken on purpose. What an honest system may do late or twice while a fault is in force, and
// shortly after it, is no breach; outside of these times it is.
import type { Evidence } from './read-evidence.ts';
import { instant } from './rows.ts';

export interface Quiet {
  /**
   * Whether no fault was in force between two moments, nor so long before.
   * @param marginMs what a fault's consequences may take to pass; default 10 s
   */
  readonly isCalm: (from: number, to: number, marginMs?: number) => boolean;
  /** From then on nothing may wait on us: 60 s after the last fault (I-15). */
  readonly settledAt: number;
  /** When the database was read. */
  readonly endAt: number;
  /** Whether the run was long enough to be judged by what has to be settled. */
  readonly isSettled: boolean;
  readonly hadFaults: boolean;
  /**
   * Whether something on the way to a party, or the party itself, was broken between two moments: then bytes may have
   * been held up.
   */
  readonly isWayBroken: (from: number, to: number) => boolean;
  /** Whether somebody in a party's place may have answered 2xx between two moments. */
  readonly isAnsweredByOthers: (from: number, to: number) => boolean;
  /** Whether one of our own processes or servers was broken, or so long before. */
  readonly isOursBroken: (from: number, to: number, marginMs: number) => boolean;
}

/** Faults of our own processes and servers, which change nothing on the way from us to a party. */
const ours = /^(worker|api|database|engine|temporal|postgres|execution|clock)/;
/** Faults in which something else than a party answers 200. */
const others = /^(destination-answers-garbage|destination-never-ends|receivers-.*)$/;
const wayMarginMs = 2_000;
const marginDefaultMs = 10_000;
const settleMs = 60_000; // I-15

export function quietOf({ faults, run }: Evidence): Quiet {
  const windows = faults.map(({ name, beganAt, endedAt, target }) => ({
    from: instant(beganAt),
    to: instant(endedAt),
    isOurs: target.split(',').every((one) => ours.test(one.trim())),
    isByOthers: others.test(name),
  }));
  const onTheWay = windows.filter(({ isOurs }) => !isOurs);
  const ofOurs = windows.filter(({ isOurs }) => isOurs);
  const settledAt =
    Math.max(instant(run.healedAt), instant(run.startedAt)) + (windows.length > 0 ? settleMs : 0);
  const endAt = instant(run.gatheredAt);
  return {
    isCalm: (from, to, marginMs = marginDefaultMs) =>
      !windows.some((window) => window.from <= to && window.to + marginMs >= from),
    settledAt,
    endAt,
    isSettled: endAt >= settledAt,
    hadFaults: windows.length > 0,
    isOursBroken: (from, to, marginMs) =>
      ofOurs.some((window) => window.from <= to && window.to + marginMs >= from),
    isWayBroken: (from, to) =>
      onTheWay.some((window) => window.from <= to && window.to + wayMarginMs >= from),
    isAnsweredByOthers: (from, to) =>
      windows.some((one) => one.isByOthers && one.from <= to && one.to + wayMarginMs >= from),
  };
}
