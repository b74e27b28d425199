/** Checks the input forms for a payee's address (endpoints 6 to 8); a part of check.ts. */
import { ibanLengthOf } from '../payments/iban.ts';
import type { AddressTypeDocument, Scheme } from './documents.ts';
import { findingsOf, unknown, type Finding, type Findings } from './finding.ts';

export function* checkAddresses(scheme: Scheme): Iterable<Finding> {
  for (const [id, { attributes }] of scheme['address-inputs']) {
    const pattern = (attributes as { readonly pattern?: string | null }).pattern ?? undefined;
    if (pattern !== undefined && !isPattern(pattern)) {
      const says = 'is no regular expression that a browser accepts in the attribute pattern (HTML).';
      yield findingsOf('address-inputs', id).error('/attributes/pattern', says);
    }
  }
  for (const [id, type] of scheme['address-types']) {
    const found = findingsOf('address-types', id);
    const { clearingSystemId, proxyDirectoryId, countryCodes, inputIds } = type;
    if ((clearingSystemId === null) === (proxyDirectoryId === null)) {
      yield found.error(
        '/clearingSystemId',
        'or proxyDirectoryId: exactly one of them names what the address belongs to.',
      );
    }
    if (clearingSystemId !== null && !scheme['clearing-systems'].has(clearingSystemId)) {
      yield found.error('/clearingSystemId', unknown('payment system', clearingSystemId));
    }
    for (const [place, country] of countryCodes.entries()) {
      if (!scheme.countries.has(country))
        yield found.error(`/countryCodes/${place}`, unknown('country', country));
    }
    for (const [place, inputId] of inputIds.entries()) {
      if (!scheme['address-inputs'].has(inputId))
        yield found.error(`/inputIds/${place}`, unknown('input', inputId));
    }
    if (type.addressTypeCode === 'IBAN') yield* checkIbanPatterns(scheme, type, found);
  }
}

/** Warns if the pattern of an IBAN refuses those of a country. Only a warning, because the sample has only digits. */
function* checkIbanPatterns(scheme: Scheme, type: AddressTypeDocument, found: Findings): Iterable<Finding> {
  for (const [place, inputId] of type.inputIds.entries()) {
    const { name, pattern } = (scheme['address-inputs'].get(inputId)?.attributes ?? {}) as {
      readonly name?: string;
      readonly pattern?: string | null;
    };
    if (name !== 'accountOrProxyId' || typeof pattern !== 'string' || !isPattern(pattern)) continue;
    const takes = new RegExp(`^(?:${pattern})$`, 'v');
    for (const country of type.countryCodes) {
      const length = ibanLengthOf(country);
      const takesOne = length !== undefined && takes.test(`${country}12${'0'.repeat(length - 4)}`);
      if (!takesOne) {
        yield found.warning(
          `/inputIds/${place}`,
          `names the input ${inputId}, whose pattern refuses an IBAN of ${country} with the right length and only digits (ISO 13616).`,
        );
      }
    }
  }
}

/** Browsers compile the pattern with the flag `v` (HTML), and skip the check if that fails. */
function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'v') instanceof RegExp;
  } catch {
    return false;
  }
}
