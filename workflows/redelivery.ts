/**
 * Brings the deliveries of a payment to their receivers again, after its own execution has closed: when the source
 * asks for the status of a decided payment (DUP-1), or an operator redelivers a dead letter (CBK-1).
 */
import { defineSignal, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { DeliveryActivities } from '../activities/contract.ts';
import { redeliverySignal, type PaymentInput } from './ids.ts';
import { deliverPolicy } from './policies.ts';

export async function redelivery({ uetr }: PaymentInput): Promise<void> {
  const { deliver } = proxyActivities<DeliveryActivities>(deliverPolicy(workflowInfo().taskQueue));
  let asked = true;
  setHandler(defineSignal(redeliverySignal), () => {
    asked = true;
  });
  // asked again while the last round was ending: Temporal closes no execution that has a signal to hear
  while (asked) {
    asked = false;
    await deliver({ uetr });
  }
}
