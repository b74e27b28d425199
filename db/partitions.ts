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
      if (rows > 0) moved.push({ day, rows });
    } catch (error) {
      failed.push({ what: day, error });
    }
  }
  return { moved, failed };
}

/** Drops the partitions whose last quote is older than 62 days. */
export async function dropOldQuotePartitions(db: Db): Promise<PartitionsDropped> {
  const old = await sql<{ name: string; day: string }>`
    select relid::regclass::text as name, to_date(right(relid::regclass::text, 8), 'YYYYMMDD')::text as day
    from pg_partition_tree('quote_requests')
    where isleaf
      and relid::regclass::text ~ '^quote_requests_[0-9]{8}$'
      and to_date(right(relid::regclass::text, 8), 'YYYYMMDD') < (now() at time zone 'UTC')::date - ${sql.lit(daysKept)}::int
    order by 1`.execute(db);
  const dropped: string[] = [];
  const failed: { what: string; error: unknown }[] = [];
  for (const { name, day } of old.rows) {
    try {
      await db.transaction().execute(async (trx) => {
        await boundLocks(trx);
        await sql`select drop_quote_partition(${day}::date)`.execute(trx);
      });
      dropped.push(name);
    } catch (error) {
      failed.push({ what: name, error });
    }
  }
  return { dropped, failed };
}

/** As in 2026-01-05. */
async function daysWithoutPartition(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ day: string }>`
    select day::text as day
    from (
      select generate_series(0, ${sql.lit(daysAhead)}) + (now() at time zone 'UTC')::date as day
      union
      select (issued_at at time zone 'UTC')::date from quote_requests_default
    ) days
    where not exists (
      select from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'quote_requests'::regclass and c.relname = 'quote_requests_' || to_char(day, 'YYYYMMDD'))
    order by day`.execute(db);
  return rows.map(({ day }) => day);
}

/** @returns the quotes that lay in the default partition */
async function makePartition(trx: Db, day: string): Promise<number> {
  await boundLocks(trx);
  const { rows } = await sql<{ moved: string }>`select make_quote_partition(${day}::date) as moved`.execute(
    trx,
  );
  return Number(rows[0]?.moved ?? 0);
}

/** Quotes may be read and stored again soon, whatever becomes of a partition. */
async function boundLocks(trx: Db): Promise<void> {
  await sql`set local lock_timeout = '1s'`.execute(trx); // those behind us in the queue wait as long
  await sql`set local statement_timeout = '10s'`.execute(trx); // moves some hundred thousand quotes
}
