/**
 * The shaped floor of `npm run bench -- payments`: an empty workflow with the steps of today's
 * workflows/payment.ts. Its cost is the cost of Temporal itself. Whoever changes the steps of a payment
 * changes them here too.
 */
import {
  allHandlersFinished,
  condition,
  defineUpdate,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { searchAttributes } from '../../contract/ids.ts';
import {
  floorLocalPolicy,
  floorSendPolicy,
  floorUpdates,
  floorWait,
  type FloorActivities,
  type FloorRun,
} from './contract.ts';

const { validate, decide } =
  proxyLocalActivities<Pick<FloorActivities, 'validate' | 'decide'>>(floorLocalPolicy);
const { forwardToEnd, deliver } =
  proxyActivities<Pick<FloorActivities, 'forwardToEnd' | 'deliver'>>(floorSendPolicy);

const submitUpdate = defineUpdate(floorUpdates.submit);
const reportUpdate = defineUpdate(floorUpdates.report);

export async function shapedFloor(run: FloorRun): Promise<void> {
  const progress = { isSubmitted: false, isDecided: false, isTold: false };
  setHandler(submitUpdate, async () => {
    await validate();
    progress.isSubmitted = true;
  });
  setHandler(reportUpdate, async () => {
    await decide();
    progress.isDecided = true;
  });
  await condition(() => progress.isSubmitted);
  void send(run, progress);
  await condition(() => progress.isDecided, floorWait);
  if (!progress.isTold) await deliver(run);
  await condition(allHandlersFinished);
  upsertSearchAttributes([{ key: searchAttributes.status, value: 'ACCC' }]);
}

async function send(run: FloorRun, progress: { isDecided: boolean; isTold: boolean }): Promise<void> {
  progress.isTold = await forwardToEnd(run);
  progress.isDecided ||= progress.isTold;
}
