// Plays every path of a payment to its end, and with RECORD_HISTORIES=<release> keeps the histories for replay.test.ts.
// Without it, it still shows that each path ends, and that its fresh history replays.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { paymentWorkflowId, redeliveryWorkflowId, searchAttributes } from '../../contract/ids.ts';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { broker } from '../activities/wire/broker.ts';
import { testGateway } from '../harness/gateway.ts';
import { endingIn, type Ending } from '../../fixtures/endings.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit, submitXml } from '../harness/payer.ts';
import { heard, reportFinal } from '../harness/reports.ts';
import { keepHistory } from './recording.ts';
import { acceptedAgo } from '../harness/rewritten.ts';
import { eventually } from '../harness/wait.ts';

const gateway = await testGateway({
  prepare: async (db) => {
    await db.updateTable('clearing_systems').set({ max_execution_seconds: 3 }).execute();
  },
});
const { sandbox } = gateway;
const handleOf = (workflowId: string) => gateway.temporal.workflow.getHandle(workflowId);

/** Waits for the end of an execution, replays its history and keeps it when asked to. */
async function keep(name: string, workflowId: string): Promise<void> {
  await handleOf(workflowId).result();
  await keepHistory(name, await handleOf(workflowId).fetchHistory());
}

const received =
  (party: string, uetr: string) => (entry: { party: string; uetr?: string; direction: string }) =>
    entry.direction === 'received' && entry.party.startsWith(party) && entry.uetr === uetr;

async function pay(ending: Ending, priority: 'HIGH' | 'NORM' = 'NORM') {
  const message = instruction(await bestQuote(gateway), { ending, priority });
  const answer = await submit(gateway, message);
  return { message, answer };
}

test('accepted at once, and delivered again when the source asks later', async () => {
  const { message } = await pay(endingIn.creditedAtOnce);
  await keep('accepted-at-once', paymentWorkflowId(message.uetr));
  await submit(gateway, message);
  const redelivery = redeliveryWorkflowId(message.uetr);
  // the enquiry is answered from the record, and passed on beside the answer (DUP-1)
  await eventually(() => handleOf(redelivery).describe());
  await keep('redelivery', redelivery);
});

test('accepted later', async () => {
  const { message } = await pay(endingIn.creditedLater, 'HIGH');
  await keep('accepted-later', paymentWorkflowId(message.uetr));
});

test('ended by its first send: decided and told in the activity that sent it', async () => {
  const { message } = await pay(endingIn.creditedAtOnce);
  await keep('ended-by-its-send', paymentWorkflowId(message.uetr));
});

test('decided by its first send, and told by the workflow, because a callback fails', async () => {
  sandbox.source.refuse({ status: 503, times: 1 });
  const { message } = await pay(endingIn.creditedAtOnce);
  await keep('told-after-its-send', paymentWorkflowId(message.uetr));
});

test('shown as accepted after its first send, and then decided by a message of its destination', async () => {
  const { message } = await pay(endingIn.creditedLater);
  await keep('shown-after-its-send', paymentWorkflowId(message.uetr));
});

test('rejected by the destination', async () => {
  const { message } = await pay(endingIn.rejected);
  await keep('rejected-by-the-destination', paymentWorkflowId(message.uetr));
});

test('rejected at validation', async () => {
  const message = instruction(await bestQuote(gateway), {
    interbankSettlementAmount: { currency: 'SGD', amount: '999.99' },
  });
  const answer = await submit(gateway, message);
  expect(answer.report).toMatchObject({ status: 'RJCT', reasonCode: 'AM09' });
  await keep('rejected-at-validation', paymentWorkflowId(message.uetr));
});

test('a silent destination until the HIGH deadline, with an enquiry of the source meanwhile', async () => {
  const { message } = await pay(endingIn.silent, 'HIGH');
  await keep('deadline', paymentWorkflowId(message.uetr));
  const waiting = await pay(endingIn.silent, 'HIGH');
  const enquiry = await submit(gateway, waiting.message);
  expect(enquiry.report?.status).toBe('ACTC');
  await keep('enquiry-while-waiting', paymentWorkflowId(waiting.message.uetr));
});

test('a repeat that is refused after the payment has closed', async () => {
  const { message } = await pay(endingIn.creditedAtOnce);
  await handleOf(paymentWorkflowId(message.uetr)).result();
  const repeat = await submitXml(
    gateway,
    buildPacs008({ ...message, messageIdentification: `OTHER${randomUUID().slice(0, 8)}` }),
  );
  expect(repeat.report).toMatchObject({ status: 'RJCT', reasonCode: 'DUPL' });
  await keep('refused-repeat', paymentWorkflowId(message.uetr));
});

test('a callback receiver that comes back', async () => {
  sandbox.source.refuse({ status: 503, times: 2 });
  const { message } = await pay(endingIn.creditedAtOnce);
  await sandbox.journal.waitFor(received('source/', message.uetr), 60_000);
  await keep('callback-comes-back', paymentWorkflowId(message.uetr));
});

test('a destination that comes back', async () => {
  const { message } = await pay(endingIn.refusing);
  await keep('destination-comes-back', paymentWorkflowId(message.uetr));
});

test('in doubt: taken up from the record after a day, asked about by the source, and decided by its destination at last', async () => {
  const { message } = await pay(endingIn.silent);
  const { uetr } = message;
  const execution = handleOf(paymentWorkflowId(uetr));
  await heard(gateway, uetr);
  await acceptedAgo(gateway.db, uetr, 25 * 3_600_000);
  await execution.terminate('to be taken up from the record');
  await gateway.stopWorker();
  await gateway.startWorker(); // its first sweep finds the payment
  await eventually(async () => {
    const { typedSearchAttributes } = await execution.describe();
    expect(typedSearchAttributes.get(searchAttributes.status)).toBe('INDOUBT');
  });
  await heard(gateway, uetr);
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  await heard(gateway, uetr);
  expect(await reportFinal(gateway, uetr)).toBe(200);
  await keep('in-doubt', paymentWorkflowId(uetr));
});

test('an FX provider that takes its fxtr.017 from a queue', async () => {
  const { url } = await broker();
  await gateway.db
    .updateTable('fxp_endpoints')
    .set({ notification_url: `${url}fxtr017` })
    .execute();
  const { message } = await pay(endingIn.creditedAtOnce);
  await keep('told-by-a-queue', paymentWorkflowId(message.uetr));
});
