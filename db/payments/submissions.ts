// Takes in a source's pacs.008 or acmt.023, for the first time or again, without judging it. A repeat with
// the same bytes is an enquiry, which is answered from the record (DUP-1). Its callback address replaces the
// earlier one.
import { alertAtLimit } from '../records/audit.ts';
import { askCallbackAgain, askStatus, nameCallbackAddress, type MayAsk } from './asks.ts';
import { recordReceived } from '../records/messages.ts';
import { findPayment, type StoredPayment } from './payments.ts';
import { findResolution, type StoredResolution } from '../resolutions/resolutions.ts';
import { timesUnanswerable } from './unanswered.ts';
import { sql } from 'kysely';
import type { Db } from '../pool/connection.ts';
import { runPrepared } from '../pool/statements.ts';

/** A message that was received, with a callback address that was checked. */
export interface Submitted {
  readonly messageIdentification: string;
  readonly sourceSystem: string;
  /** Address to which the sender wants the answer. */
  readonly callbackUrl: string;
  readonly body: Buffer;
  readonly mayAsk: MayAsk;
}

/** The record of an earlier submission that had the same bytes and was judged. */
export interface Known<Subject> {
  readonly subject: Subject;
  /**
   * Work that the caller must start in Temporal besides answering: a redelivery or an enquiry; null: none.
   */
  readonly due: 'redelivery' | 'enquiry' | null;
}

export interface Taken<Subject> {
  /** Id of the stored message. If the same bytes came before, the id of the first one. */
  readonly messageId: string;
  /** Whether these bytes came for the first time. */
  readonly isNew: boolean;
  /** Set if the callback address was changed too often. The repeat is then not answered. */
  readonly isAddressRefused?: true;
  /** Undefined if the submission is new, or not judged yet. */
  readonly known?: Known<Subject>;
}

export interface TakenPacs008 extends Taken<StoredPayment> {
  /**
   * How often a defect in our code has kept the submission from being answered. Counted only until it is
   * judged.
   */
  readonly timesUnanswerable: number;
}

export async function takePacs008(
  db: Db,
  { uetr, mayAsk, ...submitted }: Submitted & { readonly uetr: string },
): Promise<TakenPacs008> {
  const stored = await store(db, { type: 'pacs008', subjectId: uetr, ...submitted });
  const taken = { ...stored, timesUnanswerable: 0 };
  if (stored.isNew || stored.isAddressRefused) return taken;
  const { messageId } = stored;
  const payment = await findPayment(db, uetr);
  if (payment?.messageId !== messageId)
    return { ...taken, timesUnanswerable: await timesUnanswerable(db, messageId) };
  if (payment.decision !== null) {
    const isDue = await askCallbackAgain(db, uetr, mayAsk);
    return { ...taken, known: { subject: payment, due: isDue ? 'redelivery' : null } };
  }
  const isAsked = await askStatus(db, uetr, mayAsk);
  return { ...taken, known: { subject: payment, due: isAsked ? 'enquiry' : null } };
}

export async function takeAcmt023(
  db: Db,
  { mayAsk, ...submitted }: Submitted,
): Promise<Taken<StoredResolution>> {
  const taken = await store(db, { type: 'acmt023', ...submitted });
  const { messageId } = taken;
  const isAnswerable = !taken.isNew && !taken.isAddressRefused;
  const resolution = isAnswerable ? await findResolution(db, messageId) : undefined;
  if (resolution === undefined) return taken;
  if (resolution.answer === null) return { ...taken, known: { subject: resolution, due: null } };
  const isDue = await askCallbackAgain(db, messageId, mayAsk);
  return { ...taken, known: { subject: resolution, due: isDue ? 'redelivery' : null } };
}

async function store(
  db: Db,
  submitted: Omit<Submitted, 'mayAsk'> & {
    readonly type: 'pacs008' | 'acmt023';
    readonly subjectId?: string;
  },
): Promise<Taken<never>> {
  const { sourceSystem: party, callbackUrl: url, ...message } = submitted;
  const { messageId, isNew } = await recordReceived(db, { ...message, leg: 'source', party, answerUrl: url });
  const subjectId = message.subjectId ?? messageId;
  if (isNew || (await nameCallbackAddress(db, { messageId, subjectId, url }))) return { messageId, isNew };
  await alertAtLimit(db, party, 'callback-addresses', subjectId);
  return { messageId, isNew, isAddressRefused: true };
}

export interface JudgedSubmission {
  readonly messageId: string;
  /**
   * Id of the stored answer: the final pacs.002, the acmt.024, or the refusal of a repeat. Null: there is no
   * answer yet.
   */
  readonly answerMessageId: string | null;
}

/** Finds those of the submissions that were judged, in any order. */
export async function findAnswers(
  db: Db,
  messageIds: readonly string[],
): Promise<readonly JudgedSubmission[]> {
  // every look-up uses a primary key. A payment counts only if this message made it, not another message with
  // the same UETR.
  const select = sql<JudgedSubmission>`
    select m.message_id as "messageId",
      coalesce(d.callback_message_id, a.answer_message_id, r.answer_message_id) as "answerMessageId"
    from messages m
    left join payments p on p.uetr = m.subject_id and p.message_id = m.message_id
    left join decisions d on d.uetr = p.uetr
    left join resolutions q on q.resolution_id = m.message_id
    left join resolution_answers a on a.resolution_id = q.resolution_id
    left join refusals r on r.message_id = m.message_id
    where m.message_id = any(${messageIds}::uuid[])
      and (p.uetr is not null or q.resolution_id is not null or r.message_id is not null)`;
  return runPrepared(db, 'find_answers', select);
}
