/**
 * Checks of a pacs.008 that need a piece of reference data, which the caller brings: decimals, clearing system, what the
 * destination country requires. They come after the schema and before agents and quotes (PAY-3).
 */
import { reject, type Rejection } from '../rejection.ts';
import { decimalsOf } from './lexical.ts';
import { pacs008Paths, type Pacs008 } from './pacs008.ts';
import { childrenNamed, elementAt } from './tree.ts';
import { readAmount, type Amount } from './parties.ts';

const at = (path: string) => `${pacs008Paths.transaction}/${path}`;

/** Every amount of the message and where it stands, in the order of the message. */
function amountsOf(pacs008: Pacs008): readonly { readonly amount: Amount; readonly xpath: string }[] {
  const amounts = [{ amount: pacs008.interbankSettlementAmount, xpath: at('IntrBkSttlmAmt') }];
  if (pacs008.instructedAmount) amounts.push({ amount: pacs008.instructedAmount, xpath: at('InstdAmt') });
  pacs008.charges.forEach((charge, index) =>
    amounts.push({ amount: charge, xpath: at(`ChrgsInf[${index + 1}]/Amt`) }),
  );
  const reports = childrenNamed(pacs008.transaction, 'RgltryRptg');
  reports.forEach((report, reportIndex) => {
    const details = childrenNamed(report, 'Dtls');
    details.forEach((detail, detailIndex) => {
      const amount = elementAt(detail, 'Amt');
      if (amount === undefined) return;
      const position = `RgltryRptg[${reportIndex + 1}]/Dtls[${detailIndex + 1}]/Amt`;
      amounts.push({ amount: readAmount(amount), xpath: at(position) });
    });
  });
  return amounts;
}

/**
 * An amount has at most the decimals of its currency, as written (MON-2, MSG-4).
 * @param decimalPlacesOf scheme data; undefined for a currency that the scheme does not know (`CURR`)
 */
export function checkDecimals(
  pacs008: Pacs008,
  decimalPlacesOf: (currency: string) => number | undefined,
): Rejection | undefined {
  for (const { amount, xpath } of amountsOf(pacs008)) {
    const decimalPlaces = decimalPlacesOf(amount.currency);
    if (decimalPlaces === undefined) return reject('currency-wrong', xpath);
    if (decimalsOf(amount.amount) > decimalPlaces) return reject('too-many-decimals', xpath);
  }
  return undefined;
}

/** `ClrSys` is the submitter's own clearing system (MSG-5). */
export function checkClearingSystem(pacs008: Pacs008, submitter: string): Rejection | undefined {
  return pacs008.clearingSystemId === submitter ? undefined : reject('clearing-system-foreign');
}

/** A source does not fill in what only the forwarded message carries (MSG-10). */
export function checkSourceElements(pacs008: Pacs008): Rejection | undefined {
  if (pacs008.previousInstructingAgent1) return reject('guideline-violated', at('PrvsInstgAgt1'), 'MSG-10');
  if (pacs008.previousInstructingAgent1Account) {
    return reject('guideline-violated', at('PrvsInstgAgt1Acct'), 'MSG-10');
  }
  return undefined;
}

/**
 * What the destination country requires is there (MSG-7).
 * @param required `requiredMessageElements.pacs008` of that country
 */
export function checkRequiredElements(pacs008: Pacs008, required: readonly string[]): Rejection | undefined {
  if (required.includes('purposeCode') && pacs008.purpose === undefined) {
    return reject('required-by-destination', at('Purp/Cd'));
  }
  if (required.includes('categoryPurposeCode') && pacs008.categoryPurpose === undefined) {
    return reject('required-by-destination', at('PmtTpInf/CtgyPurp/Cd'));
  }
  return undefined;
}
