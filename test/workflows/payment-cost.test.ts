// What a payment costs the workflow engine: its history is deterministic, so its length and transitions are asserted.
import { Client, Connection } from '@temporalio/client';
import { afterAll, expect, test } from 'vitest';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { testGateway } from '../harness/gateway.ts';
import { endingIn, type Ending } from '../../fixtures/endings.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';

const gateway = await testGateway();
const connection = await Connection.connect({ address: gateway.temporalAddress });
const client = new Client({ connection, namespace: gateway.config.temporal.namespace });
afterAll(() => connection.close());

/** Describes a payment's execution once it has closed. */
async function costOf(uetr: string): Promise<{ events: number; transitions: number }> {
  const namespace = gateway.config.temporal.namespace;
  const execution = { workflowId: paymentWorkflowId(uetr) };
  await client.workflow.getHandle(execution.workflowId).result();
  const { workflowExecutionInfo: info } = await connection.workflowService.describeWorkflowExecution({
    namespace,
    execution,
  });
  return { events: Number(info?.historyLength), transitions: Number(info?.stateTransitionCount) };
}

async function pay(ending: Ending, priority: 'HIGH' | 'NORM' = 'NORM'): Promise<string> {
  const message = instruction(await bestQuote(gateway), { ending, priority });
  const answer = await submit(gateway, message);
  expect(answer.report?.status).toBe('ACTC');
  return message.uetr;
}

test.each(['HIGH', 'NORM'] as const)(
  'a %s payment with an asynchronous destination costs at most 30 events and 10 transitions',
  async (priority) => {
    const { events, transitions } = await costOf(await pay(endingIn.creditedLater, priority));
    expect(events).toBeLessThanOrEqual(30);
    expect(transitions).toBeLessThanOrEqual(10);
  },
);

test('a payment whose destination answers at once costs at most 17 events and 6 transitions', async () => {
  const { events, transitions } = await costOf(await pay(endingIn.creditedAtOnce));
  expect(events).toBeLessThanOrEqual(17);
  expect(transitions).toBeLessThanOrEqual(6);
});

test("of the stack of a workflow's promise the worker keeps one frame, not the ten of V8", async () => {
  const uetr = await pay(endingIn.silent);
  const stacks = await client.workflow.getHandle(paymentWorkflowId(uetr)).query<string>('__stack_trace');
  const perPromise = stacks.split('\n\n').map((stack) => stack.match(/^\s+at /gm)?.length);
  expect(perPromise).toEqual(perPromise.map(() => 1));
});
