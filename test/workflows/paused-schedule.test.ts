// Somebody pauses the schedule of the daily books in the UI of the engine and forgets it: somebody else is told (REC-2, OBS-6).
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { dailyBooksScheduleId } from '../../contract/ids.ts';
import { listAlerts } from '../../db/cases.ts';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway({ sweepEveryMs: 500, standstillMs: 500 });
const { db } = gateway;

test('books that are owed for three days, and that nobody makes, are made or an alert', async () => {
  const schedule = gateway.temporal.schedule.getHandle(`${gateway.taskQueuePrefix}${dailyBooksScheduleId}`);
  await vi.waitFor(() => schedule.pause('maintenance'), 10_000);
  const { rows } = await sql`
    update book_endpoints set registered_at = now() - interval '3 days' returning party_id`.execute(db);
  expect(rows.length).toBeGreaterThan(0);
  const told = async () => {
    const { alerts } = await listAlerts(db, { states: ['open'] }, { limit: 10 });
    const { rows: made } = await sql`select from book_pages limit 1`.execute(db);
    return alerts.length + made.length;
  };
  await vi.waitFor(async () => expect(await told()).toBeGreaterThan(0), { timeout: 15_000, interval: 500 }); // thirty sweeps
}, 60_000);
