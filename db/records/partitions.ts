// Makes and drops partitions of the tables that grow with every quote and payment. Makes them ahead of time,
// each in its own transaction, so that one failure does not stop the others. Drops quotes after 62 days
// (QUO-10).
import { sql } from 'kysely';
import type { Db } from '../pool/connection.ts';

const daysAhead = 7;
const daysKept = 62;

/** Partitions that could not be made or dropped, and why. */
interface Failed {
  readonly failed: readonly { readonly what: string; readonly error: unknown }[];
}

export interface PartitionsEnsured extends Failed {
  /** Rows that were stored before their partition existed, by table and a UTC day of the partition. */
  readonly moved: readonly { readonly table: string; readonly day: string; readonly rows: number }[];
}

export interface PartitionsDropped extends Failed {
  readonly dropped: readonly string[];
}

/** Tables with yearly partitions, and the column of the partition key. */
export const yearly = {
  messages: 'created_at',
  payments: 'begun_at',
  decisions: 'begun_at',
  deliveries: 'begun_at',
  delivery_attempts: 'begun_at',
  audit_events: 'occurred_at',
} as const;

/**
 * Makes the partitions for now and the near future, and for all rows in default partitions, which it moves.
 */
export async function ensurePartitions(db: Db): Promise<PartitionsEnsured> {
  const moved: { table: string; day: string; rows: number }[] = [];
  const failed: { what: string; error: unknown }[] = [];
  for (const { table, day } of await lacking(db)) {
    try {
      const rows = await db.transaction().execute((trx) => makePartition(trx, table, day));
      if (rows > 0) moved.push({ table, day, rows });
    } catch (error) {
      failed.push({ what: `${table} of ${day}`, error });
    }
  }
  return { moved, failed };
}

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

/** Lists the days, as in 2026-01-05, for which a table needs a partition and has none. */
async function lacking(db: Db): Promise<readonly { table: string; day: string }[]> {
  const stray = (table: string, by: string) =>
    sql`select ${table}, (${sql.ref(by)} at time zone 'UTC')::date from ${sql.table(`${table}_default`)}`;
  const { rows } = await sql<{ table: string; day: string }>`
    select distinct on (parent, period) parent as "table", day::text as day
    from (
      select parent, day, date_trunc(case parent when 'quote_requests' then 'day' when 'message_bodies' then 'month'
        else 'year' end, day) as period
      from (
        select 'quote_requests' as parent, generate_series(0, ${sql.lit(daysAhead)}) + (now() at time zone 'UTC')::date as day
        union
        select 'message_bodies', ((now() at time zone 'UTC') + generate_series(0, 1) * ${sql.lit(daysAhead)} * interval '1 day')::date
        union
        select parent, ((now() at time zone 'UTC') + generate_series(0, 1) * interval '31 days')::date
        -- no earlier, because each partition slows down every look-up
        from unnest(${Object.keys(yearly)}::text[]) as all_of (parent)
        union
        ${stray('quote_requests', 'issued_at')}
        union
        ${stray('message_bodies', 'created_at')}
        union
        ${sql.join(
          Object.entries(yearly).map(([table, by]) => stray(table, by)),
          sql` union `,
        )}
      ) days
    ) periods
    where not exists (
      select from partitions p
      where p.parent = periods.parent and p.since <= day::timestamp at time zone 'UTC' and p.until > day::timestamp at time zone 'UTC')
    order by parent, period, day`.execute(db);
  return rows;
}

/** @returns the number of rows moved from the default partition */
async function makePartition(trx: Db, table: string, day: string): Promise<number> {
  await boundLocks(trx);
  const { rows } = await sql<{
    moved: string;
  }>`select make_partition(${table}, ${day}::date) as moved`.execute(trx);
  return Number(rows[0]?.moved ?? 0);
}

/** Limits how long the table is blocked, even if the partition then cannot be made. */
async function boundLocks(trx: Db): Promise<void> {
  await sql`set local lock_timeout = '1s'`.execute(trx); // other queries wait that long behind ours in the lock queue
  await sql`set local statement_timeout = '10s'`.execute(trx); // enough to move some hundred thousand rows
}
