/**
 * The floor of `npm run bench -- payments`: an empty workflow with the shape of workflows/payment.ts. Its
 * cost is the cost of Temporal itself. It sets no search attributes and no details, and its activities do
 * nothing.
 */
import {
  allHandlersFinished,
  condition,
  defineUpdate,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';

export interface FloorActivities {
  validate(): Promise<void>;
  forward(): Promise<void>;
  decide(): Promise<void>;
  /** Tells the benchmark that this run has ended. */
  deliver(id: string): Promise<void>;
}

export interface FloorInput {
  readonly id: string;
  /**
   * Whether the decision follows directly after the forwarding. Otherwise the workflow waits for the second
   * update.
   */
  readonly answersAtOnce: boolean;
}

export const floorQueues = { payments: 'floor-payments', deliveries: 'floor-deliveries' } as const;
export const floorType = 'floor';
export const floorUpdates = { submit: 'submit', report: 'report' } as const;

const { validate, decide } = proxyLocalActivities<Pick<FloorActivities, 'validate' | 'decide'>>({
  startToCloseTimeout: '2s',
});
const { forward } = proxyActivities<Pick<FloorActivities, 'forward'>>({ startToCloseTimeout: '15s' });
const { deliver } = proxyActivities<Pick<FloorActivities, 'deliver'>>({
  taskQueue: floorQueues.deliveries,
  startToCloseTimeout: '30s',
});

const submitUpdate = defineUpdate(floorUpdates.submit);
const reportUpdate = defineUpdate(floorUpdates.report);

export async function floor({ id, answersAtOnce }: FloorInput): Promise<void> {
  const progress = { isSubmitted: false, isDecided: false };
  const decideNow = async () => {
    await decide();
    progress.isDecided = true;
  };
  setHandler(submitUpdate, async () => {
    await validate();
    progress.isSubmitted = true;
  });
  setHandler(reportUpdate, decideNow);
  await condition(() => progress.isSubmitted);
  void send(answersAtOnce, decideNow);
  await condition(() => progress.isDecided, '60s');
  await deliver(id);
  await condition(allHandlersFinished);
}

async function send(answersAtOnce: boolean, decideNow: () => Promise<void>): Promise<void> {
  await forward();
  if (answersAtOnce) await decideNow();
}
