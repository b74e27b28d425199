// A repeat that cannot be judged now, because a row that only it needs is locked by another session: the payment under
// whose UETR it came is decided meanwhile (TIM-1, PAY-7, DUP-2, SEC-9).
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import type { OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { paymentWorkflowId, updates } from '../../contract/ids.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { newMessageId } from '../../fixtures/instruction.ts';
import { storeOnly } from '../harness/payer.ts';
import { reportFinal, undecided } from '../harness/reports.ts';

const gateway = await testGateway({ maxExecutionSeconds: 8, sweepEveryMs: 30_000 });
const evidence = evidenceOf(gateway);
const { db, temporal } = gateway;

/** A repeat with another MsgId (DUP-2) that is being judged while its own row is locked. */
async function withLockedRepeat(message: OriginalPacs008, work: () => Promise<void>): Promise<void> {
  const { uetr } = message;
  const repeat = { ...message, messageIdentification: newMessageId('') };
  const messageId = await storeOnly(gateway, repeat);
  await db.transaction().execute(async (session) => {
    // whoever refuses it writes this row (DUP-2), and waits for whoever has written it and may take it back
    await sql`insert into refusals (message_id, answer_message_id) values (${messageId}, ${messageId})`.execute(
      session,
    );
    await temporal.workflow.getHandle(paymentWorkflowId(uetr)).startUpdate(updates.submit, {
      args: [{ messageId }],
      waitForStage: 'ACCEPTED',
    });
    await vi.waitFor(
      async () => {
        const { rows } = await sql`select from pg_stat_activity
          where application_name = 'isthmus-worker' and wait_event_type = 'Lock'`.execute(db);
        expect(rows.length).toBeGreaterThan(0);
      },
      { timeout: 5_000, interval: 50 },
    );
    await work();
    await sql`delete from refusals where message_id = ${messageId}`.execute(session);
  });
}

test('a HIGH payment is decided after its deadline no later than one statement waits for a lock', async () => {
  const message = await undecided(gateway, { priority: 'HIGH' });
  await withLockedRepeat(message, async () => {
    await vi.waitFor(async () => expect(await evidence.decision(message.uetr)).toBeDefined(), {
      timeout: 20_000,
      interval: 50,
    });
  });
  const { rows } = await sql<{ late: number }>`
    select (extract(epoch from d.decided_at - p.deadline_at) * 1000)::float8 as late
    from decisions d join payments p using (uetr) where uetr = ${message.uetr}`.execute(db);
  expect(rows[0]?.late).toBeLessThan(2_000); // serviceLimits.lockMs, and a little
});

test("the destination's final of a NORM payment is taken and confirmed", async () => {
  const message = await undecided(gateway, { priority: 'NORM' });
  await withLockedRepeat(message, async () => {
    const startedAt = performance.now();
    expect(await reportFinal(gateway, message.uetr)).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });
}, 60_000);
