// Executions that run, wait for nothing and never go on. Seen under load: the first workflow task was completed without a command,
// because the worker had lost the local activity that it waited for. The sweep finds them, too (LIF-2, I-15).
import { join } from 'node:path';
import { WorkflowIdConflictPolicy } from '@temporalio/common';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { expect, test, vi } from 'vitest';
import { paymentWorkflowId, workflowTypes } from '../../contract/ids.ts';
import { evidenceOf, expectSoundMessages } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { reportFinal, undecided } from '../harness/reports.ts';

const gateway = await testGateway({ sweepEveryMs: 500 });
const evidence = evidenceOf(gateway);
const { db, temporal } = gateway;

test('a payment whose execution waits for nothing is taken from it, and continues from the record', async () => {
  const { uetr } = await undecided(gateway);
  const connection = await NativeConnection.connect({ address: gateway.temporalAddress });
  const taskQueue = `${gateway.taskQueuePrefix}idle`;
  const idle = await Worker.create({
    connection,
    namespace: gateway.config.temporal.namespace,
    taskQueue,
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: join(import.meta.dirname, 'idle-workflow.ts'),
      logger: new DefaultLogger('ERROR'),
    }),
  });
  await idle.runUntil(async () => {
    const { firstExecutionRunId: runId } = await temporal.workflow.start(workflowTypes.payment, {
      workflowId: paymentWorkflowId(uetr),
      taskQueue,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.TERMINATE_EXISTING,
    });
    await vi.waitFor(
      async () => {
        const { status } = await temporal.workflow.getHandle(paymentWorkflowId(uetr), runId).describe();
        expect(status.name).toBe('TERMINATED');
      },
      { timeout: 40_000, interval: 500 },
    );
  });
  await connection.close();
  const alerts = await db
    .selectFrom('audit_events')
    .select('kind')
    .where('subject_id', '=', uetr)
    .where('severity', '=', 'alert')
    .execute();
  expect(alerts).toEqual([{ kind: 'execution.stuck' }]);
  expect(await reportFinal(gateway, uetr)).toBe(200);
  expect((await evidence.arrival(uetr, 'source', 'pacs002')).status).toBe('ACCC');
  await evidence.closed(uetr);
  await expectSoundMessages(gateway);
}, 90_000);
