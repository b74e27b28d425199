/**
 * The evidence of one payment, as its parties and the operators see it. The route decides who may see which messages
 * (api/payments/payments.ts).
 */
import type { CaseEntry } from '../operations/cases.ts';
import type { Decider } from './decision.ts';
import type { RecordedOutcome } from './recorded-outcome.ts';

export interface EvidenceMessage {
  readonly messageId: string;
  readonly type: string;
  /** The MsgId of the message. */
  readonly messageIdentification: string;
  readonly direction: 'in' | 'out';
  readonly leg: 'source' | 'destination' | 'fxp';
  readonly party: string;
  readonly status: string | null;
  readonly reasonCode: string | null;
  readonly inReplyTo: string | null;
  readonly sha256: Uint8Array;
  /** Bytes. */
  readonly size: number;
  readonly at: Date;
}

/**
 * The number of messages of one sort (repeats and contradictions) that are on record but too many to be
 * shown.
 */
export interface MessagesLeftOut extends Pick<
  EvidenceMessage,
  'type' | 'direction' | 'leg' | 'party' | 'status'
> {
  readonly number: number;
}

export interface EvidenceDecision {
  readonly status: string;
  readonly reasonCode: string | null;
  readonly ruleId: string | null;
  readonly decidedBy: Decider;
  readonly decidedAt: Date;
  readonly reportMessageId: string | null;
  readonly callbackMessageId: string | null;
  readonly confirmationMessageId: string | null;
  readonly notificationMessageId: string | null;
}

export interface EvidenceAttempt {
  readonly attempt: number;
  readonly startedAt: Date;
  /**
   * Null while the attempt runs, and if a crash interrupted it; an interrupted attempt counts as MAYBE_SENT.
   */
  readonly finishedAt: Date | null;
  readonly outcome: string | null;
  readonly httpStatus: number | null;
  readonly durationMs: number | null;
  readonly errorClass: string | null;
  /** Target address, for operators only. Null if the attempt opened no socket. */
  readonly url: string | null;
  /** The start of an HTTP answer other than 2xx, at most 1 KiB; for operators only. */
  readonly responseExcerpt: string | null;
}

/**
 * The number of attempts with one outcome that are on record but too many to be shown. The first of each
 * outcome is shown.
 */
export interface AttemptsLeftOut extends Pick<EvidenceAttempt, 'outcome'> {
  readonly number: number;
}

export interface EvidenceDelivery {
  readonly kind: string;
  readonly messageId: string;
  readonly party: string;
  /** The callback address that the source named; null for other kinds. */
  readonly url: string | null;
  readonly askedAt: Date;
  /** For an instruction: the time of the last request for the status. Scheduled enquiries do not count. */
  readonly enquiryAskedAt: Date | null;
  readonly nextDueAt: Date;
  readonly deliveredAt: Date | null;
  readonly closedAt: Date | null;
  readonly closedReason: string | null;
  readonly attempts: readonly EvidenceAttempt[];
  readonly attemptsLeftOut: readonly AttemptsLeftOut[];
}

export interface EvidenceEvent {
  readonly at: Date;
  readonly severity: string;
  readonly kind: string;
  readonly party: string | null;
  /** Codes and ids; `by` is the client id of the person who acted. */
  readonly detail: unknown;
}

/**
 * The number of events of one kind that are on record but too many to be shown. The first of each kind is
 * shown.
 */
export interface EventsLeftOut extends Pick<EvidenceEvent, 'severity' | 'kind' | 'party'> {
  readonly number: number;
}

/** A refused message of a party; for operators only. */
export interface EvidenceRefused {
  readonly messageId: string;
  readonly party: string;
  readonly inReplyTo: string | null;
  readonly sha256: Uint8Array;
  /** Bytes. */
  readonly size: number;
  readonly at: Date;
  /** Kind of the event that reports it. */
  readonly refusedAs: string;
  /** The fault of the message, and the status that it reported. */
  readonly fault: Readonly<Record<string, string | null>>;
}

/** The parties and the route of a payment, from its database row. */
export interface EvidencePayment {
  readonly messageId: string;
  readonly forwardedMessageId: string | null;
  readonly sourceSystem: string;
  readonly destinationSystem: string | null;
  readonly corridor: string | null;
  readonly priority: string | null;
  readonly judgedAt: Date;
  readonly acceptanceAt: Date | null;
  readonly deadlineAt: Date | null;
  readonly quoteId: string | null;
  /** For a rejected payment, the agent that the message names; nothing has verified it. */
  readonly debtorAgentId: string | null;
  readonly creditorAgentId: string | null;
}

export interface PaymentEvidence {
  /** Undefined while the first submission is not yet judged, and if the gateway refused every submission. */
  readonly payment: EvidencePayment | undefined;
  readonly decision: EvidenceDecision | undefined;
  /** Oldest first, like all lists here. */
  readonly messages: readonly EvidenceMessage[];
  readonly messagesLeftOut: readonly MessagesLeftOut[];
  readonly deliveries: readonly EvidenceDelivery[];
  readonly events: readonly EvidenceEvent[];
  readonly eventsLeftOut: readonly EventsLeftOut[];
  readonly refused: readonly EvidenceRefused[];
  /** The acts of operators on the payment and on each of its alerts. */
  readonly entries: readonly CaseEntry[];
  /** The outcomes that operators recorded. */
  readonly outcomes: readonly RecordedOutcome[];
}

/**
 * The pacs.008 of the payment. If no payment exists: the first submission that is not judged yet, else the first that
 * was refused as a repeat. Undefined if no submission has this UETR.
 */
export function submissionOf(evidence: PaymentEvidence): EvidenceMessage | undefined {
  const { payment, messages } = evidence;
  if (payment !== undefined) return messages.find((one) => one.messageId === payment.messageId);
  const submissions = messages.filter((one) => one.type === 'pacs008' && one.direction === 'in');
  return submissions.find((one) => refusalOf(evidence, one) === undefined) ?? submissions[0];
}

/** The answer that refused a submission without a payment; undefined while the submission is not judged. */
export function refusalOf(
  { payment, messages }: PaymentEvidence,
  { messageId }: EvidenceMessage,
): EvidenceMessage | undefined {
  if (payment !== undefined) return undefined; // any other answer is stored together with the payment
  return messages.find((one) => one.direction === 'out' && one.inReplyTo === messageId);
}

/**
 * Whether the destination may know of the payment: a byte may have reached it, or it has sent a report. In
 * the database, the same condition is `possibly_sent > 0` of the instruction, or a report on record
 * (db/payments/decisions.ts). This function uses only the shown evidence, so that its result agrees with that
 * evidence.
 */
export function mayHaveBeenSeen({ messages, deliveries }: PaymentEvidence): boolean {
  const instruction = deliveries.find(({ kind }) => kind === 'instruction');
  const mayHaveLeft = instruction?.attempts.some(({ outcome }) => outcome !== 'NOT_SENT') ?? false;
  return mayHaveLeft || messages.some(({ direction, leg }) => direction === 'in' && leg === 'destination');
}

/**
 * Without a payment, reduces the evidence to the messages of one party: under one UETR, several parties may have been
 * refused.
 */
export function ofParty(evidence: PaymentEvidence, party: string): PaymentEvidence {
  if (evidence.payment !== undefined) return evidence;
  const ofThem = (one: { readonly party: string | null }) => one.party === party;
  return {
    ...evidence,
    messages: evidence.messages.filter(ofThem),
    messagesLeftOut: evidence.messagesLeftOut.filter(ofThem),
    events: evidence.events.filter(ofThem),
    eventsLeftOut: evidence.eventsLeftOut.filter(ofThem),
  };
}

/**
 * Events of recorded outcomes stay hidden: an unconfirmed outcome may be wrong, and the decision shows a
 * confirmed one.
 */
const isOfOutcome = ({ kind }: Pick<EvidenceEvent, 'kind'>) => kind.startsWith('operator.outcome-');

/**
 * Selects the events that both sides of a payment may see. It leaves out security events and events of
 * recorded outcomes. It shows the other acts of operators without the operator's name.
 */
export function eventsForSides(events: readonly EvidenceEvent[]): readonly EvidenceEvent[] {
  return events
    .filter(isForSides)
    .map(({ detail, ...event }) => ({ ...event, detail: withoutPerson(detail) }));
}

/** Whether both sides of a payment may see the event. */
export const isForSides = (event: Pick<EvidenceEvent, 'severity' | 'kind'>): boolean =>
  event.severity !== 'security' && !isOfOutcome(event);

const withoutPerson = (detail: unknown) =>
  Object.fromEntries(Object.entries(detail ?? {}).filter(([name]) => name !== 'by'));

/**
 * Hides a confirmation that will never be sent. The gateway composes one with every decision, but does not
 * send it to a destination that cannot know of the payment.
 */
export function withoutUnsent(evidence: PaymentEvidence): PaymentEvidence {
  const { decision, messages, deliveries } = evidence;
  const isDue = deliveries.some(({ kind }) => kind === 'confirmation');
  if (decision === undefined || isDue || mayHaveBeenSeen(evidence)) return evidence;
  return {
    ...evidence,
    decision: { ...decision, confirmationMessageId: null },
    messages: messages.filter((one) => one.messageId !== decision.confirmationMessageId),
  };
}

/**
 * Returns the evidence that the destination's side may see. The quote and the FX provider are left out,
 * because they concern only the source's side. The list of payments leaves out the same values
 * (db/payments/payment-list.ts).
 */
export function withoutExchange(evidence: PaymentEvidence): PaymentEvidence {
  const { payment, decision, deliveries, messages } = evidence;
  const isNotification = ({ kind }: EvidenceDelivery) => kind === 'notification';
  const providers = new Set(
    [...deliveries.filter(isNotification), ...messages.filter(({ leg }) => leg === 'fxp')].map(
      ({ party }) => party,
    ),
  );
  const isOfSides = (event: Pick<EvidenceEvent, 'kind' | 'party'>) =>
    !event.kind.startsWith('notification.') && (event.party === null || !providers.has(event.party));
  return {
    ...evidence,
    payment: payment && { ...payment, quoteId: null },
    decision: decision && { ...decision, notificationMessageId: null },
    messages: messages.filter(({ leg }) => leg !== 'fxp'),
    messagesLeftOut: evidence.messagesLeftOut.filter(({ leg }) => leg !== 'fxp'),
    deliveries: deliveries.filter((one) => !isNotification(one)),
    events: evidence.events.filter(isOfSides),
    eventsLeftOut: evidence.eventsLeftOut.filter(isOfSides),
  };
}
