/**
 * The fixed floor of `npm run bench -- payments`: an empty workflow with the shape that a payment had at
 * first. Do not change its steps, so that reports of different releases can be compared. It sets no search
 * attributes and no details, and its activities do nothing.
 */
import {
  allHandlersFinished,
  condition,
  defineUpdate,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';
import {
  floorLocalPolicy,
  floorQueues,
  floorSendPolicy,
  floorUpdates,
  floorWait,
  type FloorActivities,
  type FloorRun,
} from './contract.ts';

const { validate, decide } =
  proxyLocalActivities<Pick<FloorActivities, 'validate' | 'decide'>>(floorLocalPolicy);
const { forward } = proxyActivities<Pick<FloorActivities, 'forward'>>(floorSendPolicy);
const { deliver } = proxyActivities<Pick<FloorActivities, 'deliver'>>({
  ...floorSendPolicy,
  taskQueue: floorQueues.deliveries,
});

const submitUpdate = defineUpdate(floorUpdates.submit);
const reportUpdate = defineUpdate(floorUpdates.report);

export async function fixedFloor(run: FloorRun): Promise<void> {
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
  void send(run.answersAtOnce, decideNow);
  await condition(() => progress.isDecided, floorWait);
  await deliver(run);
  await condition(allHandlersFinished);
}

async function send(answersAtOnce: boolean, decideNow: () => Promise<void>): Promise<void> {
  await forward();
  if (answersAtOnce) await decideNow();
}
