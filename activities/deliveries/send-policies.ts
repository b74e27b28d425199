// One row per kind of message: how it is sent, and which answers count. The schedule of retries is in
// core/deliveries/delivery-schedule.ts. The address comes from addresses.ts, and failures.ts defines the
// consequence of a failure.
import type { AttemptOutcome, DeliveryKind } from '../../db/deliveries/deliveries.ts';

export interface SendPolicy {
  /**
   * Whether the HTTP status alone counts as a receipt, if the body holds no message that counts.
   * @param isNoXml whether the body is empty, or plain text without a tag
   */
  readonly isReceipt: (status: number, isNoXml: boolean) => boolean;
  readonly serverErrorIs: Extract<AttemptOutcome, 'MAYBE_SENT' | 'ANSWERED'>;
  /** `CBK-1`: the database stores when the next attempt is due. `TIM-3`: the caller sends again. */
  readonly schedule: 'CBK-1' | 'TIM-3';
  /** How long to wait for an answer: the limits of SEC-5, or as long as the answer is useful. */
  readonly waits: 'SEC-5' | 'of-use';
  readonly excerptBytes: number;
}

export const isSuccess = (status: number) => status >= 200 && status < 300;

const asked = {
  serverErrorIs: 'MAYBE_SENT', // The receiver may have read the message and acted on it.
  schedule: 'TIM-3',
  excerptBytes: 0, // The message in the answer is stored. Anything else may hold personal data.
} as const;

const enquiry = {
  ...asked,
  isReceipt: () => false,
  waits: 'of-use',
} as const;

/** Messages that are sent until the receiver acknowledges them with any 2xx status. */
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
    // The pacs.002 comes later.
    isReceipt: (status, isNoXml) => status === 202 || (isSuccess(status) && isNoXml),
    waits: 'SEC-5',
  },
  'directory-enquiry': enquiry,
  'account-enquiry': enquiry,
  callback: told,
  confirmation: told,
  notification: told,
  book: told,
} as const satisfies Record<DeliveryKind, SendPolicy>;
