// Writes the decision of a payment with everything that derives from it: the callback, the confirmation to the
// destination and, on ACCC with a quote, the fxtr.017 (PAY-7, PAY-9, PAY-10, NOT-1). It sends nothing.
import { randomUUID } from 'node:crypto';
import { assert } from '../core/assert.ts';
import { identifyAgent } from '../core/agent.ts';
import { buildFxtr017 } from '../core/iso20022/fxtr017.ts';
import { answerRefusedPacs008, buildPacs002, type StatusStatement } from '../core/iso20022/pacs002.ts';
import { compact, type AgentIdentification } from '../core/iso20022/parties.ts';
import { plainDecimal } from '../core/money.ts';
import { additionalInformation, reject, type Rejection } from '../core/rejection.ts';
import { recordAudit } from '../db/audit.ts';
import { askConfirmation } from '../db/deliveries.ts';
import {
  loadDecidable,
  recordContradiction,
  recordDecision,
  type DecidablePayment,
  type DerivedDelivery,
} from '../db/decisions.ts';
import type { OutgoingMessage } from '../db/messages.ts';
import type { StoredDecision } from '../db/payments.ts';
import { compose, newMessageIdentification } from './compose.ts';
import type { Decision, DecisionCause, PaymentLocalActivities } from './contract.ts';
import type { ActivityDependencies } from './dependencies.ts';

/** A final status with its reason, before it is written. */
interface Verdict {
  readonly status: Decision['status'];
  readonly reasonCode: string | null;
  /** Where the gateway itself rejects. */
  readonly rejection: Rejection | undefined;
}

export function createDecidePayment(deps: ActivityDependencies): PaymentLocalActivities['decidePayment'] {
  return async function decidePayment({ uetr, cause }): Promise<Decision | null> {
    const reportMessageId = cause.by === 'destination' ? cause.reportMessageId : null;
    const payment = await loadDecidable(deps.db, uetr, reportMessageId);
    if (payment.decision !== null) return standing(deps, payment, payment.decision, cause);
    const written = await write(deps, payment, cause);
    if (written !== undefined) return written;
    const again = await loadDecidable(deps.db, uetr, reportMessageId);
    return again.decision === null ? null : standing(deps, again, again.decision, cause);
  };
}

export function createReportInDoubt(deps: ActivityDependencies): PaymentLocalActivities['reportInDoubt'] {
  return async function reportInDoubt({ uetr }): Promise<void> {
    await recordAudit(deps.db, { severity: 'alert', kind: 'payment.in-doubt', uetr });
    deps.logger.error({ uetr }, 'payment in doubt: ask the destination operator how it ended'); // TIM-2
  };
}

/** The first final wins: a later one is compared, confirmed and changes nothing (PAY-7, PAY-9). */
async function standing(
  deps: ActivityDependencies,
  payment: DecidablePayment,
  decision: StoredDecision,
  cause: DecisionCause,
): Promise<Decision> {
  if (cause.by !== 'destination') return decision;
  const { report, uetr, destinationSystem } = payment;
  assert(report !== null, 'a report is stored before it is judged');
  await recordContradiction(deps.db, { uetr, party: destinationSystem, decision, report });
  if (cause.answeredInPlace && decision.confirmationMessageId !== null) {
    await askConfirmation(deps.db, {
      deliveryId: randomUUID(),
      uetr,
      messageId: decision.confirmationMessageId,
      party: destinationSystem,
      url: destinationUrl(deps, payment),
    });
  }
  return decision;
}

/** Undefined when another decision came first, or a byte may have left after all (TIM-3). */
async function write(
  deps: ActivityDependencies,
  payment: DecidablePayment,
  cause: DecisionCause,
): Promise<Decision | undefined> {
  const verdict = judge(payment, cause);
  const callback = await composeReport(deps, payment, verdict, 'source');
  const confirmation = await composeReport(deps, payment, verdict, 'destination');
  const notification = verdict.status === 'ACCC' ? await composeNotification(deps, payment) : null;
  const tellsDestination = cause.by === 'deadline' || (cause.by === 'destination' && cause.answeredInPlace);
  const deliveries: readonly DerivedDelivery[] = [
    { deliveryId: randomUUID(), kind: 'callback', url: payment.callbackUrl, message: callback },
    ...(tellsDestination
      ? [
          {
            deliveryId: randomUUID(),
            kind: 'confirmation',
            url: destinationUrl(deps, payment),
            message: confirmation,
          } as const,
        ]
      : []),
    ...(notification === null
      ? []
      : [{ deliveryId: randomUUID(), kind: 'notification', ...notification } as const]),
  ];
  const isWritten = await recordDecision(deps.db, {
    uetr: payment.uetr,
    status: verdict.status,
    reasonCode: verdict.reasonCode,
    ruleId: verdict.rejection?.ruleId ?? null,
    decidedBy: cause.by === 'destination' ? 'destination' : 'gateway',
    reportMessageId: cause.by === 'destination' ? cause.reportMessageId : null,
    instructionDeliveryId: payment.instructionDeliveryId,
    onlyIfNeverSent: cause.by === 'unreachable',
    callback,
    confirmation,
    notification: notification?.message ?? null,
    deliveries,
  });
  if (!isWritten) return undefined;
  return {
    status: verdict.status,
    reasonCode: verdict.reasonCode,
    callbackMessageId: callback.messageId,
    confirmationMessageId: confirmation.messageId,
  };
}

function judge(payment: DecidablePayment, cause: DecisionCause): Verdict {
  switch (cause.by) {
    case 'destination': {
      const { report } = payment;
      assert(report !== null, 'a report is stored before it is judged');
      const { status, reasonCode } = report;
      assert(status === 'ACCC' || status === 'RJCT' || status === 'BLCK', 'only a final status decides');
      return { status, reasonCode, rejection: undefined };
    }
    case 'deadline':
      return rejected(reject('deadline-expired'));
    case 'unreachable':
      return rejected(reject('destination-unreachable'));
  }
}

function rejected(rejection: Rejection): Verdict {
  return { status: 'RJCT', reasonCode: rejection.isoCode, rejection };
}

function destinationUrl(deps: ActivityDependencies, payment: DecidablePayment): string {
  const reference = deps.reference();
  const system = reference.clearingSystems.get(payment.destinationSystem);
  const operator = system && reference.operators.get(system.operatorId);
  assert(operator !== undefined, 'a clearing system has an operator');
  return `${operator.endpointUrl}/iso20022/pacs002`;
}

/** The pacs.002 that states the decision, for either side (MSG-11, PAY-9). */
function composeReport(
  deps: ActivityDependencies,
  payment: DecidablePayment,
  verdict: Verdict,
  leg: 'source' | 'destination',
): Promise<OutgoingMessage> {
  const identification = newMessageIdentification();
  const statement = compact<StatusStatement>({
    messageId: identification,
    creationDateTime: new Date(payment.now).toISOString(),
    status: verdict.status,
    reasonCode: verdict.reasonCode ?? undefined,
    additionalInformation: verdict.rejection && [additionalInformation(verdict.rejection)],
  });
  return compose(deps.engine, {
    type: 'pacs002',
    uetr: payment.uetr,
    identification,
    leg,
    party: leg === 'source' ? payment.sourceSystem : payment.destinationSystem,
    status: verdict.status,
    reasonCode: verdict.reasonCode ?? undefined,
    xml:
      leg === 'source'
        ? answerRefusedPacs008(payment.sourceReferences, statement)
        : buildPacs002({ ...statement, ...payment.destinationReferences }),
  });
}

/** The fxtr.017 of a payment with a quote; null where the debtor agent does its own FX (NOT-1, PAY-5). */
async function composeNotification(
  deps: ActivityDependencies,
  payment: DecidablePayment,
): Promise<{ url: string; message: OutgoingMessage } | null> {
  const { quoteId, fxpId, sourceSapId, sourceAccountId } = payment;
  if (quoteId === null || fxpId === null || sourceSapId === null || sourceAccountId === null) return null;
  const { institutions } = deps.reference();
  const agent = (institutionId: string): AgentIdentification => {
    const institution = institutions.get(institutionId);
    assert(institution !== undefined, 'an institution of a payment stays in the reference data');
    return identifyAgent(institution);
  };
  const url = institutions.get(fxpId)?.notificationUrl;
  if (typeof url !== 'string') {
    // never may a notification that cannot be addressed hold the decision back
    await recordAudit(deps.db, {
      severity: 'alert',
      kind: 'notification.no-endpoint',
      uetr: payment.uetr,
      party: fxpId,
    });
    return null;
  }
  const identification = newMessageIdentification();
  const fxp = agent(fxpId);
  const xml = buildFxtr017({
    messageId: identification,
    uetr: payment.uetr,
    quoteId,
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
    sourceSap: agent(sourceSapId),
    sourceSapAccountId: sourceAccountId,
  });
  const message = await compose(deps.engine, {
    type: 'fxtr017',
    uetr: payment.uetr,
    identification,
    leg: 'fxp',
    party: fxp.bicfi ?? fxpId,
    xml,
  });
  return { url, message };
}
