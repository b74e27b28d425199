// When something was deliberately broken, and which part. During a fault and shortly after it, a correct system may be
// late or repeat itself; at other times this is a breach. A fault of one party does not excuse a delay for another
// (CBK-3).
import type { Evidence } from './read-evidence.ts';
import { instant } from './rows.ts';

export interface Quiet {
  /**
   * Whether neither our parts nor these parties were broken between two moments, or within the margin before.
   * @param parties named as in faults, `source/SGDFAST`; empty if only our own parts matter
   * @param marginMs how long the effects of a fault last; default 10 s
   */
  readonly isCalm: (parties: readonly string[], from: number, to: number, marginMs?: number) => boolean;
  /** From this time on nothing may wait on us: 60 s after the last fault (I-15). */
  readonly settledAt: number;
  /** When the database was read. */
  readonly endAt: number;
  /** Whether the run lasted until `settledAt`, so that unsettled work can be judged. */
  readonly isSettled: boolean;
  readonly hadFaults: boolean;
  /** Whether a party, or the way to it, was broken between two moments. Bytes may then have been delayed. */
  readonly isWayBroken: (party: string, from: number, to: number) => boolean;
  /** Whether another server may have answered 2xx in a party's place between two moments. */
  readonly isAnsweredByOthers: (party: string, from: number, to: number) => boolean;
  /** Whether one of our processes or servers was broken between two moments, or within the margin before. */
  readonly isOursBroken: (from: number, to: number, marginMs: number) => boolean;
  /**
   * Whether the workflow engine was the only one of our parts that was broken between two moments, or within the margin
   * before.
   */
  readonly isEngineAlone: (from: number, to: number, marginMs: number) => boolean;
}

/** Deliberate acts of operators. They break nothing (LIF-5), so they excuse nothing. */
const breaksNobody = /-is-paused$/;
const parties = /^(?:(?:source|destination|fxp)\/.+|parties)$/;
/** Faults during which another server than the party answers 200. */
const others = /^(destination-answers-garbage|destination-never-ends|receivers-.*)$/;
/** Faults of the workflow engine, by name. */
const ofEngine = /^(engine|executions)-/;
const wayMarginMs = 2_000;
const marginDefaultMs = 10_000;
const settleMs = 60_000; // I-15
const anyParty = 'parties'; // target of faults that choose their parties while they run

interface Window {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Its targets: our processes and servers, or parties. */
  readonly targets: readonly string[];
  /** Whether it hits our own processes or servers, and so not the way from us to a party. */
  readonly isOurs: boolean;
  readonly isByOthers: boolean;
}

const isDuring = (from: number, to: number, marginMs: number) => (window: Window) =>
  window.from <= to && window.to + marginMs >= from;
const isOn =
  (party: string) =>
  ({ targets }: Window) =>
    targets.includes(party) || targets.includes(anyParty);

export function quietOf({ faults, run }: Evidence): Quiet {
  const breaking = faults.filter(({ name }) => !breaksNobody.test(name));
  const windows = breaking.map(({ name, beganAt, endedAt, target }): Window => {
    const targets = target.split(',').map((one) => one.trim());
    return {
      name,
      from: instant(beganAt),
      to: instant(endedAt),
      targets,
      isOurs: !targets.every((one) => parties.test(one)),
      isByOthers: others.test(name),
    };
  });
  const ofOurs = windows.filter(({ isOurs }) => isOurs);
  const settledAt =
    Math.max(instant(run.healedAt), instant(run.startedAt)) + (windows.length > 0 ? settleMs : 0);
  const endAt = instant(run.gatheredAt);
  return {
    isCalm: (concerned, from, to, marginMs = marginDefaultMs) =>
      !windows
        .filter((one) => one.isOurs || concerned.some((party) => isOn(party)(one)))
        .some(isDuring(from, to, marginMs)),
    settledAt,
    endAt,
    isSettled: endAt >= settledAt,
    hadFaults: windows.length > 0,
    isOursBroken: (from, to, marginMs) => ofOurs.some(isDuring(from, to, marginMs)),
    isEngineAlone: (from, to, marginMs) => {
      const during = ofOurs.filter(isDuring(from, to, marginMs));
      return during.length > 0 && during.every(({ name }) => ofEngine.test(name));
    },
    isWayBroken: (party, from, to) => windows.filter(isOn(party)).some(isDuring(from, to, wayMarginMs)),
    isAnsweredByOthers: (party, from, to) =>
      windows.filter((one) => one.isByOthers && isOn(party)(one)).some(isDuring(from, to, wayMarginMs)),
  };
}
