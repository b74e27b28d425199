// A source asks for the status after the destination has answered a send, and before our record of that has come back
// to the execution: it joins that send (DUP-1), and the execution, which is well, is not ended for it (LIF-2).
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';

const gateway = await testGateway({
  sweepEveryMs: 500,
  // the record of how a send ended takes a second to be written
  prepare: async (db) => {
    await sql
      .raw(
        `create function slow() returns trigger language plpgsql as
          $$ begin if old.outcome is null and new.attempt = 1 then perform pg_sleep(1); end if; return new; end $$;
         create trigger slow before update on delivery_attempts for each row execute function slow()`,
      )
      .execute(db);
  },
});
const evidence = evidenceOf(gateway);
const { db, temporal } = gateway;

test('an enquiry that comes when the send before it was answered a moment ago joins it, and costs no execution that is well', async () => {
  const message = instruction(await bestQuote(gateway), { ending: endingIn.silent });
  const { uetr } = message;
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  await vi.waitFor(
    async () => {
      const { rows } = await sql`select from pg_stat_activity where wait_event = 'PgSleep'`.execute(db);
      expect(rows).toHaveLength(1);
    },
    { timeout: 10_000, interval: 20 },
  );
  const runOf = async () => (await temporal.workflow.getHandle(paymentWorkflowId(uetr)).describe()).runId;
  const before = await runOf();
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  const { rows } = await sql<{ owed: boolean }>`
    select d.enquiry_asked_at is not null as owed from deliveries d where subject_id = ${uetr} and kind = 'instruction'`.execute(
    db,
  );
  expect(rows).toEqual([{ owed: true }]);
  const until = Date.now() + 9_000; // several sweeps, and their second looks
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(until), { timeout: 15_000, interval: 500 });
  expect(await runOf()).toBe(before);
  expect(await evidence.audit(uetr)).not.toContain('execution.stuck');
}, 60_000);
