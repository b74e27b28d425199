/** Checks the input forms for a payee's address (endpoints 6 to 8). check.ts calls this check. */
import type { Scheme } from './documents.ts';
import { findingsOf, unknown, type Finding } from './finding.ts';

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
