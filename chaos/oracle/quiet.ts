// When something was broken on purpose, and whose it was. What an honest system may do late or twice while a fault is in
// force, and shortly after it, is no breach; outside of these times it is. A fault of one party excuses nothing of
// another's (CBK-3).
import type { Evidence } from './read-evidence.ts';
import { instant } from './rows.ts';

export interface Quiet {
  /**
   * Whether neither we nor any of these parties was broken between two moments, nor so long before.
   * @param parties as faults name them, `source/SGDFAST`; none where only our own parts count
   * @param marginMs what a fault's consequences may take to pass; default 10 s
   */
  readonly isCalm: (parties: readonly string[], from: number, to: number, marginMs?: number) => boolean;
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
  readonly isWayBroken: (party: string, from: number, to: number) => boolean;
  /** The names of our own faults and of this party's, between two moments. */
  readonly faultsOn: (party: string, from: number, to: number) => readonly string[];
  /** Whether somebody in a party's place may have answered 2xx between two moments. */
  readonly isAnsweredByOthers: (party: string, from: number, to: number) => boolean;
  /** Whether one of our own processes or servers was broken, or so long before. */
  readonly isOursBroken: (from: number, to: number, marginMs: number) => boolean;
  /** Whether of ours the workflow engine was broken between two moments, or so long before, and nothing else. */
  readonly isEngineAlone: (from: number, to: number, marginMs: number) => boolean;
}

/** What operators do on purpose: it breaks nobody (LIF-5), and excuses nothing. */
const breaksNobody = /-is-paused$/;
const parties = /^(?:(?:source|destination|fxp)\/.+|parties)$/;
/** Faults in which something else than a party answers 200. */
const others = /^(destination-answers-garbage|destination-never-ends|receivers-.*)$/;
/** Faults of the workflow engine, by name. */
const ofEngine = /^(engine|executions)-/;
const wayMarginMs = 2_000;
const marginDefaultMs = 10_000;
const settleMs = 60_000; // I-15
const anyParty = 'parties'; // the target of faults that pick theirs as they go

interface Window {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** What it was played on: processes and servers of ours, parties. */
  readonly targets: readonly string[];
  /** Of our own processes and servers: it changes nothing on the way from us to a party. */
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
    faultsOn: (party, from, to) =>
      windows
        .filter((one) => one.isOurs || isOn(party)(one))
        .filter(isDuring(from, to, 0))
        .map(({ name }) => name),
    isAnsweredByOthers: (party, from, to) =>
      windows.filter((one) => one.isByOthers && isOn(party)(one)).some(isDuring(from, to, wayMarginMs)),
  };
}
