// The book of a day of 100,000 payments goes out, page by page, to a receiver that takes each page, slowly: the payments of the new
// day notice nothing of it (CBK-3, TIM-1, REC-2).
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { dailyBooksScheduleId } from '../../contract/ids.ts';
import { listBooksSent } from '../../db/book-pages.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../harness/instruction.ts';
import { reading } from '../harness/listening.ts';
import { copyDecided } from '../harness/many-payments.ts';
import { bestQuote, submit } from '../harness/payer.ts';

const gateway = await testGateway({ sweepEveryMs: 1_000 });
const { db } = gateway;
const evidence = evidenceOf(gateway);
const dayMs = 86_400_000;
const today = Math.floor(Date.now() / dayMs) * dayMs;
const yesterday = { from: new Date(today - dayMs), to: new Date(today) };
let isDone = false;
const slow = await reading((response) => {
  setTimeout(() => response.writeHead(200).end(), isDone ? 0 : 4_000);
});

/** A payment, from its submission until its source is told: milliseconds. */
async function paid(): Promise<{ readonly uetr: string; readonly ms: number }> {
  const message = instruction(await bestQuote(gateway), { priority: 'HIGH' });
  const since = performance.now();
  await submit(gateway, message);
  const { status } = await evidence.arrival(message.uetr, 'source', 'pacs002');
  expect(status).toBe('ACCC');
  return { uetr: message.uetr, ms: Math.round(performance.now() - since) };
}

test('while hundreds of pages wait for their receiver, a HIGH payment is as quick as before (CBK-3, TIM-1)', async () => {
  const { uetr } = await paid();
  await sql`delete from book_endpoints`.execute(db);
  await sql`insert into book_endpoints (party_id, url) values ('SGDFAST', ${slow})`.execute(db);
  const decidedAt = yesterday.from.toISOString();
  await copyDecided(db, { of: uetr, count: 100_000, decidedAt });
  await sql`vacuum analyze payments, decisions`.execute(db);
  await paid();
  const before = await paid();
  await gateway.temporal.schedule.getHandle(`${gateway.taskQueuePrefix}${dailyBooksScheduleId}`).trigger();
  await vi.waitFor(
    async () => {
      const [book] = await listBooksSent(db, yesterday, undefined);
      expect(book?.made).toBeGreaterThan(700);
    },
    { timeout: 90_000, interval: 500 },
  );
  const after: number[] = [];
  for (let n = 0; n < 4; n += 1) after.push((await paid()).ms);
  isDone = true;
  const [book] = await listBooksSent(db, yesterday, undefined);
  process.stderr.write(`before ${before.ms} ms; after ${after.join(', ')} ms; ${JSON.stringify(book)}\n`);
  expect(Math.min(...after)).toBeLessThan(1_000);
}, 240_000);
