// Executions that are open but do nothing, as when a worker lost the local activity that it waited for. The sweep
// terminates such an execution and continues from the record.
import { WorkflowIdConflictPolicy } from '@temporalio/common';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { paymentWorkflowId, signals, workflowTypes } from '../../contract/ids.ts';
import { distinct, evidenceOf, expectSoundMessages } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { runBrokenWorker } from '../harness/broken-worker.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, storeOnly, submit } from '../harness/payer.ts';
import { heard, reportFinal, undecided } from '../harness/reports.ts';
import { acceptedAgo } from '../harness/rewritten.ts';
import { eventually } from '../harness/wait.ts';

const gateway = await testGateway({ sweepEveryMs: 500, standstillMs: 2_500 });
const evidence = evidenceOf(gateway);
const { db, temporal } = gateway;

const taskQueue = await runBrokenWorker(gateway, 'idle');

/**
 * Replaces the payment's execution by one that does nothing.
 * @returns waits until the sweep has terminated it
 */
async function becomesIdle(uetr: string): Promise<() => Promise<void>> {
  const workflowId = paymentWorkflowId(uetr);
  const begun = await temporal.workflow.start(workflowTypes.payment, {
    workflowId,
    taskQueue,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.TERMINATE_EXISTING,
  });
  for (let sent = 0; sent < 3; sent += 1) await begun.signal(signals.look); // several workflow tasks
  return async () => {
    const handle = temporal.workflow.getHandle(workflowId, begun.firstExecutionRunId);
    await eventually(async () => expect((await handle.describe()).status.name).toBe('TERMINATED'), {
      everyMs: 500,
    });
  };
}

const alertsOf = async (uetr: string) => {
  const rows = await db
    .selectFrom('audit_events')
    .select('kind')
    .where('subject_id', '=', uetr)
    .where('severity', '=', 'alert')
    .execute();
  return rows.map(({ kind }) => kind);
};

const instructionOf = (uetr: string) =>
  sql`(select delivery_id from deliveries where subject_id = ${uetr} and kind = 'instruction')`;

/** Dates acceptance and send back by two minutes. */
async function age(uetr: string): Promise<void> {
  await sql`update delivery_attempts set started_at = started_at - interval '2 minutes',
    finished_at = finished_at - interval '2 minutes'
    where delivery_id = ${instructionOf(uetr)}`.execute(db);
  await acceptedAgo(db, uetr, 120_000);
}

/** Deletes the send, as if the execution had stopped before it. */
async function unsend(uetr: string): Promise<void> {
  await sql`delete from delivery_attempts where delivery_id = ${instructionOf(uetr)}`.execute(db);
  await sql`update deliveries set attempts = 0, possibly_sent = 0, attempts_since_asked = 0, round = null, claim = null,
    delivered_at = null where delivery_id = ${instructionOf(uetr)}`.execute(db);
}

test.each([
  ['an enquiry is overdue (TIM-2)', age],
  ['the instruction was never sent', unsend],
])(
  'a payment of which %s is taken from an execution that waits for nothing, and continues from the record',
  async (_, make) => {
    const { uetr } = await undecided(gateway);
    const ended = await becomesIdle(uetr);
    await make(uetr);
    await ended();
    await eventually(() => expect(evidence.received(uetr, 'destination', 'pacs008')).toHaveLength(2), {
      everyMs: 200,
    });
    expect(distinct(evidence.received(uetr, 'destination', 'pacs008'))).toBe(1);
    expect(await reportFinal(gateway, uetr)).toBe(200);
    expect((await evidence.arrival(uetr, 'source', 'pacs002')).status).toBe('ACCC');
    await evidence.closed(uetr);
    expect(await alertsOf(uetr)).toEqual(['execution.stuck']);
  },
);

test('a submission that waits in such an execution is judged and paid', async () => {
  const message = instruction(await bestQuote(gateway));
  const ended = await becomesIdle(message.uetr);
  await storeOnly(gateway, message);
  await ended();
  expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('ACCC');
  expect(await alertsOf(message.uetr)).toEqual(['execution.stuck']);
});

test('a status that the source asks for is asked of the destination within 30 s (DUP-1)', async () => {
  const message = await undecided(gateway);
  await becomesIdle(message.uetr);
  await heard(gateway, message.uetr);
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  await eventually(() => expect(evidence.received(message.uetr, 'destination', 'pacs008')).toHaveLength(2), {
    everyMs: 500,
    limitMs: 30_000,
  });
});

test("the destination's final reaches the source within 60 s, and the execution is ended (I-15)", async () => {
  const { uetr } = await undecided(gateway);
  const ended = await becomesIdle(uetr);
  void reportFinal(gateway, uetr);
  await eventually(async () => expect(await evidence.decision(uetr)).toBeDefined(), { limitMs: 30_000 });
  await eventually(() => expect(evidence.received(uetr, 'source', 'pacs002')).toHaveLength(1), {
    everyMs: 500,
    limitMs: 55_000,
  });
  await ended();
});

test('an execution of which nothing is owed yet is left alone, however long it waits', async () => {
  const { uetr } = await undecided(gateway);
  const { runId } = await temporal.workflow.getHandle(paymentWorkflowId(uetr)).describe();
  await eventually(
    async () => {
      const { rows } = await sql<{ isLong: boolean }>`
        select clock_timestamp() > judged_at + interval '6 seconds' as "isLong" from payments where uetr = ${uetr}`.execute(
        db,
      );
      expect(rows).toEqual([{ isLong: true }]); // several sweeps
    },
    { everyMs: 500 },
  );
  const now = await temporal.workflow.getHandle(paymentWorkflowId(uetr)).describe();
  expect([now.runId, now.status.name]).toEqual([runId, 'RUNNING']);
  expect(await reportFinal(gateway, uetr)).toBe(200);
  await evidence.closed(uetr);
  expect(await alertsOf(uetr)).toEqual([]);
  await expectSoundMessages(gateway);
});
