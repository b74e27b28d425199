// A slow or locked row delays others only for a moment. A failure of the database never judges a payment.
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, serviceLimits, type Db } from '../../../db/pool/connection.ts';
import { isDatabaseFailure } from '../../../db/pool/failures.ts';
import { testDatabase } from '../../harness/database.ts';

const database = await testDatabase();
const direct = connect(database.url, { applicationName: 'isthmus-test', maxConnections: 3 });
const limits = {
  ...serviceLimits,
  waitMs: 1_500,
  lockMs: 200,
  statementMs: 600,
  idleInTransactionMs: 500,
  answerMs: 1_000,
};
const slots = 4;
const db = connect(database.url, { applicationName: 'isthmus-test-limits', maxConnections: slots, limits });
afterAll(async () => {
  await db.destroy();
  await direct.destroy();
});
beforeAll(async () => {
  await sql`create table locks (id int primary key, held int not null default 0)`.execute(direct);
  await sql`insert into locks values (1), (2)`.execute(direct);
});

const pidOf = async (on: Db) =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(on)).rows[0]?.pid;
const outcomeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => ({ isFailure: false, code: undefined, message: 'answered' }),
    (error: unknown) => ({
      isFailure: isDatabaseFailure(error),
      code: (error as { code?: string }).code,
      message: (error as Error).message,
    }),
  );

describe('a row that another session holds for long', () => {
  it('costs whoever wants it a moment per try, and nobody else a connection', async () => {
    let isHeld = true;
    const outcomes: { isFailure: boolean; code: string | undefined }[] = [];
    const update = () => sql`update locks set held = held + 1 where id = 1`.execute(db);
    /** As an engine retries an activity: an attempt that takes too long is left behind, and another begins. */
    const retrying = async () => {
      while (isHeld) {
        void outcomeOf(update()).then((outcome) => outcomes.push(outcome));
        await delay(300);
      }
    };
    await direct.transaction().execute(async (trx) => {
      await sql`update locks set held = 0 where id = 1`.execute(trx);
      const retries = Array.from({ length: slots }, retrying);
      try {
        for (const until = performance.now() + 3_000; performance.now() < until;) {
          await sql`update locks set held = held + 1 where id = 2`.execute(db); // other work goes on
        }
      } finally {
        isHeld = false;
        await Promise.all(retries);
      }
    });
    await expect.poll(async () => (await outcomeOf(update())).message).toBe('answered');
    const { isFailure, code } = outcomes.find((outcome) => outcome.code !== undefined) ?? {};
    expect({ isFailure, code }).toEqual({ isFailure: true, code: '55P03' });
  });
});

describe('a session of a service', () => {
  it('gives up a statement that takes too long, and can be used again', async () => {
    const one = connect(database.url, { applicationName: 'isthmus-test-limits', maxConnections: 1, limits });
    try {
      const before = await pidOf(one);
      expect(await outcomeOf(sql`select pg_sleep(10)`.execute(one))).toMatchObject({
        isFailure: true,
        code: '57014',
      });
      expect(await pidOf(one)).toBe(before);
    } finally {
      await one.destroy();
    }
  });

  it('gives back what it holds when its process stands still in a transaction', async () => {
    const left = outcomeOf(
      db.transaction().execute(async (trx) => {
        await sql`update locks set held = 0 where id = 2`.execute(trx);
        await sql`update locks set held = 0 where id = 2`.execute(direct); // waits until the lock is free
        await sql`select 1`.execute(trx);
      }),
    );
    expect(await left).toMatchObject({ isFailure: true });
    expect(await outcomeOf(sql`select 1`.execute(db))).toMatchObject({ message: 'answered' });
  });
});

describe('an error after which a connection is of no use', () => {
  /** On a pool of one: what the next query meets. */
  async function after(
    prepare: (one: Db) => Promise<unknown>,
    failing: (one: Db, pid: number | undefined) => Promise<unknown>,
  ): Promise<{ outcome: Awaited<ReturnType<typeof outcomeOf>>; isSame: boolean }> {
    const one = connect(database.url, { applicationName: 'isthmus-test-limits', maxConnections: 1, limits });
    try {
      await prepare(one);
      const before = await pidOf(one);
      const [outcome, next] = await Promise.all([outcomeOf(failing(one, before)), pidOf(one)]); // the next waits in the queue
      return { outcome, isSame: before === next };
    } finally {
      await one.destroy();
    }
  }

  it('is that of a demoted primary: the next query goes over a new connection, to the new primary (25006)', async () => {
    const demote = (one: Db) => sql`set default_transaction_read_only = on`.execute(one);
    const write = (one: Db) => sql`update locks set held = 0 where id = 1`.execute(one);
    expect(await after(demote, write)).toEqual({
      outcome: expect.objectContaining({ isFailure: true, code: '25006' }) as unknown,
      isSame: false,
    });
    const inTransaction = (one: Db) => one.transaction().execute(write);
    expect(await after(demote, inTransaction)).toEqual({
      outcome: expect.objectContaining({ isFailure: true, code: '25006' }) as unknown,
      isSame: false,
    });
  });
});

describe('a database that cannot be reached', () => {
  const unreachable = (change: (url: URL) => void): string => {
    const url = new URL(database.url);
    change(url);
    return url.href;
  };
  it.each([
    ['nobody listens', (url: URL) => void (url.port = '9'), 'ECONNREFUSED'],
    ['its password was changed', (url: URL) => void (url.password = 'another'), '28P01'],
    ['it is being restored under another name', (url: URL) => void (url.pathname = '/another'), '3D000'],
    ['its name is not known', (url: URL) => void (url.hostname = 'nowhere.invalid'), undefined],
  ])('because %s is a failure of the world, not ours', async (_reason, change, code) => {
    const gone = connect(unreachable(change), { applicationName: 'isthmus-test-limits', limits });
    try {
      const outcome = await outcomeOf(sql`select 1`.execute(gone));
      expect(outcome).toMatchObject({ isFailure: true, ...(code !== undefined && { code }) });
    } finally {
      await gone.destroy();
    }
  });
});
