// A worker process whose way to Postgres breaks while it judges a payment, and a table that somebody else keeps locked:
// the worker lives, and the payment goes on as if nothing had been (I-1, I-2).
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { distinct, evidenceOf } from '../harness/evidence.ts';
import { faultProxy } from '../harness/fault-proxy.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { testWorkflowBundle } from '../harness/temporal.ts';
import { killProcess, startWorkerProcess } from '../harness/worker-process.ts';

const { codePath } = await testWorkflowBundle();
const codes: (string | undefined)[] = []; // of the failures that the api logged
const gateway = await testGateway({
  worker: false,
  logger: pino(
    { level: 'error' },
    { write: (line: string) => void codes.push((JSON.parse(line) as { err?: { code?: string } }).err?.code) },
  ),
});
const evidence = evidenceOf(gateway);
const proxy = await faultProxy(gateway.databaseUrl);
const worker = await startWorkerProcess({ ...gateway, databaseUrl: proxy.address }, codePath);
afterAll(() => killProcess(worker));

/** The waits of the worker's sessions for a lock: the times when they began. */
const waits = async () => {
  const { rows } = await sql<{ since: string }>`
    select query_start::text as since from pg_stat_activity
    where datname = current_database() and application_name = 'isthmus-worker' and wait_event_type = 'Lock'`.execute(
    gateway.db,
  );
  return rows.map(({ since }) => since);
};

test('a payment that is judged while every connection is reset is judged all the same', async () => {
  const message = instruction(await bestQuote(gateway));
  const { submitted } = await gateway.db.transaction().execute(async (trx) => {
    await sql`lock table quote_uses in access exclusive mode`.execute(trx); // PAY-4 reads and writes it
    const submitting = submit(gateway, message);
    await expect.poll(async () => (await waits()).length).toBeGreaterThan(0);
    proxy.reset();
    return { submitted: submitting };
  });
  expect((await submitted).report?.status).toMatch(/^(ACTC|ACCC)$/);
  expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('ACCC');
  expect(distinct(evidence.received(message.uetr, 'destination', 'pacs008'))).toBe(1);
  expect(worker.exitCode).toBeNull();
});

test('a table that stays locked holds a connection until the lock timeout, and once it is free the payment ends', async () => {
  const message = instruction(await bestQuote(gateway));
  const path = '/quotes/SG/SGD/TH/THB/SGD/1000?finInstIdType=BICFI&finInstId=LOTUSGS0';
  const headers = { authorization: `Bearer ${await gateway.token('LOTUSGS0')}` };
  const { submitted } = await gateway.db.transaction().execute(async (trx) => {
    await sql`lock table quote_uses, rates in access exclusive mode`.execute(trx);
    const submitting = submit(gateway, message);
    const quotes = fetch(`${gateway.url}${path}`, { headers });
    const seen = new Set<string>();
    const seeWaits = async () => {
      for (const wait of await waits()) seen.add(wait);
      return seen.size;
    };
    await expect.poll(seeWaits, { timeout: 30_000 }).toBeGreaterThan(2); // waited, gave up and began again
    expect((await quotes).status).toBe(503);
    return { submitted: submitting };
  });
  expect(codes).toContain('55P03'); // lock_timeout, which is shorter than every other limit
  expect([200, 503]).toContain((await submitted).httpStatus);
  expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('ACCC');
});
