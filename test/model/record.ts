// The record of one payment as the model sees it, and what each statement of db/ does to it. A statement is atomic:
// what is one statement there is one function here. statements.test.ts holds each to the SQL, for all combinations of
// what it reads.
import type { DecisionCondition } from '../../core/payments/decision.ts';
import { finalStatuses, type FinalStatus } from '../../core/payments/report.ts';
import type { AttemptOutcome } from '../../db/deliveries/deliveries.ts';
import type { Mistake } from './mistakes.ts';

/** A final pacs.002 of the destination: A says what it did, B contradicts A. */
export type Report = 'A' | 'B';

const deliveryStates = ['none', 'due', 'delivered', 'dead'] as const;

/** What the parts of the record can be, first what they begin with. */
export const recordValues = {
  /** The source's pacs.008 is in `messages`. */
  submitted: [false, true],
  payment: ['none', 'accepted', 'rejected'],
  /** Instructions stored for it: one, unless a mistake makes another. */
  instructions: [0, 1, 2],
  /** Whether `attempts` of the instruction is above 0. */
  attempted: [false, true],
  /** `possibly_sent` of the instruction: attempts that did not end as NOT_SENT. */
  possiblySent: [0, 1, 2, 3, 4],
  /** The instruction is closed to sends. */
  closed: [false, true],
  /** `final_report_id`. */
  marked: ['-', 'A', 'B'],
  /** The reports in `messages`, in the order in which they came. */
  stored: ['', 'A', 'B', 'AB', 'BA'],
  /** The row in `decisions`. */
  status: ['-', ...finalStatuses],
  decidedBy: ['-', 'validation', 'A', 'B', 'deadline', 'unreachable'],
  callback: deliveryStates,
  /** `due`: asked for once and not tried; `again`: due after an attempt, or asked for again. */
  confirmation: ['none', 'due', 'again', 'delivered', 'dead'],
  notification: deliveryStates,
  /** Different fxtr.017 stored: one, unless a mistake makes another. */
  notices: [0, 1, 2],
  /** Reports that raised `payment.contradiction`. */
  alerts: ['', 'A', 'B', 'AB'],
  /** `payment.in-doubt` was raised. */
  inDoubt: [false, true],
} as const;

/** What the database holds. */
export type Record = { readonly [Part in keyof typeof recordValues]: (typeof recordValues)[Part][number] };

/** What a statement changes; undefined: nothing, because its condition does not hold. */
export type Effect = Partial<Record> | undefined;

/** `recordAccepted`: the unique key of `payments` (DUP-3). */
export function recordAccepted(record: Record, mistake?: Mistake): Effect {
  if (record.payment !== 'none' && mistake !== 'no unique key of a payment') return undefined;
  return { payment: 'accepted', instructions: record.instructions === 0 ? 1 : 2 };
}

/** `recordRejected`: the same key; decided at once. */
export function recordRejected(record: Record): Effect {
  if (record.payment !== 'none') return undefined;
  return { payment: 'rejected', status: 'RJCT', decidedBy: 'validation', callback: 'due' };
}

const plus = ({ possiblySent }: Record, more: number) => (possiblySent + more) as Record['possiblySent'];

/**
 * `claimInstruction`: the intent, committed before the socket opens (TIM-3), while it is open and not past its deadline
 * (TIM-1).
 */
export function claimInstruction(record: Record, isPastDeadline: boolean, mistake?: Mistake): Effect {
  if (record.closed && mistake !== 'a decision leaves the instruction open') return undefined;
  if (isPastDeadline && mistake !== 'sends without looking at the deadline') return undefined;
  const intent = mistake === 'no intent before the socket opens' ? 0 : 1;
  const another = mistake === 'composes the instruction anew for each send' && record.attempted;
  return { attempted: true, possiblySent: plus(record, intent), ...(another && { instructions: 2 }) };
}

/** `settleAttempt` of the instruction. */
export function settleInstruction(
  record: Record,
  outcome: AttemptOutcome,
  mistake?: Mistake,
): Partial<Record> {
  if (mistake === 'no intent before the socket opens')
    return { possiblySent: plus(record, outcome === 'NOT_SENT' ? 0 : 1) };
  const isUncounted =
    outcome === 'NOT_SENT' || (outcome === 'MAYBE_SENT' && mistake === 'a timeout counts as NOT_SENT');
  return { possiblySent: plus(record, isUncounted ? -1 : 0) };
}

/** `withdrawConfirmation`: of a destination that saw nothing after all. */
export function withdrawConfirmation(record: Record, mistake?: Mistake): Effect {
  const isUnseen = record.possiblySent === 0 || mistake === 'withdraws a confirmation that was due';
  const isByGateway = record.decidedBy === 'deadline' || record.decidedBy === 'unreachable';
  if (!record.closed || !isUnseen || !isByGateway) return undefined;
  return record.confirmation === 'due' && record.stored === '' ? { confirmation: 'none' } : undefined;
}

const storing = {
  A: { '': 'A', A: 'A', B: 'BA', AB: 'AB', BA: 'BA' },
  B: { '': 'B', A: 'AB', B: 'B', AB: 'AB', BA: 'BA' },
} as const;

/** `recordReport` of a final: stored once, and marked if it is the first of an undecided payment (PAY-7). */
export function recordReport(record: Record, report: Report, mistake?: Mistake): Partial<Record> {
  const isFirst = !record.closed && record.marked === '-' && mistake !== 'a stored final is not looked at';
  return { stored: storing[report][record.stored], marked: isFirst ? report : record.marked };
}

/** What `recordDecision` is given (activities/payments/decide-payment.ts). */
export interface NewDecision {
  readonly status: FinalStatus;
  readonly by: Exclude<Record['decidedBy'], '-' | 'validation'>;
  readonly onlyIf: DecisionCondition | null;
  readonly tellsDestination: boolean;
  readonly tellsFxProvider: boolean;
}

/** What has passed by the database clock: the deadline, and a minute since acceptance (db/payments/unreachable.ts). */
export interface Passed {
  readonly deadline: boolean;
  readonly minute: boolean;
}

/** `recordDecision`: compare-and-set, with all that derives from it (PAY-7, PAY-10). */
export function recordDecision(
  record: Record,
  decision: NewDecision,
  passed: Passed,
  mistake?: Mistake,
): Effect {
  const { status, by, onlyIf, tellsDestination, tellsFxProvider } = decision;
  const isOthers = record.marked !== '-' && record.marked !== by;
  if (isOthers && mistake !== 'the last final wins') return undefined;
  const mayBeSent = record.possiblySent > 0 && mistake !== 'rejects what may have been sent';
  const isUntried = !record.attempted && mistake !== 'rejects what was never tried';
  if (onlyIf === 'unreachable' && (mayBeSent || isUntried || !passed.minute)) return undefined;
  if (onlyIf === 'past-deadline' && !passed.deadline && mistake !== "the deadline by the engine's clock")
    return undefined;
  const isOverwritten = mistake === 'no compare-and-set of the decision' || mistake === 'the last final wins';
  if (record.status !== '-' && !isOverwritten) return { closed: true };
  const notices = record.status === '-' ? 1 : 2;
  const confirms =
    tellsDestination && record.possiblySent > 0 && mistake !== 'no negative confirmation at the deadline';
  return {
    ...{ closed: true, status, decidedBy: by, callback: 'due' },
    ...(confirms && record.confirmation === 'none' && { confirmation: 'due' }),
    ...(tellsFxProvider && { notification: 'due', notices }),
  };
}

/** `askConfirmation`: the destination is told (again) (PAY-9). */
export function askConfirmation({ confirmation }: Record): Partial<Record> {
  return { confirmation: confirmation === 'none' ? 'due' : 'again' };
}

/** `askDeadConfirmation`: a destination that posts a final is there again (PAY-9). */
export function askDeadConfirmation({ confirmation }: Record): Partial<Record> {
  return confirmation === 'dead' ? { confirmation: 'again' } : {};
}

/** `askAgain` of the callback (DUP-1). */
export function askCallback({ callback }: Record): Effect {
  return callback === 'none' ? undefined : { callback: 'due' };
}

const alerting = {
  A: { '': 'A', A: 'A', B: 'AB', AB: 'AB' },
  B: { '': 'B', A: 'AB', B: 'B', AB: 'AB' },
} as const;

/** `recordContradiction` of a final that differs. */
export function recordContradiction({ alerts }: Record, report: Report): Partial<Record> {
  return { alerts: alerting[report][alerts] };
}
