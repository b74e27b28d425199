/** ISO 13616: what an IBAN must fulfil wherever one is taken (REF-7). The national structure of its rest is not judged. */
import { countrySpecs } from 'ibantools';
import { looksLikeIban, remainderBy97 } from '../ids.ts';

/** Length that ISO 13616 sets for the IBANs of a country; undefined: it has none. */
export const ibanLengthOf = (country: string): number | undefined =>
  countrySpecs[country]?.chars ?? undefined;

/**
 * Why a text in the form of an IBAN is none, in words without its value; undefined: it is one. Letters count in either
 * case, as ISO 20022 takes them.
 */
export function ibanFault(text: string): string | undefined {
  const length = ibanLengthOf(text.slice(0, 2));
  if (length === undefined) return 'its country has no IBAN';
  if (text.length !== length) return 'wrong length for its country';
  const isInRange = /^0[2-9]|^[1-8]|^9[0-8]/.test(text.slice(2, 4)); // 00, 01 and 99 have the remainders of 97, 98 and 02
  const isRight = isInRange && remainderBy97(text.slice(4) + text.slice(0, 4)) === 1;
  return isRight ? undefined : 'its check digits do not fit';
}

/** The same for an account that may have any number: one that does not look like the IBAN of a country need not be one. */
export function accountFault(accountId: string): string | undefined {
  const isMeant = looksLikeIban(accountId) && ibanLengthOf(accountId.slice(0, 2)) !== undefined;
  return isMeant ? ibanFault(accountId) : undefined;
}
