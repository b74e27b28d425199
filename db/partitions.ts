// Daily partitions of the quotes (QUO-10): made ahead of time, dropped after 62 days.
import { sql } from 'kysely';
import type { Db } from './connection.ts';

const daysAhead = 7;
const daysKept = 62; // QUO-10

/** Makes the partitions of today and the next days, UTC. Safe to call at any time, from several processes. */
export async function ensureQuotePartitions(db: Db): Promise<void> {
  await sql
    .raw(
      `do $$
declare
  day date;
begin
  perform pg_advisory_xact_lock(hashtext('quote_requests partitions'));
  for day in select generate_series(0, ${daysAhead}) + (now() at time zone 'UTC')::date loop
    if to_regclass(format('quote_requests_%s', to_char(day, 'YYYYMMDD'))) is null then
      execute format(
        'create table quote_requests_%s partition of quote_requests for values from (%L) to (%L)',
        to_char(day, 'YYYYMMDD'), day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
    end if;
  end loop;
end
$$`,
    )
    .execute(db);
}

/** Drops the partitions whose last quote is older than 62 days; answers their names. */
export async function dropOldQuotePartitions(db: Db): Promise<readonly string[]> {
  const old = await sql<{ name: string }>`
    select relid::regclass::text as name
    from pg_partition_tree('quote_requests')
    where isleaf
      and relid::regclass::text ~ '^quote_requests_[0-9]{8}$'
      and to_date(right(relid::regclass::text, 8), 'YYYYMMDD') < (now() at time zone 'UTC')::date - ${sql.lit(daysKept)}::int`.execute(
    db,
  );
  for (const { name } of old.rows) {
    await sql.raw(`drop table ${name}`).execute(db);
  }
  return old.rows.map((row) => row.name);
}
