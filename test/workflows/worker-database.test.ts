// A worker process whose way to Postgres breaks while it judges a payment, and a table that somebody else keeps locked:
// the worker lives, and the payment goes on as if nothing had been (I-1, I-2).
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { distinct, evidenceOf } from '../harness/evidence.ts';
import { faultProxy } from '../harness/fault-proxy.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { testWorkflowBundle } from '../harness/temporal.ts';
import { killProcess, startWorkerProcess } from '../harness/worker-process.ts';

const { codePath } = await testWorkflowBundle();
const gateway = await testGateway({ worker: false });
const evidence = evidenceOf(gateway);
const proxy = await faultProxy(gateway.databaseUrl);
const worker = await startWorkerProcess({ ...gateway, databaseUrl: proxy.address }, codePath);
afterAll(() => killProcess(worker));

/** Seconds for which each session of an application that wants a lock has waited, by when its wait began. */
const waits = async (application: 'isthmus-worker' | 'isthmus-api') => {
  const { rows } = await sql<{ since: string; seconds: number }>`
    select query_start::text as since, extract(epoch from clock_timestamp() - query_start)::float8 as seconds
    from pg_stat_activity
    where datname = current_database() and application_name = ${application} and wait_event_type = 'Lock'`.execute(
    gateway.db,
  );
  return new Map(rows.map(({ since, seconds }) => [since, seconds]));
};

/** Seconds of the shortest of several waits that have ended: the machine may stand still during one. */
async function shortestWait(application: Parameters<typeof waits>[0]): Promise<number> {
  const lasted = new Map<string, number>();
  let ended: number[] = [];
  const look = async () => {
    const now = await waits(application);
    for (const [since, seconds] of now) lasted.set(since, seconds);
    ended = [...lasted].flatMap(([since, seconds]) => (now.has(since) ? [] : [seconds]));
    return ended.length;
  };
  await expect.poll(look).toBeGreaterThan(1);
  return Math.min(...ended);
}

test('a payment that is judged while every connection is reset is judged all the same', async () => {
  const message = instruction(await bestQuote(gateway));
  const { submitted } = await gateway.db.transaction().execute(async (trx) => {
    await sql`lock table quote_uses in access exclusive mode`.execute(trx); // PAY-4 reads and writes it
    const submitting = submit(gateway, message);
    await expect.poll(async () => (await waits('isthmus-worker')).size).toBeGreaterThan(0);
    proxy.reset();
    return { submitted: submitting };
  });
  expect((await submitted).report?.status).toMatch(/^(ACTC|ACCC)$/);
  expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('ACCC');
  expect(distinct(evidence.received(message.uetr, 'destination', 'pacs008'))).toBe(1);
  expect(worker.exitCode).toBeNull();
});

test('a table that stays locked holds no connection for two seconds, and once it is free the payment ends', async () => {
  const message = instruction(await bestQuote(gateway));
  const path = '/quotes/SG/SGD/TH/THB/SGD/1000?finInstIdType=BICFI&finInstId=LOTUSGS0';
  const headers = { authorization: `Bearer ${await gateway.token('LOTUSGS0')}` };
  const { submitted } = await gateway.db.transaction().execute(async (trx) => {
    await sql`lock table quote_uses, rates in access exclusive mode`.execute(trx);
    const submitting = submit(gateway, message);
    const seen = new AbortController();
    const asking = (async () => {
      const statuses = new Set<number>();
      while (!seen.signal.aborted) statuses.add((await fetch(`${gateway.url}${path}`, { headers })).status);
      return statuses;
    })();
    const shortest = await Promise.all([shortestWait('isthmus-worker'), shortestWait('isthmus-api')]);
    seen.abort();
    expect(Math.max(...shortest)).toBeLessThan(2);
    expect([...(await asking)]).toEqual([503]);
    return { submitted: submitting };
  });
  expect([200, 503]).toContain((await submitted).httpStatus);
  expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('ACCC');
});
