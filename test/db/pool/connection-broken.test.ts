// A connection to Postgres breaks during a query: the query fails, the process lives, and the next query uses a new
// connection.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../../db/pool/connection.ts';
import { openReferenceCache } from '../../../db/scheme/reference-cache.ts';
import { testDatabase } from '../../harness/database.ts';
import { faultProxy } from '../../harness/fault-proxy.ts';

const database = await testDatabase();
const proxy = await faultProxy(database.url);
const direct = connect(database.url, { applicationName: 'isthmus-test', maxConnections: 1 });
const db = connect(proxy.address, { applicationName: 'isthmus-test-broken', maxConnections: 3 });
afterAll(async () => {
  await db.destroy();
  await direct.destroy();
});

/** What would have ended the process. */
const uncaught: unknown[] = [];
const collect = (error: unknown) => void uncaught.push(error);
beforeEach(() => {
  uncaught.length = 0;
  process.on('uncaughtException', collect);
});
afterEach(() => void process.off('uncaughtException', collect));

const sleeping = async () => {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database() and state = 'active' and query like 'select pg_sleep%'`.execute(
    direct,
  );
  return rows.map(({ pid }) => pid);
};
/** Their sessions would sleep on: the server does not look at the socket meanwhile. */
async function wakeSleepers(): Promise<void> {
  for (const pid of await sleeping()) await sql`select pg_terminate_backend(${pid})`.execute(direct);
}
const settled = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: unknown) => error as Error,
  );

describe('a connection that is reset while a query runs', () => {
  it('fails that query and nothing else; the next goes over a new connection', async () => {
    const queries = [1, 2, 3].map(() => settled(sql`select pg_sleep(30)`.execute(db)));
    await expect.poll(async () => (await sleeping()).length).toBe(3);
    proxy.reset();
    for (const outcome of await Promise.all(queries)) expect(outcome).toMatchObject({ code: 'ECONNRESET' });
    const next = await Promise.all([1, 2, 3].map(() => sql<{ one: number }>`select 1 as one`.execute(db)));
    expect(next.map(({ rows }) => rows)).toEqual([[{ one: 1 }], [{ one: 1 }], [{ one: 1 }]]);
    expect(uncaught).toEqual([]);
    await wakeSleepers();
  });

  it('fails the transaction that it was in, with the reason and not with that of its rollback', async () => {
    const transaction = settled(db.transaction().execute((trx) => sql`select pg_sleep(30)`.execute(trx)));
    await expect.poll(async () => (await sleeping()).length).toBe(1);
    proxy.reset();
    expect(await transaction).toMatchObject({ code: 'ECONNRESET' });
    expect(uncaught).toEqual([]);
    await wakeSleepers();
  });
});

describe('the connection that listens for changes of the reference data', () => {
  it('is made anew when it is reset, and what changed meanwhile is read', async () => {
    const failures: unknown[] = [];
    const reference = await openReferenceCache(proxy.address, (error) => void failures.push(error));
    try {
      for (const name of ['Malaya', 'Malaysia']) {
        proxy.reset();
        await direct.updateTable('countries').set({ name }).where('country_code', '=', 'MY').execute();
        const read = () => reference.current().countries.get('MY')?.name;
        await expect.poll(read, { timeout: 3_000, interval: 20 }).toBe(name);
      }
      expect(failures.length).toBeGreaterThan(0);
      expect(uncaught).toEqual([]);
    } finally {
      await reference.close();
    }
  });
});
