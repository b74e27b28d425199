// A worker process whose way to Postgres breaks while it judges a payment: it lives, and the payment goes on as if nothing
// had been (I-1, I-2).
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { distinct, evidenceOf } from '../harness/evidence.ts';
import { faultProxy } from '../harness/fault-proxy.ts';
import { testGateway } from '../harness/gateway.ts';
import { bestQuote, instruction, submit } from '../harness/payer.ts';
import { testWorkflowBundle } from '../harness/temporal.ts';
import { killProcess, startWorkerProcess } from '../harness/worker-process.ts';

const { codePath } = await testWorkflowBundle();
const gateway = await testGateway({ worker: false });
const evidence = evidenceOf(gateway);
const proxy = await faultProxy(gateway.databaseUrl);
const worker = await startWorkerProcess({ ...gateway, databaseUrl: proxy.address }, codePath);
afterAll(() => killProcess(worker));

const worksOnPayments = async () => {
  const { rows } = await sql`select pid from pg_stat_activity
    where datname = current_database() and application_name = 'isthmus-worker' and wait_event_type = 'Lock'`.execute(
    gateway.db,
  );
  return rows.length;
};

test('a payment that is judged while every connection is reset is judged all the same', async () => {
  const message = instruction(await bestQuote(gateway));
  const submitting = await gateway.db.transaction().execute(async (trx) => {
    await sql`lock table quote_uses in access exclusive mode`.execute(trx); // PAY-4 reads and writes it
    const submitted = submit(gateway, message);
    await expect.poll(worksOnPayments).toBeGreaterThan(0);
    proxy.reset();
    return { submitted };
  });
  expect((await submitting.submitted).report?.status).toMatch(/^(ACTC|ACCC)$/);
  expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('ACCC');
  expect(distinct(evidence.received(message.uetr, 'destination', 'pacs008'))).toBe(1);
  expect(worker.exitCode).toBeNull();
});
