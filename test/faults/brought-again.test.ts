// What newer code may answer is tried again, and something else goes wrong meanwhile (SEC-9, LIF-2): it cannot be
// written, it is old, it comes under the UETR of a payment that lost its execution, it is no payment but a question.
import { sql } from 'kysely';
import { afterEach, expect, test, vi } from 'vitest';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { untilPast } from '../harness/wait.ts';
import { ask, proxyRequest } from '../harness/asker.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction, type Changes } from '../../fixtures/instruction.ts';
import { bestQuote, storeOnly, submit } from '../harness/payer.ts';
import { poisonedEngine, poisonedMessageId } from '../harness/poison.ts';
import { messagesAged } from '../harness/rewritten.ts';

let isMended = false;
const gateway = await testGateway({
  sweepEveryMs: 500,
  standstillMs: 2_000,
  workerEngine: poisonedEngine(() => isMended),
});
const evidence = evidenceOf(gateway);
const { db, temporal } = gateway;

afterEach(async () => {
  await gateway.stopWorker();
  await gateway.startWorker();
});

/** Runs the work while nothing can be written into a table that is read as ever. */
async function whileLocked(table: string, work: () => Promise<void>): Promise<void> {
  await db.transaction().execute(async (session) => {
    await sql`lock table ${sql.table(table)} in exclusive mode`.execute(session);
    await work();
  });
}

async function unanswered(changes: Changes = {}): Promise<string> {
  isMended = false;
  const message = instruction(await bestQuote(gateway), {
    messageIdentification: poisonedMessageId(),
    ...changes,
  });
  const { uetr } = message;
  expect((await submit(gateway, message)).httpStatus).toBe(500);
  expect(await evidence.audit(uetr)).toContain('message.unanswerable');
  await gateway.stopWorker();
  isMended = true;
  await untilPast(1_200); // the grace
  return uetr;
}

const isKnown = async (uetr: string) => {
  const { rows } = await sql`select from payments where uetr = ${uetr}`.execute(db);
  return rows.length === 1;
};

test('a question that nobody could answer is answered once a worker starts that can, while its execution still runs', async () => {
  isMended = false;
  const request = proxyRequest('+66800000001', { messageIdentification: poisonedMessageId() });
  expect((await ask(gateway, request)).httpStatus).toBe(500);
  await gateway.stopWorker();
  isMended = true;
  await untilPast(1_200);
  await gateway.startWorker();
  await vi.waitFor(
    async () => {
      const { rows } =
        await sql`select from resolutions where message_identification = ${request.messageIdentification}`.execute(
          db,
        );
      expect(rows).toHaveLength(1);
    },
    { timeout: 20_000, interval: 250 },
  );
}, 60_000);

test('what cannot be written when it is tried again is judged once it can be', async () => {
  const uetr = await unanswered();
  await whileLocked('payments', async () => {
    await gateway.startWorker();
    await untilPast(4_000); // several sweeps have tried
  });
  await vi.waitFor(async () => expect(await isKnown(uetr)).toBe(true), { timeout: 20_000, interval: 250 });
}, 60_000);

test('what still cannot be answered is tried once by a worker that starts, and no more', async () => {
  const uetr = await unanswered();
  isMended = false;
  const outcomes = async () =>
    (await evidence.audit(uetr)).filter((kind) => kind.startsWith('message.unansw'));
  const before = await outcomes();
  await gateway.startWorker();
  await vi.waitFor(async () => expect((await outcomes()).length).toBeGreaterThan(before.length), 10_000);
  await untilPast(6_000); // the next sweep
  expect(await outcomes()).toEqual([...before, 'message.unanswerable-again']);
}, 60_000);

test('a submission that was stored twenty minutes before the worker started is judged, although it cannot be written at first', async () => {
  isMended = true;
  const message = instruction(await bestQuote(gateway));
  const { uetr } = message;
  await gateway.stopWorker();
  const messageId = await storeOnly(gateway, message);
  await messagesAged(db, sql`message_id = ${messageId}`, '20 minutes');
  await whileLocked('payments', async () => {
    await gateway.startWorker();
    await untilPast(3_000); // the first sweep, which looks back as far, has ended
  });
  await vi.waitFor(async () => expect(await isKnown(uetr)).toBe(true), { timeout: 20_000, interval: 250 });
}, 60_000);

test('a HIGH payment whose execution was lost goes on, though a repeat that nobody can answer came under its UETR', async () => {
  isMended = false;
  const message = instruction(await bestQuote(gateway), { ending: endingIn.refusing, priority: 'HIGH' });
  const { uetr } = message;
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  await evidence.arrival(uetr, 'destination', 'pacs008');
  await gateway.stopWorker();
  await temporal.workflow.getHandle(paymentWorkflowId(uetr)).terminate('by mistake');
  await storeOnly(gateway, { ...message, messageIdentification: poisonedMessageId() });
  await untilPast(1_200); // the grace
  await gateway.startWorker();
  await vi.waitFor(async () => expect(await evidence.decision(uetr)).toBeDefined(), {
    timeout: 40_000,
    interval: 250,
  });
  expect((await evidence.decision(uetr))?.status).toBe('ACCC');
}, 60_000);
