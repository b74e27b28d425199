// No function looks for tables where the session that causes it says: whoever made a temporary table of a name of ours had the
// record's own checks read that instead (SEC-6). Forward only: a released migration is never edited; what it got wrong, a later
// one mends.
import { sql, type Kysely } from 'kysely';

const ownSearchPath = `
do $$
declare
  one regprocedure;
begin
  for one in
    select p.oid from pg_proc p
    where pronamespace = 'public'::regnamespace and prokind = 'f'
      and not exists (select from unnest(proconfig) setting where setting like 'search_path=%')
      and proowner in (select relowner from pg_class where oid = 'payments'::regclass
        union select oid from pg_roles where rolname = current_user)
      and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')
  loop
    execute format('alter function %s set search_path = public, pg_temp', one);
  end loop;
end $$;`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(ownSearchPath).execute(db);
}
