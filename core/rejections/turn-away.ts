// Why a submission does not become an accepted payment, and what its sender and a person are told of it.
import { additionalInformation, explain } from './explanation.ts';
import { reject, rowOf, type Rejection } from './rejection.ts';

/** A submission, or the payment of its UETR, as far as duplicates are told by it. */
interface SubmissionKey {
  readonly sourceSystem: string;
  readonly messageIdentification: string;
}

export interface TurnedAway {
  readonly rejection: Rejection;
  /**
   * A repeat: told in the HTTP answer only, and no payment is touched (DUP-2). Else the rejection is the payment's
   * final status.
   */
  readonly isRefusal: boolean;
  /** `AddtlInf`, an element each. */
  readonly additionalInformation: readonly string[];
  /** The long form, for `Isthmus-Rejection`. */
  readonly explanation: string;
  /** What a person must know of it besides. */
  readonly event: ReturnType<typeof rowOf>['event'];
}

/**
 * What a broken copy is told besides its own fault, or its sender might take the payment itself for rejected.
 */
const firstStands = 'DUP-2 the UETR is that of an earlier message: the first message stands';

/**
 * A message with a fault of its own under the UETR of a payment of the same sender is a broken copy: PAY-3 comes to the
 * fault first, and its sender is told both.
 * @param payment of its UETR, if there is one
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
