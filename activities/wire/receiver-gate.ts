// Before each receiver: how many sends it gets at once, and the circuit breaker that spares everybody the wait for a
// dead one. State and arithmetic only: it opens no socket and starts no timer, so a send that has to wait holds
// nothing. Thousands may wait: each is told when its turn is likely to come, so that their asking costs others nothing.
import { mostSendsAtOnce } from '../../core/deliveries/receiver.ts';

export interface GateOptions {
  /** Sends at once per receiver; default 16. */
  readonly maxSends?: number;
  /** Milliseconds that never go back; default `performance.now`. */
  readonly now?: () => number;
  /** From 0 up to 1, for the jitter. */
  readonly random?: () => number;
}

/** What a send says about its receiver. `nothing`: it was never tried, or we held it back ourselves. */
export type Sign = 'alive' | 'failed' | 'nothing';

/** A place before a receiver. */
export interface Place {
  /** The send begins: from now on the place is held until it ends. */
  readonly begin: () => void;
  /** The send has ended, or there was none. Only the first call counts. */
  readonly end: (sign: Sign) => void;
}

/** No place now. */
export interface Held {
  readonly admitted: false;
  readonly reason: 'gate-full' | 'breaker-open';
  /**
   * Takes a turn behind those that took one before, and answers the milliseconds after which to ask again; at least 1,
   * jittered. What a deadline ends has turns apart from what may wait, and asks again at half of the time it has left
   * at the latest: so it neither gives up its place to others, nor asks without end.
   * @param deadlineInMs milliseconds until nobody may send it any longer; absent: it may wait
   */
  readonly takeTurn: (deadlineInMs?: number) => number;
}

/** The state of a receiver, for somebody who looks at the process. */
export interface ReceiverState {
  readonly receiver: string;
  readonly sendsUnderWay: number;
  readonly breaker: 'closed' | 'open' | 'probing';
  readonly failuresInARow: number;
}

export interface ReceiverGate {
  /** @param receiver its name: the registered origin */
  readonly enter: (receiver: string) => Place | Held;
  /** The same for a send that must be tried, whatever the breaker says; it is no probe. */
  readonly enterAnyway: (receiver: string) => Place | Held;
  /**
   * The same for one of several parties behind a receiver that passes on what it gets. The breaker is the party's own,
   * and it gets at most half of the receiver's places, so that a silent party does not keep the others from being
   * asked.
   */
  readonly enterFor: (receiver: string, party: string) => Place | Held;
  readonly states: () => readonly ReceiverState[];
}

const failuresToOpen = 5;
const firstProbeMs = 5_000;
const longestProbeMs = 60_000;
const lostAfterMs = 60_000; // a place whose send never began: its holder is gone; claims last 15 s
const forgottenAfterMs = 600_000; // an idle receiver: ten times the longest wait for a probe
const usualSendMs = 200; // until one has been measured
const shareOfLastSend = 1 / 8; // in the average of how long they take: half of it is of the last five
const askedPerPlace = 2; // who wait at a full gate ask twice as often as it has a place: none stays free
const breakerTurnMs = 20; // who wait for a breaker ask at most 50 times a second, and come so once it has closed
const longestTurnMs = 30_000; // however many are before: some may have gone, or the receiver be faster

/** A place as it is taken. */
interface Taken {
  readonly takenAt: number;
  begunAt?: number;
}

interface Receiver {
  readonly places: Set<Taken>;
  failuresInARow: number;
  usedAt: number;
  /** How long its sends take: a moving average. */
  sendMs: number;
  /** When the last of those that wait is to ask again, apart for those that a deadline ends. */
  readonly lastTurnAt: { patient: number; urgent: number };
  /** Since the breaker opened. */
  open?: { waitMs: number; probeAt: number; probe: Taken | undefined } | undefined;
}

export function createReceiverGate(options: GateOptions = {}): ReceiverGate {
  const { maxSends = mostSendsAtOnce, now = () => performance.now(), random = Math.random } = options;
  const receivers = new Map<string, Receiver>();
  function receiverOf(name: string): Receiver {
    const known = receivers.get(name);
    if (known !== undefined) return known;
    for (const [other, idle] of receivers) {
      dropLost(idle, now());
      if (idle.places.size === 0 && now() - idle.usedAt > forgottenAfterMs) receivers.delete(other);
    }
    const receiver = newReceiver(now());
    receivers.set(name, receiver);
    return receiver;
  }

  function enter(name: string, places: number, minds: 'breaker' | 'gate' = 'breaker'): Place | Held {
    const receiver = receiverOf(name);
    receiver.usedAt = now();
    dropLost(receiver, now());
    const open = minds === 'breaker' ? receiver.open : undefined;
    const wait = waitOf(receiver, open, places, now());
    if (wait !== undefined) return held(receiver, wait, { now: now(), random: random() });
    const taken: Taken = { takenAt: now() };
    receiver.places.add(taken);
    if (open !== undefined) open.probe = taken;
    return {
      begin: () => {
        taken.begunAt ??= now();
        receiver.places.add(taken); // in case it was taken for lost
      },
      end: (sign) => {
        if (!receiver.places.delete(taken)) return;
        receiver.usedAt = now();
        if (taken.begunAt !== undefined)
          receiver.sendMs += (now() - taken.begunAt - receiver.sendMs) * shareOfLastSend;
        heed(receiver, taken, sign, now());
        const isUnremarkable = receiver.failuresInARow === 0 && receiver.open === undefined;
        if (receiver.places.size === 0 && isUnremarkable) receivers.delete(name);
      },
    };
  }

  return {
    enter: (receiver) => enter(receiver, maxSends),
    enterAnyway: (receiver) => enter(receiver, maxSends, 'gate'),
    enterFor: (receiver, party) => {
      const own = enter(`${receiver} ${party}`, Math.ceil(maxSends / 2));
      if ('admitted' in own) return own;
      return both(own, enter(receiver, maxSends));
    },
    states: () =>
      Array.from(receivers, ([receiver, { places, failuresInARow, open }]) => ({
        receiver,
        sendsUnderWay: places.size,
        breaker: open === undefined ? 'closed' : open.probe === undefined ? 'open' : 'probing',
        failuresInARow,
      })),
  };
}

function newReceiver(now: number): Receiver {
  return {
    places: new Set(),
    failuresInARow: 0,
    usedAt: now,
    sendMs: usualSendMs,
    lastTurnAt: { patient: -Infinity, urgent: -Infinity },
  };
}

/** Why a send has to wait, and how long at least; milliseconds. */
interface Wait {
  readonly reason: Held['reason'];
  readonly fromMs: number;
  /** Of its jitter. */
  readonly spreadMs: number;
  /** From one that waits to the next. */
  readonly turnMs: number;
}

function waitOf(
  { places, sendMs }: Receiver,
  open: Receiver['open'],
  mostSends: number,
  now: number,
): Wait | undefined {
  const behindBreaker = { reason: 'breaker-open', turnMs: breakerTurnMs } as const;
  if (open?.probe !== undefined) return { ...behindBreaker, fromMs: 500, spreadMs: 500 }; // it is running: soon
  if (open !== undefined && now < open.probeAt)
    return { ...behindBreaker, fromMs: open.probeAt - now, spreadMs: 250 };
  if (places.size < mostSends) return undefined;
  const turnMs = sendMs / Math.max(1, mostSends) / askedPerPlace;
  return { reason: 'gate-full', turnMs, fromMs: 100, spreadMs: 200 };
}

function held(
  { lastTurnAt }: Receiver,
  { reason, fromMs, spreadMs, turnMs }: Wait,
  { now, random }: { readonly now: number; readonly random: number },
): Held {
  return {
    admitted: false,
    reason,
    takeTurn: (deadlineInMs) => {
      const line = deadlineInMs === undefined ? 'patient' : 'urgent';
      const longestMs = Math.min(fromMs + longestTurnMs, (deadlineInMs ?? Infinity) / 2);
      const turnInMs = Math.max(fromMs, Math.min(lastTurnAt[line] + turnMs - now, longestMs));
      lastTurnAt[line] = now + turnInMs; // whoever comes after this one asks after it
      return Math.max(1, Math.ceil(turnInMs + random * spreadMs));
    },
  };
}

/** A party's silence says nothing about the receiver before it, which others share. */
function both(own: Place, shared: Place | Held): Place | Held {
  if ('admitted' in shared) {
    own.end('nothing');
    return shared;
  }
  return {
    begin: () => {
      own.begin();
      shared.begin();
    },
    end: (sign) => {
      own.end(sign);
      shared.end('nothing');
    },
  };
}

/**
 * Gives back the places that were never used: a lost one must not narrow the gate, nor a lost probe lock the breaker.
 */
function dropLost({ places, open }: Receiver, now: number): void {
  for (const taken of places) {
    if (taken.begunAt !== undefined || now - taken.takenAt < lostAfterMs) continue;
    places.delete(taken);
    if (open?.probe === taken) open.probe = undefined;
  }
}

/** What the end of a send does to the breaker. */
function heed(receiver: Receiver, taken: Taken, sign: Sign, now: number): void {
  const { open } = receiver;
  const isProbe = open?.probe === taken;
  if (isProbe) open.probe = undefined;
  if (sign === 'nothing') return; // if it was the probe, the next send will be
  if (sign === 'alive') {
    receiver.failuresInARow = 0;
    receiver.open = undefined;
    return;
  }
  receiver.failuresInARow += 1;
  if (isProbe) {
    open.waitMs = Math.min(open.waitMs * 2, longestProbeMs);
    open.probeAt = now + open.waitMs;
  } else if (open === undefined && receiver.failuresInARow >= failuresToOpen) {
    receiver.open = { waitMs: firstProbeMs, probeAt: now + firstProbeMs, probe: undefined }; // seam: breaker
  }
}
