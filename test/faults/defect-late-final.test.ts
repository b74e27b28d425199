// A late final that differs from its decision, without an alert, meets a defect of ours when a worker that has just
// started sweeps; the defect passes. What was not done is still to be done: the sweeps that follow come back to it
// (LIF-2, PAY-7, SEC-9).
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { endingIn } from '../../fixtures/endings.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { storeReport } from '../harness/reports.ts';
import { rewritten, messagesAged } from '../harness/rewritten.ts';

const gateway = await testGateway({ sweepEveryMs: 500 });
const { db } = gateway;
const evidence = evidenceOf(gateway);

/** A payment that was decided ACCC, and then reported RJCT; nobody was told, an hour ago. */
async function contradicted(): Promise<string> {
  const message = instruction(await bestQuote(gateway), { ending: endingIn.creditedAtOnce });
  const { uetr } = message;
  await submit(gateway, message);
  await evidence.arrival(uetr, 'source', 'pacs002');
  await evidence.closed(uetr);
  const reportId = await storeReport(db, uetr, { status: 'RJCT', reasonCode: 'AC04' });
  await rewritten(
    db,
    sql`delete from audit_events where subject_id = ${uetr} and kind = 'payment.contradiction'`,
  );
  await messagesAged(db, sql`message_id = ${reportId}`, '1 hour');
  return uetr;
}

/** Of two that lock a table and its partitions in another order, one is told to come again. */
const changed = (statements: string) => vi.waitFor(() => sql.raw(statements).execute(db), 15_000);

test.each([
  ['without a defect', false],
  ['after a defect that has passed', true],
])(
  'a contradiction that nobody was told of is alerted, %s',
  async (_, isDefect) => {
    await gateway.stopWorker();
    await gateway.startWorker();
    const uetr = await contradicted();
    await gateway.stopWorker();
    await db.deleteFrom('leases').execute();
    if (isDefect)
      await changed(
        `create function refuse_it() returns trigger language plpgsql as
          $$ begin if new.kind = 'payment.contradiction' then raise exception 'a defect'; end if; return new; end $$;
         create trigger refuse_it before insert on audit_events for each row execute function refuse_it()`,
      );
    await gateway.startWorker();
    if (isDefect) {
      await vi.waitFor(async () => expect(await evidence.audit(uetr)).toContain('decision.defect'), 30_000);
      await changed('drop trigger refuse_it on audit_events');
    }
    await vi.waitFor(async () => expect(await evidence.audit(uetr)).toContain('payment.contradiction'), {
      timeout: 40_000,
      interval: 250,
    });
  },
  110_000,
);
