/**
 * How the parties are (OBS-7): what came of our sends to them, what they are still owed, and which payments wait for their
 * final status; and how each worker's breakers stand.
 */

/** What went to a party in one kind of delivery, in a time. */
export interface KindHealth {
  readonly kind: string;
  readonly attempts: number;
  /** Attempts that were taken: HTTP 2xx. */
  readonly taken: number;
  /** Payments and resolutions with an attempt that has ended and was not taken. */
  readonly failing: number;
  readonly lastTakenAt: Date | null;
  /** 95 of 100 attempts ended within so many milliseconds. */
  readonly p95Ms: number | null;
  /** How often each failure came: a class of ours, or `http-503`. */
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
  readonly oldestWaitingSince: Date | null;
}

/** How the workers find one receiver. */
export interface ReceiverHealth {
  /** The origin as registered. */
  readonly receiver: string;
  /** Workers by the state of their breaker. */
  readonly closed: number;
  readonly open: number;
  readonly probing: number;
  readonly failuresInARow: number;
  readonly sendsUnderWay: number;
}
