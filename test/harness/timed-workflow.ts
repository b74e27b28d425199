// The workflows as other code had them: a payment sets a timer too. What it began cannot be replayed by this code.
import { sleep } from '@temporalio/workflow';
import { payment as paymentOfToday } from '../../workflows/payment.ts';

export { redelivery } from '../../workflows/redelivery.ts';
export { resolution } from '../../workflows/resolution.ts';

export function payment(input: Parameters<typeof paymentOfToday>[0]): ReturnType<typeof paymentOfToday> {
  void sleep('1s');
  return paymentOfToday(input);
}
