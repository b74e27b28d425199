// The database host vanishes without FIN or RST: waiting queries fail soon, no slot of the pool is lost, and queries
// work once the host is back. The limits are shortened.
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { connect, serviceLimits } from '../../../db/pool/connection.ts';
import { isDatabaseFailure } from '../../../db/pool/failures.ts';
import { openReferenceCache } from '../../../db/scheme/reference-cache.ts';
import { testDatabase } from '../../harness/database.ts';
import { faultProxy } from '../../harness/fault-proxy.ts';

const database = await testDatabase();
const proxy = await faultProxy(database.url);
const direct = connect(database.url, { applicationName: 'isthmus-test', maxConnections: 2 });
afterAll(() => direct.destroy());
beforeEach(() => proxy.heal());
vi.setConfig({ testTimeout: 40_000 }); // where nothing limits the wait

const slots = 20;
/** Long enough for twenty new connections on a busy machine. */
const limits = { ...serviceLimits, connectMs: 2_500, waitMs: 4_000, answerMs: 2_500 };
const opened = (url = proxy.address) =>
  connect(url, { applicationName: 'isthmus-test-silent', maxConnections: slots, limits });
const within = (ms: number) => ({ timeout: ms, interval: 20 });

type Pool = ReturnType<typeof opened>;
/** On as many connections as run at once. */
const atOnce = (db: Pool, count: number) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const { rows } = await sql<{ pid: number }>`
        select pg_backend_pid() as pid from pg_sleep(0.3)`.execute(db);
      return rows[0]?.pid;
    }),
  );
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: unknown) => (isDatabaseFailure(error) ? 'the database failed' : error),
  );
const asked = (db: Pool, count: number) =>
  Promise.all(Array.from({ length: count }, () => failureOf(sql`select 1`.execute(db))));

describe('a pool whose host falls silent', () => {
  it('with every slot in use: all are told within the limit, and after the silence all slots work at once', async () => {
    const db = opened();
    try {
      const queries = Array.from({ length: slots }, () => failureOf(sql`select pg_sleep(0.5)`.execute(db)));
      await expect
        .poll(async () => {
          const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
            where datname = current_database() and query = 'select pg_sleep(0.5)'`.execute(direct);
          return rows[0]?.count;
        }, within(5_000))
        .toBe(slots);
      await proxy.blackHole();
      const started = performance.now();
      expect(new Set(await Promise.all(queries))).toEqual(new Set(['the database failed']));
      expect(new Set(await asked(db, 2 * slots))).toEqual(new Set(['the database failed']));
      expect(performance.now() - started).toBeLessThan(20_000);
      await proxy.heal();
      expect(new Set(await atOnce(db, slots)).size).toBe(slots);
    } finally {
      await db.destroy();
    }
  });

  it('while its connections are idle: one query pays for all of them', async () => {
    const db = opened();
    try {
      await atOnce(db, slots);
      await proxy.blackHole();
      await proxy.heal(); // the host came back, and knows nothing of those connections
      expect(await asked(db, 1)).toEqual(['the database failed']);
      expect(new Set(await atOnce(db, slots)).size).toBe(slots);
    } finally {
      await db.destroy();
    }
  });
});

describe('reference data', () => {
  const failures: unknown[] = [];
  const open = () =>
    openReferenceCache(proxy.address, (error) => void failures.push(error), {
      pingMs: 100,
      silenceMs: 300,
      retryMs: 100,
      staleMs: 1_000,
    });
  const rename = (name: string) =>
    direct.updateTable('countries').set({ name }).where('country_code', '=', 'MY').execute();

  it('that cannot be confirmed is not used, and is fresh a second after the host is back (REF-6)', async () => {
    const reference = await open();
    const name = () => reference.current().countries.get('MY')?.name;
    try {
      expect(name()).toBe('Malaysia');
      await proxy.blackHole();
      await rename('Malaya');
      expect(name()).toBe('Malaysia'); // nobody can know yet
      await expect
        .poll(() => failureOf(Promise.resolve().then(name)), within(2_000))
        .toBe('the database failed');
      await proxy.heal();
      await expect
        .poll(
          () =>
            Promise.resolve()
              .then(name)
              .catch(() => 'stale'),
          within(1_500),
        )
        .toBe('Malaya');
      expect(failures.length).toBeGreaterThan(0);
    } finally {
      await reference.close();
      await rename('Malaysia');
    }
  });

  it('stays in use over the silence of its own connection alone, and is never stale for longer than the limit', async () => {
    const reference = await open();
    const name = () => reference.current().countries.get('MY')?.name;
    try {
      await proxy.blackHole();
      await proxy.heal();
      await rename('Malaya');
      await expect.poll(name, within(1_000)).toBe('Malaya'); // a throw would fail this
    } finally {
      await reference.close();
      await rename('Malaysia');
    }
  });
});
