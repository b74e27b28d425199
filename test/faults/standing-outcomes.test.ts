// What a defect of ours left behind in the engine, once the defect has gone (SEC-9): the outcome of a report that is
// sent again, as it was told to (PAY-8), and executions that hold nothing.
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { postReport, reportOn, undecided } from '../harness/reports.ts';
import { poisonedEngine, poisonedMessageId } from '../harness/poison.ts';

const gateway = await testGateway({
  workerEngine: poisonedEngine(),
});
const evidence = evidenceOf(gateway);
const { db, temporal } = gateway;

test('a final that a moment of the database kept from deciding decides when the destination sends it again, as it was told to', async () => {
  const { uetr } = await undecided(gateway);
  const { messageId = '' } = await evidence.arrival(uetr, 'destination', 'pacs008');
  gateway.reported.push(uetr);
  await sql
    .raw(
      `create function fails() returns trigger language plpgsql as
        $$ begin raise exception 'a page could not be read' using errcode = 'XX001'; end $$;
       create trigger fails before insert on decisions for each row execute function fails()`,
    )
    .execute(db);
  const report = reportOn({ messageIdentification: messageId, uetr });
  const refused = await postReport(gateway, report);
  await sql`drop trigger fails on decisions`.execute(db);
  expect(refused.status).toBe(503);
  expect(await refused.text()).toContain('Send it again');
  expect((await postReport(gateway, report)).status).toBe(200);
}, 60_000);

test('the execution of a message that could not be answered lapses, if nobody sends it again', async () => {
  const message = instruction(await bestQuote(gateway), {
    messageIdentification: poisonedMessageId(),
  });
  expect((await submit(gateway, message)).httpStatus).toBe(500);
  const isEnding = async () => {
    const handle = temporal.workflow.getHandle(paymentWorkflowId(message.uetr));
    const { events } = await handle.fetchHistory();
    return (events ?? []).some(
      (event) =>
        event.timerStartedEventAttributes != null || event.workflowExecutionCompletedEventAttributes != null,
    );
  };
  await vi.waitFor(async () => expect(await isEnding()).toBe(true), { timeout: 10_000, interval: 250 });
}, 60_000);
