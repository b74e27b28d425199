/**
 * Checks each currency of a pacs.008 against the currencies of the two countries. It never compares it with
 * another currency of the message that is itself wrong. So one wrong currency gives one rejection, even if
 * several elements repeat it.
 */
import type { Check } from '../rejections/check.ts';
import type { Ends, Judged, SubmissionContext } from '../scheme/ends.ts';
import { countryUnknown } from '../rejections/hindrances.ts';
import { inTransaction, type Pacs008 } from '../iso20022/pacs008.ts';
import { textAt } from '../iso20022/tree.ts';
import { reject, type Rejection } from '../rejections/rejection.ts';

interface WrongCurrency {
  /** Path below `CdtTrfTxInf`. */
  readonly path: string;
  readonly found: string;
  readonly expected: string;
}

/** All source currencies must be the currency of the submitter's clearing system. */
function wrongAtSource(message: Pacs008, { source }: Ends): readonly WrongCurrency[] {
  const { interbankSettlementAmount, agreedRate, charges } = message;
  const settlement = interbankSettlementAmount.currency;
  const expected = `${source?.currencyCode ?? 'the currency'} of the submitter's clearing system`;
  const stated = [
    { path: 'AgrdRate/UnitCcy', found: agreedRate.unitCurrency },
    { path: 'ChrgsInf[1]/Amt', found: charges[0].currency },
  ];
  const isOurs = (currency: string) => currency === source?.currencyCode;
  return [
    ...(isOurs(settlement) ? [] : [{ path: 'IntrBkSttlmAmt', found: settlement, expected }]),
    ...stated
      .filter(({ found }) => !isOurs(found) && found !== settlement)
      .map((one) => ({ ...one, expected })),
  ];
}

/** All destination currencies must be the same, and must be a currency of the creditor agent's country. */
function wrongAtDestination(message: Pacs008, ends: Ends): readonly WrongCurrency[] {
  const { agreedRate, charges, transaction } = message;
  const { creditorAgent, destinationCurrencies, isContradicted } = ends;
  const [quoted, charged] = [agreedRate.quotedCurrency, charges[1].currency];
  const isOurs = (currency: string) => destinationCurrencies.includes(currency);
  const charge = { path: 'ChrgsInf[2]/Amt', found: charged };
  if (creditorAgent === undefined || isContradicted || isOurs(quoted)) {
    return charged === quoted ? [] : [{ ...charge, expected: `${quoted}, as in AgrdRate/QtdCcy` }];
  }
  const known = destinationCurrencies.length === 0 ? 'a currency' : destinationCurrencies.join(' or ');
  const expected = `${known}, the currency of ${creditorAgent.countryCode}, where the creditor agent is`;
  const isCharge = quoted === charged && textAt(transaction, 'AgrdRate/QtdCcy') === undefined;
  return [
    { path: isCharge ? charge.path : 'AgrdRate/QtdCcy', found: quoted, expected },
    ...(charged === quoted || isOurs(charged) ? [] : [{ ...charge, expected }]),
  ];
}

/** The instructed amount, if present, must be in the currency of either side. */
function wrongInstructed(message: Pacs008, ends: Ends): readonly WrongCurrency[] {
  const { instructedAmount, interbankSettlementAmount, agreedRate } = message;
  if (instructedAmount === undefined) return [];
  const { currency: found } = instructedAmount;
  const ours = [
    ends.source?.currencyCode ?? interbankSettlementAmount.currency,
    ends.destinationCurrency ?? agreedRate.quotedCurrency,
  ];
  const repeated = [interbankSettlementAmount.currency, agreedRate.quotedCurrency];
  if ([...ours, ...repeated].includes(found)) return [];
  return [{ path: 'InstdAmt', found, expected: ours.join(' or ') }];
}

type FindWrong = (message: Pacs008, ends: Ends) => readonly WrongCurrency[];

const check =
  (find: FindWrong) =>
  ({ message, ends }: Judged<SubmissionContext>): Iterable<Rejection> =>
    find(message, ends).map(({ path, ...details }) =>
      reject('currency-wrong', inTransaction(path), undefined, details),
    );

/** In the order in which their rejections are reported. */
export const corridorChecks: readonly Check<Judged<SubmissionContext>>[] = [
  {
    name: 'currencies of the source',
    ruleId: 'MSG-4',
    needs: ['IntrBkSttlmAmt', 'AgrdRate/UnitCcy', 'ChrgsInf/Amt'].map(inTransaction),
    run: check(wrongAtSource),
  },
  {
    name: 'currencies of the destination',
    ruleId: 'MSG-4',
    needs: ['CdtrAgt', 'AgrdRate/QtdCcy', 'ChrgsInf/Amt'].map(inTransaction),
    hindered: ({ ends }) => countryUnknown(ends),
    run: check(wrongAtDestination),
  },
  {
    name: 'currency of the instructed amount',
    ruleId: 'MSG-4',
    needs: ['IntrBkSttlmAmt', 'AgrdRate/QtdCcy', 'ChrgsInf/Amt', 'InstdAmt'].map(inTransaction),
    run: check(wrongInstructed),
  },
];

/** Paths of the amounts in a wrong currency. Their decimals cannot be checked. */
export function inWrongCurrency(message: Pacs008, ends: Ends): ReadonlySet<string> {
  const finders: readonly FindWrong[] = [wrongAtSource, wrongAtDestination, wrongInstructed];
  return new Set(finders.flatMap((find) => find(message, ends)).map(({ path }) => path));
}
