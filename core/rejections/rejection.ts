/**
 * A rejection (MSG-4) is a value that a pacs.002 or acmt.024 carries to the other side. It is not logged as an error.
 */
import { rejections, type Fault, type RejectionKey, type RejectionRow } from './rejection-table.ts';

/** Values of one rejection that refine or replace those of its table row. */
export interface RejectionDetails {
  /** The fault in a few words. It replaces the row's text. */
  readonly text?: string;
  readonly fault?: Fault;
  /** The value found, if it may be shown (`iso20022/lexical.ts`). */
  readonly found?: string;
  /** The expected value. It replaces the row's. */
  readonly expected?: string;
  /** The paused payment system, for the audit trail. */
  readonly party?: string;
}

/** The table row of a rejection. */
export const rowOf = ({ key }: { readonly key: RejectionKey }): RejectionRow => rejections[key];

export interface Rejection extends RejectionDetails {
  readonly key: RejectionKey;
  readonly isoCode: (typeof rejections)[RejectionKey]['isoCode'];
  readonly ruleId: string;
  /** An XPath that starts at `/Document` and contains only names that the schema knows. */
  readonly xpath?: string;
  readonly text: string;
}

/**
 * Makes a rejection from its table row.
 * @param xpath replaces the row's place
 * @param ruleId replaces the row's rule; several rules may share a row (for example MSG-5 through the schema)
 */
export function reject(
  key: RejectionKey,
  xpath?: string,
  ruleId?: string,
  details: RejectionDetails = {},
): Rejection {
  const row = rowOf({ key });
  const where = xpath ?? row.xpath;
  const { fault = 'value' } = row;
  return {
    key,
    isoCode: rejections[key].isoCode,
    ruleId: ruleId ?? row.ruleId,
    ...(where === undefined ? {} : { xpath: where }),
    ...(fault === null ? {} : { fault }),
    text: row.text,
    ...(row.found === undefined ? {} : { found: row.found }),
    expected: row.expected,
    ...details,
  };
}

/** Makes a rejection with the row's place and rule. */
export function rejectWith(key: RejectionKey, details: RejectionDetails): Rejection {
  return reject(key, undefined, undefined, details);
}
