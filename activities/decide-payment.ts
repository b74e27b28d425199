// Writes the decision of a payment with everything that derives from it: the callback, the confirmation to the
// destination and, on ACCC with a quote, the fxtr.017 (PAY-7, PAY-9, PAY-10, TIM-1, NOT-1). It sends nothing.
import { assert } from '../core/assert.ts';
import { identifyAgent } from '../core/agent.ts';
import { decisionBy, untilDecidableMs, type DueDecision } from '../core/decision.ts';
import { buildFxtr017 } from '../core/iso20022/fxtr017.ts';
import { answerPacs008, confirmPacs008, type StatusStatement } from '../core/iso20022/pacs002.ts';
import { compact, type AgentIdentification } from '../core/iso20022/parties.ts';
import { plainDecimal } from '../core/money.ts';
import { additionalInformation } from '../core/explanation.ts';
import type { Decision } from '../core/decision.ts';
import { recordAuditOnce } from '../db/audit.ts';
import {
  loadDecidable,
  recordDecision,
  type DecidablePayment,
  type DerivedDelivery,
} from '../db/decisions.ts';
import type { OutgoingMessage } from '../db/messages.ts';
import { takeLateFinal } from '../db/reports.ts';
import { compose, newMessageIdentification } from './compose.ts';
import type { DecisionCause, DecisionResult, PaymentLocalActivities } from '../contract/activities.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { boundDefects } from './defects.ts';
import { failure, isDefect } from './failures.ts';

const maxTries = 3; // each further try means that another final or decision was written meanwhile

export function createDecidePayment(deps: ActivityDependencies): PaymentLocalActivities['decidePayment'] {
  return ({ uetr, cause }) =>
    boundDefects(
      deps.logger.child({ uetr }),
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
    const waitMs = untilDecidableMs(payment, cause);
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
  const due = decisionBy(cause, payment);
  const { status, reasonCode, report } = due;
  const callback = await composeReport(deps, payment, due, 'source');
  const confirmation = await composeReport(deps, payment, due, 'destination');
  const notification = due.tellsFxProvider ? await composeNotification(deps, payment) : null;
  const deliveries: readonly DerivedDelivery[] = [
    { kind: 'callback', message: callback },
    ...(due.tellsDestination ? [{ kind: 'confirmation', message: confirmation } as const] : []),
    ...(notification === null ? [] : [{ kind: 'notification', message: notification } as const]),
  ];
  if (notification !== null) await alertIfNoEndpoint(deps, payment); // first: what comes after the decision may be lost
  const isWritten = await recordDecision(deps.db, {
    uetr: payment.uetr,
    submissionId: payment.messageId,
    status,
    reasonCode,
    ruleId: due.rejection?.ruleId ?? null,
    decidedBy: report === null ? 'gateway' : 'destination',
    reportMessageId: report?.messageId ?? null,
    instructionDeliveryId: payment.instructionDeliveryId,
    onlyIf: due.onlyIf,
    callback,
    confirmation,
    notification,
    deliveries,
  });
  if (!isWritten) return undefined;
  return {
    status,
    reasonCode,
    callbackMessageId: callback.messageId,
    confirmationMessageId: confirmation.messageId,
  };
}

/** The pacs.002 that states the decision, for either side (MSG-11, PAY-9). */
function composeReport(
  deps: ActivityDependencies,
  payment: DecidablePayment,
  { status, reasonCode, rejection }: DueDecision,
  leg: 'source' | 'destination',
): Promise<OutgoingMessage> {
  const messageIdentification = newMessageIdentification();
  const statement = compact<StatusStatement>({
    messageIdentification,
    creationDateTime: new Date(payment.now).toISOString(),
    status,
    reasonCode: reasonCode ?? undefined,
    additionalInformation: rejection && [additionalInformation(rejection)],
  });
  return compose(deps.engine, {
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
  });
}

/**
 * The fxtr.017 of a payment with a quote; null where the debtor agent does its own FX (NOT-1, PAY-5). One that cannot
 * be made must not hold the decision back: it raises an alert (SEC-9).
 */
async function composeNotification(
  deps: ActivityDependencies,
  payment: DecidablePayment,
): Promise<OutgoingMessage | null> {
  const { quoteId, fxpId, sourceSapId, sourceAccountId, uetr } = payment;
  if (quoteId === null || fxpId === null || sourceSapId === null || sourceAccountId === null) return null;
  const terms = { ...payment, quoteId, fxpId, sourceSapId, sourceAccountId };
  try {
    return await buildNotification(deps, terms);
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

/** A person must register an address; the notification waits for it (NOT-1). */
async function alertIfNoEndpoint(
  deps: ActivityDependencies,
  { uetr, fxpId }: DecidablePayment,
): Promise<void> {
  if (fxpId === null || typeof deps.reference().institutions.get(fxpId)?.notificationUrl === 'string') return;
  const about = { subjectId: uetr, party: fxpId };
  await recordAuditOnce(deps.db, { severity: 'alert', kind: 'notification.no-endpoint', ...about });
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
