/**
 * The stored keys that make a submission a duplicate. The database looks them up; `payment-checks.ts` judges by them.
 */

/** How long a sender's MsgId counts as used, in days. */
export const messageIdsCountForDays = 62;

/** Keys of a submission that other messages on record already use. */
export interface RecordedKeys {
  /** The payment with the same UETR. */
  readonly payment: { readonly sourceSystem: string; readonly messageIdentification: string } | undefined;
  /** UETR of another payment with the same sender and MsgId in the last 62 days. */
  readonly messageIdHeldBy: string | undefined;
}
