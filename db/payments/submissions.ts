// Where a source's message is taken in, for the first time or again: a pacs.008 or an acmt.023. The very same message
// again is an enquiry, answered from the record (DUP-1): the address that it names is its callback's from then on, what
// is known is told there again, and what is not known yet is asked for. It judges nothing.
import { alertAtLimit } from '../records/at-limit.ts';
import type { Db } from '../pool/connection.ts';
import { askCallbackAgain, askStatus, nameCallbackAddress, type MayAsk } from './asks.ts';
import { recordReceived } from '../records/messages.ts';
import { findPayment, type StoredPayment } from './payments.ts';
import { findResolution, type StoredResolution } from '../resolutions/resolutions.ts';
import { timesUnanswerable } from './unanswered.ts';

/** A message that came in, and whose address was judged. */
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
  /** The same bytes did not come before. */
  readonly isNew: boolean;
  /** It would change the callback address once more than it may, and is not answered. */
  readonly isAddressRefused?: true;
  /** Undefined when it is new, or stored and not judged yet. */
  readonly known?: Known<Subject>;
}

export interface TakenPacs008 extends Taken<StoredPayment> {
  /** How often a defect of ours has kept it from being answered, where it is not known. */
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
