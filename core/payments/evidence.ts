/**
 * What is on record about one payment, as it is shown to its parties and to operators. Who may see which of its
 * messages is decided by the route (api/payments/payments.ts).
 */
import type { CaseEntry } from '../operations/cases.ts';
import type { Decider } from './decision.ts';
import type { RecordedOutcome } from './recorded-outcome.ts';

export interface EvidenceMessage {
  readonly messageId: string;
  readonly type: string;
  /** Its MsgId. */
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

/** Messages that are on record and not shown, because there are too many: repeats and contradictions. */
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
  /** Null while it runs, and when a crash left it open: then it counts as MAYBE_SENT. */
  readonly finishedAt: Date | null;
  readonly outcome: string | null;
  readonly httpStatus: number | null;
  readonly durationMs: number | null;
  readonly errorClass: string | null;
  /** Where it went; operators only. Null where it opened no socket. */
  readonly url: string | null;
  /** Of an answer other than 2xx, at most 1 KiB; operators only. */
  readonly responseExcerpt: string | null;
}

/** Attempts that are on record and not shown, because there are too many; the first of each outcome always is. */
export interface AttemptsLeftOut extends Pick<EvidenceAttempt, 'outcome'> {
  readonly number: number;
}

export interface EvidenceDelivery {
  readonly kind: string;
  readonly messageId: string;
  readonly party: string;
  /** Of a callback: where its source wants it. */
  readonly url: string | null;
  readonly askedAt: Date;
  /** Of an instruction: when somebody last asked for the status, other than by the schedule. */
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

/** Events that are on record and not shown, because there are too many; the first of each kind always is. */
export interface EventsLeftOut extends Pick<EvidenceEvent, 'severity' | 'kind' | 'party'> {
  readonly number: number;
}

/** What a party sent and what did not count; operators only. */
export interface EvidenceRefused {
  readonly messageId: string;
  readonly party: string;
  readonly inReplyTo: string | null;
  readonly sha256: Uint8Array;
  /** Bytes. */
  readonly size: number;
  readonly at: Date;
  /** Kind of the event that tells of it. */
  readonly refusedAs: string;
  /** What is wrong with it, and the status that it reported. */
  readonly fault: Readonly<Record<string, string | null>>;
}

/** Whose a payment is and where it goes, from its row. */
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
  /** For a rejected payment: as claimed in the message, not verified. */
  readonly debtorAgentId: string | null;
  readonly creditorAgentId: string | null;
}

export interface PaymentEvidence {
  /** Undefined while its first submission is stored and not yet judged, and where all that came was refused. */
  readonly payment: EvidencePayment | undefined;
  readonly decision: EvidenceDecision | undefined;
  /** Oldest first, as everything here. */
  readonly messages: readonly EvidenceMessage[];
  readonly messagesLeftOut: readonly MessagesLeftOut[];
  readonly deliveries: readonly EvidenceDelivery[];
  readonly events: readonly EvidenceEvent[];
  readonly eventsLeftOut: readonly EventsLeftOut[];
  readonly refused: readonly EvidenceRefused[];
  /** What operators did about it, and about each of its alerts. */
  readonly entries: readonly CaseEntry[];
  /** What operators recorded of how it ended. */
  readonly outcomes: readonly RecordedOutcome[];
}

/**
 * The pacs.008 that the payment is of; where there is none, the first that nobody has judged yet, or else the first
 * that was refused as a repeat. Undefined where nothing was taken in under the UETR.
 */
export function submissionOf(evidence: PaymentEvidence): EvidenceMessage | undefined {
  const { payment, messages } = evidence;
  if (payment !== undefined) return messages.find((one) => one.messageId === payment.messageId);
  const submissions = messages.filter((one) => one.type === 'pacs008' && one.direction === 'in');
  return submissions.find((one) => refusalOf(evidence, one) === undefined) ?? submissions[0];
}

/** The answer by which a submission that made no payment was refused; undefined while it is not judged. */
export function refusalOf(
  { payment, messages }: PaymentEvidence,
  { messageId }: EvidenceMessage,
): EvidenceMessage | undefined {
  if (payment !== undefined) return undefined; // every other answer is written together with the payment
  return messages.find((one) => one.direction === 'out' && one.inReplyTo === messageId);
}

/**
 * Whether the destination may have seen anything of the payment: a byte may have left for it, or it has said a word.
 * The same as `possibly_sent > 0` of the instruction, which counts such attempts, or a report on record
 * (db/payments/decisions.ts); here it is read from what is shown, so that the evidence agrees with itself.
 */
export function mayHaveBeenSeen({ messages, deliveries }: PaymentEvidence): boolean {
  const instruction = deliveries.find(({ kind }) => kind === 'instruction');
  const mayHaveLeft = instruction?.attempts.some(({ outcome }) => outcome !== 'NOT_SENT') ?? false;
  return mayHaveLeft || messages.some(({ direction, leg }) => direction === 'in' && leg === 'destination');
}

/**
 * Where no payment came to be, only what was exchanged with that party: several may have been refused under one UETR.
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

/** What one person says and another has not confirmed is no outcome yet; what counts, the decision says. */
const isOfOutcome = ({ kind }: Pick<EvidenceEvent, 'kind'>) => kind.startsWith('operator.outcome-');

/**
 * The events as both sides of a payment see them: nothing of security, nothing of an outcome that operators recorded,
 * and of what else operators did, that it was done, but not which person did it.
 */
export function eventsForSides(events: readonly EvidenceEvent[]): readonly EvidenceEvent[] {
  return events
    .filter(isForSides)
    .map(({ detail, ...event }) => ({ ...event, detail: withoutPerson(detail) }));
}

/** Whether both sides of a payment see it. */
export const isForSides = (event: Pick<EvidenceEvent, 'severity' | 'kind'>): boolean =>
  event.severity !== 'security' && !isOfOutcome(event);

const withoutPerson = (detail: unknown) =>
  Object.fromEntries(Object.entries(detail ?? {}).filter(([name]) => name !== 'by'));

/** The confirmation is composed with the decision; a destination that saw nothing is never sent it. */
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
 * As the destination's side sees it: without the quote and without the FX provider, which are the business of those who
 * sent the payment. The list of payments leaves out the same (db/payments/payment-list.ts).
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
