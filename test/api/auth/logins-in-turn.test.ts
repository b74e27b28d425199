// Whoever asks for tokens is nobody yet: those of one address have a few connections of the database, and not all
// (SEC-7).
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
});
afterAll(() => api.close());

test('logins of one address wait for each other, and leave the database to others (SEC-7)', async () => {
  const form = 'grant_type=client_credentials&client_id=SGDFAST&client_secret=demo-SGDFAST';
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const login = () => api.request('/oauth/token', { method: 'POST', headers, body: form });
  const isWaiting = sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  const logins = await api.db.transaction().execute(async (transaction) => {
    await sql`lock table clients in access exclusive mode`.execute(transaction);
    const asked = Array.from({ length: 12 }, login);
    const waiting = async () => (await isWaiting.execute(api.db)).rows[0]?.count;
    await expect.poll(waiting).toBe(4);
    expect((await api.get('/health/ready', null)).status).toBe(200);
    expect(await waiting()).toBe(4);
    return asked;
  });
  for (const { status } of await Promise.all(logins)) expect(status).toBe(200);
});
