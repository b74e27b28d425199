/**
 * How the parties are: what came of our sends to them, what they are still owed, and which payments wait for
 * their final status; and how each worker's breakers stand.
 */
import type { ReferenceData } from '../scheme/reference.ts';

/** What went to a party in one kind of delivery, in a time. */
export interface KindHealth {
  readonly kind: string;
  readonly attempts: number;
  /** Attempts that were taken: HTTP 2xx, with an answer that counts where one is asked for. */
  readonly taken: number;
  /** Payments and resolutions with an attempt that failed. */
  readonly failing: number;
  /** Attempts that failed since the last one that was taken. */
  readonly failedSince: number;
  readonly lastTakenAt: Date | null;
  /** 95 of 100 attempts ended within so many milliseconds. */
  readonly p95Ms: number | null;
  /**
   * How often each failure came: a class of ours, as `not-counted` of a 2xx without an answer that counts, or
   * `http-503`.
   */
  readonly failures: Readonly<Record<string, number>>;
  /** Still to be taken, and given up, whenever they were asked for. */
  readonly open: number;
  readonly dead: number;
  readonly oldestDueAt: Date | null;
}

export interface PartyHealth {
  /** Payment system or FX provider. */
  readonly party: string;
  readonly kinds: readonly KindHealth[];
  /** Payments that were sent to it and have no final status, and since when the oldest waits. */
  readonly waiting: number;
  /** Answers and reports of it that did not count. */
  readonly refused: number;
  /** What they were about, the newest. */
  readonly refusedOf: readonly {
    readonly subjectId: string;
    readonly about: 'payment' | 'resolution';
    readonly messages: number;
  }[];
  readonly oldestWaitingSince: Date | null;
}

const downAfter = 3; // failures in a row

/** `down`: takes nothing of what it was sent last; `failing`: some of it, or something was given up. */
export type HealthState = 'well' | 'failing' | 'down';

/**
 * When a party is down for one kind of delivery, as routes and `ops` show it; IsthmusPartyDown fires by its own rule.
 */
export function stateOf({ taken, failing, failedSince, dead }: KindHealth): HealthState {
  if (failedSince >= downAfter || (failing > 0 && taken === 0)) return 'down';
  return failing > 0 || dead > 0 ? 'failing' : 'well';
}

/** The workers that run, as far as they say so: each does every 5 s. */
export interface Workers {
  /** That have said so within 30 s. */
  readonly workers: number;
  /** When one of them last did; null: none has. */
  readonly workerHeardSecondsAgo: number | null;
}

/** A receiver to which something has to wait. */
export interface HeldUp {
  /** The name of its gate. */
  readonly receiver: string;
  /** Workers whose breaker is open, or that probe. */
  readonly breakersOpen: number;
  /** Workers in which every place to it was taken when they last said so. */
  readonly gatesFull: number;
}

/** How the workers find one receiver. */
export interface ReceiverHealth {
  /** The name of its gate: an address as registered, or a party and an address. */
  readonly receiver: string;
  /** Workers by the state of their breaker. */
  readonly closed: number;
  readonly open: number;
  readonly probing: number;
  readonly failuresInARow: number;
  readonly sendsUnderWay: number;
}

/**
 * Whose gate it is: those who have registered that address, or the party that the gate is named after (a callback's, or
 * one of several behind a directory).
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
