// Writes the answer to a submission that is not accepted, and chooses the audit event for the operators.
import { additionalInformation, explain } from './explanation.ts';
import { reject, rowOf, type Rejection } from './rejection.ts';

/** The keys by which the gateway recognises duplicates: of a submission, or of the payment with its UETR. */
interface SubmissionKey {
  readonly sourceSystem: string;
  readonly messageIdentification: string;
}

export interface TurnedAway {
  readonly rejection: Rejection;
  /**
   * True for a repeat (DUP-2): only the HTTP answer tells the sender, and no payment changes. If false, the rejection
   * is the payment's final status.
   */
  readonly isRefusal: boolean;
  /** The texts of `AddtlInf`; each becomes one element. */
  readonly additionalInformation: readonly string[];
  /** The long text, for the header `Isthmus-Rejection`. */
  readonly explanation: string;
  /** The audit event to record, if there is one. */
  readonly event: ReturnType<typeof rowOf>['event'];
}

/**
 * The answer contains this if a broken copy is rejected. Its sender might otherwise believe that the payment
 * itself is rejected.
 */
const firstStands = 'DUP-2 the UETR is that of an earlier message: the first message stands';

/**
 * Writes the answer to a submission that is not accepted. A faulty message under the UETR of the sender's own
 * payment is a broken copy. PAY-3 finds its fault before the duplicate, so the answer states both.
 * @param payment the payment with this UETR, if there is one
 */
export function turnAway(
  rejection: Rejection,
  submission: SubmissionKey,
  payment: SubmissionKey | undefined,
): TurnedAway {
  const { ofRepeat = false, event } = rowOf(rejection);
  const isBrokenCopy = !ofRepeat && payment?.sourceSystem === submission.sourceSystem;
  const isContentChanged = isBrokenCopy && payment.messageIdentification === submission.messageIdentification;
  return {
    rejection,
    isRefusal: ofRepeat || payment !== undefined,
    additionalInformation: [additionalInformation(rejection), ...(isBrokenCopy ? [firstStands] : [])],
    explanation: explain(rejection) + (isBrokenCopy ? ` ${firstStands}.` : ''),
    event: isContentChanged ? rowOf(reject('duplicate-content')).event : event,
  };
}
