/**
 * The checks of a pacs.008 that need reference data, the clock or stored keys, but no quote: usage guidelines,
 * duplicates, freshness, agents. Their inputs are arguments; `judge-payment.ts` defines their order.
 */
import { isOnboardedPsp, mayBeDebtorAgent, unknownInstitution } from './agent.ts';
import { chargeChecks } from '../money/charge-checks.ts';
import type { Check, IsFit } from '../rejections/check.ts';
import { corridorChecks, inWrongCurrency } from '../money/currency-checks.ts';
import type { Judged, SubmissionContext, SubmissionNow } from '../scheme/ends.ts';
import { countryUnknown, currencyUnknown, currencyWrong } from '../rejections/hindrances.ts';
import { amountsOf, inTransaction, pacs008Paths, type Pacs008 } from '../iso20022/pacs008.ts';
import { withoutPositions } from '../iso20022/tree.ts';
import { fitsDecimalPlaces } from '../money/money.ts';
import type { ClearingSystem, Institution } from '../scheme/reference.ts';
import { reject, rejectWith, type Rejection } from '../rejections/rejection.ts';

const maxAheadMs = 10_000;

/** The checks of MSG-4 to MSG-7 that need reference data. */
export const guidelineChecks: readonly Check<Judged<SubmissionContext>>[] = [
  {
    name: "the submitter's clearing system",
    ruleId: 'MSG-5',
    needs: [`${pacs008Paths.group}/SttlmInf/ClrSys`],
    run: checkClearingSystem,
  },
  ...corridorChecks,
  {
    name: 'decimals',
    ruleId: 'MON-2',
    needs: [],
    hindered: ({ message, ends }, isFit) =>
      currencyWrong(
        [...inWrongCurrency(message, ends)].filter((path) => isFit(withoutPositions(inTransaction(path)))),
      ),
    run: checkDecimals,
  },
  ...chargeChecks,
  {
    name: 'what the destination country requires',
    ruleId: 'MSG-7',
    needs: [inTransaction('CdtrAgt')],
    hindered: ({ ends }) => countryUnknown(ends),
    run: checkRequiredElements,
  },
];

export const duplicateCheck: Check<Judged<SubmissionNow>> = {
  name: 'duplicates',
  ruleId: 'DUP-2',
  needs: [],
  run: checkDuplicate,
};

export const freshnessCheck: Check<Judged<SubmissionNow>> = {
  name: 'freshness',
  ruleId: 'TIM-4',
  needs: [inTransaction('AddtlDtTm')],
  run: checkFreshness,
};

export const agentChecks: readonly Check<Judged<SubmissionContext>>[] = [
  { name: 'debtor agent', ruleId: 'PAY-6', needs: [inTransaction('DbtrAgt')], run: checkDebtorAgent },
  {
    name: 'creditor agent',
    ruleId: 'PAY-6',
    needs: ['CdtrAgt', 'AgrdRate/QtdCcy', 'ChrgsInf/Amt'].map(inTransaction),
    hindered: ({ ends }) => currencyUnknown(ends),
    run: checkCreditorAgent,
  },
];

function* checkClearingSystem({ message, context }: Judged<SubmissionContext>): Iterable<Rejection> {
  const { sourceSystem } = context;
  const { clearingSystemId: given } = message;
  if (given === sourceSystem) return;
  const isCase = given.toUpperCase() === sourceSystem.toUpperCase();
  const found = isCase ? 'its letters in another case' : 'another clearing system';
  yield rejectWith('clearing-system-foreign', { found, expected: sourceSystem });
}

function* checkDecimals(
  { message, context, ends }: Judged<SubmissionContext>,
  isFit: IsFit,
): Iterable<Rejection> {
  const unknown = inWrongCurrency(message, ends);
  for (const { amount, path } of amountsOf(message)) {
    if (!isFit(withoutPositions(inTransaction(path))) || unknown.has(path)) continue;
    const currency = context.reference.currencies.get(amount.currency);
    if (currency === undefined) {
      const details = { found: amount.currency, expected: 'a currency of the service' };
      yield reject('currency-wrong', inTransaction(path), undefined, details);
    } else if (!fitsDecimalPlaces(amount.amount, currency.decimalPlaces)) {
      const most = `at most ${currency.decimalPlaces} decimals in ${amount.currency}`;
      const details = { text: most, found: amount.amount, expected: most };
      yield reject('too-many-decimals', inTransaction(path), 'MON-2', details);
    }
  }
}

function* checkRequiredElements({ message, context, ends }: Judged<SubmissionContext>): Iterable<Rejection> {
  const { creditorAgent } = ends;
  if (creditorAgent === undefined || ends.isContradicted) return; // other checks report this (RC07, MSG-6)
  const { countryCode } = creditorAgent;
  const required = context.reference.countries.get(countryCode)?.requiredPacs008Elements ?? [];
  const missing = (path: string, what: string) => {
    const details = { found: 'nothing', expected: `${what}, which ${countryCode} requires` };
    return reject('required-by-destination', inTransaction(path), undefined, details);
  };
  if (required.includes('purposeCode') && message.purpose === undefined) {
    yield missing('Purp/Cd', 'a purpose code');
  }
  if (required.includes('categoryPurposeCode') && message.categoryPurpose === undefined) {
    yield missing('PmtTpInf/CtgyPurp/Cd', 'a category purpose code');
  }
}

/**
 * Rejects keys that another message has used. A repeat of the same message is a status enquiry, which is not
 * judged.
 */
function* checkDuplicate({ message, context }: Judged<SubmissionNow>): Iterable<Rejection> {
  const { payment, messageIdHeldBy } = context.recorded ?? {};
  if (payment !== undefined) {
    if (payment.sourceSystem !== context.sourceSystem) yield reject('uetr-of-another');
    else if (payment.messageIdentification === message.messageIdentification)
      yield reject('duplicate-content');
    else yield reject('duplicate-uetr');
  } else if (messageIdHeldBy !== undefined) yield reject('duplicate-message-id');
}

/**
 * Checks TIM-4, and for a HIGH payment TIM-1. Faults that existed on arrival are reported first. If the
 * message arrived in time but was judged too late, the rejection does not blame the sender.
 */
function* checkFreshness({ message, context, ends }: Judged<SubmissionNow>): Iterable<Rejection> {
  const { now, storedAt = now } = context;
  const { text, epochMs: acceptanceAt } = message.acceptanceDateTime;
  const maxAgeMs = (ends.source?.maxAcceptanceAgeSeconds ?? 0) * 1_000;
  const deadlineAt = deadlineOf(message, ends.destination) ?? Infinity;
  const isTooOld = (at: number) => at - acceptanceAt > maxAgeMs; // seam: acceptance-age
  const isPastDeadline = (at: number) => at >= deadlineAt;
  const since = { found: `${text}, ${seconds(storedAt - acceptanceAt)} ago` };
  if (isTooOld(storedAt)) {
    yield rejectWith('acceptance-too-old', {
      ...since,
      expected: `at most ${seconds(maxAgeMs)} ago when it is first submitted`,
    });
  } else if (isPastDeadline(storedAt)) {
    const expected = `less than ${seconds(deadlineAt - acceptanceAt)} ago for priority HIGH`;
    yield rejectWith('deadline-past', { ...since, expected });
  } else if (acceptanceAt - storedAt > maxAheadMs) {
    yield rejectWith('acceptance-ahead', {
      found: `${text}, ${seconds(acceptanceAt - storedAt)} ahead`,
      expected: `at most ${seconds(maxAheadMs)} ahead`,
    });
  } else if (isTooOld(now)) yield reject('judged-too-late');
  else if (isPastDeadline(now)) yield reject('deadline-expired');
}

const seconds = (ms: number) => `${Math.floor(ms / 1_000)} s`;

/** Epoch milliseconds by which a HIGH payment must be final; null for NORM. */
export function deadlineOf(message: Pacs008, destination: ClearingSystem | undefined): number | null {
  return message.priority === 'HIGH' && destination !== undefined
    ? message.acceptanceDateTime.epochMs + destination.maxExecutionSeconds * 1_000 // seam: deadline
    : null;
}

const shortcomingOf = (institution: Institution) =>
  isOnboardedPsp(institution)
    ? 'an institution that is not a member'
    : 'an institution that is not an onboarded PSP';

/** PAY-6: the debtor agent must be an onboarded PSP and a member of the submitting system. */
function* checkDebtorAgent({ context, ends }: Judged<SubmissionContext>): Iterable<Rejection> {
  const { debtorAgent } = ends;
  if (mayBeDebtorAgent(debtorAgent, context.sourceSystem)) return;
  const found = debtorAgent === undefined ? unknownInstitution : shortcomingOf(debtorAgent);
  yield rejectWith('debtor-agent-not-member', { found });
}

/**
 * PAY-6: the creditor agent must be an onboarded PSP and a member of a payment system of the destination
 * currency.
 */
function* checkCreditorAgent({ ends }: Judged<SubmissionContext>): Iterable<Rejection> {
  const { creditorAgent, destination } = ends;
  if (creditorAgent?.roles.includes('psp') !== true) {
    const found = creditorAgent === undefined ? unknownInstitution : 'an institution that is not a PSP';
    yield rejectWith('creditor-agent-unknown', { found });
  } else if (!creditorAgent.onboarded) yield reject('creditor-agent-not-onboarded');
  else if (destination === undefined && currencyUnknown(ends) === undefined) {
    const currency = ends.destinationCurrency;
    yield rejectWith('creditor-agent-not-onboarded', {
      text: 'creditor agent takes no payments in this currency',
      found: `a member of no payment system of ${currency}`,
      expected: `a creditor agent that is a member of a payment system of ${currency}`,
    });
  }
}
