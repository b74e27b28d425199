// Somebody pauses the schedule of the daily books in the UI of the engine and forgets it: somebody else is told (REC-2, OBS-6).
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { dailyBooksScheduleId } from '../../contract/ids.ts';
import { listAlerts } from '../../db/records/cases.ts';
import { testGateway } from '../harness/gateway.ts';
import { eventually } from '../harness/wait.ts';

const gateway = await testGateway({ lookAtBooksMs: 300 });
const { db } = gateway;
const schedule = () =>
  gateway.temporal.schedule.getHandle(`${gateway.taskQueuePrefix}${dailyBooksScheduleId}`);
const late = async () =>
  (await listAlerts(db, { states: ['open'], kind: 'book.late' }, { limit: 100 })).alerts;

test('books that are owed since three days, and that nobody makes, are an alert for each of their receivers, once', async () => {
  await eventually(() => schedule().pause('maintenance'));
  await sql`update settlement_accounts set registered_at = now() - interval '5 days'`.execute(db);
  const { rows } = await sql<{ party: string }>`
    update book_endpoints set registered_at = now() - interval '3 days' returning party_id as party`.execute(
    db,
  );
  await eventually(async () => expect((await late()).length).toBeGreaterThanOrEqual(rows.length));
  const day = new Date(Date.now() - 4 * 86_400_000).toISOString().slice(0, 10);
  const told = await late();
  expect(told.map(({ party }) => party)).toContain('SGDFAST');
  expect(new Set(told.map(({ party }) => party)).size).toBe(told.length);
  expect(told.map(({ detail }) => detail)).toEqual(told.map(() => ({ day })));
  await delay(2_000); // several looks
  expect(await late()).toHaveLength(told.length);
  expect((await schedule().describe()).state.paused).toBe(true); // nobody but whoever paused it goes on with it
});

test('a schedule that was deleted is made again', async () => {
  await schedule().delete();
  await eventually(() => schedule().describe());
});
