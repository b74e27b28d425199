// Where a source's message is taken in, for the first time or again: a pacs.008 or an acmt.023. The very same message
// again is an enquiry, answered from the record (DUP-1): the address that it names is its callback's from then on, what
// is known is told there again, and what is not known yet is asked for. It judges nothing.
import type { Db } from './connection.ts';
import { askCallbackAgain, askStatus, nameCallbackAddress, type MayAsk } from './asks.ts';
import { recordReceived } from './messages.ts';
import { findPayment, type StoredPayment } from './payments.ts';
import { findResolution, type StoredResolution } from './resolutions.ts';
import { timesUnanswerable } from './unanswered.ts';

/** A message that came in, and whose address was judged (SEC-2). */
export interface Submitted {
  /** Its MsgId. */
  readonly messageIdentification: string;
  readonly sourceSystem: string;
  /** Where its sender wants the answer too. */
  readonly callbackUrl: string;
  readonly body: Buffer;
  readonly mayAsk: MayAsk;
}

/** What is on record of a submission that came before and was judged. */
export interface Known<Subject> {
  readonly subject: Subject;
  /**
   * What the engine is to be told of, beside the answer: deliveries that are due again, or a status that is asked for.
   */
  readonly due: 'redelivery' | 'enquiry' | null;
}

export interface Taken<Subject> {
  /** Id of its row: of the first one, where the same bytes came before. */
  readonly messageId: string;
  /** Undefined when it is new, or stored and not judged yet. */
  readonly known?: Known<Subject>;
}

export interface TakenPacs008 extends Taken<StoredPayment> {
  /** How often a defect of ours has kept it from being answered, where it is not known (SEC-9). */
  readonly timesUnanswerable: number;
}

export async function takePacs008(
  db: Db,
  { uetr, mayAsk, ...submitted }: Submitted & { readonly uetr: string },
): Promise<TakenPacs008> {
  const { messageId, isNew } = await store(db, { type: 'pacs008', subjectId: uetr, ...submitted });
  if (isNew) return { messageId, timesUnanswerable: 0 };
  const payment = await findPayment(db, uetr);
  if (payment?.messageId !== messageId)
    return { messageId, timesUnanswerable: await timesUnanswerable(db, messageId) };
  if (payment.decision !== null) {
    const isDue = await askCallbackAgain(db, uetr, mayAsk);
    return { messageId, timesUnanswerable: 0, known: { subject: payment, due: isDue ? 'redelivery' : null } };
  }
  const isAsked = await askStatus(db, uetr, mayAsk);
  return { messageId, timesUnanswerable: 0, known: { subject: payment, due: isAsked ? 'enquiry' : null } };
}

export async function takeAcmt023(
  db: Db,
  { mayAsk, ...submitted }: Submitted,
): Promise<Taken<StoredResolution>> {
  const { messageId, isNew } = await store(db, { type: 'acmt023', ...submitted });
  const resolution = isNew ? undefined : await findResolution(db, messageId);
  if (resolution === undefined) return { messageId };
  if (resolution.answer === null) return { messageId, known: { subject: resolution, due: null } };
  const isDue = await askCallbackAgain(db, messageId, mayAsk);
  return { messageId, known: { subject: resolution, due: isDue ? 'redelivery' : null } };
}

async function store(
  db: Db,
  submitted: Omit<Submitted, 'mayAsk'> & {
    readonly type: 'pacs008' | 'acmt023';
    readonly subjectId?: string;
  },
): Promise<{ messageId: string; isNew: boolean }> {
  const { sourceSystem: party, callbackUrl: url, ...message } = submitted;
  const { messageId, isNew } = await recordReceived(db, { ...message, leg: 'source', party, answerUrl: url });
  if (!isNew) await nameCallbackAddress(db, { messageId, subjectId: message.subjectId ?? messageId, url });
  return { messageId, isNew };
}
