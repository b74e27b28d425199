// Whether the terms of a pacs.008 are those of its quote (PAY-4) or of an exchange of its own (PAY-5), within the
// limits (PAY-6).
import { amount, halfUp, quotientUp, same } from '../decimals.ts';
import { feeOn, settlementFor } from '../pricing.ts';
import { at, textAt } from '../read-message.ts';
import { clock } from '../rows.ts';
import type { Quote } from '../world.ts';
import { fault, type Case, type Fault } from './message-faults.ts';

/** All of these, for a message that names a quote or brings its own exchange. */
export function termFaults(judged: Case): readonly Fault[] {
  const { world, transaction, destination } = judged;
  const quoteId = textAt(transaction, 'AgrdRate/QtId');
  const quote = world.quotes.get(quoteId ?? '');
  if (quoteId !== undefined && quote === undefined)
    return [{ rule: 'PAY-4', code: 'AB04', text: `no quote ${quoteId}` }];
  const { faults, settlement } = quote === undefined ? ownExchange(judged) : quoted(judged, quote);
  const maximum = world.reference.systems.get(destination ?? '')?.maxAmount;
  return [
    ...faults,
    ...fault(
      maximum === undefined || amount(settlement).lte(maximum),
      'PAY-6',
      'AM02',
      `${settlement} is above the maximum`,
    ),
  ];
}

interface Bound {
  readonly faults: readonly Fault[];
  /** Destination amount. */
  readonly settlement: string;
}

/** PAY-4: everything agrees with the quote, and it belongs to the debtor agent. Its use by others is I-6. */
function quoted(judged: Case, { request, index, issuedAt }: Quote): Bound {
  const { payment, transaction, debtorAgent, creditorAgent, charges } = judged;
  const settlement = request.destination_amounts[index] ?? '';
  const fee = request.creditor_agent_fees[index];
  const text = (path: string) => textAt(transaction, path);
  const currency = text('AgrdRate/QtdCcy') ?? request.destination_currency;
  const isInTime = (payment.submission?.createdAt ?? 0) <= issuedAt + validMs;
  const isRate = same(text('AgrdRate/PreAgrdXchgRate'), request.exchange_rates[index]);
  const isAmount = same(text('IntrBkSttlmAmt'), request.source_amounts[index]);
  const isSource = at(transaction, 'IntrBkSttlmAmt')?.attributes['Ccy'] === request.source_currency;
  return {
    settlement,
    faults: [
      ...fault(request.psp_id === debtorAgent?.id, 'PAY-4', 'AGNT', `quote of ${request.psp_id}`),
      ...fault(isInTime, 'PAY-4', 'AB04', `issued ${clock(issuedAt)}`),
      ...fault(isRate, 'PAY-4', 'AB04', 'the rate is not that of the quote'),
      ...fault(isSource, 'PAY-4', 'CURR', 'source currency'),
      ...fault(currency === request.destination_currency, 'PAY-4', 'CURR', 'destination currency'),
      ...fault(request.destination_country === creditorAgent?.country, 'PAY-4', 'AB04', 'another country'),
      ...fault(isAmount, 'PAY-4', 'AM09', 'the amount is not that of the quote'),
      ...intermediaryFaults(
        judged,
        'IntrmyAgt1',
        request.source_sap_ids[index],
        request.source_account_ids[index],
      ),
      ...intermediaryFaults(
        judged,
        'IntrmyAgt2',
        request.destination_sap_ids[index],
        request.destination_account_ids[index],
      ),
      ...fault(same(textAt(charges[1], 'Amt'), fee), 'PAY-4', 'AM09', 'the fee is not that of the quote'),
      ...fault(amount(fee).lt(amount(settlement)), 'FEE-5', 'AM06', 'the fee leaves nothing'),
    ],
  };
}

const validMs = 600_000; // QUO-6

/** An intermediary agent and its account, where the message gives them. */
function intermediaryFaults(
  { world, transaction }: Case,
  name: string,
  sap: string | undefined,
  account: string | undefined,
): readonly Fault[] {
  const agent = at(transaction, name);
  const given = textAt(transaction, `${name}Acct/Id/Othr/Id`) ?? textAt(transaction, `${name}Acct/Id/IBAN`);
  return [
    ...fault(agent === undefined || world.reference.find(agent)?.id === sap, 'PAY-4', 'RC11', name),
    ...fault(given === undefined || given === account, 'PAY-4', 'RC11', `${name}Acct`),
  ];
}

/**
 * PAY-5: from the debtor agent's own account at that SAP, with the fee of the formula. FEE-7: an instructed amount in the
 * destination currency is what is credited.
 */
function ownExchange({ world, transaction, debtorAgent, creditorAgent, charges }: Case): Bound {
  const { reference } = world;
  const currency = textAt(transaction, 'AgrdRate/QtdCcy') ?? '';
  const country = creditorAgent?.country ?? '';
  const places = reference.decimals.get(currency) ?? 2;
  const rate = amount(textAt(transaction, 'AgrdRate/PreAgrdXchgRate'));
  const source = amount(textAt(transaction, 'IntrBkSttlmAmt'));
  const sourceCurrency = at(transaction, 'IntrBkSttlmAmt')?.attributes['Ccy'] ?? '';
  const formula = reference.creditorAgentFees.get(`${country} ${currency}`);
  const instructed = at(transaction, 'InstdAmt');
  const isCreditGiven =
    instructed?.attributes['Ccy'] === currency && currency !== sourceCurrency && formula !== undefined;
  const settlement = isCreditGiven
    ? settlementFor(amount(textAt(transaction, 'InstdAmt')), formula, places)
    : halfUp(source.times(rate), places);
  const isSource =
    !isCreditGiven || source.eq(quotientUp(settlement, rate, reference.decimals.get(sourceCurrency) ?? 2));
  const sap = reference.find(at(transaction, 'IntrmyAgt2'))?.id;
  const account =
    textAt(transaction, 'IntrmyAgt2Acct/Id/Othr/Id') ?? textAt(transaction, 'IntrmyAgt2Acct/Id/IBAN');
  const isOwn = reference.accounts.some(
    (one) =>
      one.owner === debtorAgent?.id &&
      one.sap === sap &&
      one.id === account &&
      one.currency === currency &&
      one.country === country,
  );
  const fee = formula === undefined ? undefined : feeOn(settlement, formula, places);
  return {
    settlement: settlement.toFixed(),
    faults: [
      ...fault(isOwn, 'PAY-5', 'RC11', `account ${account ?? 'missing'} at ${sap ?? 'no SAP'}`),
      ...fault(isSource, 'FEE-7', 'AM09', 'the source amount does not lead to the instructed amount'),
      ...fault(
        fee !== undefined && amount(textAt(charges[1], 'Amt')).eq(fee),
        'PAY-5',
        'AM09',
        `the fee is not ${fee?.toFixed() ?? ''}`,
      ),
      ...fault(fee?.lt(settlement), 'FEE-5', 'AM06', 'the fee leaves nothing'),
    ],
  };
}
