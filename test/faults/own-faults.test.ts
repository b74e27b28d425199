// Faults of our own: clocks that differ, a worker that returns after the deadline, a database that fails while a
// send is claimed or settled, messages that break our builders. No fault decides a payment, uses up a send, or
// delays another payment.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { evidenceOf, expectSoundMessages } from '../harness/evidence.ts';
import { workflowTypes, type PaymentWorkflow } from '../../contract/ids.ts';
import { paymentStart } from '../../contract/starts.ts';
import { testGateway } from '../harness/gateway.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit, submitXml, storeOnly, inTurn } from '../harness/payer.ts';
import { reportFinal, undecided } from '../harness/reports.ts';
import { createLibxml2Engine } from '../../xml/libxml2.ts';
import { rewritten } from '../harness/rewritten.ts';
import { eventually } from '../harness/wait.ts';

const maxExecutionSeconds = 3;
const poison = 'POISON'; // a MsgId that starts so meets a defect of ours
const unspeakable = 'MUTE';
const engine = createLibxml2Engine();
const gateway = await testGateway({
  maxExecutionSeconds,
  workerEngine: {
    ...engine,
    parse: (bytes, expected) => {
      const text = Buffer.from(bytes).toString();
      if (text.includes(`<MsgId>${poison}`)) throw new TypeError('a defect of ours');
      if (text.includes(`MsgId>${unspeakable}`)) throw new TypeError('a defect of ours, in the answer too');
      return engine.parse(bytes, expected);
    },
  },
});
const evidence = evidenceOf(gateway);
const { db } = gateway;

/** Makes every insert into, or update of, the attempts fail as a database does that shuts down, until it is lifted. */
async function databaseFails(on: 'insert' | 'update'): Promise<() => Promise<void>> {
  await sql
    .raw(
      `create or replace function fails() returns trigger language plpgsql as
        $$ begin raise exception 'the database is shutting down' using errcode = '57P01'; end $$;
       create trigger fails before ${on} on delivery_attempts for each row execute function fails()`,
    )
    .execute(db);
  return async () => {
    await sql`drop trigger if exists fails on delivery_attempts`.execute(db);
  };
}
afterEach(async () => {
  await sql`drop trigger if exists fails on delivery_attempts`.execute(db);
});

async function deadlineOf(uetr: string): Promise<Date> {
  const row = await db
    .selectFrom('payments')
    .select('deadline_at')
    .where('uetr', '=', uetr)
    .executeTakeFirstOrThrow();
  if (row.deadline_at === null) throw new Error('a HIGH payment has a deadline');
  return row.deadline_at;
}

const untilPast = (moment: Date) => eventually(() => expect(Date.now()).toBeGreaterThan(moment.getTime()));

test('the clock of the engine is ahead: nothing is rejected before the deadline by the database clock (TIM-1)', async () => {
  const message = await undecided(gateway, { priority: 'HIGH' });
  // what the engine takes for the deadline is 4 s before it
  const early = await deadlineOf(message.uetr);
  const deadline = new Date(early.getTime() + 4_000);
  await rewritten(
    db,
    db.updateTable('payments').set({ deadline_at: deadline }).where('uetr', '=', message.uetr),
  );
  await untilPast(new Date(early.getTime() + 2_000));
  expect(await evidence.decision(message.uetr)).toBeUndefined();
  expect(await reportFinal(gateway, message.uetr)).toBe(200);
  expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('ACCC');
});

test('and when it never comes: rejected at the deadline by the database clock, not before, not long after', async () => {
  const message = instruction(await bestQuote(gateway), { ending: endingIn.silent, priority: 'HIGH' });
  await submit(gateway, message);
  const deadline = new Date((await deadlineOf(message.uetr)).getTime() + 2_000);
  await rewritten(
    db,
    db.updateTable('payments').set({ deadline_at: deadline }).where('uetr', '=', message.uetr),
  );
  await evidence.arrival(message.uetr, 'source', 'pacs002');
  const decidedAt = (await evidence.decision(message.uetr))?.decided_at.getTime() ?? 0;
  expect(decidedAt).toBeGreaterThanOrEqual(deadline.getTime());
  expect(decidedAt).toBeLessThan(deadline.getTime() + 8_000); // 250 ms where nothing else runs
});

test('a worker that comes back after the deadline sends no instruction any more (TIM-1, I-19)', async () => {
  gateway.sandbox.destination.refuse({ status: 503, times: 1, pathPrefix: '/IPSO-TH' });
  const message = instruction(await bestQuote(gateway), { priority: 'HIGH' });
  await submit(gateway, message);
  await eventually(async () => {
    expect((await evidence.attempts(message.uetr, 'instruction'))[0]?.http_status).toBe(503);
  });
  await gateway.stopWorker();
  expect(await evidence.attempts(message.uetr, 'instruction')).toHaveLength(1);
  await untilPast(await deadlineOf(message.uetr));
  await gateway.startWorker();
  expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('RJCT');
  await evidence.closed(message.uetr);
  expect(evidence.received(message.uetr, 'destination', 'pacs008')).toEqual([]);
  expect(await evidence.attempts(message.uetr, 'instruction')).toHaveLength(1);
});

test('a submission that came in time and is judged after its deadline is rejected for our lateness, not that of its sender', async () => {
  await gateway.stopWorker();
  const message = instruction(await bestQuote(gateway), { priority: 'HIGH' });
  const answering = submit(gateway, message);
  await untilPast(new Date(Date.now() + maxExecutionSeconds * 1_000));
  await gateway.startWorker();
  const { report } = await answering;
  expect([report?.status, report?.reasonCode]).toEqual(['RJCT', 'AB03']); // TIM-1; TM01 is for what comes late
  expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).reasonCode).toBe('AB03');
  expect(evidence.received(message.uetr, 'destination', 'pacs008')).toEqual([]);
});

test('a database that fails for 6 s when the send is claimed uses up no send: it leaves once it is back (TIM-3)', async () => {
  const heal = await databaseFails('insert');
  const message = instruction(await bestQuote(gateway));
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  await untilPast(new Date(Date.now() + 6_000));
  expect(await evidence.attempts(message.uetr, 'instruction')).toEqual([]);
  await heal();
  await eventually(() => expect(evidence.received(message.uetr, 'destination', 'pacs008')).toHaveLength(1));
  expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('ACCC');
  expect(await evidence.attempts(message.uetr, 'instruction')).toMatchObject([{ outcome: 'ANSWERED' }]);
});

test('a database that fails when the answer is settled loses no answer and sends nothing twice (TIM-3)', async () => {
  const heal = await databaseFails('update');
  const message = instruction(await bestQuote(gateway));
  await submit(gateway, message);
  await evidence.arrival(message.uetr, 'destination', 'pacs008');
  await untilPast(new Date(Date.now() + 3_000));
  await heal();
  expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('ACCC');
  await evidence.closed(message.uetr);
  expect(evidence.received(message.uetr, 'destination', 'pacs008')).toHaveLength(1);
});

test('45 messages that break our own answer keep nobody waiting, and each is answered (SEC-9, I-16)', async () => {
  const quote = await bestQuote(gateway);
  const hostile = () => buildPacs008(instruction(quote)).replace('<PmtId>', '<A\u061CB>1</A\u061CB><PmtId>');
  const attack = Promise.all(
    Array.from({ length: 45 }, () => {
      const bytes = hostile();
      return inTurn(() => submitXml(gateway, bytes));
    }),
  );
  const startedAt = performance.now();
  const message = instruction(await bestQuote(gateway));
  const answer = await inTurn(() => submit(gateway, message));
  expect([answer.httpStatus, answer.report?.status]).toEqual([200, 'ACTC']);
  expect(performance.now() - startedAt).toBeLessThan(8_000); // 1 s where nothing else runs
  for (const { httpStatus, report } of await attack) {
    expect([httpStatus, report?.status]).toEqual([200, 'RJCT']);
  }
});

test('a message that meets a defect of ours is answered RJCT NARR, with an alert, and keeps its execution no longer (SEC-9)', async () => {
  const quote = await bestQuote(gateway);
  const message = instruction(quote, { messageIdentification: `${poison}${randomUUID().slice(0, 8)}` });
  const answer = await submit(gateway, message);
  expect([answer.httpStatus, answer.report?.status, answer.report?.reasonCode]).toEqual([
    200,
    'RJCT',
    'NARR',
  ]);
  expect(await evidence.audit(message.uetr)).toEqual(['message.defect']);
  expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).reasonCode).toBe('NARR');
  await evidence.closed(message.uetr);
  // the quote is not taken, and the same bytes get the same answer
  expect((await submit(gateway, message)).text).toBe(answer.text);
  expect((await submit(gateway, instruction(quote))).report?.status).toBe('ACTC');
});

test('the execution of a stored message that cannot even be answered makes way, and does not fail (SEC-9)', async () => {
  const message = instruction(await bestQuote(gateway), {
    messageIdentification: `${unspeakable}${randomUUID().slice(0, 8)}`,
  });
  const { uetr } = message;
  const messageId = await storeOnly(gateway, message);
  const start = paymentStart({ uetr, sourceSystem: 'SGDFAST', messageId }, gateway.taskQueuePrefix);
  const execution = await gateway.temporal.workflow.start<PaymentWorkflow>(workflowTypes.payment, start);
  expect((await execution.result()).status).toBe('LAPSED');
  expect(await evidence.audit(uetr)).toContain('message.unanswerable');
});

test('every message that any party saw is valid, and no party saw a rule broken (MSG-3)', () =>
  expectSoundMessages(gateway));
