// A release is rolled back, or is replaced under load: an execution runs in a form that the worker does not know yet
// (LIF-2, LIF-3).
import { expect, test, vi } from 'vitest';
import { currentForm, paymentWorkflowId, workflowTypes, type PaymentWorkflow } from '../../contract/ids.ts';
import { paymentStart } from '../../contract/starts.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, storeOnly } from '../harness/payer.ts';

const gateway = await testGateway({ sweepEveryMs: 1_000, standstillMs: 1_000 });
const evidence = evidenceOf(gateway);

test('a worker takes no step of an execution of a newer form, and pays its payment from the record in one that it knows', async () => {
  const message = instruction(await bestQuote(gateway));
  const { uetr } = message;
  const messageId = await storeOnly(gateway, message);
  const start = paymentStart({ uetr, sourceSystem: 'SGDFAST', messageId }, gateway.taskQueuePrefix);
  const [input] = start.args;
  const { temporal } = gateway;
  const { firstExecutionRunId } = await temporal.workflow.start<PaymentWorkflow>(workflowTypes.payment, {
    ...start,
    args: [{ ...input, form: currentForm + 1 }],
  });
  await vi.waitFor(async () => expect((await evidence.decision(uetr))?.status).toBe('ACCC'), {
    timeout: 60_000,
    interval: 250,
  });
  const { events } = await temporal.workflow
    .getHandle(paymentWorkflowId(uetr), firstExecutionRunId)
    .fetchHistory();
  const failed = (events ?? []).flatMap(
    ({ workflowTaskFailedEventAttributes: task }) => task?.failure?.message ?? [],
  );
  expect(failed[0]).toContain(`form ${currentForm + 1}`);
  expect((events ?? []).some((event) => event.workflowTaskCompletedEventAttributes != null)).toBe(false);
}, 90_000);
