// A submission that a defect of ours kept from being answered is judged when a worker starts whose code no longer has the defect
// (SEC-9, LIF-2): whether its execution still runs, or the source itself sends it again.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { expect, test, vi } from 'vitest';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../harness/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
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

test('a submission that nobody could answer is judged and paid once a worker starts that can', async () => {
  isMended = false;
  const message = instruction(await bestQuote(gateway), {
    messageIdentification: `${poison}${randomUUID().slice(0, 8)}`,
  });
  const { httpStatus } = await submit(gateway, message);
  expect(httpStatus).toBeGreaterThanOrEqual(500);
  await vi.waitFor(async () => expect(await evidence.audit(message.uetr)).toContain('message.unanswerable'), {
    timeout: 5_000,
    interval: 100,
  });
  await gateway.stopWorker();
  isMended = true;
  await gateway.startWorker();
  await vi.waitFor(async () => expect((await evidence.decision(message.uetr))?.status).toBe('ACCC'), {
    timeout: 15_000,
    interval: 250,
  });
}, 60_000);

test('and is judged when its source sends it again to such a worker', async () => {
  isMended = false;
  const message = instruction(await bestQuote(gateway), {
    messageIdentification: `${poison}${randomUUID().slice(0, 8)}`,
  });
  await submit(gateway, message);
  await gateway.stopWorker();
  isMended = true;
  await gateway.startWorker();
  const { httpStatus, report } = await submit(gateway, message);
  expect([httpStatus, report?.status]).toEqual([200, 'ACTC']);
}, 60_000);

test('a message that only a moment of the database made unanswerable is judged when its source sends it again', async () => {
  await sql
    .raw(
      `create function fails() returns trigger language plpgsql as
        $$ begin raise exception 'a page could not be read' using errcode = 'XX001'; end $$;
       create trigger fails before insert on payments for each row execute function fails()`,
    )
    .execute(gateway.db);
  const message = instruction(await bestQuote(gateway));
  expect((await submit(gateway, message)).httpStatus).toBe(500);
  await sql`drop trigger fails on payments`.execute(gateway.db);
  expect((await submit(gateway, instruction(await bestQuote(gateway)))).report?.status).toBe('ACTC'); // all is well again
  const { httpStatus, report } = await submit(gateway, message);
  expect([httpStatus, report?.status]).toEqual([200, 'ACTC']);
}, 60_000);

test('and is judged even if the execution that could not was ended before', async () => {
  isMended = false;
  const message = instruction(await bestQuote(gateway), {
    messageIdentification: `${poison}${randomUUID().slice(0, 8)}`,
  });
  expect((await submit(gateway, message)).httpStatus).toBe(500);
  await gateway.temporal.workflow.getHandle(paymentWorkflowId(message.uetr)).terminate('an operator');
  await gateway.stopWorker();
  isMended = true;
  await gateway.startWorker();
  const { httpStatus, report } = await submit(gateway, message);
  expect([httpStatus, report?.status]).toEqual([200, 'ACTC']);
}, 60_000);
