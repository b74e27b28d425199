// Daily partitions of the quotes (QUO-10): made ahead of time, dropped after 62 days. Each day is a transaction of its
// own, so that an obstacle to one stops no other; the caller reports what failed, and tries again.
import { sql } from 'kysely';
import type { Db } from './connection.ts';

const daysAhead = 7;
const daysKept = 62; // QUO-10

/** Days and partitions that could not be brought in order, and why. */
interface Failed {
  readonly failed: readonly { readonly what: string; readonly error: unknown }[];
}

export interface PartitionsEnsured extends Failed {
  /** Quotes that were found in the default partition, by UTC day; each is a day whose partition came too late. */
  readonly moved: readonly { readonly day: string; readonly rows: number }[];
}

export interface PartitionsDropped extends Failed {
  readonly dropped: readonly string[];
}

interface Day {
  /** As in 2026-01-05. */
  readonly day: string;
  readonly next: string;
  readonly partition: string;
}

/**
 * Makes the partitions of today and the next days, UTC, and of every day whose quotes lie in the default partition:
 * they are moved. Safe to call at any time, from several processes.
 */
export async function ensureQuotePartitions(db: Db): Promise<PartitionsEnsured> {
  const moved: { day: string; rows: number }[] = [];
  const failed: { what: string; error: unknown }[] = [];
  for (const day of await daysWithoutPartition(db)) {
    try {
      const rows = await db.transaction().execute((trx) => makePartition(trx, day));
      if (rows > 0) moved.push({ day: day.day, rows });
    } catch (error) {
      failed.push({ what: day.day, error });
    }
  }
  return { moved, failed };
}

/** Drops the partitions whose last quote is older than 62 days. */
export async function dropOldQuotePartitions(db: Db): Promise<PartitionsDropped> {
  const old = await sql<{ name: string }>`
    select relid::regclass::text as name
    from pg_partition_tree('quote_requests')
    where isleaf
      and relid::regclass::text ~ '^quote_requests_[0-9]{8}$'
      and to_date(right(relid::regclass::text, 8), 'YYYYMMDD') < (now() at time zone 'UTC')::date - ${sql.lit(daysKept)}::int
    order by 1`.execute(db);
  const dropped: string[] = [];
  const failed: { what: string; error: unknown }[] = [];
  for (const { name } of old.rows) {
    try {
      await db.transaction().execute(async (trx) => {
        await boundLocks(trx);
        await sql.raw(`drop table ${name}`).execute(trx);
      });
      dropped.push(name);
    } catch (error) {
      failed.push({ what: name, error });
    }
  }
  return { dropped, failed };
}

async function daysWithoutPartition(db: Db): Promise<readonly Day[]> {
  const { rows } = await sql<Day>`
    select day::text as day, (day + 1)::text as next, 'quote_requests_' || to_char(day, 'YYYYMMDD') as partition
    from (
      select generate_series(0, ${sql.lit(daysAhead)}) + (now() at time zone 'UTC')::date as day
      union
      select (issued_at at time zone 'UTC')::date from quote_requests_default
    ) days
    where not ${exists(sql`'quote_requests_' || to_char(day, 'YYYYMMDD')`)}
    order by day`.execute(db);
  return rows;
}

const exists = (name: ReturnType<typeof sql>) => sql<boolean>`exists (
  select from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'quote_requests'::regclass and c.relname = ${name})`;

/**
 * A table is made and attached: `create table ... partition of` would hold up every quote until it has its lock.
 * @returns the quotes that lay in the default partition
 */
async function makePartition(trx: Db, { day, next, partition }: Day): Promise<number> {
  await boundLocks(trx);
  await sql`select pg_advisory_xact_lock(hashtext('quote_requests partitions'))`.execute(trx);
  const made = await sql<{ made: boolean }>`select ${exists(sql`${partition}`)} as made`.execute(trx);
  if (made.rows[0]?.made === true) return 0; // by another process
  const [from, to] = [`timestamptz '${day} 00:00:00+00'`, `timestamptz '${next} 00:00:00+00'`];
  const run = (text: string) => sql.raw(text).execute(trx);
  await run('lock table quote_requests_default in access exclusive mode'); // no other quote of that day may come into it
  await run(`create table ${partition} (like quote_requests including all)`);
  const { numAffectedRows } = await run(`with moved as (
    delete from quote_requests_default where issued_at >= ${from} and issued_at < ${to} returning *)
    insert into ${partition} select * from moved`);
  await run(`alter table quote_requests attach partition ${partition} for values from (${from}) to (${to})`);
  return Number(numAffectedRows ?? 0);
}

/** Quotes may be read and stored again soon, whatever becomes of a partition. */
async function boundLocks(trx: Db): Promise<void> {
  await sql`set local lock_timeout = '1s'`.execute(trx); // those behind us in the queue wait as long
  await sql`set local statement_timeout = '10s'`.execute(trx); // moves some hundred thousand quotes
}
