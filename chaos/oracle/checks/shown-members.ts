// GET /payments/{uetr}, member by member: the payment itself, its decision, its messages and events, and where the two
// pacs.008 differ, against the rows. What may still have been under way at that moment is left open.
import { schemaFiles, type MessageType } from '../read-message.ts';
import { instant, type AuditRow } from '../rows.ts';
import type { Payment, Stored, World } from '../world.ts';
import { fieldsOf, pathsThatDiffer } from './difference.ts';

export interface Shown {
  readonly uetr: string;
  readonly status: string;
  readonly sourceClearingSystem: string;
  readonly destinationClearingSystem: string | null;
  readonly corridor: string | null;
  readonly priority: string | null;
  readonly receivedAt: string | null;
  readonly judgedAt: string | null;
  readonly acceptanceDateTime: string | null;
  readonly deadlineAt: string | null;
  readonly quoteId: string | null;
  readonly decision: ShownDecision | null;
  readonly messages: readonly ShownMessage[];
  readonly deliveries: readonly ShownDelivery[];
  readonly events: readonly ShownEvent[];
  readonly difference: ShownDifference | null;
}

interface ShownDecision {
  readonly status: string;
  readonly reasonCode: string | null;
  readonly ruleId: string | null;
  readonly decidedBy: string;
  readonly decidedAt: string;
  readonly reportMessageId: string | null;
  readonly callbackMessageId: string | null;
  readonly confirmationMessageId: string | null;
  readonly notificationMessageId: string | null;
}

export interface ShownMessage {
  readonly messageId: string;
  readonly message: string;
  readonly messageIdentification: string;
  readonly direction: string;
  readonly leg: string;
  readonly party: string;
  readonly at: string;
  readonly status: string | null;
  readonly reasonCode: string | null;
  readonly inReplyTo: string | null;
  readonly sha256: string;
  readonly size: string;
  readonly href: string | null;
}

export interface ShownDelivery {
  readonly kind: string;
  readonly messageId: string;
  readonly party: string;
  readonly askedAt: string;
  readonly nextDueAt: string | null;
  readonly deliveredAt: string | null;
  readonly closedAt: string | null;
  readonly closedReason: string | null;
  readonly attempts: readonly ShownAttempt[];
}

export interface ShownAttempt {
  readonly attempt: string;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly outcome: string | null;
  readonly httpStatus: string | null;
  readonly durationMs: string | null;
  readonly errorClass: string | null;
}

interface ShownEvent {
  readonly at: string;
  readonly severity: string;
  readonly kind: string;
  readonly party: string | null;
  readonly detail: unknown;
}

interface ShownDifference {
  readonly receivedMessageId: string;
  readonly forwardedMessageId: string;
  readonly fields: readonly {
    readonly receivedXpath: string | null;
    readonly forwardedXpath: string | null;
  }[];
}

/** Of a member: what it is, and what it must be. */
export type Line = readonly [what: string, is: unknown, mustBe: unknown];

export const faultsIn = (lines: readonly Line[], of = ''): readonly string[] =>
  lines
    .filter(([, is, mustBe]) => is !== mustBe)
    .map(([what, is, mustBe]) => `${of}${what}: ${String(is)} instead of ${String(mustBe)}`);

/** What is shown has milliseconds, the rows have microseconds. */
export const sameTime = (one: string | null, other: string | null): boolean =>
  one === null || other === null ? one === other : Math.abs(instant(one) - instant(other)) <= 1;

/** Whether what was written at a moment must have been there for a question that was sent then. */
export type IsThere = (writtenAt: number) => boolean;

interface Asked {
  readonly payment: Payment;
  readonly told: Shown;
  readonly isThere: IsThere;
  /** Whether the asker is one of the two sides: they see nothing of security, operators do. */
  readonly isSide: boolean;
  /** Whether the asker may see the quote and the FX provider: all but the destination's side. */
  readonly seesExchange: boolean;
}

export function memberFaults(world: World, asked: Asked): readonly string[] {
  const { payment, told } = asked;
  if (told.status === 'RCVD') return [];
  return [
    ...paymentFaults(payment, told),
    ...decisionFaults(payment, told),
    ...told.messages.flatMap((one) => messageFaults(world.messageOf.get(one.messageId), one)),
    ...missingMessages(world, asked),
    ...eventFaults(asked),
    ...differenceFaults(payment, told),
  ];
}

function paymentFaults({ uetr, row, submission }: Payment, told: Shown): readonly string[] {
  return faultsIn([
    ['uetr', told.uetr, uetr],
    ['corridor', told.corridor, row.corridor],
    ['priority', told.priority, row.priority],
    ['receivedAt', sameTime(told.receivedAt, submission?.row.created_at ?? null), true],
    ['judgedAt', sameTime(told.judgedAt, row.judged_at), true],
    ['acceptanceDateTime', sameTime(told.acceptanceDateTime, row.acceptance_at), true],
    ['deadlineAt', sameTime(told.deadlineAt, row.deadline_at), true],
  ]);
}

/** PAY-9: a destination that saw nothing of a payment is told nothing of its end, and no confirmation is shown. */
function hasUnsentConfirmation({ deliveries, messages, decision }: Shown): boolean {
  const instruction = deliveries.find(({ kind }) => kind === 'instruction');
  return (
    decision !== null &&
    !deliveries.some(({ kind }) => kind === 'confirmation') &&
    !messages.some(({ direction, leg }) => direction === 'in' && leg === 'destination') &&
    instruction?.attempts.some(({ outcome }) => outcome !== 'NOT_SENT') !== true
  );
}

function decisionFaults({ decision }: Payment, told: Shown): readonly string[] {
  if (told.decision === null || decision === undefined) return [];
  const shown = told.decision;
  const confirmation = hasUnsentConfirmation(told) ? null : decision.confirmation_message_id;
  return faultsIn(
    [
      ['ruleId', shown.ruleId, decision.rule_id],
      ['reportMessageId', shown.reportMessageId, decision.report_message_id],
      ['callbackMessageId', shown.callbackMessageId, decision.callback_message_id],
      ['confirmationMessageId', shown.confirmationMessageId, confirmation],
      ['notificationMessageId', shown.notificationMessageId, decision.notification_message_id],
    ],
    'decision.',
  );
}

/** Status, reason, leg and hash are compared in shown-records.ts. */
function messageFaults(stored: Stored | undefined, one: ShownMessage): readonly string[] {
  if (stored === undefined) return [];
  const { row } = stored;
  return faultsIn(
    [
      ['message', one.message, schemaFiles[row.message_type as MessageType]],
      ['messageIdentification', one.messageIdentification, row.message_identification],
      ['direction', one.direction, row.direction],
      ['party', one.party, row.party],
      ['at', sameTime(one.at, row.created_at), true],
      ['inReplyTo', one.inReplyTo, row.in_reply_to],
      ['size', one.size, String(row.body.replace(/^\\x/, '').length / 2)],
    ],
    `message ${one.messageId} `,
  );
}

/** Every message of the payment is listed, but those of others who used its UETR (DUP-2). */
function missingMessages(world: World, { payment, told, isThere, seesExchange }: Asked): readonly string[] {
  const { row, uetr, decision } = payment;
  const shown = new Set(told.messages.map(({ messageId }) => messageId));
  if (hasUnsentConfirmation(told)) shown.add(decision?.confirmation_message_id ?? '');
  const parties = { source: row.source_clearing_system, destination: row.destination_clearing_system };
  return world.messages
    .filter(
      ({ row: { subject_id: subject, leg, party, message_id: id }, createdAt }) =>
        subject === uetr &&
        (leg === 'fxp' ? seesExchange : party === parties[leg]) &&
        !shown.has(id) &&
        isThere(createdAt),
    )
    .map((one) => `${one.row.message_type} ${one.row.message_id}: not shown`);
}

/** As one text, whatever the order of its members. */
function sorted(detail: unknown): string {
  return JSON.stringify(Object.entries(detail ?? {}).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** What operators recorded of an outcome is theirs, and so is who of them did anything (LIF-4, SEC-1). */
const isOperatorsOwn = ({ severity, kind }: Pick<AuditRow, 'severity' | 'kind'>) =>
  severity === 'security' || kind.startsWith('operator.outcome-');

function forSide(row: AuditRow): AuditRow {
  const detail = Object.fromEntries(Object.entries(row.detail).filter(([name]) => name !== 'by'));
  return { ...row, detail };
}

function eventFaults({ payment, told, isThere, isSide }: Asked): readonly string[] {
  const due = isSide ? payment.events.filter((row) => !isOperatorsOwn(row)).map(forSide) : payment.events;
  const isSame = (one: ShownEvent, row: AuditRow) =>
    one.kind === row.kind &&
    one.severity === row.severity &&
    one.party === row.party &&
    sameTime(one.at, row.occurred_at) &&
    sorted(one.detail) === sorted(row.detail);
  const baseless = told.events.filter((one) => !due.some((row) => isSame(one, row)));
  const missing = due.filter(
    (row) => isThere(instant(row.occurred_at)) && !told.events.some((one) => isSame(one, row)),
  );
  return [
    ...baseless.map((one) => `event not on record: ${JSON.stringify(one)}`),
    ...missing.map(({ kind, occurred_at: when }) => `event ${kind} of ${when}: not shown`),
  ];
}

/** What differs between the pacs.008 that came and the one that left; MSG-9, MSG-10. */
function differenceFaults({ row, original, forwarded }: Payment, { difference }: Shown): readonly string[] {
  if (row.forwarded_message_id === null || difference === null) {
    return faultsIn([['difference', difference === null, row.forwarded_message_id === null]]);
  }
  const ids = faultsIn(
    [
      ['receivedMessageId', difference.receivedMessageId, row.message_id],
      ['forwardedMessageId', difference.forwardedMessageId, row.forwarded_message_id],
    ],
    'difference.',
  );
  const [before, after] = [fieldsOf(original), fieldsOf(forwarded?.message?.root)];
  const isUnknown = (path: string | null, fields: ReadonlyMap<string, string>) =>
    path !== null && !fields.has(path);
  const { fields } = difference;
  const shown = new Set(fields.flatMap((one) => [one.receivedXpath, one.forwardedXpath]));
  return [
    ...ids,
    ...fields
      .filter((one) => isUnknown(one.receivedXpath, before) || isUnknown(one.forwardedXpath, after))
      .map((one) => `difference in a field that is not there: ${JSON.stringify(one)}`),
    ...pathsThatDiffer(before, after)
      .filter((path) => !shown.has(path))
      .map((path) => `difference not shown: ${path}`),
  ];
}
