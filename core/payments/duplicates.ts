/**
 * What makes a submission a duplicate (DUP-2): the keys that other messages on record have. Which are on record is the
 * database's to say (DUP-3); `payment-checks.ts` judges by them.
 */

/** How long a MsgId of a sender counts as taken, days (DUP-2). */
export const messageIdsCountForDays = 62;

/** Other messages on record with the keys of a submission (DUP-2). */
export interface RecordedKeys {
  /** The payment of its UETR. */
  readonly payment: { readonly sourceSystem: string; readonly messageIdentification: string } | undefined;
  /** UETR of another payment with the same sender and MsgId in the last 62 days. */
  readonly messageIdHeldBy: string | undefined;
}
