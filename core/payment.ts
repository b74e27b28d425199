/**
 * The business checks of a pacs.008, in the order of PAY-3: those of `payment-checks.ts`, then quote and limits. What passes
 * is bound: every amount, agent and account that the payment will use is settled here.
 * It looks nothing up by itself and has no clock; duplicates are judged by the database (DUP-3).
 */
import { identifyAgent, resolveAgent, unknownInstitution } from './agent.ts';
import { judgeFit, rejectionsOf, type Check, type IsFit } from './check.ts';
import { findEnds, type Ends, type Judged, type Submitted, type SubmittedNow } from './ends.ts';
import { creditorAgentFee, feeOn } from './fee.ts';
import { pacs008Paths, type Pacs008 } from './iso20022/pacs008.ts';
import type { AccountIdentification, AgentIdentification, Amount } from './iso20022/parties.ts';
import { exact, plainDecimal, renderDecimal, roundHalfUpTo } from './money.ts';
import { checksBeforeBinding, deadlineOf, guidelineChecks } from './payment-checks.ts';
import type { StoredQuote } from './quote.ts';
import { keyOf, type ClearingSystem, type Institution, type ReferenceData } from './reference.ts';
import { reject, type Rejection } from './rejection.ts';
import type { RejectionKey } from './rejection-table.ts';

export interface PaymentContext extends SubmittedNow {
  /** The quote that the message names; undefined when there is none by that id, or the message names none. */
  readonly quote: StoredQuote | undefined;
  /** Whether another payment that is not rejected holds that quote (QUO-8). */
  readonly quoteInUse: boolean;
}

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

export type Checked =
  | { readonly ok: true; readonly payment: BoundPayment }
  | { readonly ok: false; readonly rejection: Rejection };

const at = (path: string) => `${pacs008Paths.transaction}/${path}`;
const no = (rejection: Rejection): Checked => ({ ok: false, rejection });
/** A value that is not the one that was expected; amounts, rates and currencies may be shown (MSG-13). */
const differs = (key: RejectionKey, found: string, expected: string, xpath?: string) =>
  reject(key, xpath, undefined, { found, expected });

/** Judges a pacs.008 that its schema found valid; the first failure counts (PAY-3). */
export function checkPayment(message: Pacs008, context: PaymentContext): Checked {
  const ends = findEnds(message, context);
  for (const rejection of rejectionsOf(checksBeforeBinding, { message, context, ends })) return no(rejection);
  return bind(message, context, ends);
}

/** The first thing that a message offends of the usage guidelines; it comes before duplicates (PAY-3). */
export function findGuidelineFault(message: Pacs008, context: Submitted): Rejection | undefined {
  const ends = findEnds(message, context);
  for (const rejection of rejectionsOf(guidelineChecks, { message, context, ends })) return rejection;
  return undefined;
}

/** Settles every amount, agent and account of a message whose ends were found in order (PAY-4 to PAY-6). */
function bind(message: Pacs008, context: PaymentContext, ends: Ends): Checked {
  const { source, debtorAgent, creditorAgent, destination } = ends;
  if (!source || !debtorAgent || !creditorAgent || !destination)
    return no(reject('currency-wrong', at('AgrdRate/QtdCcy')));
  const parties: Parties = { source, debtorAgent, creditorAgent, destination };
  const bound =
    message.agreedRate.quoteId === undefined
      ? bindOwnExchange(message, context, parties)
      : bindQuote(message, context, parties);
  if (!bound.ok) return bound;
  const { destinationAmount } = bound.payment;
  return exact(destinationAmount.amount).gt(exact(destination.maxAmount))
    ? no(
        differs(
          'destination-maximum-exceeded',
          destinationAmount.amount,
          `at most ${destination.maxAmount} ${destination.currencyCode}`,
        ),
      )
    : bound;
}

const boundBy = [
  ...['IntrBkSttlmAmt', 'AddtlDtTm', 'AgrdRate', 'ChrgsInf', 'DbtrAgt', 'CdtrAgt'],
  ...['IntrmyAgt1', 'IntrmyAgt1Acct', 'IntrmyAgt2', 'IntrmyAgt2Acct'],
].map(at);

/** PAY-5 and the limit: what can be judged of a payment without asking for a quote. */
const ownExchangeCheck: Check<Judged<SubmittedNow>> = {
  name: 'own account, creditor agent fee and destination maximum',
  ruleId: 'PAY-5',
  needs: boundBy,
  *run({ message, context, ends }) {
    const bound = bind(message, { ...context, quote: undefined, quoteInUse: false }, ends);
    if (!bound.ok) yield bound.rejection;
  },
};

/**
 * Every rejection that reference data and the clock lead to, for a dry run: no quote is asked for, so that a message
 * without one (PAY-5) is judged to its end and one with a quote up to PAY-4.
 * @param isFit what of the message was found valid
 * @param read what the rules of the message refuse
 */
export function judgeByReference(
  message: Pacs008,
  context: SubmittedNow,
  { isFit, read }: { readonly isFit: IsFit; readonly read: readonly Rejection[] },
): ReturnType<typeof judgeFit> {
  const judged = { message, context, ends: findEnds(message, context) };
  const before = judgeFit(checksBeforeBinding, judged, isFit);
  if (message.agreedRate.quoteId !== undefined) return before;
  const { name, ruleId } = ownExchangeCheck;
  const hindrances = [...read, ...before.rejections].filter(({ isoCode }) => isoCode !== 'TM01');
  if (hindrances.length > 0 || before.notJudged.length > 0) {
    const reason = 'It is judged when nothing else is wrong.';
    return { ...before, notJudged: [...before.notJudged, { name, ruleId, reason }] };
  }
  const after = judgeFit([ownExchangeCheck], judged, isFit);
  return {
    rejections: [...before.rejections, ...after.rejections],
    notJudged: [...before.notJudged, ...after.notJudged],
  };
}

interface Parties {
  readonly source: ClearingSystem;
  readonly debtorAgent: Institution;
  readonly creditorAgent: Institution;
  readonly destination: ClearingSystem;
}

/** PAY-4: the message must say what the quote says; what it leaves out of the agents is filled in. */
function bindQuote(message: Pacs008, context: PaymentContext, parties: Parties): Checked {
  const { reference, quote } = context;
  if (quote === undefined) return no(reject('quote-unknown'));
  const rejection =
    checkQuoteState(quote, context, parties) ??
    checkQuoteTerms(message, quote, parties) ??
    checkQuoteAgents(message, quote, reference) ??
    checkQuoteFee(message, quote);
  if (rejection !== undefined) return no(rejection);
  const sourceSap = reference.institutions.get(quote.sourceSapId);
  const destinationSap = reference.institutions.get(quote.destinationSapId);
  if (!sourceSap || !destinationSap) return no(reject('quote-unknown'));
  return {
    ok: true,
    payment: {
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
    },
  };
}

function checkQuoteState(
  quote: StoredQuote,
  context: PaymentContext,
  parties: Parties,
): Rejection | undefined {
  if (quote.pspId !== parties.debtorAgent.institutionId) return reject('quote-foreign');
  if (quote.expired) return reject('quote-expired');
  return context.quoteInUse ? reject('quote-in-use') : undefined;
}

/** The fee is the quote's; a quote of endpoint 12b, which knows no fees, may leave nothing to credit (FEE-5). */
function checkQuoteFee(message: Pacs008, quote: StoredQuote): Rejection | undefined {
  const fee = exact(quote.creditorAgentFee);
  const { amount } = message.charges[1];
  if (!exact(amount).eq(fee)) {
    return differs('creditor-agent-fee-differs', amount, plainDecimal(quote.creditorAgentFee));
  }
  return fee.gte(exact(quote.destinationInterbankSettlementAmount)) ? reject('amount-too-small') : undefined;
}

function checkQuoteTerms(message: Pacs008, quote: StoredQuote, parties: Parties): Rejection | undefined {
  const { agreedRate, interbankSettlementAmount } = message;
  if (!exact(agreedRate.preAgreedExchangeRate).eq(exact(quote.exchangeRate))) {
    const { preAgreedExchangeRate } = agreedRate;
    return differs('quote-rate-differs', preAgreedExchangeRate, plainDecimal(quote.exchangeRate));
  }
  if (quote.sourceCurrency !== interbankSettlementAmount.currency) {
    const { currency } = interbankSettlementAmount;
    return differs('quote-currency-differs', currency, quote.sourceCurrency, at('IntrBkSttlmAmt'));
  }
  if (quote.destinationCurrency !== agreedRate.quotedCurrency) {
    const { quotedCurrency } = agreedRate;
    return differs(
      'quote-currency-differs',
      quotedCurrency,
      quote.destinationCurrency,
      at('AgrdRate/QtdCcy'),
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

/** Both intermediary agents and accounts, as far as the message gives them. */
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
    if (found !== undefined) return reject('intermediary-agent-differs', at(path), undefined, { found });
  }
  return undefined;
}

/** PAY-5: the debtor agent pays out of its own account at the destination SAP, at a rate of its own. */
function bindOwnExchange(message: Pacs008, context: PaymentContext, parties: Parties): Checked {
  const { reference } = context;
  const { debtorAgent, creditorAgent, destination, source } = parties;
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
    return no(reject('own-account-unregistered'));
  }
  const places = reference.currencies.get(destination.currencyCode)?.decimalPlaces;
  const formula = reference.creditorAgentFeeFormulas.get(
    keyOf(creditorAgent.countryCode, destination.currencyCode),
  );
  if (places === undefined || formula === undefined)
    return no(reject('currency-wrong', at('AgrdRate/QtdCcy')));
  const { interbankSettlementAmount, agreedRate, charges } = message;
  // MSG-10 without a quote: amount x rate, half up to the destination currency's decimals (MON-3)
  const settlement = roundHalfUpTo(
    exact(interbankSettlementAmount.amount).times(exact(agreedRate.preAgreedExchangeRate)),
    places,
  );
  const fee = feeOn(settlement, creditorAgentFee(formula, places));
  if (!exact(charges[1].amount).eq(fee)) {
    return no(
      differs(
        'creditor-agent-fee-wrong',
        charges[1].amount,
        `${renderDecimal(fee)}, by the formula on ${renderDecimal(settlement)}`,
      ),
    );
  }
  if (fee.gte(settlement)) return no(reject('amount-too-small'));
  return {
    ok: true,
    payment: {
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
    },
  };
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
