/**
 * When the gateway enquires about a NORM payment without a final status, and whether an enquiry is overdue.
 */

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * Times of the enquiries about a NORM payment without a final status, in milliseconds after acceptance. They
 * are 60 s, 5 min, 30 min, then hourly from 2 h 30 min to 24 h. Changing their number or the rule for
 * skipping breaks the replay of running workflows (HISTORY in workflows/policies.ts).
 */
export const enquiryTimesMs: readonly number[] = [
  minute,
  5 * minute,
  30 * minute,
  ...Array.from({ length: 22 }, (_, index) => 2.5 * hour + index * hour),
  24 * hour,
];

/** When the next scheduled enquiry is due, epoch milliseconds; undefined after the last one. */
export function nextEnquiryAt(acceptedAt: number, now: number): number | undefined {
  return enquiryTimesMs.map((afterMs) => acceptedAt + afterMs).find((at) => at > now);
}

/** The sends of an undecided NORM payment. Times are epoch milliseconds by the database clock. */
export interface Sends {
  readonly acceptedAt: number;
  /** When the last attempt ended, or began if its end is not on record; null before the first attempt. */
  readonly lastSendEndedAt: number | null;
  /** When the source last asked for the status in a way that causes an enquiry; null if it never did. */
  readonly statusAskedAt: number | null;
  /**
   * Time of the oldest status request that no send had answered when the source last asked; null if it never
   * asked.
   */
  readonly owedSince: number | null;
  /** Whether the alert `payment.in-doubt` was raised. */
  readonly isInDoubt: boolean;
  readonly now: number;
}

const clockErrorMs = 5_000; // the database clock may go back a little between acceptance and enquiry

/** Milliseconds until the execution learns that a send has ended. */
export const heardMs = 1_000;

/**
 * Whether the gateway still owes the source an enquiry that it asked for. A send that was under way at that
 * time counts as the enquiry. So does a send that ended shortly before, because the execution had not learnt
 * of its end.
 */
export function isStatusOwed({
  lastSendEndedAt,
  statusAskedAt,
}: Pick<Sends, 'lastSendEndedAt' | 'statusAskedAt'>): boolean {
  return statusAskedAt !== null && (lastSendEndedAt === null || lastSendEndedAt + heardMs < statusAskedAt);
}

/** The time since which the gateway has owed the source a status; undefined if it owes none. */
function statusOwedSince({ lastSendEndedAt, statusAskedAt, owedSince }: Sends): number | undefined {
  // a later send may have answered the first of several status requests
  const unmet = [owedSince, statusAskedAt].filter((at) =>
    isStatusOwed({ lastSendEndedAt, statusAskedAt: at }),
  );
  return unmet[0] ?? undefined;
}

/**
 * Whether something that the execution of a NORM payment must do is overdue by more than the grace. It must
 * make the first send, the latest scheduled enquiry (TIM-2) and an enquiry for the source, and raise the
 * alert after the last enquiry. The sweep uses this to find executions that do not work. A send that was
 * under way at the time counts as the enquiry.
 */
export function isSendOverdue(sends: Sends, graceMs: number): boolean {
  const { acceptedAt, lastSendEndedAt, isInDoubt, now } = sends;
  const isPast = (at: number) => at <= now - graceMs;
  if (lastSendEndedAt === null) return isPast(acceptedAt);
  if (isPast(statusOwedSince(sends) ?? Infinity)) return true;
  const past = enquiryTimesMs.map((afterMs) => acceptedAt + afterMs).filter(isPast);
  const last = past.at(-1);
  if (last === undefined) return false;
  return lastSendEndedAt < last - clockErrorMs || (past.length === enquiryTimesMs.length && !isInDoubt);
}
