// The first sweep of a worker brings what no worker before could answer (SEC-9, LIF-2). If that one is cut short, the next one does.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { workflowTypes } from '../../contract/ids.ts';
import { paymentStart } from '../../contract/starts.ts';
import { recordReceived } from '../../db/messages.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../harness/instruction.ts';
import { bestQuote } from '../harness/payer.ts';
import { createLibxml2Engine } from '../../xml/libxml2.ts';

const poison = 'POISON'; // whatever names a MsgId that begins so, an answer too, meets a defect of ours
const engine = createLibxml2Engine();
let isMended = false;
const gateway = await testGateway({
  sweepEveryMs: 500,
  workerEngine: {
    ...engine,
    parse: (bytes, expected) => {
      if (!isMended && Buffer.from(bytes).includes(`MsgId>${poison}`))
        throw new TypeError('a defect of ours');
      return engine.parse(bytes, expected);
    },
  },
});
const evidence = evidenceOf(gateway);

/** A submission that nobody could answer, whose execution has ended since. */
async function unanswered(): Promise<string> {
  isMended = false;
  const message = instruction(await bestQuote(gateway), {
    messageIdentification: `${poison}${randomUUID().slice(0, 8)}`,
  });
  const { uetr, messageIdentification } = message;
  const { messageId } = await recordReceived(gateway.db, {
    ...{ subjectId: uetr, type: 'pacs008', messageIdentification, leg: 'source', party: 'SGDFAST' },
    answerUrl: gateway.sandbox.callbackUrl('SGDFAST'),
    body: Buffer.from(buildPacs008(message)),
  });
  const start = paymentStart({ uetr, sourceSystem: 'SGDFAST', messageId }, gateway.taskQueuePrefix);
  const execution = await gateway.temporal.workflow.start(workflowTypes.payment, start); // an update's outcome would stand
  await vi.waitFor(async () => expect(await evidence.audit(uetr)).toContain('message.unanswerable'), {
    timeout: 10_000,
    interval: 50,
  });
  await gateway.stopWorker();
  await execution.terminate('an hour has passed');
  isMended = true;
  return uetr;
}

const expectPaid = (uetr: string) =>
  vi.waitFor(async () => expect((await evidence.decision(uetr))?.status).toBe('ACCC'), {
    timeout: 12_000,
    interval: 250,
  });

const pastGrace = async () => {
  const until = Date.now() + 1_500; // the grace of this gateway is 1 s
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(until), { timeout: 5_000 });
};

test('what could not be answered is brought by the first sweep of a worker', async () => {
  const uetr = await unanswered();
  await pastGrace();
  await gateway.startWorker();
  await expectPaid(uetr);
}, 60_000);

test('what is younger than the grace then is brought by the next one', async () => {
  const uetr = await unanswered();
  await gateway.startWorker();
  await expectPaid(uetr);
}, 60_000);

test('and all of it, if the first one is cut short', async () => {
  const uetr = await unanswered();
  await pastGrace();
  await gateway.db.transaction().execute(async (session) => {
    await sql`lock table leases in access exclusive mode`.execute(session);
    await gateway.startWorker();
    const waiting = async () => {
      const { rows } = await sql`select from pg_stat_activity where datname = current_database()
        and application_name = 'isthmus-worker' and wait_event_type = 'Lock'`.execute(gateway.db);
      return rows.length;
    };
    await vi.waitFor(async () => expect(await waiting()).toBe(1), { timeout: 5_000, interval: 50 });
    await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: 5_000, interval: 50 }); // its lock_timeout
  });
  await expectPaid(uetr);
}, 60_000);
