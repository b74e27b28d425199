/**
 * When the destination of a NORM payment without a final is asked again, and whether such a question, or one
 * that the source asked, is overdue.
 */

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * When a NORM payment without a final is enquired about, milliseconds after acceptance: 60 s, 5 min, 30 min,
 * then hourly from 2 h 30 min to 24 h. How many there are, and which are passed over, changes with a new form only
 * (workflows/policies.ts).
 */
export const enquiryTimesMs: readonly number[] = [
  minute,
  5 * minute,
  30 * minute,
  ...Array.from({ length: 22 }, (_, index) => 2.5 * hour + index * hour),
  24 * hour,
];

/** When the next enquiry of that schedule is due, epoch milliseconds; undefined: there is none any more. */
export function nextEnquiryAt(acceptedAt: number, now: number): number | undefined {
  return enquiryTimesMs.map((afterMs) => acceptedAt + afterMs).find((at) => at > now);
}

/** What is known of the sends of an undecided NORM payment: epoch milliseconds by the database clock. */
export interface Sends {
  readonly acceptedAt: number;
  /** When the last attempt ended, or began if it has no end on record; null before the first. */
  readonly lastSendEndedAt: number | null;
  /** When its source last asked how it stands, if that asks the destination; null: never. */
  readonly statusAskedAt: number | null;
  /** When it first asked what no send had met when it asked last; null: never. */
  readonly owedSince: number | null;
  /** Whether an operator has been told that it is in doubt. */
  readonly isInDoubt: boolean;
  readonly now: number;
}

const clockErrorMs = 5_000; // the database's clock may be set back a little between an acceptance and its enquiry

/** Milliseconds until the execution hears that a send has ended. */
export const heardMs = 1_000;

/**
 * Whether a send that the source asked for has not been made. One that was under way when it asked is joined,
 * or had ended so shortly before that the execution took it for one.
 */
export function isStatusOwed({
  lastSendEndedAt,
  statusAskedAt,
}: Pick<Sends, 'lastSendEndedAt' | 'statusAskedAt'>): boolean {
  return statusAskedAt !== null && (lastSendEndedAt === null || lastSendEndedAt + heardMs < statusAskedAt);
}

/** Since when a status is owed that the source has asked for; undefined: none is. */
function statusOwedSince({ lastSendEndedAt, statusAskedAt, owedSince }: Sends): number | undefined {
  // a send may have met the first of several questions since
  const unmet = [owedSince, statusAskedAt].filter((at) =>
    isStatusOwed({ lastSendEndedAt, statusAskedAt: at }),
  );
  return unmet[0] ?? undefined;
}

/**
 * Whether something that a NORM payment should have met for longer than the grace has not come about: the first send,
 * the enquiry of TIM-2 whose turn it was, one that the source asked for, or the word to an operator after the last one.
 * An execution sees to all of it; the sweep asks whether it does. A send that was under way counts as the
 * enquiry, too.
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
