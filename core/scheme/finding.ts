/** Findings of the checks of a scheme, and helpers of those checks. */
import type { Scheme, SchemeKind } from './documents.ts';

export interface Finding {
  /**
   * `error`: the change is refused. `warning`: the change is allowed, but a person should know of the
   * finding.
   */
  readonly severity: 'error' | 'warning';
  readonly kind: SchemeKind;
  readonly id: string;
  /** JSON Pointer within the document (RFC 6901). */
  readonly path: string;
  /** States the fault, and how to correct it. */
  readonly says: string;
}

/** Makes the findings of one object. */
export interface Findings {
  error(path: string, says: string): Finding;
  warning(path: string, says: string): Finding;
}

export function findingsOf(kind: SchemeKind, id: string): Findings {
  return {
    error: (path, says) => ({ severity: 'error', kind, id, path, says }),
    warning: (path, says) => ({ severity: 'warning', kind, id, path, says }),
  };
}

/** The payment systems that serve a country in a currency. */
export const systemsFor = ({ 'clearing-systems': systems }: Scheme, country: string, currency: string) =>
  [...systems.values()].filter((one) => one.currencyCode === currency && one.countryCodes.includes(country));

/** The text for a reference to an object that does not exist. */
export const unknown = (what: string, id: string): string =>
  `names the ${what} ${id}, which does not exist, or ends by then. Enter it first or in the same change, or change this object, too.`;

/** Groups the items by key, and returns the groups of more than one item. */
export function repeated<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): readonly Item[][] {
  const byKey = new Map<string, Item[]>();
  for (const item of items) byKey.set(keyOf(item), [...(byKey.get(keyOf(item)) ?? []), item]);
  return [...byKey.values()].filter((group) => group.length > 1);
}
