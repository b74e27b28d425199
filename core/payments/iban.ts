/** Checks IBANs by ISO 13616 (REF-7): country, length and check digits, but not the national structure. */
import { countrySpecs } from 'ibantools';
import { looksLikeIban, remainderBy97 } from '../ids.ts';
import { elementsNamed, xpathOf, type XmlElement } from '../iso20022/tree.ts';
import { reject, type Rejection } from '../rejections/rejection.ts';

/**
 * The length of a country's IBANs by ISO 13616; undefined if the country has no IBANs.
 * @internal exported for fixtures
 */
export const ibanLengthOf = (country: string): number | undefined =>
  countrySpecs[country]?.chars ?? undefined;

/**
 * Why a text in the form of an IBAN is not valid, without quoting it; undefined if it is valid. Case does not matter,
 * as in ISO 20022.
 */
function ibanFault(text: string): string | undefined {
  const length = ibanLengthOf(text.slice(0, 2));
  if (length === undefined) return 'its country has no IBAN';
  if (text.length !== length) return 'wrong length for its country';
  const isInRange = /^0[2-9]|^[1-8]|^9[0-8]/.test(text.slice(2, 4)); // 00, 01, 99 equal 97, 98, 02 modulo 97
  const isRight = isInRange && remainderBy97(text.slice(4) + text.slice(0, 4)) === 1;
  return isRight ? undefined : 'its check digits do not fit';
}

/** Like `ibanFault`, for any account number: one that does not look like an IBAN of its country is accepted. */
export function accountFault(accountId: string): string | undefined {
  const isMeant = looksLikeIban(accountId) && ibanLengthOf(accountId.slice(0, 2)) !== undefined;
  return isMeant ? ibanFault(accountId) : undefined;
}

/**
 * Returns a rejection for each wrong IBAN, in document order.
 * @param root the element whose descendants are checked
 * @param xpath the XPath of `root`
 */
export function findWrongIbans(root: XmlElement, xpath: string): readonly Rejection[] {
  return elementsNamed('IBAN', root).flatMap((chain) => {
    const text = chain.at(-1)?.text ?? '';
    const fault = ibanFault(text);
    if (fault === undefined) return [];
    const where = `${xpath}${xpathOf(chain).slice(`/${root.name}`.length)}`;
    const found = `${Array.from(text).length} characters`;
    return [reject('iban-wrong', where, undefined, { text: `no IBAN: ${fault}`, found })];
  });
}
