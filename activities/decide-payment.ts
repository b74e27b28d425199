// Writes the decision of a payment with everything that derives from it: the callback, the confirmation to the
// destination and, on ACCC with a quote, the fxtr.017 (PAY-7, PAY-9, PAY-10, NOT-1). It sends nothing.
import { assert } from '../core/assert.ts';
import { identifyAgent } from '../core/agent.ts';
import { buildFxtr017 } from '../core/iso20022/fxtr017.ts';
import { answerPacs008, confirmPacs008, type StatusStatement } from '../core/iso20022/pacs002.ts';
import { compact, type AgentIdentification } from '../core/iso20022/parties.ts';
import { plainDecimal } from '../core/money.ts';
import { additionalInformation } from '../core/explanation.ts';
import { reject, type Rejection } from '../core/rejection.ts';
import { isFinal, type Decision } from '../core/report.ts';
import { recordAuditOnce } from '../db/audit.ts';
import {
  loadDecidable,
  recordDecision,
  type DecidablePayment,
  type DerivedDelivery,
  type StoredReport,
} from '../db/decisions.ts';
import type { OutgoingMessage } from '../db/messages.ts';
import { takeLateFinal } from '../db/reports.ts';
import { compose, newMessageIdentification } from './compose.ts';
import type { DecisionCause, DecisionResult, PaymentLocalActivities } from '../contract/activities.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { boundDefects } from './defects.ts';
import { failure, isDefect } from './failures.ts';

/** A final status with its reason: what a decision states. */
interface Final {
  readonly status: Decision['status'];
  readonly reasonCode: string | null;
  /** Where the gateway itself rejects. */
  readonly rejection: Rejection | undefined;
}

const maxTries = 3; // each further try means that another final or decision was written meanwhile

export function createDecidePayment(deps: ActivityDependencies): PaymentLocalActivities['decidePayment'] {
  return ({ uetr, cause }) =>
    boundDefects(
      deps.logger,
      () => decideOnce(deps, uetr, cause),
      async (): Promise<DecisionResult> => {
        // a decision that cannot be told must not be written: alert a person, and try again (SEC-9)
        await recordAuditOnce(deps.db, { severity: 'alert', kind: 'decision.defect', subjectId: uetr });
        return { retryInMs: afterDefectMs };
      },
    );
}

const afterDefectMs = 30_000; // no more often than the sweep

async function decideOnce(
  deps: ActivityDependencies,
  uetr: string,
  cause: DecisionCause,
): Promise<DecisionResult> {
  const reportMessageId = cause.by === 'destination' ? cause.reportMessageId : null;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const payment = await loadDecidable(deps.db, uetr, reportMessageId);
    if (payment.decision !== null) return settleReport(deps, payment, payment.decision, cause);
    const waitMs = payment.firstFinal === null ? untilDeadlineMs(payment, cause) : 0;
    if (waitMs > 0) return { waitMs };
    if (cause.by === 'record' && payment.firstFinal === null) return null;
    const decision = await write(deps, payment, cause);
    // the report at hand may not be the one that decided
    if (decision !== undefined) return settleReport(deps, payment, decision, cause);
    if (cause.by === 'unreachable' && payment.firstFinal === null) {
      const { decision: meanwhile, firstFinal } = await loadDecidable(deps.db, uetr, null);
      if (meanwhile === null && firstFinal === null) return null;
    }
  }
  throw failure('FinalsKeptComing', 'finals of a payment kept coming while it was decided');
}

/** Milliseconds by the database clock until the gateway may decide by the deadline (TIM-1); 0: now, or not by that. */
function untilDeadlineMs({ deadlineAt, now }: DecidablePayment, cause: DecisionCause): number {
  if (cause.by !== 'deadline') return 0;
  assert(deadlineAt !== null, 'only a HIGH payment has a deadline');
  return Math.max(0, deadlineAt - now);
}

export function createReportInDoubt(deps: ActivityDependencies): PaymentLocalActivities['reportInDoubt'] {
  return async function reportInDoubt({ uetr }): Promise<void> {
    const isNew = await recordAuditOnce(deps.db, {
      severity: 'alert',
      kind: 'payment.in-doubt',
      subjectId: uetr,
    });
    if (isNew) deps.logger.error({ uetr }, 'payment in doubt: ask the destination operator how it ended'); // TIM-2
  };
}

/** The first final wins: another one is compared, confirmed and changes nothing (PAY-7, PAY-9). */
async function settleReport(
  deps: ActivityDependencies,
  payment: DecidablePayment,
  decision: Decision,
  cause: DecisionCause,
): Promise<Decision> {
  if (cause.by !== 'destination') return decision;
  const { report } = payment;
  assert(report !== null, 'a report is stored before it decides');
  const wantsConfirmation = payment.decision !== null && cause.wantsConfirmation; // else the decision has just asked for it
  await takeLateFinal(deps.db, { ...payment, decision }, { report, wantsConfirmation });
  return decision;
}

/** Undefined when another decision or final came first, or when its condition no longer holds. */
async function write(
  deps: ActivityDependencies,
  payment: DecidablePayment,
  cause: DecisionCause,
): Promise<Decision | undefined> {
  const report = payment.firstFinal ?? (cause.by === 'destination' ? payment.report : null);
  const final = report === null ? ownFinal(cause) : reportedFinal(report);
  const callback = await composeReport(deps, payment, final, 'source');
  const confirmation = await composeReport(deps, payment, final, 'destination');
  const notification = final.status === 'ACCC' ? await composeNotification(deps, payment) : null;
  const tellsDestination = cause.by !== 'destination' || cause.wantsConfirmation;
  const deliveries: readonly DerivedDelivery[] = [
    { kind: 'callback', message: callback },
    ...(tellsDestination ? [{ kind: 'confirmation', message: confirmation } as const] : []),
    ...(notification === null ? [] : [{ kind: 'notification', message: notification } as const]),
  ];
  const isWritten = await recordDecision(deps.db, {
    uetr: payment.uetr,
    submissionId: payment.messageId,
    status: final.status,
    reasonCode: final.reasonCode,
    ruleId: final.rejection?.ruleId ?? null,
    decidedBy: report === null ? 'gateway' : 'destination',
    reportMessageId: report?.messageId ?? null,
    instructionDeliveryId: payment.instructionDeliveryId,
    onlyIf: report === null ? conditions[cause.by] : null,
    callback,
    confirmation,
    notification,
    deliveries,
  });
  if (!isWritten) return undefined;
  return {
    status: final.status,
    reasonCode: final.reasonCode,
    callbackMessageId: callback.messageId,
    confirmationMessageId: confirmation.messageId,
  };
}

/** The condition of a decision of the gateway, checked again in the statement that writes it (TIM-1, TIM-3). */
const conditions = {
  destination: null,
  deadline: 'past-deadline',
  unreachable: 'unreachable',
  record: null,
} as const;

function reportedFinal({ status, reasonCode }: StoredReport): Final {
  assert(isFinal(status), 'only a final status decides');
  return { status, reasonCode, rejection: undefined };
}

function ownFinal(cause: DecisionCause): Final {
  switch (cause.by) {
    case 'destination':
    case 'record':
      throw new Error('a report is stored before it decides');
    case 'deadline':
      return rejected(reject('deadline-expired'));
    case 'unreachable':
      return rejected(reject('destination-unreachable'));
  }
}

function rejected(rejection: Rejection): Final {
  return { status: 'RJCT', reasonCode: rejection.isoCode, rejection };
}

/** The pacs.002 that states the decision, for either side (MSG-11, PAY-9). */
function composeReport(
  deps: ActivityDependencies,
  payment: DecidablePayment,
  final: Final,
  leg: 'source' | 'destination',
): Promise<OutgoingMessage> {
  const messageIdentification = newMessageIdentification();
  const statement = compact<StatusStatement>({
    messageIdentification,
    creationDateTime: new Date(payment.now).toISOString(),
    status: final.status,
    reasonCode: final.reasonCode ?? undefined,
    additionalInformation: final.rejection && [additionalInformation(final.rejection)],
  });
  return compose(deps.engine, {
    type: 'pacs002',
    subjectId: payment.uetr,
    messageIdentification,
    leg,
    party: leg === 'source' ? payment.sourceSystem : payment.destinationSystem,
    status: final.status,
    reasonCode: final.reasonCode ?? undefined,
    xml:
      leg === 'source'
        ? answerPacs008(payment.sourceReferences, statement)
        : confirmPacs008(payment.destinationReferences, statement),
  });
}

/**
 * The fxtr.017 of a payment with a quote; null where the debtor agent does its own FX (NOT-1, PAY-5). One that cannot be
 * made must not hold the decision back: it raises an alert (SEC-9).
 */
async function composeNotification(
  deps: ActivityDependencies,
  payment: DecidablePayment,
): Promise<OutgoingMessage | null> {
  const { quoteId, fxpId, sourceSapId, sourceAccountId, uetr } = payment;
  if (quoteId === null || fxpId === null || sourceSapId === null || sourceAccountId === null) return null;
  const terms = { ...payment, quoteId, fxpId, sourceSapId, sourceAccountId };
  try {
    const notification = await buildNotification(deps, terms);
    if (typeof deps.reference().institutions.get(fxpId)?.notificationUrl !== 'string') {
      await recordAuditOnce(deps.db, {
        severity: 'alert',
        kind: 'notification.no-endpoint',
        subjectId: uetr,
        party: fxpId,
      });
    }
    return notification;
  } catch (error) {
    if (!isDefect(error)) throw error;
    deps.logger.error({ err: error, uetr }, 'an fxtr.017 could not be made');
    await recordAuditOnce(deps.db, {
      severity: 'alert',
      kind: 'notification.defect',
      subjectId: uetr,
      party: fxpId,
    });
    return null;
  }
}

interface NotificationTerms extends DecidablePayment {
  readonly quoteId: string;
  readonly fxpId: string;
  readonly sourceSapId: string;
  readonly sourceAccountId: string;
}

function buildNotification(deps: ActivityDependencies, payment: NotificationTerms): Promise<OutgoingMessage> {
  const { institutions } = deps.reference();
  const agent = (institutionId: string): AgentIdentification => {
    const institution = institutions.get(institutionId);
    assert(institution !== undefined, 'an institution of a payment stays in the reference data');
    return identifyAgent(institution);
  };
  const messageIdentification = newMessageIdentification();
  const fxp = agent(payment.fxpId);
  const xml = buildFxtr017({
    messageIdentification,
    uetr: payment.uetr,
    quoteId: payment.quoteId,
    completionDate: new Date(payment.now).toISOString().slice(0, 10),
    sourcePsp: agent(payment.debtorAgentId),
    fxp,
    tradingSideBuyAmount: {
      currency: payment.destinationCurrency,
      amount: plainDecimal(payment.destinationAmount),
    },
    tradingSideSellAmount: { currency: payment.sourceCurrency, amount: plainDecimal(payment.sourceAmount) },
    exchangeRate: plainDecimal(payment.exchangeRate),
    destinationSap: agent(payment.destinationSapId),
    destinationSapAccountId: payment.destinationAccountId,
    destinationPsp: agent(payment.creditorAgentId),
    sourceSap: agent(payment.sourceSapId),
    sourceSapAccountId: payment.sourceAccountId,
  });
  return compose(deps.engine, {
    type: 'fxtr017',
    subjectId: payment.uetr,
    messageIdentification,
    leg: 'fxp',
    party: fxp.bicfi ?? payment.fxpId,
    xml,
  });
}
