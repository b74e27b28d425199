/**
 * The last checks of a pacs.008: its quote or own FX, and the limits (PAY-4 to PAY-6); `judge-payment.ts` makes the
 * earlier ones. A payment that passes is bound: every amount, agent and account that it will use is fixed here.
 */
import { identifyAgent, resolveAgent, unknownInstitution } from './agent.ts';
import type { Check } from './check.ts';
import type { Judged, SubmissionContext } from './ends.ts';
import { currencyUnknown } from './hindrances.ts';
import {
  creditorAgentFee,
  feeOn,
  fromDestination,
  fromSource,
  settlementForCredited,
  type Fee,
} from './fee.ts';
import { inTransaction, type Pacs008 } from './iso20022/pacs008.ts';
import type { AccountIdentification, AgentIdentification, Amount } from './iso20022/parties.ts';
import { exact, fitsDecimalPlaces, plainDecimal, renderDecimal } from './money.ts';
import { deadlineOf } from './payment-checks.ts';
import type { StoredQuote } from './quote.ts';
import { keyOf, type ClearingSystem, type Institution, type ReferenceData } from './reference.ts';
import { reject, rejectWith, type Rejection } from './rejection.ts';
import type { RejectionKey } from './rejection-table.ts';
import { ok, refused, type Result } from './result.ts';

/** An intermediary agent and the account there, as the payment uses them. */
export interface SettlementLeg {
  readonly agent: AgentIdentification;
  readonly account: AccountIdentification;
}

/** A payment that passed every check; amounts are plain decimal text. */
export interface BoundPayment {
  readonly source: ClearingSystem;
  readonly destination: ClearingSystem;
  readonly sourceCountry: string;
  readonly destinationCountry: string;
  readonly debtorAgent: Institution;
  readonly creditorAgent: Institution;
  /** Undefined where the debtor agent does its own FX (PAY-5). */
  readonly quote: StoredQuote | undefined;
  readonly exchangeRate: string;
  readonly sourceAmount: Amount;
  readonly destinationAmount: Amount;
  readonly creditorAgentFee: string;
  /** From the quote; undefined without one. */
  readonly sourceLeg: SettlementLeg | undefined;
  readonly destinationLeg: SettlementLeg;
  /** Who instructs the destination PSP: the destination SAP (MSG-10). */
  readonly destinationSap: Institution;
  /** Epoch milliseconds; null for NORM (TIM-1). */
  readonly deadlineAt: number | null;
}

type Bound = Result<BoundPayment, Rejection>;

/** A value other than the expected one; amounts, rates and currencies may be shown (MSG-13). */
const differs = (key: RejectionKey, found: string, expected: string, xpath?: string) =>
  reject(key, xpath, undefined, { found, expected });

/** A submission with the quote that was read for it. */
export interface BindingContext extends SubmissionContext {
  /** The one that the message names; none if it names none, or one that is unknown, or in a dry run, which does not look. */
  readonly quote?: StoredQuote | undefined;
}

/**
 * Fixes every amount, agent and account of a message whose ends have passed their checks (PAY-4 to PAY-6); last of all,
 * its destination must not be paused (LIF-5).
 */
export function bindPayment(judged: Judged<BindingContext>): Bound {
  const { message, context, ends } = judged;
  const { source, debtorAgent, creditorAgent, destination } = ends;
  if (!source || !debtorAgent || !creditorAgent || !destination)
    return refused(reject('currency-wrong', inTransaction('AgrdRate/QtdCcy')));
  const parties: Parties = { source, debtorAgent, creditorAgent, destination };
  const bound =
    message.agreedRate.quoteId === undefined
      ? bindOwnExchange(message, context.reference, parties)
      : bindQuote(judged, parties);
  if (!bound.ok) return bound;
  const { destinationAmount } = bound.value;
  const { maxAmount, currencyCode } = destination;
  if (exact(destinationAmount.amount).gt(exact(maxAmount))) {
    const most = `at most ${maxAmount} ${currencyCode}`;
    return refused(differs('destination-maximum-exceeded', destinationAmount.amount, most));
  }
  const [paused] = pauseCheck.run(judged, () => true);
  return paused === undefined ? bound : refused(paused);
}

/** LIF-5: the last check of all; a dry run makes it where it cannot bind, too. */
export const pauseCheck: Check<Judged<SubmissionContext>> = {
  name: 'pause of the destination',
  ruleId: 'LIF-5',
  needs: ['CdtrAgt', 'AgrdRate/QtdCcy', 'ChrgsInf/Amt'].map(inTransaction),
  isOfMoment: true,
  hindered: ({ ends }) => currencyUnknown(ends),
  *run({ ends, context }) {
    const system = ends.destination?.clearingSystemId;
    if (system === undefined || !context.reference.paused.has(system)) return;
    yield rejectWith('destination-paused', { party: system });
  },
};

const boundBy = [
  ...['IntrBkSttlmAmt', 'InstdAmt', 'AddtlDtTm', 'AgrdRate', 'ChrgsInf', 'DbtrAgt', 'CdtrAgt'],
  ...['IntrmyAgt1', 'IntrmyAgt1Acct', 'IntrmyAgt2', 'IntrmyAgt2Acct'],
].map(inTransaction);

/** PAY-5 and the limit: what can be judged without reading a quote. */
export const ownExchangeCheck: Check<Judged<SubmissionContext>> = {
  name: 'own account, creditor agent fee and destination maximum',
  ruleId: 'PAY-5',
  needs: boundBy,
  *run(judged) {
    const bound = bindPayment(judged);
    if (!bound.ok) yield bound.refusal;
  },
};

interface Parties {
  readonly source: ClearingSystem;
  readonly debtorAgent: Institution;
  readonly creditorAgent: Institution;
  readonly destination: ClearingSystem;
}

/** PAY-4: the message must agree with the quote; agents that it leaves out are filled in. */
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
  if (quote.expired) return reject('quote-expired'); // QUO-6
  return quote.heldBy === null || quote.heldBy === message.uetr ? undefined : reject('quote-in-use'); // QUO-8
}

/** The fee is the quote's; a quote of endpoint 12b, which ignores fees, may leave nothing to credit (FEE-5). */
function checkQuoteFee(message: Pacs008, quote: StoredQuote, parties: Parties): Rejection | undefined {
  const fee = exact(quote.creditorAgentFee);
  const { amount } = message.charges[1];
  if (!exact(amount).eq(fee)) {
    return differs('creditor-agent-fee-differs', amount, plainDecimal(quote.creditorAgentFee));
  }
  const settlement = exact(quote.destinationInterbankSettlementAmount);
  return fee.gte(settlement)
    ? tooSmall(renderDecimal(settlement), renderDecimal(fee), parties.destination)
    : undefined;
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
  if (quote.destinationCountry !== parties.creditorAgent.countryCode) return reject('quote-country-differs');
  return exact(interbankSettlementAmount.amount).eq(exact(quote.sourceInterbankSettlementAmount))
    ? undefined
    : differs(
        'quote-amount-differs',
        interbankSettlementAmount.amount,
        plainDecimal(quote.sourceInterbankSettlementAmount),
      );
}

/** Both intermediary agents and accounts, if the message gives them. */
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

/** PAY-5: the debtor agent pays from its own account at the destination SAP, at its own rate. */
function bindOwnExchange(message: Pacs008, reference: ReferenceData, parties: Parties): Bound {
  const { debtorAgent, creditorAgent, destination, source } = parties;
  const missing = missingOwnAccount(message);
  if (missing !== undefined) return refused(missing);
  const sap = message.intermediaryAgent2 && resolveAgent(reference, message.intermediaryAgent2);
  const accountId = message.intermediaryAgent2Account?.otherId ?? message.intermediaryAgent2Account?.iban;
  const account =
    sap && accountId !== undefined
      ? reference.accountsAtSap.get(keyOf(sap.institutionId, accountId))
      : undefined;
  const isOwn =
    account?.ownerId === debtorAgent.institutionId &&
    account.currencyCode === destination.currencyCode &&
    account.countryCode === creditorAgent.countryCode;
  if (!sap || !isOwn || message.intermediaryAgent2Account === undefined) {
    const found = sap ? 'another account' : `an account at ${unknownInstitution}`;
    return refused(rejectWith('own-account-unregistered', { found }));
  }
  const places = reference.currencies.get(destination.currencyCode)?.decimalPlaces;
  const formula = reference.creditorAgentFeeFormulas.get(
    keyOf(creditorAgent.countryCode, destination.currencyCode),
  );
  if (places === undefined || formula === undefined)
    return refused(reject('currency-wrong', inTransaction('AgrdRate/QtdCcy')));
  const sourcePlaces = reference.currencies.get(source.currencyCode)?.decimalPlaces;
  if (sourcePlaces === undefined) return refused(reject('currency-wrong', inTransaction('IntrBkSttlmAmt')));
  const { interbankSettlementAmount, agreedRate, charges } = message;
  const formulaFee = creditorAgentFee(formula, places);
  const due = ownExchangeAmounts(message, formulaFee, sourcePlaces);
  if (!due.source.eq(exact(interbankSettlementAmount.amount))) {
    const expected = `${renderDecimal(due.source)}, which is ${renderDecimal(due.destination)} divided by the rate, rounded up`;
    return refused(differs('own-amount-wrong', interbankSettlementAmount.amount, expected));
  }
  const settlement = due.destination;
  const fee = feeOn(settlement, formulaFee);
  if (!exact(charges[1].amount).eq(fee)) {
    return refused(
      differs(
        'creditor-agent-fee-wrong',
        charges[1].amount,
        `${renderDecimal(fee)}, by the formula on ${renderDecimal(settlement)}`,
      ),
    );
  }
  if (fee.gte(settlement))
    return refused(tooSmall(renderDecimal(settlement), renderDecimal(fee), destination));
  return ok({
    ...endsOf(message, parties),
    sourceCountry: debtorAgent.countryCode,
    quote: undefined,
    exchangeRate: plainDecimal(agreedRate.preAgreedExchangeRate),
    sourceAmount: { currency: source.currencyCode, amount: plainDecimal(interbankSettlementAmount.amount) },
    destinationAmount: { currency: destination.currencyCode, amount: renderDecimal(settlement) },
    creditorAgentFee: renderDecimal(fee),
    sourceLeg: undefined,
    destinationLeg: { agent: identifyAgent(sap), account: message.intermediaryAgent2Account },
    destinationSap: sap,
  });
}

/**
 * FEE-7: an instructed amount in the destination currency is what is credited, and the other amounts follow from it.
 * Else they follow from the source amount.
 */
function ownExchangeAmounts(message: Pacs008, fee: Fee, sourcePlaces: number) {
  const { instructedAmount, interbankSettlementAmount, agreedRate } = message;
  const rate = exact(agreedRate.preAgreedExchangeRate);
  const { quotedCurrency, unitCurrency } = agreedRate;
  // A dry run also comes here with an amount that another check refuses.
  const isCreditGiven =
    instructedAmount?.currency === quotedCurrency &&
    quotedCurrency !== unitCurrency &&
    fitsDecimalPlaces(instructedAmount.amount, fee.decimalPlaces) &&
    !exact(instructedAmount.amount).isZero();
  if (!isCreditGiven) return fromSource(exact(interbankSettlementAmount.amount), rate, fee.decimalPlaces);
  const settlement = settlementForCredited(exact(instructedAmount.amount), fee);
  return fromDestination(settlement, rate, sourcePlaces);
}

/** A payment names a quote (PAY-4), or an account of the debtor agent's own with the SAP that has it (PAY-5). */
function missingOwnAccount({
  intermediaryAgent2,
  intermediaryAgent2Account,
}: Pacs008): Rejection | undefined {
  if (intermediaryAgent2 && intermediaryAgent2Account) return undefined;
  const only = intermediaryAgent2 ? 'only IntrmyAgt2' : 'only IntrmyAgt2Acct';
  return rejectWith('own-account-unregistered', {
    text: 'neither a quote nor an own account',
    fault: 'place-or-count',
    found: (intermediaryAgent2 ?? intermediaryAgent2Account) ? only : 'nothing',
    expected: 'AgrdRate/QtId of a quote, or IntrmyAgt2 with an account of your own',
  });
}

/** FEE-5, with the amounts; both in destination currency. */
function tooSmall(settlement: string, fee: string, { currencyCode }: ClearingSystem): Rejection {
  return differs(
    'amount-too-small',
    `${settlement} ${currencyCode} at the destination`,
    `more than ${fee} ${currencyCode}, the creditor agent fee on it`,
  );
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
