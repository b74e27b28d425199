// Executions that were cancelled, terminated, deleted or never started. The sweep starts them again from the
// record.
import { expect, test } from 'vitest';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { distinct, evidenceOf, expectSoundMessages } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { makeOverdue } from '../harness/overdue.ts';
import { bestQuote, submit, storeOnly } from '../harness/payer.ts';
import { reportFinal, storeReport, undecided } from '../harness/reports.ts';
import { eventually } from '../harness/wait.ts';

const maxExecutionSeconds = 4;
const gateway = await testGateway({ maxExecutionSeconds, sweepEveryMs: 500 });
const evidence = evidenceOf(gateway);
const { db, temporal } = gateway;
const handleOf = (uetr: string) => temporal.workflow.getHandle(paymentWorkflowId(uetr));

/** A payment that its destination has received and not answered. */
const waiting = (priority: 'HIGH' | 'NORM') => undecided(gateway, { priority });
/** The destination's final, as an operator posts it. */
const report = (uetr: string) => reportFinal(gateway, uetr);

const statusOf = async (uetr: string) => {
  const { status, reason_code: reason } = (await evidence.decision(uetr)) ?? {};
  return [status, reason];
};

test('a HIGH payment whose execution is cancelled is decided at its deadline all the same (LIF-3)', async () => {
  const { uetr } = await waiting('HIGH');
  await handleOf(uetr).cancel();
  expect((await evidence.arrival(uetr, 'source', 'pacs002')).status).toBe('RJCT');
  expect(await statusOf(uetr)).toEqual(['RJCT', 'AB03']);
  await evidence.closed(uetr);
});

test('a payment whose execution is cancelled while its callback fails is delivered (LIF-3, I-17)', async () => {
  gateway.sandbox.source.refuse({ status: 503, times: 2, pathPrefix: '/callbacks/SGDFAST' });
  const message = instruction(await bestQuote(gateway));
  await submit(gateway, message);
  await eventually(async () => {
    expect((await evidence.attempts(message.uetr, 'callback')).length).toBeGreaterThan(0);
  });
  await handleOf(message.uetr).cancel();
  expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('ACCC');
});

test.each(['terminated', 'deleted'] as const)(
  'a HIGH payment whose execution is %s is decided at its deadline, and nobody had to ask (LIF-2)',
  async (fate) => {
    const { uetr } = await waiting('HIGH');
    if (fate === 'terminated') await handleOf(uetr).terminate('by mistake');
    else {
      await temporal.workflowService.deleteWorkflowExecution({
        namespace: gateway.config.temporal.namespace,
        workflowExecution: { workflowId: paymentWorkflowId(uetr) },
      });
    }
    expect((await evidence.arrival(uetr, 'source', 'pacs002')).status).toBe('RJCT');
    expect(await statusOf(uetr)).toEqual(['RJCT', 'AB03']);
    expect(distinct(evidence.received(uetr, 'destination', 'pacs008'))).toBe(1);
  },
);

test("a NORM payment whose execution is terminated still takes the destination's final", async () => {
  const { uetr } = await waiting('NORM');
  await handleOf(uetr).terminate('by mistake');
  await eventually(async () => {
    expect((await handleOf(uetr).describe()).status.name).toBe('RUNNING'); // another run
  });
  expect(await report(uetr)).toBe(200);
  expect((await evidence.arrival(uetr, 'source', 'pacs002')).status).toBe('ACCC');
  await evidence.closed(uetr);
  // the destination had answered: it was not sent again for our mishap
  expect(evidence.received(uetr, 'destination', 'pacs008')).toHaveLength(1);
});

test('a decided payment whose execution is terminated before all are told: they are told (I-17)', async () => {
  gateway.sandbox.fxProvider.refuse({ status: 503 });
  const message = instruction(await bestQuote(gateway));
  await submit(gateway, message);
  await evidence.arrival(message.uetr, 'source', 'pacs002');
  await eventually(async () => {
    expect((await evidence.attempts(message.uetr, 'notification')).length).toBeGreaterThan(0);
  });
  await handleOf(message.uetr).terminate('by mistake');
  gateway.sandbox.fxProvider.refuse(null);
  // as if it had been due for longer than a healthy system lets anything be; once the last attempt has ended
  const overdue = () =>
    makeOverdue(db, message.uetr)
      .where('delivered_at', 'is', null)
      .where('kind', '=', 'notification')
      .execute();
  await eventually(
    async () => {
      await overdue();
      expect(evidence.received(message.uetr, 'fxp', 'fxtr017').length).toBeGreaterThan(0);
    },
    { everyMs: 1_000 },
  );
});

test('a submission that was stored and whose execution was never started is judged and paid (LIF-2, I-10)', async () => {
  const message = instruction(await bestQuote(gateway));
  await storeOnly(gateway, message);
  expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('ACCC');
});

test('a final that was stored, and that nobody was told of, decides (PAY-7, I-18)', async () => {
  const { uetr } = await waiting('NORM');
  gateway.reported.push(uetr);
  await storeReport(db, uetr);
  expect((await evidence.arrival(uetr, 'source', 'pacs002')).status).toBe('ACCC');
  expect(await evidence.decision(uetr)).toMatchObject({ status: 'ACCC', decided_by: 'destination' });
});

test('a final that is stored while no worker runs decides, though the deadline passes meanwhile (PAY-7, I-18)', async () => {
  const { uetr } = await waiting('HIGH');
  await gateway.stopWorker();
  expect(await report(uetr)).toBe(503); // stored; nobody was there to take it
  await gateway.startWorker();
  expect((await evidence.arrival(uetr, 'source', 'pacs002')).status).toBe('ACCC');
  expect(await statusOf(uetr)).toEqual(['ACCC', null]);
  await evidence.closed(uetr);
});

test('a HIGH payment whose execution is stuck is decided from the record, and told (LIF-2, TIM-1)', async () => {
  const { uetr } = await waiting('HIGH');
  await handleOf(uetr).terminate('to put another in its place');
  await temporal.workflow.start('payment', {
    workflowId: paymentWorkflowId(uetr),
    taskQueue: 'nobody-polls-this',
    args: [{ uetr }],
  });
  await eventually(async () => expect(await statusOf(uetr)).toEqual(['RJCT', 'AB03']));
  await eventually(
    async () => {
      await makeOverdue(db, uetr).where('kind', '=', 'callback').where('attempts', '=', 0).execute();
      expect(evidence.received(uetr, 'source', 'pacs002').map(({ status }) => status)).toEqual(['RJCT']);
    },
    { everyMs: 500 },
  );
  await handleOf(uetr).terminate('the end of the test');
});

test('in a system where nothing was lost, the sweep finds nothing (I-20)', async () => {
  const message = instruction(await bestQuote(gateway), { ending: endingIn.interim });
  await submit(gateway, message);
  await evidence.closed(message.uetr);
  expect(await evidence.audit(message.uetr)).toEqual([]);
});

test('every message that any party saw is valid, and no party saw a rule broken (MSG-3)', () =>
  expectSoundMessages(gateway));
