// The first sweep of a worker brings what no worker before could answer (SEC-9, LIF-2). If that one is cut short, the next one does.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { paymentWorkflowId } from '../../contract/ids.ts';
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

test('a worker whose first sweep is cut short brings what could not be answered with the next one', async () => {
  isMended = false;
  const message = instruction(await bestQuote(gateway), {
    messageIdentification: `${poison}${randomUUID().slice(0, 8)}`,
  });
  const { uetr, messageIdentification } = message;
  await recordReceived(gateway.db, {
    ...{ subjectId: uetr, type: 'pacs008', messageIdentification, leg: 'source', party: 'SGDFAST' },
    answerUrl: gateway.sandbox.callbackUrl('SGDFAST'),
    body: Buffer.from(buildPacs008(message)),
  });
  await vi.waitFor(async () => expect(await evidence.audit(uetr)).toContain('message.unanswerable'), {
    timeout: 10_000,
    interval: 100,
  });
  await gateway.stopWorker();
  await gateway.temporal.workflow.getHandle(paymentWorkflowId(uetr)).terminate('an hour has passed');
  isMended = true;
  await gateway.db.transaction().execute(async (session) => {
    await sql`lock table leases in access exclusive mode`.execute(session);
    await gateway.startWorker();
    const waiting = async () => {
      const { rows } = await sql`select from pg_stat_activity where datname = current_database()
        and application_name = 'isthmus-worker' and wait_event_type = 'Lock'`.execute(gateway.db);
      return rows.length;
    };
    await vi.waitFor(async () => expect(await waiting()).toBe(1), { timeout: 5_000, interval: 50 });
    await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: 5_000, interval: 50 }); // 1.5 s: the lock_timeout
  });
  await vi.waitFor(async () => expect((await evidence.decision(uetr))?.status).toBe('ACCC'), {
    timeout: 15_000,
    interval: 250,
  });
}, 60_000);
