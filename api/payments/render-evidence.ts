// Renders the evidence of a payment as JSON, limited to what the caller may see. Values from messages occur
// only in the list of differing fields.
import { assert } from '../../core/assert.ts';
import type { CaseEntry } from '../../core/operations/cases.ts';
import {
  eventsForSides,
  isForSides,
  refusalOf,
  submissionOf,
  type EvidenceDelivery,
  type EvidenceEvent,
  type EvidenceMessage,
  type EvidenceRefused,
  type MessagesLeftOut,
  type PaymentEvidence,
} from '../../core/payments/evidence.ts';
import { isStatusOwed, nextEnquiryAt } from '../../core/payments/enquiry-schedule.ts';
import { messages, type MessageName } from '../../core/iso20022/messages.ts';
import type { FieldDifference } from '../../core/rejections/message-difference.ts';
import type { JsonObject, JsonValue } from '../../core/money/money.ts';
import type { RecordedOutcome } from '../../core/payments/recorded-outcome.ts';

/** Limits how much of a payment a caller sees. */
export interface View {
  /** Whether the message is in the caller's timeline. */
  readonly mayList: (message: Pick<EvidenceMessage, 'leg' | 'party'>) => boolean;
  /** Whether the caller may read the bytes and values of the message. */
  readonly mayRead: (message: EvidenceMessage) => boolean;
  /**
   * Whether the caller is an operator. Operators also see security events, addresses, excerpts of answers,
   * refused messages and the actions of operators.
   */
  readonly isOperator: boolean;
}

export interface EvidenceView extends View {
  readonly difference: readonly FieldDifference[] | null;
  /** Ids of the compared messages whose stored bytes fail the integrity check. */
  readonly changed: readonly string[];
  readonly now: Date;
  /**
   * The obstacles to sending the due messages. Null if no message is due, or if the caller may not see the
   * obstacles.
   */
  readonly hindrances: JsonValue;
}

export function renderEvidence(uetr: string, evidence: PaymentEvidence, view: EvidenceView): JsonObject {
  const { payment, decision, deliveries, events } = evidence;
  const submission = submissionOf(evidence);
  assert(submission !== undefined, 'a payment was submitted');
  const refusal = refusalOf(evidence, submission);
  const unknown = refusal === undefined ? 'RCVD' : 'REFUSED';
  const open = payment === undefined ? unknown : isInDoubt(evidence) ? 'INDOUBT' : 'ACTC';
  return {
    uetr,
    status: decision?.status ?? open, // seam: shown-status
    sourceClearingSystem: submission.party,
    destinationClearingSystem: payment?.destinationSystem ?? null,
    corridor: payment?.corridor ?? null,
    priority: payment?.priority ?? null,
    receivedAt: submission.at,
    judgedAt: payment?.judgedAt ?? refusal?.at ?? null,
    acceptanceDateTime: payment?.acceptanceAt ?? null,
    deadlineAt: payment?.deadlineAt ?? null,
    quoteId: payment?.quoteId ?? null,
    messages: evidence.messages.filter(view.mayList).map((one) => renderMessage(uetr, one, view)),
    messagesLeftOut: evidence.messagesLeftOut.filter(view.mayList).map(renderMessagesLeftOut),
    decision: decision === undefined ? null : { ...decision },
    waitsFor: renderNext(evidence, view.now),
    hindrances: view.hindrances,
    deliveries: deliveries.map((one) => renderDelivery(one, view)),
    events: (view.isOperator ? events : eventsForSides(events)).map(renderEvent),
    eventsLeftOut: renderEventsLeftOut(evidence, view),
    entries: view.isOperator ? evidence.entries.map(renderEntry) : [],
    outcomes: view.isOperator ? evidence.outcomes.map(renderOutcome) : [],
    refusedMessages: view.isOperator ? evidence.refused.map((one) => renderRefused(uetr, one)) : [],
    difference: renderDifference(evidence, view),
  };
}

function renderMessage(
  uetr: string,
  message: EvidenceMessage,
  { mayRead, changed }: EvidenceView,
): JsonObject {
  const { type, ...shown } = message;
  return {
    ...shown,
    message: messages[type as MessageName].identifier,
    sha256: Buffer.from(message.sha256).toString('hex'),
    isChanged: changed.includes(message.messageId),
    href: mayRead(message) ? `/payments/${uetr}/messages/${message.messageId}` : null,
  };
}

function renderMessagesLeftOut({ type, ...one }: MessagesLeftOut): JsonObject {
  return { message: messages[type as MessageName].identifier, ...one };
}

/** Whether an operator must find out how the payment ended. */
const isInDoubt = ({ events }: PaymentEvidence) => events.some(({ kind }) => kind === 'payment.in-doubt');

/** Returns the next event of a payment without a final status, and the time of the event. */
function renderNext(evidence: PaymentEvidence, now: Date): JsonValue {
  const { payment, decision } = evidence;
  if (payment?.destinationSystem === null || payment === undefined || decision !== undefined) return null;
  if (payment.deadlineAt !== null) return { what: 'deadline', at: payment.deadlineAt };
  const askedAt = askedInVain(evidence);
  if (askedAt !== undefined) return { what: 'enquiry', at: askedAt };
  const at = nextEnquiryAt(payment.judgedAt.getTime(), now.getTime());
  if (at !== undefined) return { what: 'enquiry', at: new Date(at) };
  return { what: isInDoubt(evidence) ? 'person' : 'enquiry', at: null };
}

/** Returns the time of a requested enquiry that was not sent yet; undefined if there is none. */
function askedInVain({ deliveries }: PaymentEvidence): Date | undefined {
  const instruction = deliveries.find(({ kind }) => kind === 'instruction');
  if (instruction === undefined || instruction.enquiryAskedAt === null) return undefined;
  const ended = instruction.attempts.map(({ startedAt, finishedAt }) => (finishedAt ?? startedAt).getTime());
  const lastSendEndedAt = ended.length === 0 ? null : Math.max(...ended);
  const statusAskedAt = instruction.enquiryAskedAt.getTime();
  return isStatusOwed({ lastSendEndedAt, statusAskedAt }) ? instruction.enquiryAskedAt : undefined;
}

function renderRefused(uetr: string, message: EvidenceRefused): JsonObject {
  return {
    ...message,
    sha256: Buffer.from(message.sha256).toString('hex'),
    href: `/payments/${uetr}/messages/${message.messageId}`,
  };
}

function renderDelivery(delivery: EvidenceDelivery, { isOperator }: View): JsonObject {
  const { deliveredAt, closedAt } = delivery;
  // an instruction has no delivery schedule, because the enquiries of TIM-2 send it again
  const isDue = delivery.kind !== 'instruction' && deliveredAt === null && closedAt === null;
  return {
    kind: delivery.kind,
    messageId: delivery.messageId,
    party: delivery.party,
    askedAt: delivery.askedAt,
    nextDueAt: isDue ? delivery.nextDueAt : null,
    deliveredAt,
    closedAt,
    closedReason: delivery.closedReason,
    attempts: delivery.attempts.map((attempt) => ({
      attempt: attempt.attempt,
      startedAt: attempt.startedAt,
      finishedAt: attempt.finishedAt,
      outcome: attempt.outcome,
      httpStatus: attempt.httpStatus,
      durationMs: attempt.durationMs,
      errorClass: attempt.errorClass,
      url: isOperator ? attempt.url : null,
      responseExcerpt: isOperator ? attempt.responseExcerpt : null,
    })),
    attemptsLeftOut: delivery.attemptsLeftOut.map(({ outcome, number }) => ({ outcome, number })),
  };
}

const renderEvent = ({ detail, ...event }: EvidenceEvent): JsonObject => ({
  ...event,
  detail: detail as JsonValue,
});

/** Sums the counts of all parties by severity and kind. */
function renderEventsLeftOut({ eventsLeftOut }: PaymentEvidence, { isOperator }: View): JsonValue {
  const numbers = new Map<string, { kind: string; severity: string; number: number }>();
  for (const { kind, severity, number } of isOperator ? eventsLeftOut : eventsLeftOut.filter(isForSides)) {
    const key = `${severity} ${kind}`;
    numbers.set(key, { kind, severity, number: (numbers.get(key)?.number ?? 0) + number });
  }
  return [...numbers.values()];
}

export const renderEntry = ({ alerts, ...entry }: CaseEntry): JsonObject => ({
  ...entry,
  alerts: alerts.map((one) => ({ ...one })),
});

export const renderOutcome = (outcome: RecordedOutcome): JsonObject => ({ ...outcome });

/** Renders the differing fields. Shows values only to callers who may read both messages. */
function renderDifference(
  { payment, messages: all }: PaymentEvidence,
  { difference, mayRead }: EvidenceView,
): JsonValue {
  if (difference === null || payment === undefined) return null;
  const compared = all.filter(({ messageId }) =>
    [payment.messageId, payment.forwardedMessageId].includes(messageId),
  );
  const showsValues = compared.every(mayRead);
  return {
    receivedMessageId: payment.messageId,
    forwardedMessageId: payment.forwardedMessageId,
    fields: difference.map((field) => ({
      change: field.change,
      receivedXpath: field.receivedXpath ?? null,
      forwardedXpath: field.forwardedXpath ?? null,
      ruleId: field.ruleId ?? null,
      ...(showsValues ? { received: field.received ?? null, forwarded: field.forwarded ?? null } : {}),
    })),
  };
}
