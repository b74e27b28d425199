/**
 * Makes the last checks of a pacs.008: the quote or the debtor agent's own FX, and the limits (PAY-4 to
 * PAY-6). `judge-payment.ts` makes the earlier checks. Binding a payment fixes every amount, agent and
 * account that the payment will use.
 */
import { identifyAgent, resolveAgent, unknownInstitution } from './agent.ts';
import { assert } from '../assert.ts';
import { rejectionsOf, type Check } from '../rejections/check.ts';
import type { Judged, SubmissionContext } from '../scheme/ends.ts';
import { feesOfQuote } from '../money/fee.ts';
import { currencyUnknown } from '../rejections/hindrances.ts';
import { inTransaction, type Pacs008 } from '../iso20022/pacs008.ts';
import type { AccountIdentification, AgentIdentification, Amount } from '../iso20022/parties.ts';
import { exact, plainDecimal, renderDecimal } from '../money/money.ts';
import { aboveMaximum, figuresOf, ownExchangeChecks, tooSmall } from '../money/own-exchange.ts';
import { deadlineOf } from './payment-checks.ts';
import type { StoredQuote } from '../quotes/quote.ts';
import type { ClearingSystem, Institution, ReferenceData } from '../scheme/reference.ts';
import { reject, rejectWith, type Rejection } from '../rejections/rejection.ts';
import type { RejectionKey } from '../rejections/rejection-table.ts';
import { first, ok, refused, type Result } from '../result.ts';

/** An intermediary agent, and the settlement account at that agent. */
export interface SettlementLeg {
  readonly agent: AgentIdentification;
  readonly account: AccountIdentification;
}

/** A payment that passed every check. Amounts are plain decimals. */
export interface BoundPayment {
  readonly source: ClearingSystem;
  readonly destination: ClearingSystem;
  readonly sourceCountry: string;
  readonly destinationCountry: string;
  readonly debtorAgent: Institution;
  readonly creditorAgent: Institution;
  /** Undefined if the debtor agent does its own FX (PAY-5). */
  readonly quote: StoredQuote | undefined;
  readonly exchangeRate: string;
  readonly sourceAmount: Amount;
  readonly destinationAmount: Amount;
  readonly creditorAgentFee: string;
  /** Taken from the quote; undefined without a quote. */
  readonly sourceLeg: SettlementLeg | undefined;
  readonly destinationLeg: SettlementLeg;
  /** The destination SAP, which instructs the destination PSP. */
  readonly destinationSap: Institution;
  /** Epoch milliseconds; null for NORM. */
  readonly deadlineAt: number | null;
}

type Bound = Result<BoundPayment, Rejection>;

/**
 * Rejects a value that differs from the expected one. Only for amounts, rates and currencies, which a
 * rejection may show.
 */
const differs = (key: RejectionKey, found: string, expected: string, xpath?: string) =>
  reject(key, xpath, undefined, { found, expected });

/** A submission together with its quote. */
export interface BindingContext extends SubmissionContext {
  /**
   * The quote that the message names. Undefined if no quote has that id, and in a dry run, which reads no
   * quotes.
   */
  readonly quote?: StoredQuote | undefined;
}

/**
 * Fixes every amount, agent and account of a message whose source and destination have passed their checks.
 * The last check is the pause of the destination (LIF-5).
 */
export function bindPayment(judged: Judged<BindingContext>): Bound {
  const { message, ends } = judged;
  const { source, debtorAgent, creditorAgent, destination } = ends;
  if (!source || !debtorAgent || !creditorAgent || !destination)
    return refused(reject('currency-wrong', inTransaction('AgrdRate/QtdCcy')));
  const parties: Parties = { source, debtorAgent, creditorAgent, destination };
  const bound =
    message.agreedRate.quoteId === undefined ? bindOwnExchange(judged, parties) : bindQuote(judged, parties);
  if (!bound.ok) return bound;
  const tooMuch = aboveMaximum(exact(bound.value.destinationAmount.amount), destination);
  if (tooMuch !== undefined) return refused(tooMuch);
  const [paused] = pauseCheck.run(judged, () => true);
  return paused === undefined ? bound : refused(paused);
}

/**
 * Rejects a payment to a paused destination. It is the last check. A dry run makes it even if it cannot bind
 * the payment.
 */
export const pauseCheck: Check<Judged<SubmissionContext>> = {
  name: 'pause of the destination',
  ruleId: 'LIF-5',
  needs: ['CdtrAgt', 'AgrdRate/QtdCcy', 'ChrgsInf/Amt'].map(inTransaction),
  hindered: ({ ends }) => currencyUnknown(ends),
  *run({ ends, context }) {
    const system = ends.destination?.clearingSystemId;
    if (system === undefined || !context.reference.paused.has(system)) return;
    yield rejectWith('destination-paused', { party: system });
  },
};

/**
 * The part of PAY-4 that a dry run can check. No quote has an unknown intermediary agent, so none could
 * match.
 */
export const intermediaryCheck: Check<Judged<SubmissionContext>> = {
  name: 'known intermediary agents',
  ruleId: 'PAY-4',
  needs: ['IntrmyAgt1', 'IntrmyAgt2'].map(inTransaction),
  *run({ message, context }) {
    for (const [path, agent] of [
      ['IntrmyAgt1', message.intermediaryAgent1],
      ['IntrmyAgt2', message.intermediaryAgent2],
    ] as const) {
      if (agent !== undefined && resolveAgent(context.reference, agent) === undefined)
        yield reject('intermediary-agent-differs', inTransaction(path), undefined, {
          found: unknownInstitution,
        });
    }
  },
};

interface Parties {
  readonly source: ClearingSystem;
  readonly debtorAgent: Institution;
  readonly creditorAgent: Institution;
  readonly destination: ClearingSystem;
}

/**
 * Binds a payment to its quote. The message must agree with the quote. The quote supplies the agents that the
 * message omits.
 */
function bindQuote({ message, context }: Judged<BindingContext>, parties: Parties): Bound {
  const { reference, quote } = context;
  if (quote === undefined) return refused(reject('quote-unknown'));
  const rejection =
    checkQuoteState(message, quote, parties) ??
    checkQuoteTerms(message, quote, parties) ??
    checkQuoteAgents(message, quote, reference) ??
    checkQuoteFee(message, quote, parties);
  if (rejection !== undefined) return refused(rejection);
  const sourceSap = reference.institutions.get(quote.sourceSapId);
  const destinationSap = reference.institutions.get(quote.destinationSapId);
  if (!sourceSap || !destinationSap) return refused(reject('quote-unknown'));
  return ok({
    ...endsOf(message, parties),
    sourceCountry: quote.sourceCountry,
    quote,
    exchangeRate: plainDecimal(quote.exchangeRate),
    sourceAmount: {
      currency: quote.sourceCurrency,
      amount: plainDecimal(quote.sourceInterbankSettlementAmount),
    },
    destinationAmount: {
      currency: quote.destinationCurrency,
      amount: plainDecimal(quote.destinationInterbankSettlementAmount),
    },
    creditorAgentFee: plainDecimal(quote.creditorAgentFee),
    sourceLeg: { agent: identifyAgent(sourceSap), account: { otherId: quote.sourceAccountId } },
    destinationLeg: {
      agent: identifyAgent(destinationSap),
      account: { otherId: quote.destinationAccountId },
    },
    destinationSap,
  });
}

function checkQuoteState(message: Pacs008, quote: StoredQuote, parties: Parties): Rejection | undefined {
  if (quote.pspId !== parties.debtorAgent.institutionId) return reject('quote-foreign');
  if (quote.expired) return reject('quote-expired');
  return quote.heldBy === null || quote.heldBy === message.uetr ? undefined : reject('quote-in-use'); // QUO-8; seam: quote-in-use
}

/**
 * The creditor agent fee must equal the quote's. A quote of endpoint 12b ignores fees, so it may leave
 * nothing to credit.
 */
function checkQuoteFee(message: Pacs008, quote: StoredQuote, parties: Parties): Rejection | undefined {
  const fee = exact(quote.creditorAgentFee);
  const { amount } = message.charges[1];
  if (!exact(amount).eq(fee)) {
    return differs('creditor-agent-fee-differs', amount, plainDecimal(quote.creditorAgentFee));
  }
  const settlement = exact(quote.destinationInterbankSettlementAmount);
  return feesOfQuote(quote).ok ? undefined : tooSmall(settlement, fee, parties.destination);
}

function checkQuoteTerms(message: Pacs008, quote: StoredQuote, parties: Parties): Rejection | undefined {
  const { agreedRate, interbankSettlementAmount } = message;
  if (!exact(agreedRate.preAgreedExchangeRate).eq(exact(quote.exchangeRate))) {
    const { preAgreedExchangeRate } = agreedRate;
    return differs('quote-rate-differs', preAgreedExchangeRate, plainDecimal(quote.exchangeRate));
  }
  if (quote.sourceCurrency !== interbankSettlementAmount.currency) {
    const { currency } = interbankSettlementAmount;
    return differs('quote-currency-differs', currency, quote.sourceCurrency, inTransaction('IntrBkSttlmAmt'));
  }
  if (quote.destinationCurrency !== agreedRate.quotedCurrency) {
    const { quotedCurrency } = agreedRate;
    return differs(
      'quote-currency-differs',
      quotedCurrency,
      quote.destinationCurrency,
      inTransaction('AgrdRate/QtdCcy'),
    );
  }
  const { countryCode } = parties.creditorAgent;
  if (quote.destinationCountry !== countryCode) {
    const expected = `a creditor agent in ${quote.destinationCountry}, or a quote for ${countryCode}`;
    return differs('quote-country-differs', `a creditor agent in ${countryCode}`, expected);
  }
  return exact(interbankSettlementAmount.amount).eq(exact(quote.sourceInterbankSettlementAmount))
    ? undefined
    : differs(
        'quote-amount-differs',
        interbankSettlementAmount.amount,
        plainDecimal(quote.sourceInterbankSettlementAmount),
      );
}

/** Checks that the intermediary agents and accounts of the message, if present, agree with the quote. */
function checkQuoteAgents(
  message: Pacs008,
  quote: StoredQuote,
  reference: ReferenceData,
): Rejection | undefined {
  const sapFound = (agent: AgentIdentification | undefined, sapId: string) => {
    if (agent === undefined) return undefined;
    const institution = resolveAgent(reference, agent);
    if (institution === undefined) return unknownInstitution;
    return institution.institutionId === sapId ? undefined : 'another institution';
  };
  const accountFound = (account: AccountIdentification | undefined, accountId: string) =>
    account === undefined || (account.otherId ?? account.iban) === accountId ? undefined : 'another account';
  const { intermediaryAgent1Account, intermediaryAgent2Account } = message;
  for (const [path, found] of [
    ['IntrmyAgt1', sapFound(message.intermediaryAgent1, quote.sourceSapId)],
    ['IntrmyAgt1Acct', accountFound(intermediaryAgent1Account, quote.sourceAccountId)],
    ['IntrmyAgt2', sapFound(message.intermediaryAgent2, quote.destinationSapId)],
    ['IntrmyAgt2Acct', accountFound(intermediaryAgent2Account, quote.destinationAccountId)],
  ] as const) {
    if (found !== undefined)
      return reject('intermediary-agent-differs', inTransaction(path), undefined, { found });
  }
  return undefined;
}

/** Binds a payment for which the debtor agent uses its own account at the destination SAP and its own rate. */
function bindOwnExchange(judged: Judged<BindingContext>, parties: Parties): Bound {
  const { message, context } = judged;
  const { debtorAgent, destination, source } = parties;
  const rejection = first(rejectionsOf(ownExchangeChecks, judged));
  if (rejection !== undefined) return refused(rejection);
  const { interbankSettlementAmount, agreedRate, intermediaryAgent2, intermediaryAgent2Account } = message;
  const sap = intermediaryAgent2 && resolveAgent(context.reference, intermediaryAgent2);
  const due = figuresOf(judged);
  assert(
    sap !== undefined && intermediaryAgent2Account !== undefined && due?.ok === true,
    'the checks refuse a payment without them',
  );
  const { settlement, fee } = due.value;
  return ok({
    ...endsOf(message, parties),
    sourceCountry: debtorAgent.countryCode,
    quote: undefined,
    exchangeRate: plainDecimal(agreedRate.preAgreedExchangeRate),
    sourceAmount: { currency: source.currencyCode, amount: plainDecimal(interbankSettlementAmount.amount) },
    destinationAmount: { currency: destination.currencyCode, amount: renderDecimal(settlement) },
    creditorAgentFee: renderDecimal(fee),
    sourceLeg: undefined,
    destinationLeg: { agent: identifyAgent(sap), account: intermediaryAgent2Account },
    destinationSap: sap,
  });
}

function endsOf(message: Pacs008, parties: Parties) {
  const { source, destination, debtorAgent, creditorAgent } = parties;
  return {
    source,
    destination,
    destinationCountry: creditorAgent.countryCode,
    debtorAgent,
    creditorAgent,
    deadlineAt: deadlineOf(message, destination),
  };
}
