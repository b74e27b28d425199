// A redelivery workflow that is stuck. The sweep delivers its messages within two rounds.
import { expect, test } from 'vitest';
import { paymentWorkflowId, redeliveryWorkflowId, workflowTypes } from '../../contract/ids.ts';
import { runBrokenWorker } from '../harness/broken-worker.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { makeOverdue } from '../harness/overdue.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { eventually } from '../harness/wait.ts';

const gateway = await testGateway({ sweepEveryMs: 500, standstillMs: 4_000 });
const evidence = evidenceOf(gateway);
const { db, temporal } = gateway;
const queues = {
  idle: await runBrokenWorker(gateway, 'idle'),
  failing: await runBrokenWorker(gateway, 'failing'),
};

test.each([
  ['waits for nothing', 'idle', workflowTypes.payment],
  ['cannot be replayed', 'failing', workflowTypes.redelivery],
] as const)('a callback whose redelivery %s is delivered', async (_, kind, type) => {
  gateway.sandbox.source.refuse({ status: 503, pathPrefix: '/callbacks/SGDFAST' });
  const message = instruction(await bestQuote(gateway));
  const { uetr } = message;
  await submit(gateway, message);
  await eventually(async () => {
    expect((await evidence.attempts(uetr, 'callback')).length).toBeGreaterThan(0);
  });
  await temporal.workflow.getHandle(paymentWorkflowId(uetr)).terminate('by mistake');
  const stuck = await temporal.workflow.start(type, {
    workflowId: redeliveryWorkflowId(uetr),
    taskQueue: queues[kind],
    args: [{ subjectId: uetr }],
  });
  gateway.sandbox.source.refuse(null);
  await eventually(
    async () => {
      // overdue for longer than a healthy system allows
      await makeOverdue(db, uetr).where('kind', '=', 'callback').where('delivered_at', 'is', null).execute();
      expect(evidence.received(uetr, 'source', 'pacs002').length).toBeGreaterThan(0);
    },
    { everyMs: 1_000 },
  );
  // this run: a later run of the same id may be delivering
  const run = temporal.workflow.getHandle(stuck.workflowId, stuck.firstExecutionRunId);
  await expect.poll(async () => (await run.describe()).status.name).toBe('TERMINATED');
});
