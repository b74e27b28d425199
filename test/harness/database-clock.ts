// A database whose clock a test moves, so that it differs from the clocks of everything else. It replaces now() and
// clock_timestamp() for every connection that is opened afterwards.
import { sql } from 'kysely';
import type { Db } from '../../db/pool/connection.ts';

const replaced = `
create schema clock;
create table clock.ahead (ms bigint not null);
insert into clock.ahead values (0);
grant usage on schema clock to public;
grant select on clock.ahead to public;
create function clock.now() returns timestamptz language sql stable as
  $$ select pg_catalog.now() + (select ms from clock.ahead) * interval '1 millisecond' $$;
create function clock.clock_timestamp() returns timestamptz language sql volatile as
  $$ select pg_catalog.clock_timestamp() + (select ms from clock.ahead) * interval '1 millisecond' $$;
do $$
declare
  one record;
  fixed text;
begin
  execute format('alter database %I set search_path = clock, public, pg_catalog', current_database());
  for one in
    select table_name, column_name, column_default from information_schema.columns
    where table_schema = 'public' and column_default in ('now()', 'clock_timestamp()')
  loop
    execute format('alter table public.%I alter %I set default clock.%s', one.table_name, one.column_name,
      one.column_default);
  end loop;
  for fixed in select oid::regprocedure from pg_proc where pronamespace = 'public'::regnamespace and proconfig is not null
  loop
    execute format('alter function %s set search_path = clock, public, pg_catalog, pg_temp', fixed);
  end loop;
end $$`;

/**
 * To be called before the parts start (`prepare`); answers what moves the clock, by milliseconds ahead of the true
 * time.
 */
export async function movableClock(db: Db): Promise<(aheadMs: number) => Promise<void>> {
  await sql.raw(replaced).execute(db);
  return async (aheadMs) => {
    await sql`update clock.ahead set ms = ${aheadMs}`.execute(db);
  };
}
