// Writes the decision of a payment and the messages derived from it. These are the callback, the confirmation
// to the destination and, for ACCC with a quote, the fxtr.017. This module sends nothing.
import { assert } from '../../core/assert.ts';
import {
  decisionBy,
  untilDecidableMs,
  type Decision,
  type DueDecision,
} from '../../core/payments/decision.ts';
import { answerPacs008, confirmPacs008, type StatusStatement } from '../../core/iso20022/pacs002.ts';
import { readable } from '../../core/iso20022/lexical.ts';
import { compact } from '../../core/compact.ts';
import { additionalInformation, returnCredit } from '../../core/rejections/explanation.ts';
import { endingBy } from '../../core/payments/payment-states.ts';
import {
  loadDecidable,
  recordDecision,
  type DecidablePayment,
  type DerivedDelivery,
} from '../../db/payments/decisions.ts';
import { openOrTell } from '../../db/records/changed-messages.ts';
import { messageBody, type OutgoingMessage } from '../../db/records/messages.ts';
import { takeLateFinal } from '../../db/payments/reports.ts';
import { parseMessage } from '../../xml/read-message.ts';
import { compose, newMessageIdentification, type Composition } from '../compose.ts';
import { alertIfNoEndpoint, composeNotification } from './compose-notification.ts';
import type { DecisionCause, DecisionResult, PaymentLocalActivities } from '../../contract/activities.ts';
import { boundDefects } from '../upkeep/defects.ts';
import { recordAuditOnce } from '../../db/records/audit.ts';
import { findPayment } from '../../db/payments/payments.ts';
import type { ActivityDependencies } from '../dependencies.ts';

const derivedKinds = ['callback', 'confirmation', 'notification'] as const; // The order of sending.
// One first final status and one decision may be written concurrently, and each costs one try.
const maxTries = 3;

export function createDecidePayment(deps: ActivityDependencies): PaymentLocalActivities['decidePayment'] {
  return ({ uetr, cause }) =>
    boundDefects(
      { logger: deps.logger, about: { uetr }, what: 'a decision met a defect' },
      () => decideOnce(deps, uetr, cause),
      async (): Promise<DecisionResult> => {
        // A decision without its messages must not be written. So alert an operator, and try again.
        await recordAuditOnce(deps.db, { kind: 'decision.defect', subjectId: uetr });
        return { retryInMs: afterDefectMs };
      },
    );
}

const afterDefectMs = 30_000; // The interval of the sweep.

async function decideOnce(
  deps: ActivityDependencies,
  uetr: string,
  cause: DecisionCause,
): Promise<DecisionResult> {
  const reportMessageId = cause.by === 'destination' ? cause.reportMessageId : null;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const payment = await loadDecidable(deps.db, uetr, reportMessageId);
    if (payment.decision !== null) return settleReport(deps, payment, payment.decision, cause);
    const waitMs = untilDecidableMs(payment, cause);
    if (waitMs > 0) return { waitMs };
    if (cause.by === 'record' && payment.firstFinal === null && payment.outcome === null) return null;
    const decision = await write(deps, payment, cause);
    // Another report may have made the decision.
    if (decision !== undefined) return settleReport(deps, payment, decision, cause);
    if (cause.by === 'unreachable' && payment.firstFinal === null) {
      const { decision: meanwhile, firstFinal, outcome } = await loadDecidable(deps.db, uetr, null);
      if (meanwhile === null && firstFinal === null && outcome === null) return null;
    }
  }
  throw new Error(
    'a first final or a decision that was written meanwhile must be visible at the third reading',
  );
}

/**
 * Decides at once by a report that came in the answer to the instruction. The parties get every message that
 * follows from the decision, also the confirmation.
 * @returns undefined if the payment is decided already, or if another decision came first
 */
export async function decideByAnswer(
  deps: ActivityDependencies,
  uetr: string,
  reportMessageId: string,
): Promise<Decision | undefined> {
  const cause = { by: 'destination', reportMessageId, wantsConfirmation: true } as const;
  const payment = await loadDecidable(deps.db, uetr, reportMessageId);
  if (payment.decision !== null) return undefined;
  const decision = await write(deps, payment, cause);
  return decision && settleReport(deps, payment, decision, cause);
}

/**
 * The first final status decides. A later one is compared with the decision and confirmed, but changes
 * nothing.
 */
async function settleReport(
  deps: ActivityDependencies,
  payment: DecidablePayment,
  decision: Decision,
  cause: DecisionCause,
): Promise<Decision> {
  if (cause.by !== 'destination') return decision;
  const { report } = payment;
  assert(report !== null, 'a report is stored before it decides');
  // A new decision already includes the confirmation.
  const isUntold = payment.decision !== null && cause.wantsConfirmation;
  await takeLateFinal(deps.db, { ...payment, decision }, { report, sender: isUntold ? 'untold' : 'told' });
  return decision;
}

/**
 * @returns undefined if another decision or final status came first, or if this decision's condition no
 * longer holds
 */
async function write(
  deps: ActivityDependencies,
  payment: DecidablePayment,
  cause: DecisionCause,
): Promise<Decision | undefined> {
  const due = decisionBy(cause, payment);
  const { status, reasonCode, report } = due;
  const end = {
    status,
    by: due.decidedBy,
    ruleId: due.rejection?.ruleId ?? null,
    priority: payment.priority,
  };
  const change = endingBy(true, end);
  assert(change !== undefined, 'a payment ends only as its states have it (LIF-1)');
  const ownWords = report?.reasonCode === narrative ? await ownWordsOf(deps, report.messageId) : [];
  const callback = await composeReport(deps, payment, { due, ownWords, leg: 'source' });
  const confirmation = await composeReport(deps, payment, { due, ownWords, leg: 'destination' });
  const notification = change.tells.includes('notification') // seam: notification
    ? await composeNotification(deps, payment)
    : null;
  const derived = { callback, confirmation: due.sendsConfirmation ? confirmation : null, notification };
  const deliveries = derivedKinds.flatMap((kind): DerivedDelivery[] => {
    const message = change.tells.includes(kind) ? derived[kind] : null;
    return message === null ? [] : [{ kind, message }];
  });
  // Alert before the decision is written, because a crash after it would lose the alert.
  if (notification !== null) await alertIfNoEndpoint(deps, payment);
  const isWritten = await recordDecision(deps.db, {
    uetr: payment.uetr,
    submissionId: payment.messageId,
    status,
    reasonCode,
    ruleId: end.ruleId,
    decidedBy: due.decidedBy,
    reportMessageId: report?.messageId ?? null,
    outcomeId: due.outcomeId,
    instructionDeliveryId: payment.instructionDeliveryId,
    onlyIf: due.onlyIf,
    callback,
    confirmation,
    notification,
    deliveries,
  });
  if (!isWritten) return undefined;
  tellDecided(deps, payment, { due, cause });
  return {
    status,
    reasonCode,
    callbackMessageId: callback.messageId,
    confirmationMessageId: confirmation.messageId,
  };
}

function tellDecided(
  { steps }: ActivityDependencies,
  payment: DecidablePayment,
  { due, cause }: { readonly due: DueDecision; readonly cause: DecisionCause },
): void {
  const { uetr: subjectId, corridor, priority, acceptedAt, deadlineAt, now } = payment;
  const isAtDeadline = cause.by === 'deadline' && due.decidedBy === 'gateway' && deadlineAt !== null;
  steps.decided({
    subjectId,
    status: due.status,
    reasonCode: due.reasonCode,
    ruleId: due.rejection?.ruleId,
    decidedBy: due.decidedBy,
    corridor,
    priority,
    durationMs: now - acceptedAt,
    deadlineErrorMs: isAtDeadline ? now - deadlineAt : undefined,
  });
}

/**
 * AddtlInf of a pacs.002 whose outcome operators recorded, because the destination sent no message about it.
 */
const foundOut = {
  source: 'LIF-4 the destination sent no final status: two operators of Isthmus found out, and confirmed it',
  destination:
    'LIF-4 recorded by two operators of Isthmus, for want of your pacs.002; if it is wrong, call them',
} as const;

const narrative = 'NARR';
const maxWords = 105; // Characters. The maximum length of AddtlInf.

/**
 * The destination's own text, if its reason code is NARR. Empty if the stored message fails its integrity
 * check.
 */
async function ownWordsOf(
  { db, engine }: ActivityDependencies,
  messageId: string,
): Promise<readonly string[]> {
  const body = await openOrTell(db, messageId, () => messageBody(db, messageId));
  if (body === undefined || body === 'changed') return [];
  const reading = await parseMessage(engine, 'pacs002', body);
  if (!reading.ok) return [];
  const { proprietaryReason, additionalInformation = [] } = reading.value;
  return proprietaryReason === undefined ? additionalInformation : [proprietaryReason];
}

/** AddtlInf for NARR if the destination gave no readable reason. */
const withoutReason = 'the destination gave no reason that can be passed on';
/**
 * The source recognises the gateway's rejections by a leading rule id. So text from a destination must not
 * start with one.
 */
const ruleId = /^\s*[A-Z]{3}-[0-9]/;

interface Stated {
  readonly due: DueDecision;
  readonly ownWords: readonly string[];
  readonly leg: 'source' | 'destination';
}

function informationOn({ due, ownWords, leg }: Stated): readonly string[] | undefined {
  const { decidedBy, rejection, reasonCode } = due;
  if (decidedBy === 'destination' && reasonCode === narrative)
    return ownWords.some((one) => readable(one, maxWords) !== undefined)
      ? ownWords.map((one) => (ruleId.test(one) ? `destination: ${one}` : one))
      : [withoutReason];
  if (decidedBy === 'operator') return [foundOut[leg]];
  return rejection && [additionalInformation(rejection), ...(leg === 'destination' ? [returnCredit] : [])];
}

function composeReport(
  deps: ActivityDependencies,
  payment: DecidablePayment,
  stated: Stated,
): Promise<OutgoingMessage> {
  const { due, leg } = stated;
  const { status, reasonCode } = due;
  const messageIdentification = newMessageIdentification();
  const statement = compact<StatusStatement>({
    messageIdentification,
    creationDateTime: new Date(payment.now).toISOString(),
    status,
    reasonCode: reasonCode ?? undefined,
    additionalInformation: informationOn(stated),
  });
  // The scheme's guideline may lack a code of another party. This must not delay the decision.
  const schema = due.decidedBy === 'gateway' || reasonCode === null ? 'guideline' : 'intake';
  const composition: Composition = {
    type: 'pacs002',
    subjectId: payment.uetr,
    messageIdentification,
    leg,
    party: leg === 'source' ? payment.sourceSystem : payment.destinationSystem,
    status,
    reasonCode: reasonCode ?? undefined,
    xml:
      leg === 'source'
        ? answerPacs008(payment.sourceReferences, statement)
        : confirmPacs008(payment.destinationReferences, statement),
  };
  return compose(deps.engine, composition, schema);
}

export function createReportInDoubt(deps: ActivityDependencies): PaymentLocalActivities['reportInDoubt'] {
  return async function reportInDoubt({ uetr }): Promise<void> {
    const party = (await findPayment(deps.db, uetr))?.destinationSystem ?? undefined;
    const isNew = await recordAuditOnce(deps.db, {
      kind: 'payment.in-doubt',
      subjectId: uetr,
      party,
    });
    if (isNew)
      deps.logger.error({ uetr, party }, 'payment in doubt: ask the destination operator how it ended');
  };
}
