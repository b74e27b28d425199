// A defect of ours left a submission unanswered. A worker without the defect judges it, after its start or when the
// source sends it again.
import { sql } from 'kysely';
import { workflowTypes, type PaymentWorkflow } from '../../contract/ids.ts';
import { paymentStart } from '../../contract/starts.ts';
import { expect, test } from 'vitest';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, storeOnly, submit } from '../harness/payer.ts';
import { poisonedEngine, poisonedMessageId } from '../harness/poison.ts';
import { eventually } from '../harness/wait.ts';

let isMended = false;
const gateway = await testGateway({
  sweepEveryMs: 500,
  workerEngine: poisonedEngine(() => isMended),
});
const evidence = evidenceOf(gateway);

test('a submission that nobody could answer is judged and paid once a worker starts that can', async () => {
  isMended = false;
  const message = instruction(await bestQuote(gateway), {
    messageIdentification: poisonedMessageId(),
  });
  const { httpStatus } = await submit(gateway, message);
  expect(httpStatus).toBeGreaterThanOrEqual(500);
  await eventually(async () => expect(await evidence.audit(message.uetr)).toContain('message.unanswerable'), {
    everyMs: 100,
  });
  await gateway.stopWorker();
  isMended = true;
  await gateway.startWorker();
  await eventually(async () => expect((await evidence.decision(message.uetr))?.status).toBe('ACCC'), {
    everyMs: 250,
  });
});

test('and is judged when its source sends it again to such a worker', async () => {
  isMended = false;
  const message = instruction(await bestQuote(gateway), {
    messageIdentification: poisonedMessageId(),
  });
  await submit(gateway, message);
  await gateway.stopWorker();
  isMended = true;
  await gateway.startWorker();
  const { httpStatus, report } = await submit(gateway, message);
  expect([httpStatus, report?.status]).toEqual([200, 'ACTC']);
});

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
});

/** A submission that nobody could answer, whose execution has ended since. */
async function unanswered(): Promise<string> {
  isMended = false;
  const message = instruction(await bestQuote(gateway), {
    messageIdentification: poisonedMessageId(),
  });
  const { uetr } = message;
  const messageId = await storeOnly(gateway, message);
  const start = paymentStart({ uetr, sourceSystem: 'SGDFAST', messageId }, gateway.taskQueuePrefix);
  const execution = await gateway.temporal.workflow.start<PaymentWorkflow>(workflowTypes.payment, start); // an update's outcome would stand
  await eventually(async () => expect(await evidence.audit(uetr)).toContain('message.unanswerable'));
  expect((await execution.result()).status).toBe('LAPSED');
  await gateway.stopWorker();
  isMended = true;
  return uetr;
}

const expectPaid = (uetr: string) =>
  eventually(async () => expect((await evidence.decision(uetr))?.status).toBe('ACCC'), { everyMs: 250 });

const pastGrace = async () => {
  const until = Date.now() + 1_500; // the grace of this gateway is 1 s
  await eventually(() => expect(Date.now()).toBeGreaterThan(until));
};

test('what could not be answered is brought by the first sweep of a worker', async () => {
  const uetr = await unanswered();
  await pastGrace();
  await gateway.startWorker();
  await expectPaid(uetr);
});
