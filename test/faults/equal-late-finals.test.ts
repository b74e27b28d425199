// A final that comes in an HTTP answer after the decision, and says the same (PAY-9): it is confirmed, whatever becomes
// of the worker between storing it and asking for its confirmation.
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { bothWays, refuseConfirmations } from '../harness/both-ways.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { reportOn } from '../harness/reports.ts';
import { killProcess } from '../harness/worker-process.ts';
import { messagesAged } from '../harness/rewritten.ts';

const { gateway, told, start, reportedMeanwhile } = await bothWays();
const evidence = evidenceOf(gateway);
const { db } = gateway;

const finals = async (uetr: string) => {
  const { rows } = await sql`select from messages where subject_id = ${uetr} and leg = 'destination'
    and direction = 'in' and message_type = 'pacs002'`.execute(db);
  return rows.length;
};

/** Its HTTP answer says the same in other bytes. */
async function decidedMeanwhile() {
  const { uetr, messageIdentification, answer } = await reportedMeanwhile();
  expect((await evidence.decision(uetr))?.status).toBe('ACCC');
  return { uetr, answer: () => answer(reportOn({ messageIdentification, uetr })) };
}

test('an equal final in an HTTP answer is confirmed to the address of the destination', async () => {
  const worker = await start();
  const { uetr, answer } = await decidedMeanwhile();
  answer();
  await vi.waitFor(() => expect(told).toContain(uetr), 10_000);
  await killProcess(worker);
}, 60_000);

test('and is, although the worker is killed when it has stored it and not yet asked for its confirmation (PAY-9)', async () => {
  const worker = await start();
  const { uetr, answer } = await decidedMeanwhile();
  await refuseConfirmations(db);
  answer();
  await vi.waitFor(async () => expect(await finals(uetr)).toBe(2), { timeout: 8_000, interval: 50 });
  await killProcess(worker);
  await sql`drop trigger fails on deliveries`.execute(db);
  await messagesAged(db, sql`subject_id = ${uetr}`, '20 seconds'); // older than the grace
  await start(); // its first sweep looks at everything
  await vi.waitFor(() => expect(told).toContain(uetr), { timeout: 40_000, interval: 500 });
}, 120_000);
