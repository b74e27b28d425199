// Texts about a payment's execution for operators, shown in the Temporal UI.
import type { Decision } from '../core/payments/decision.ts';
import { publicReason } from '../core/rejections/reason-words.ts';
import type { DestinationAnswer } from '../contract/activities.ts';

export function story(decision: Decision): string {
  return decision.reasonCode === null
    ? `${decision.status}.`
    : `${decision.status} (${publicReason(decision.reasonCode)}).`;
}

/** For a run that only refused a repeat, because an earlier run had ended the payment with the same UETR. */
export function refusedStory(reasonCode: string | null): string {
  return (
    `REFUSED${reasonCode === null ? '' : ` (${publicReason(reasonCode)})`}: this run only refused a repeat (DUP-2) and changed nothing. ` +
    'Where this UETR has a payment, it is that of an earlier run; GET /payments/{uetr} tells its status.'
  );
}

/** After such an execution has ended, the next message may use the UETR. */
export const unanswerableStory =
  'LAPSED: what came met a defect of ours and could not be answered (alert message.unanswerable, SEC-9). It is on record, ' +
  'and is tried again when a worker starts or when its sender sends it again.';

const answers: Partial<Record<DestinationAnswer['kind'], string>> = {
  pending: 'It was taken; the final pacs.002 is awaited.',
  unanswered: 'It had no usable answer; the next enquiry (TIM-2) or the deadline (TIM-1) follows.',
};

/**
 * The text about the current round. A round is one send with its retries. The record of each attempt shows
 * whether a byte may have left.
 * @param answer the answer to the round; undefined while the round lasts
 */
export function sendingStory(
  destinationSystem: string,
  { rounds: sends, sentAt }: { readonly rounds: number; readonly sentAt: number },
  answer?: DestinationAnswer['kind'],
): string {
  const round =
    sends === 0
      ? `${destinationSystem} has taken the pacs.008 before.`
      : `Round ${sends} of sending to ${destinationSystem} began at ${new Date(sentAt).toISOString()}.`;
  const outcome = (answer && answers[answer]) ?? 'GET /payments/{uetr} shows its attempts.';
  return `ACTC: accepted. ${round} ${outcome}`;
}
