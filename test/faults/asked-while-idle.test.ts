// An execution does nothing (idle-executions.test.ts), and the source of its payment asks again and again how it
// stands, which adds to its history: that somebody is told something does not show that he works (LIF-2, I-15, DUP-1).
import { WorkflowIdConflictPolicy } from '@temporalio/common';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { paymentWorkflowId, workflowTypes } from '../../contract/ids.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { runBrokenWorker } from '../harness/broken-worker.ts';
import { submit } from '../harness/payer.ts';
import { heard, undecided } from '../harness/reports.ts';

const gateway = await testGateway({ sweepEveryMs: 500, standstillMs: 10_000 }); // as in production
const evidence = evidenceOf(gateway);
const { temporal } = gateway;
const taskQueue = await runBrokenWorker(gateway, 'idle');

test('what a source asks every six seconds is asked of the destination within 75 s, though the execution does nothing', async () => {
  const message = await undecided(gateway);
  const { uetr } = message;
  await temporal.workflow.start(workflowTypes.payment, {
    workflowId: paymentWorkflowId(uetr),
    taskQueue,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.TERMINATE_EXISTING,
  });
  await heard(gateway, uetr);
  const asks = () => evidence.received(uetr, 'destination', 'pacs008').length;
  const until = Date.now() + 75_000;
  while (Date.now() < until && asks() < 2) {
    expect((await submit(gateway, message)).report?.status).toBe('ACTC');
    await delay(6_000);
  }
  expect(asks()).toBe(2);
}, 110_000);
