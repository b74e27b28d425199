// The gate before each receiver limits how many sends the receiver gets at once. Its circuit breaker stops
// sends to a receiver that does not respond. The gate only keeps state: it opens no socket and starts no
// timer, and a send that has to wait holds no resources.
import { mostSendsAtOnce } from '../../core/deliveries/receiver.ts';

export interface GateOptions {
  /** Concurrent sends per receiver; default 16. */
  readonly maxSends?: number;
  /** Monotonic clock, in milliseconds; default `performance.now`. */
  readonly now?: () => number;
  /** Returns a number from 0 up to 1, for the jitter. */
  readonly random?: () => number;
}

/**
 * The health of a receiver, as one send shows it. `nothing`: the receiver was not tried, or Isthmus itself
 * held the send back.
 */
export type Sign = 'alive' | 'failed' | 'nothing';

export interface Place {
  /** Marks the start of the send, from which its duration is measured. */
  readonly begin: () => void;
  /** Gives the place back, after the send or without one. Only the first call counts. */
  readonly end: (sign: Sign) => void;
}

export interface Held {
  readonly admitted: false;
  readonly reason: 'gate-full' | 'breaker-open';
  /**
   * Takes a turn behind earlier callers. Sends with a deadline have a separate queue, and ask again after at
   * most half of their remaining time. So they keep their place, and do not ask endlessly.
   * @param deadlineInMs milliseconds until the deadline, after which the message may not be sent; absent: no
   * deadline
   * @returns the milliseconds after which to ask again: at least 1, jittered
   */
  readonly takeTurn: (deadlineInMs?: number) => number;
}

export interface ReceiverState {
  readonly receiver: string;
  readonly sendsUnderWay: number;
  readonly breaker: 'closed' | 'open' | 'probing';
  readonly failuresInARow: number;
}

export interface ReceiverGate {
  /** @param receiver the name of the receiver: its registered origin */
  readonly enter: (receiver: string) => Place | Held;
  /**
   * Like `enter`, for a send that must be tried even if the breaker is open. Such a send does not count as a
   * probe.
   */
  readonly enterAnyway: (receiver: string) => Place | Held;
  /**
   * Like `enter`, for one of several parties behind a receiver that passes messages on. Each party has its
   * own breaker, and at most half of the receiver's places. So a party that does not respond cannot block the
   * others.
   */
  readonly enterFor: (receiver: string, party: string) => Place | Held;
  readonly states: () => readonly ReceiverState[];
}

const failuresToOpen = 5;
const firstProbeMs = 5_000;
const longestProbeMs = 60_000;
const forgottenAfterMs = 600_000; // For idle receivers. Ten times the longest wait for a probe.
const usualSendMs = 200; // Milliseconds. Assumed until a send has been measured.
// Weight in the moving average. The last five sends make up half of the average.
const shareOfLastSend = 1 / 8;
// Waiting sends ask twice as often as places become free, so that no place stays unused.
const askedPerPlace = 2;
// Together, sends behind a breaker ask at most 50 times a second, even after it has closed.
const breakerTurnMs = 20;
// An upper limit, because earlier callers may have gone, or the receiver may have become faster.
const longestTurnMs = 30_000;

interface Taken {
  begunAt?: number;
}

interface Receiver {
  readonly places: Set<Taken>;
  failuresInARow: number;
  usedAt: number;
  /** Moving average of the duration of a send, in milliseconds. */
  sendMs: number;
  /**
   * When the last waiting send will ask again. `urgent` is for sends with a deadline, `patient` for all
   * others.
   */
  readonly lastTurnAt: { patient: number; urgent: number };
  open?: { waitMs: number; probeAt: number; probe: Taken | undefined } | undefined;
}

export function createReceiverGate(options: GateOptions = {}): ReceiverGate {
  const { maxSends = mostSendsAtOnce, now = () => performance.now(), random = Math.random } = options;
  const receivers = new Map<string, Receiver>();
  function receiverOf(name: string): Receiver {
    const known = receivers.get(name);
    if (known !== undefined) return known;
    for (const [other, idle] of receivers) {
      if (idle.places.size === 0 && now() - idle.usedAt > forgottenAfterMs) receivers.delete(other);
    }
    const receiver = newReceiver(now());
    receivers.set(name, receiver);
    return receiver;
  }

  function enter(name: string, places: number, minds: 'breaker' | 'gate' = 'breaker'): Place | Held {
    const receiver = receiverOf(name);
    receiver.usedAt = now();
    const open = minds === 'breaker' ? receiver.open : undefined;
    const wait = waitOf(receiver, open, places, now());
    if (wait !== undefined) return held(receiver, wait, { now: now(), random: random() });
    const taken: Taken = {};
    receiver.places.add(taken);
    if (open !== undefined) open.probe = taken;
    return {
      begin: () => {
        taken.begunAt ??= now();
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

/** Why a send has to wait, and how long at least. Times are in milliseconds. */
interface Wait {
  readonly reason: Held['reason'];
  readonly fromMs: number;
  readonly spreadMs: number;
  readonly turnMs: number;
}

function waitOf(
  { places, sendMs }: Receiver,
  open: Receiver['open'],
  mostSends: number,
  now: number,
): Wait | undefined {
  const behindBreaker = { reason: 'breaker-open', turnMs: breakerTurnMs } as const;
  // The probe ends soon.
  if (open?.probe !== undefined) return { ...behindBreaker, fromMs: 500, spreadMs: 500 };
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
      lastTurnAt[line] = now + turnInMs; // The next caller asks after this one.
      return Math.max(1, Math.ceil(turnInMs + random * spreadMs));
    },
  };
}

/**
 * Combines the places of a party and its receiver. A failure of the party does not count against the
 * receiver.
 */
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

function heed(receiver: Receiver, taken: Taken, sign: Sign, now: number): void {
  const { open } = receiver;
  const isProbe = open?.probe === taken;
  if (isProbe) open.probe = undefined;
  if (sign === 'nothing') return; // If this was the probe, the next send becomes the probe.
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
