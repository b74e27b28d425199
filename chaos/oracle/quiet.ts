// Tells which part was broken by a fault at which time. During a fault and shortly after it, a correct system
// may be late or repeat itself. At other times, lateness and repeats are breaches. A fault of one party does
// not excuse a delay for another (CBK-3).
import type { Evidence } from './read-evidence.ts';
import { instant } from './rows.ts';

export interface Quiet {
  /**
   * True if neither the gateway nor any of these parties was broken in this time span, or in the margin
   * before it.
   * @param parties named as in the faults, such as `source/SGDFAST`; empty if only the gateway matters
   * @param marginMs how long the effects of a fault last; the default is 10 s
   */
  readonly isCalm: (parties: readonly string[], from: number, to: number, marginMs?: number) => boolean;
  /** The time after which no payment may wait for the gateway: 60 s after the last fault (I-15). */
  readonly settledAt: number;
  /** The time of the database snapshot. */
  readonly endAt: number;
  /** Whether the run lasted until `settledAt`. Only then can unfinished work be judged. */
  readonly isSettled: boolean;
  readonly hadFaults: boolean;
  /**
   * Whether a party, or the connection to it, was broken in this time span. Bytes may then have been delayed.
   */
  readonly isWayBroken: (party: string, from: number, to: number) => boolean;
  /** Whether a fault may have answered 2xx in place of the party in this time span. */
  readonly isAnsweredByOthers: (party: string, from: number, to: number) => boolean;
  /** Whether a process or server of the gateway was broken in this time span, or in the margin before it. */
  readonly isOursBroken: (from: number, to: number, marginMs: number) => boolean;
  /**
   * Whether Temporal was the only broken part of the gateway in this time span, or in the margin before it.
   */
  readonly isEngineAlone: (from: number, to: number, marginMs: number) => boolean;
}

/** Pauses by operators. A pause breaks nothing (LIF-5), so it excuses nothing. */
const breaksNobody = /-is-paused$/;
const parties = /^(?:(?:source|destination|fxp)\/.+|parties)$/;
/** Faults during which something other than the party answers 200. */
const others = /^(destination-answers-garbage|destination-never-ends|receivers-.*)$/;
/** Faults of Temporal, by name. */
const ofEngine = /^(engine|executions)-/;
const wayMarginMs = 2_000;
const marginDefaultMs = 10_000;
const settleMs = 60_000; // I-15: time after the last fault until nothing may wait
const anyParty = 'parties'; // target of faults that choose their parties during the run

interface Window {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** The targets of the fault: processes and servers of the gateway, or parties. */
  readonly targets: readonly string[];
  /** Whether the fault hits processes or servers of the gateway, not a party or the connection to it. */
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
