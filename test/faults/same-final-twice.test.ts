// A destination sends the same pacs.002 to our address and in its HTTP answer. It gets its confirmation even if the
// worker dies.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { bothWays, refuseConfirmations } from '../harness/both-ways.ts';
import { killProcess } from '../harness/worker-process.ts';
import { messagesAged } from '../harness/rewritten.ts';
import { eventually } from '../harness/wait.ts';

const { gateway, told, start, reportedMeanwhile } = await bothWays();
const { db } = gateway;

test('the same bytes in the HTTP answer are confirmed to the address of the destination', async () => {
  const worker = await start();
  const { uetr, answer } = await reportedMeanwhile();
  answer();
  await eventually(() => expect(told).toContain(uetr));
  await killProcess(worker);
});

test('and are, although the worker is killed before it has asked for their confirmation (PAY-9)', async () => {
  const worker = await start();
  const { uetr, answer } = await reportedMeanwhile();
  await refuseConfirmations(db);
  answer();
  await eventually(async () => {
    const { rows } = await sql<{ isCalled: boolean }>`select is_called as "isCalled" from refused`.execute(
      db,
    );
    expect(rows).toEqual([{ isCalled: true }]);
  });
  await killProcess(worker);
  await sql`drop trigger fails on deliveries`.execute(db);
  await sql`update delivery_attempts set started_at = started_at - interval '20 seconds'`.execute(db);
  await messagesAged(db, sql`subject_id = ${uetr}`, '20 seconds');
  await start(); // its first sweep looks at everything
  await eventually(() => expect(told).toContain(uetr), { everyMs: 500, limitMs: 60_000 });
});
