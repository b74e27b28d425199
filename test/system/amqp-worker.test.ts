// The worker that speaks to brokers is a process of its own (WORKER_SERVES): while there is none, or one hangs or dies,
// payments and every other delivery go on, and the trades come when one is there (NOT-1, CBK-3).
import type { Delivery } from 'rhea';
import { expect, onTestFinished, test } from 'vitest';
import { paymentWorkflowId, redeliveryWorkflowId, searchAttributes } from '../../contract/ids.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { broker } from '../activities/wire/broker.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { makeOverdue } from '../harness/overdue.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { testWorkflowBundle } from '../harness/temporal.ts';
import { eventually, untilPast } from '../harness/wait.ts';
import { killProcess, startWorkerProcess } from '../harness/worker-process.ts';

const gateway = await testGateway({
  settings: { WORKER_SERVES: 'payments' },
  sweepEveryMs: 300,
  standstillMs: 300,
});
const evidence = evidenceOf(gateway);

async function amqpWorker() {
  const { codePath } = await testWorkflowBundle();
  const worker = await startWorkerProcess(gateway, codePath, { serves: 'amqp' });
  onTestFinished(() => killProcess(worker));
  return worker;
}

test('without it, a trade is given up after 72 hours, with its alert (CBK-1)', async () => {
  await gateway.db
    .updateTable('fxp_endpoints')
    .set({ notification_url: 'amqp://127.0.0.1:1/fxtr017' })
    .execute();
  const message = instruction(await bestQuote(gateway));
  await submit(gateway, message);
  await evidence.arrival(message.uetr, 'source', 'pacs002', 'ACCC');
  const longAgo = new Date(Date.now() - 73 * 3_600_000);
  await gateway.db
    .updateTable('deliveries')
    .set({ asked_at: longAgo, next_due_at: longAgo })
    .where('subject_id', '=', message.uetr)
    .where('kind', '=', 'notification')
    .execute();
  await eventually(async () => expect(await evidence.audit(message.uetr)).toContain('delivery.dead-letter'));
});

test('without it, and when it is killed over a message, the payment is decided and everybody else is told; the trade comes with the next one, under the same MsgId (CBK-1, CBK-3)', async () => {
  const held: Delivery[] = [];
  const { url, taken } = await broker({
    take: (delivery) => (taken.length === 1 ? void held.push(delivery) : delivery.accept()),
  });
  await gateway.db
    .updateTable('fxp_endpoints')
    .set({ notification_url: `${url}fxtr017` })
    .execute();
  const message = instruction(await bestQuote(gateway));
  const { uetr } = message;
  await submit(gateway, message);
  await evidence.arrival(uetr, 'source', 'pacs002', 'ACCC');
  expect(taken).toEqual([]);
  expect(await evidence.attempts(uetr, 'notification')).toEqual([]);
  await eventually(async () => {
    const handle = gateway.temporal.workflow.getHandle(paymentWorkflowId(uetr));
    const { status, typedSearchAttributes } = await handle.describe();
    expect(typedSearchAttributes.get(searchAttributes.status)).toBe('ACCC');
    expect(status.name).toBe('RUNNING'); // an operator sees what it waits for
  });

  await makeOverdue(gateway.db, uetr).execute();
  const timesAsked = async () => {
    const { events } = await gateway.temporal.workflow.getHandle(redeliveryWorkflowId(uetr)).fetchHistory();
    return (events ?? []).filter((one) => one.workflowExecutionSignaledEventAttributes != null).length;
  };
  await eventually(async () => expect(await timesAsked()).toBeGreaterThan(0));
  await untilPast(4_000); // several sweeps
  expect(await timesAsked()).toBeLessThanOrEqual(2); // a sweep may come before its execution has begun

  const first = await amqpWorker();
  await eventually(() => expect(held).toHaveLength(1));
  await killProcess(first);
  await amqpWorker();
  await evidence.closed(uetr);
  expect(taken).toHaveLength(2);
  expect(new Set(taken.map((one) => one.message_id)).size).toBe(1);
});
