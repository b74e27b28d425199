/**
 * Checks a payment whose debtor agent does its own FX (FEE-7): the agent's account, and the amounts that
 * follow from its rate. Each check lists the elements that it needs, so that a dry run can make the checks
 * that are possible.
 */
import { resolveAgent, unknownInstitution } from '../payments/agent.ts';
import type { Check } from '../rejections/check.ts';
import type { Judged, SubmissionContext } from '../scheme/ends.ts';
import { creditorAgentFee, feeOn, fromDestination, fromSource, settlementForCredited } from './fee.ts';
import { destinationUnknown } from '../rejections/hindrances.ts';
import { inTransaction, type Pacs008 } from '../iso20022/pacs008.ts';
import { exact, renderDecimal, type Exact } from './money.ts';
import { keyOf, type ClearingSystem } from '../scheme/reference.ts';
import { reject, rejectWith, type Rejection } from '../rejections/rejection.ts';
import { ok, refused, type Result } from '../result.ts';

type OwnCheck = Check<Judged<SubmissionContext>>;

const ofDestination = ['CdtrAgt', 'AgrdRate/QtdCcy', 'ChrgsInf/Amt'];
const amounts = ['IntrBkSttlmAmt', 'InstdAmt', 'AgrdRate'];
const needsFigures = {
  needs: [...ofDestination, ...amounts].map(inTransaction),
  sound: amounts.map(inTransaction),
  hindered: ({ ends }) => destinationUnknown(ends),
} as const satisfies Partial<OwnCheck>;

/** The checks in the order of PAY-3. `ownMaximumCheck` comes after them. */
export const ownExchangeChecks: readonly OwnCheck[] = [
  {
    name: 'quote or own account',
    ruleId: 'PAY-5',
    needs: ['IntrmyAgt2', 'IntrmyAgt2Acct'].map(inTransaction),
    run: checkAccountGiven,
  },
  {
    name: 'own account',
    ruleId: 'PAY-5',
    needs: ['DbtrAgt', 'IntrmyAgt2', 'IntrmyAgt2Acct', ...ofDestination].map(inTransaction),
    sound: ['DbtrAgt', 'ChrgsInf[1]/Agt', 'IntrmyAgt2Acct'].map(inTransaction),
    hindered: ({ message, ends }) => (isAccountGiven(message) ? destinationUnknown(ends) : undefined),
    run: checkAccount,
  },
  { name: 'source amount', ruleId: 'FEE-7', ...needsFigures, run: checkSourceAmount },
  {
    name: 'creditor agent fee',
    ruleId: 'PAY-5',
    ...needsFigures,
    sound: [...needsFigures.sound, inTransaction('ChrgsInf[2]/Amt')],
    run: checkFee,
  },
  { name: 'what is left after the fee', ruleId: 'FEE-5', ...needsFigures, run: checkRest },
];

/** PAY-6: the destination maximum, for a payment without a quote. */
export const ownMaximumCheck: OwnCheck = {
  name: 'destination maximum',
  ruleId: 'PAY-6',
  ...needsFigures,
  *run(judged) {
    const { destination } = judged.ends;
    const due = figuresOf(judged);
    const rejection = destination && due?.ok && aboveMaximum(due.value.settlement, destination);
    if (rejection) yield rejection;
  },
};

export function aboveMaximum(
  amount: Exact,
  { maxAmount, currencyCode }: ClearingSystem,
): Rejection | undefined {
  if (amount.lte(exact(maxAmount))) return undefined;
  const found = `${renderDecimal(amount)} ${currencyCode} at the destination`;
  const expected = `at most ${maxAmount} ${currencyCode}`;
  return rejectWith('destination-maximum-exceeded', { found, expected });
}

/** FEE-5: the rejection states both amounts, which are in destination currency. */
export function tooSmall(settlement: Exact, fee: Exact, { currencyCode }: ClearingSystem): Rejection {
  return rejectWith('amount-too-small', {
    found: `${renderDecimal(settlement)} ${currencyCode} at the destination`,
    expected: `more than ${renderDecimal(fee)} ${currencyCode}, the creditor agent fee on it`,
  });
}

const isAccountGiven = ({ intermediaryAgent2, intermediaryAgent2Account }: Pacs008) =>
  intermediaryAgent2 !== undefined && intermediaryAgent2Account !== undefined;

/** A payment must name a quote, or else the debtor agent's account together with the SAP that holds it. */
function* checkAccountGiven({ message }: Judged<SubmissionContext>): Iterable<Rejection> {
  if (isAccountGiven(message)) return;
  const { intermediaryAgent2, intermediaryAgent2Account } = message;
  const only = intermediaryAgent2 ? 'only IntrmyAgt2' : 'only IntrmyAgt2Acct';
  yield rejectWith('own-account-unregistered', {
    text: 'neither a quote nor an own account',
    fault: 'place-or-count',
    found: (intermediaryAgent2 ?? intermediaryAgent2Account) ? only : 'nothing',
    expected: 'AgrdRate/QtId of a quote, or IntrmyAgt2 with an account of your own',
  });
}

function* checkAccount({ message, context, ends }: Judged<SubmissionContext>): Iterable<Rejection> {
  const { reference } = context;
  const { debtorAgent, creditorAgent, destination } = ends;
  const { intermediaryAgent2: agent, intermediaryAgent2Account: given } = message;
  if (!agent || !given || !debtorAgent || !creditorAgent || !destination) return;
  const sap = resolveAgent(reference, agent);
  const accountId = given.otherId ?? given.iban;
  const account =
    sap && accountId !== undefined
      ? reference.accountsAtSap.get(keyOf(sap.institutionId, accountId))
      : undefined;
  const isOwn =
    account?.ownerId === debtorAgent.institutionId &&
    account.currencyCode === destination.currencyCode &&
    account.countryCode === creditorAgent.countryCode;
  if (isOwn) return;
  const found = sap ? 'another account' : `an account at ${unknownInstitution}`;
  yield rejectWith('own-account-unregistered', { found });
}

function* checkSourceAmount(judged: Judged<SubmissionContext>): Iterable<Rejection> {
  const due = figuresOf(judged);
  if (due?.ok === false) yield due.refusal;
  if (due?.ok !== true) return;
  const { source, settlement } = due.value;
  const { amount } = judged.message.interbankSettlementAmount;
  if (source.eq(exact(amount))) return;
  const expected = `${renderDecimal(source)}, which is ${renderDecimal(settlement)} (InstdAmt and the fee on it) divided by the rate, rounded up`;
  yield rejectWith('own-amount-wrong', { found: amount, expected });
}

function* checkFee(judged: Judged<SubmissionContext>): Iterable<Rejection> {
  const due = figuresOf(judged);
  if (due?.ok !== true) return;
  const { settlement, fee } = due.value;
  const { amount } = judged.message.charges[1];
  if (exact(amount).eq(fee)) return;
  const expected = `${renderDecimal(fee)}, by the formula on ${renderDecimal(settlement)}`;
  yield rejectWith('creditor-agent-fee-wrong', { found: amount, expected });
}

function* checkRest(judged: Judged<SubmissionContext>): Iterable<Rejection> {
  const { destination } = judged.ends;
  const due = figuresOf(judged);
  if (destination === undefined || due?.ok !== true) return;
  const { settlement, fee } = due.value;
  if (fee.gte(settlement)) yield tooSmall(settlement, fee, destination);
}

/** The amounts that a payment without a quote must have. */
interface Figures {
  /** In source currency. */
  readonly source: Exact;
  /** In destination currency, like the fee. */
  readonly settlement: Exact;
  readonly fee: Exact;
}

/**
 * Computes the amounts. If the instructed amount is in destination currency, it is the credited amount, and the other
 * amounts follow from it. Otherwise they follow from the source amount.
 * @returns undefined if the source or the destination is unknown; other checks reject that
 */
export function figuresOf({
  message,
  context,
  ends,
}: Judged<SubmissionContext>): Result<Figures, Rejection> | undefined {
  const { reference } = context;
  const { source, creditorAgent, destination } = ends;
  if (!source || !creditorAgent || !destination) return undefined;
  const places = reference.currencies.get(destination.currencyCode)?.decimalPlaces;
  const formula = reference.creditorAgentFeeFormulas.get(
    keyOf(creditorAgent.countryCode, destination.currencyCode),
  );
  if (places === undefined || formula === undefined)
    return refused(reject('currency-wrong', inTransaction('AgrdRate/QtdCcy')));
  const sourcePlaces = reference.currencies.get(source.currencyCode)?.decimalPlaces;
  if (sourcePlaces === undefined) return refused(reject('currency-wrong', inTransaction('IntrBkSttlmAmt')));
  const { instructedAmount, interbankSettlementAmount, agreedRate } = message;
  const { quotedCurrency, unitCurrency } = agreedRate;
  const rate = exact(agreedRate.preAgreedExchangeRate);
  const formulaFee = creditorAgentFee(formula, places);
  const isCreditGiven = instructedAmount?.currency === quotedCurrency && quotedCurrency !== unitCurrency;
  const due = isCreditGiven
    ? fromDestination(settlementForCredited(exact(instructedAmount.amount), formulaFee), rate, sourcePlaces)
    : fromSource(exact(interbankSettlementAmount.amount), rate, places);
  return ok({
    source: due.source,
    settlement: due.destination,
    fee: feeOn(due.destination, formulaFee),
  });
}
