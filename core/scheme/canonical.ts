/**
 * Sorts lists whose order has no meaning. Equal documents then compare as equal, and a diff of two files shows only
 * real changes.
 */
import type { SchemeDocuments, SchemeKind } from './documents.ts';

/**
 * The members that are unordered lists, by kind. For a list of objects, the names are the members that
 * identify an item and sort the list.
 */
export const unordered: { readonly [Kind in SchemeKind]: Readonly<Record<string, readonly string[]>> } = {
  currencies: {},
  countries: { requiredPacs008Elements: [] },
  operators: { callbackOrigins: [], publicKeys: ['keyId'] },
  'clearing-systems': { countryCodes: [] },
  'address-inputs': {},
  'address-types': { countryCodes: [] },
  institutions: {
    roles: [],
    memberships: ['clearingSystemId'],
    publicKeys: ['keyId'],
    settlementAccess: ['countryCode'],
    corridors: ['sourceCountry', 'sourceCurrency', 'destinationCountry', 'destinationCurrency'],
  },
  'settlement-accounts': {},
  'fee-formulas': {},
  clients: { secrets: ['secretId'] },
  'fx-prices': {
    baseRates: ['sourceCountry', 'sourceCurrency', 'destinationCountry', 'destinationCurrency'],
    tierImprovements: ['unitCurrency', 'threshold'],
    pspImprovements: ['pspId'],
  },
};

export function canonical<Kind extends SchemeKind>(
  kind: Kind,
  document: SchemeDocuments[Kind],
): SchemeDocuments[Kind] {
  const sorted: Record<string, unknown> = { ...document };
  for (const [member, by] of Object.entries(unordered[kind])) {
    const list = sorted[member] as readonly unknown[];
    const keyOf = (item: unknown) =>
      by.length === 0
        ? String(item)
        : by.map((one) => padded((item as Record<string, string>)[one] ?? '')).join(' ');
    sorted[member] = list.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  }
  return sorted as unknown as SchemeDocuments[Kind];
}

/** Pads amounts, so that they sort numerically. */
const padded = (text: string): string =>
  /^\d+(\.\d+)?$/.test(text) ? (text.split('.')[0] ?? '').padStart(30, '0') + text : text;
