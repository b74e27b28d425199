// What an execution that waits for nothing keeps from being done, although the record says that it is owed: the sweep sees to it
// (LIF-2, DUP-1, I-15, I-17).
import { join } from 'node:path';
import { WorkflowIdConflictPolicy } from '@temporalio/common';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, expect, test, vi } from 'vitest';
import { paymentWorkflowId, signals, workflowTypes } from '../../contract/ids.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { submit } from '../harness/payer.ts';
import { reportFinal, undecided } from '../harness/reports.ts';

const gateway = await testGateway({ sweepEveryMs: 500 });
const evidence = evidenceOf(gateway);
const { temporal } = gateway;

const connection = await NativeConnection.connect({ address: gateway.temporalAddress });
const taskQueue = `${gateway.taskQueuePrefix}idle`;
const worker = await Worker.create({
  connection,
  namespace: gateway.config.temporal.namespace,
  taskQueue,
  workflowBundle: await bundleWorkflowCode({
    workflowsPath: join(import.meta.dirname, 'idle-workflow.ts'),
    logger: new DefaultLogger('ERROR'),
  }),
});
const working = worker.run();
afterAll(async () => {
  worker.shutdown();
  await working;
  await connection.close();
});

/** Puts an execution that does nothing, and never will, in the place of the payment's own. */
async function becomesIdle(uetr: string) {
  const begun = await temporal.workflow.start(workflowTypes.payment, {
    workflowId: paymentWorkflowId(uetr),
    taskQueue,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.TERMINATE_EXISTING,
  });
  await begun.signal(signals.look);
  return begun;
}

test.concurrent(
  'a status that the source asks for is asked of the destination within 30 s (DUP-1)',
  async () => {
    const message = await undecided(gateway);
    await becomesIdle(message.uetr);
    expect((await submit(gateway, message)).report?.status).toBe('ACTC');
    await vi.waitFor(
      () => expect(evidence.received(message.uetr, 'destination', 'pacs008')).toHaveLength(2),
      {
        timeout: 30_000,
        interval: 500,
      },
    );
  },
  60_000,
);

test.concurrent(
  'an enquiry whose signal is lost with its execution is made by the next one (DUP-1, LIF-3)',
  async () => {
    const message = await undecided(gateway);
    await becomesIdle(message.uetr);
    expect((await submit(gateway, message)).report?.status).toBe('ACTC');
    await temporal.workflow.getHandle(paymentWorkflowId(message.uetr)).terminate('by mistake');
    await vi.waitFor(
      () => expect(evidence.received(message.uetr, 'destination', 'pacs008')).toHaveLength(2),
      {
        timeout: 30_000,
        interval: 500,
      },
    );
  },
  60_000,
);

test.concurrent(
  "the destination's final reaches the source within 60 s, and the execution is ended (I-15)",
  async () => {
    const { uetr } = await undecided(gateway);
    const idle = await becomesIdle(uetr);
    void reportFinal(gateway, uetr);
    await vi.waitFor(async () => expect(await evidence.decision(uetr)).toBeDefined(), 30_000);
    await vi.waitFor(() => expect(evidence.received(uetr, 'source', 'pacs002')).toHaveLength(1), {
      timeout: 55_000,
      interval: 500,
    });
    expect((await idle.describe()).status.name).toBe('TERMINATED');
  },
  120_000,
);
