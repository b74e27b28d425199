/** A row of the table of rejections (`rejection-table.ts`). */
import type { EventKind } from '../operations/event-kinds.ts';

/** The four kinds of fault; `explanation.ts` puts them into words. */
export type Fault = 'not-iso-20022' | 'not-used' | 'place-or-count' | 'value';

export interface RejectionRow {
  /** A code of ISO 20022's external set of status reasons. */
  readonly isoCode: string;
  readonly ruleId: string;
  /** The statement that the check verifies, for the published table. */
  readonly checks: string;
  /** The XPath of the rejection, unless the check passes one. */
  readonly xpath?: string;
  /** The kind of fault, if the check does not pass one. Default: `value`; null: the fault is not in the message. */
  readonly fault?: Fault | null;
  /** The public text, which never quotes the message. The check may pass a more precise text. */
  readonly text: string;
  /** The value found, in general words, if the check does not pass one. */
  readonly found?: string;
  /**
   * The correct value or the next step, if the check does not pass one. The general rule belongs in `checks`.
   */
  readonly expected: string;
  /**
   * Set if the row refuses keys that are already used. Only the HTTP answer reports this; the record does not
   * change.
   */
  readonly ofRepeat?: true;
  /** Audit event to record, besides the answer. */
  readonly event?: EventKind;
}
