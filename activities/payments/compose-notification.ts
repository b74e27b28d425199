// Composes the fxtr.017, which informs an FX provider about its trade when the payment is decided.
import { assert } from '../../core/assert.ts';
import { identifyAgent } from '../../core/payments/agent.ts';
import { buildFxtr017 } from '../../core/iso20022/fxtr017.ts';
import type { AgentIdentification } from '../../core/iso20022/parties.ts';
import { plainDecimal } from '../../core/money/money.ts';
import { fxpNameOf } from '../../core/scheme/reference.ts';
import { recordAuditOnce } from '../../db/records/audit.ts';
import type { DecidablePayment } from '../../db/payments/decisions.ts';
import type { OutgoingMessage } from '../../db/records/messages.ts';
import { addressOf } from '../deliveries/addresses.ts';
import { compose, newMessageIdentification } from '../compose.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { isDefect } from '../failures.ts';

/**
 * The fxtr.017 of a payment with a quote; null if the debtor agent does its own FX. If a defect prevents the
 * fxtr.017, this raises an alert and returns null, so that the decision is not delayed.
 */
export async function composeNotification(
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
      kind: 'notification.defect',
      subjectId: uetr,
      party: fxpNameOf(deps.reference(), fxpId),
    });
    return null;
  }
}

/**
 * Raises an alert if the FX provider has no address. The notification waits until an address is registered.
 */
export async function alertIfNoEndpoint(
  deps: ActivityDependencies,
  { uetr, fxpId }: DecidablePayment,
): Promise<void> {
  if (fxpId === null) return;
  const party = fxpNameOf(deps.reference(), fxpId);
  if (addressOf(deps, { kind: 'notification', party, url: null }) !== undefined) return;
  const about = { subjectId: uetr, party };
  await recordAuditOnce(deps.db, { kind: 'notification.no-endpoint', ...about });
}

type NotificationTerms = DecidablePayment &
  Readonly<Record<'quoteId' | 'fxpId' | 'sourceSapId' | 'sourceAccountId', string>>;

function buildNotification(deps: ActivityDependencies, payment: NotificationTerms): Promise<OutgoingMessage> {
  const reference = deps.reference();
  // Names the same agents, with their branches, as the messages of the payment.
  const named = payment.sourceReferences.agents ?? {};
  const agent = (institutionId: string): AgentIdentification => {
    const institution = reference.institutions.get(institutionId);
    assert(institution !== undefined, 'an institution of a payment stays in the reference data');
    return identifyAgent(institution);
  };
  const messageIdentification = newMessageIdentification();
  // The trading side is the source PSP. It buys the currency that is paid out at the destination.
  const xml = buildFxtr017({
    messageIdentification,
    uetr: payment.uetr,
    quoteId: payment.quoteId,
    completionDate: new Date(payment.now).toISOString().slice(0, 10),
    sourcePsp: named.debtorAgent ?? agent(payment.debtorAgentId),
    fxp: agent(payment.fxpId),
    tradingSideBuyAmount: {
      currency: payment.destinationCurrency,
      amount: plainDecimal(payment.destinationAmount),
    },
    tradingSideSellAmount: { currency: payment.sourceCurrency, amount: plainDecimal(payment.sourceAmount) },
    exchangeRate: plainDecimal(payment.exchangeRate),
    destinationSap: named.intermediaryAgent2 ?? agent(payment.destinationSapId),
    destinationSapAccountId: payment.destinationAccountId,
    destinationPsp: named.creditorAgent ?? agent(payment.creditorAgentId),
    sourceSap: named.intermediaryAgent1 ?? agent(payment.sourceSapId),
    sourceSapAccountId: payment.sourceAccountId,
  });
  return compose(deps.engine, {
    type: 'fxtr017',
    subjectId: payment.uetr,
    messageIdentification,
    leg: 'fxp',
    party: fxpNameOf(reference, payment.fxpId),
    xml,
  });
}
