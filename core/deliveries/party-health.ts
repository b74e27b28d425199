/**
 * The health of the parties: outcomes of the gateway's sends, open deliveries, and payments that wait for a
 * final status. It also contains the circuit breaker states of each worker.
 */
import type { ReferenceData } from '../scheme/reference.ts';

/** Deliveries of one kind to one party, within a period. */
export interface KindHealth {
  readonly kind: string;
  readonly attempts: number;
  /** Successful attempts: HTTP 2xx, with a valid answer if one is expected. */
  readonly taken: number;
  /** Payments and resolutions with a failed attempt. */
  readonly failing: number;
  /** Failed attempts since the last success. */
  readonly failedSince: number;
  readonly lastTakenAt: Date | null;
  /** 95th percentile of the duration of an attempt, in milliseconds. */
  readonly p95Ms: number | null;
  /**
   * Number of failures by class: an error class of the gateway, for example `not-counted` (2xx without a
   * valid answer), or `http-503`.
   */
  readonly failures: Readonly<Record<string, number>>;
  /** Numbers of open deliveries and of those that were given up, regardless of when they were requested. */
  readonly open: number;
  readonly dead: number;
  readonly oldestDueAt: Date | null;
}

/** Messages in the name of a payment system that were refused for their signature. */
export interface RefusedSignatures {
  /** Number of them today (UTC). */
  readonly today: number;
  /** When and why the last one was refused; null if there was none in the last 62 days. */
  readonly lastAt: Date | null;
  readonly lastWhy: string | null;
}

export interface PartyHealth {
  /** Clearing system id, or id of an FX provider. */
  readonly party: string;
  readonly kinds: readonly KindHealth[];
  /**
   * Payments that were sent to the party and have no final status. `oldestWaitingSince` is about the oldest of them.
   */
  readonly waiting: number;
  /** Answers and reports of the party that were refused. */
  readonly refused: number;
  /** The newest payments and resolutions with refused messages. */
  readonly refusedOf: readonly {
    readonly subjectId: string;
    readonly about: 'payment' | 'resolution';
    readonly messages: number;
  }[];
  readonly oldestWaitingSince: Date | null;
  readonly signaturesRefused: RefusedSignatures;
}

const downAfter = 3; // failures in a row

/** `down`: three failures in a row, or no success at all; `failing`: some attempts fail, or a delivery was given up. */
export type HealthState = 'well' | 'failing' | 'down';

/** The state of a party for one kind of delivery, for routes and `ops`. The alert IsthmusPartyDown has its own rule. */
export function stateOf({ taken, failing, failedSince, dead }: KindHealth): HealthState {
  if (failedSince >= downAfter || (failing > 0 && taken === 0)) return 'down';
  return failing > 0 || dead > 0 ? 'failing' : 'well';
}

/** The running workers, by their heartbeats; each worker sends one every 5 s. */
export interface Workers {
  /** Workers with a heartbeat in the last 30 s. */
  readonly workers: number;
  /** Seconds since the last heartbeat of any worker; null if there was none. */
  readonly workerHeardSecondsAgo: number | null;
}

/** A receiver for which sends have to wait. */
export interface HeldUp {
  /** The name of the receiver's gate, which limits the concurrent sends to it. */
  readonly receiver: string;
  /** Number of workers whose breaker is open or probing. */
  readonly breakersOpen: number;
  /** Number of workers whose gate to the receiver was full at their last heartbeat. */
  readonly gatesFull: number;
}

/** The state of one receiver, added up over all workers. */
export interface ReceiverHealth {
  /** The name of the receiver's gate: a registered address, or a party and an address. */
  readonly receiver: string;
  /** Number of workers by breaker state. */
  readonly closed: number;
  readonly open: number;
  readonly probing: number;
  readonly failuresInARow: number;
  readonly sendsUnderWay: number;
}

/**
 * The parties behind a gate: all that registered this address, or the party that the gate's name contains. A party is
 * in the name if the gate is for its callbacks, or if several parties are reached through one receiver.
 */
export function partiesOf(data: ReferenceData, receiver: string): readonly string[] {
  const systems = [...data.clearingSystems.values()].filter(
    ({ operatorId }) => data.operators.get(operatorId)?.endpointUrl === receiver,
  );
  const fxps = [...data.institutions.values()].filter((one) => one.notificationUrl === receiver);
  const books = [...data.bookEndpoints].filter(([, url]) => url === receiver);
  const registered = [
    ...systems.map((one) => one.clearingSystemId),
    ...fxps.map((one) => one.bics[0] ?? one.institutionId),
    ...books.map(([partyId]) => data.institutions.get(partyId)?.bics[0] ?? partyId),
  ];
  const named = receiver.split(' ').filter((word) => data.clearingSystems.has(word));
  return [...registered, ...named].sort();
}
