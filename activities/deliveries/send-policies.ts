// How each kind of message goes out, and what of its receiver's answer counts: one row per kind. When it is sent again
// is core/deliveries/delivery-schedule.ts; where it goes, addresses.ts; what a failure leads to, failures.ts.
import type { AttemptOutcome, DeliveryKind } from '../../db/deliveries/deliveries.ts';

export interface SendPolicy {
  /**
   * Whether an answer of that HTTP status counts by itself, if its body holds no message that does.
   * @param isNoXml whether the body is empty, or a plain text without a tag
   */
  readonly isReceipt: (status: number, isNoXml: boolean) => boolean;
  /** What an HTTP status of 500 and above says of the send. */
  readonly serverErrorIs: Extract<AttemptOutcome, 'MAYBE_SENT' | 'ANSWERED'>;
  /**
   * `CBK-1`: the record says when the next attempt is due; `TIM-3`: the caller, who waits for the answer, sends again.
   */
  readonly schedule: 'CBK-1' | 'TIM-3';
  /** How long to wait for an answer: as SEC-5 says, or as long as the answer can be used. */
  readonly waits: 'SEC-5' | 'of-use';
  /** How much is kept of an answer that does not count, bytes. */
  readonly excerptBytes: number;
}

export const isSuccess = (status: number) => status >= 200 && status < 300;

/** What waits for the receiver's own message. */
const asked = {
  serverErrorIs: 'MAYBE_SENT', // it may have been read, and worse
  schedule: 'TIM-3',
  excerptBytes: 0, // its message is stored; anything else may hold personal data
} as const;

const enquiry = {
  ...asked,
  isReceipt: () => false,
  waits: 'of-use',
} as const;

/** What is told until it is taken: any 2xx says so. */
const told = {
  isReceipt: isSuccess, // seam: receipt
  serverErrorIs: 'ANSWERED',
  schedule: 'CBK-1',
  waits: 'SEC-5',
  excerptBytes: 1_024,
} as const;

export const sendPolicies = {
  instruction: {
    ...asked,
    isReceipt: (status, isNoXml) => status === 202 || (isSuccess(status) && isNoXml), // its pacs.002 comes later
    waits: 'SEC-5',
  },
  'directory-enquiry': enquiry,
  'account-enquiry': enquiry,
  callback: told,
  confirmation: told,
  notification: told,
  book: told,
} as const satisfies Record<DeliveryKind, SendPolicy>;
