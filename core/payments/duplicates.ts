/**
 * What makes a submission a duplicate: the keys that other messages on record have. Which are on record is the
 * database's to say; `payment-checks.ts` judges by them.
 */

/** How long a MsgId of a sender counts as taken, days. */
export const messageIdsCountForDays = 62;

/** Other messages on record with the keys of a submission. */
export interface RecordedKeys {
  /** The payment of its UETR. */
  readonly payment: { readonly sourceSystem: string; readonly messageIdentification: string } | undefined;
  /** UETR of another payment with the same sender and MsgId in the last 62 days. */
  readonly messageIdHeldBy: string | undefined;
}
