// Sources that repeat a payment and prefer to wait (PAY-1, DUP-1) while its destination is silent: what they cost is
// for the number of payments, not for the number of those who wait (SEC-7).
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, inTurn, submitXml } from '../harness/payer.ts';

const gateway = await testGateway();

async function statements(): Promise<number> {
  await delay(1_100); // backends tell their statistics once a second
  const { rows } = await sql<{ n: string }>`
    select xact_commit + xact_rollback as n from pg_stat_database where datname = current_database()`.execute(
    gateway.db,
  );
  return Number(rows[0]?.n);
}

/** Statements per second within two seconds. */
async function rate(): Promise<number> {
  const before = await statements();
  const startedAt = performance.now();
  await delay(2_000);
  return ((await statements()) - before) / ((performance.now() - startedAt) / 1_000);
}

test('sixty repeats that wait for the decision of one payment ask the record little more often than one does (SEC-7)', async () => {
  const xml = buildPacs008(instruction(await bestQuote(gateway), { ending: endingIn.silent }));
  expect((await submitXml(gateway, xml)).report?.status).toBe('ACTC');
  const waiting = Array.from({ length: 60 }, () =>
    inTurn(() => submitXml(gateway, xml, { prefer: 'wait=15' })),
  );
  // One look every 50 ms, and the statements of a quiet system. A busy machine takes seconds until all 60 wait.
  await expect.poll(rate, { timeout: 14_000, interval: 0 }).toBeLessThan(60);
  for (const answer of await Promise.all(waiting))
    expect(answer, answer.text).toMatchObject({ report: { status: 'ACTC' } });
}, 60_000);
