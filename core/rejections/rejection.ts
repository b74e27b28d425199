/**
 * A rejection (MSG-4) is a value, sent to the other side in a pacs.002 or acmt.024; it is never logged
 * as an error.
 */
import { rejections, type Fault, type RejectionKey, type RejectionRow } from './rejection-table.ts';

/** What a check knows about its refusal, beyond the row of the table. */
export interface RejectionDetails {
  /** What is wrong, in a few words: instead of the row's. */
  readonly text?: string;
  readonly fault?: Fault;
  /** What was found, as far as it may be shown (`iso20022/visible-values.ts`). */
  readonly found?: string;
  /** What was expected: instead of the row's. */
  readonly expected?: string;
  /** Whom it is about, for our record: the payment system that is paused. */
  readonly party?: string;
}

/** The row of a rejection. */
export const rowOf = ({ key }: { readonly key: RejectionKey }): RejectionRow => rejections[key];

export interface Rejection extends RejectionDetails {
  readonly key: RejectionKey;
  readonly isoCode: (typeof rejections)[RejectionKey]['isoCode'];
  readonly ruleId: string;
  /** From `/Document` on, of names that the schema knows. */
  readonly xpath?: string;
  readonly text: string;
}

/**
 * A rejection of the table.
 * @param xpath the place, if not the table's
 * @param ruleId the rule, where several share one row (MSG-5 through the schema)
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

/** The same, at the place and by the rule of the table. */
export function rejectWith(key: RejectionKey, details: RejectionDetails): Rejection {
  return reject(key, undefined, undefined, details);
}
