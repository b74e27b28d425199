/** A row of the table of rejections (`rejection-table.ts`). */
import type { EventKind } from '../operations/event-kinds.ts';

/** The four kinds of fault; `explanation.ts` puts them into words. */
export type Fault = 'not-iso-20022' | 'not-used' | 'place-or-count' | 'value';

export interface RejectionRow {
  /** From the external status reason set. */
  readonly isoCode: string;
  readonly ruleId: string;
  /** What is checked, for the published table. */
  readonly checks: string;
  /** The place, if the check itself does not say. */
  readonly xpath?: string;
  /** The kind of fault, if the check itself does not say; default: `value`; null: the fault is not in the message. */
  readonly fault?: Fault | null;
  /** For the other side; never repeats data of the message. A check may be more precise. */
  readonly text: string;
  /** What was found, in general words, if the check itself does not say. */
  readonly found?: string;
  /** What to send or do instead, if the check itself does not say: not the principle, which is in `checks`. */
  readonly expected: string;
  /** It refuses keys that are already used: in the HTTP answer only, and the record stays as it is. */
  readonly ofRepeat?: true;
  /** The audit event for the operators, besides the answer. */
  readonly event?: EventKind;
}
