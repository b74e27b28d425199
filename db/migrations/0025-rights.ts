// api and worker get roles of their own, which own nothing (SEC-6, db/rights.ts). What they cause beyond their rights is
// done by functions that run with those of the owner, and only that. Forward only: a released migration is never edited;
// what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

/** They lock or write what whoever causes them may only read. */
const ofTheOwner = [
  'callback_address(uuid)',
  'note_alert_states()',
  'note_former_book_endpoint()',
  'note_former_owner()',
];

const partitions = `
create function make_quote_partition(day date) returns bigint language plpgsql as $$
declare
  partition text := 'quote_requests_' || to_char(day, 'YYYYMMDD');
  from_ timestamptz := day::timestamp at time zone 'UTC';
  to_ timestamptz := (day + 1)::timestamp at time zone 'UTC';
  moved bigint;
begin
  perform pg_advisory_xact_lock(hashtext('quote_requests partitions'));
  perform from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'quote_requests'::regclass and c.relname = partition;
  if found then
    return 0; -- by another process
  end if;
  lock table quote_requests_default in access exclusive mode; -- no other quote of that day may come into it
  execute format('create table %I (like quote_requests including all)', partition);
  execute format('with moved as (delete from quote_requests_default where issued_at >= $1 and issued_at < $2 returning *)
    insert into %I select * from moved', partition) using from_, to_;
  get diagnostics moved = row_count;
  -- to make it at once as a partition would hold up every quote until it has its lock
  execute format('alter table quote_requests attach partition %I for values from (%L) to (%L)', partition, from_, to_);
  return moved;
end $$;
comment on function make_quote_partition(date) is 'Makes the partition of a UTC day, and moves the quotes into it that came too early; their number (QUO-10).';

create function drop_quote_partition(day date) returns void language plpgsql as $$
begin
  if day >= (now() at time zone 'UTC')::date - 62 then
    raise exception 'quotes of % are kept for 62 days (QUO-10)', day using errcode = 'integrity_constraint_violation';
  end if;
  execute format('drop table %I', 'quote_requests_' || to_char(day, 'YYYYMMDD'));
end $$;
comment on function drop_quote_partition(date) is 'Drops the partition of a UTC day that is older than 62 days (QUO-10).';

revoke execute on function callback_address(uuid), make_quote_partition(date), drop_quote_partition(date) from public;`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(partitions).execute(db);
  const functions = [...ofTheOwner, 'make_quote_partition(date)', 'drop_quote_partition(date)'];
  for (const name of functions) {
    await sql.raw(`alter function ${name} security definer set search_path = public, pg_temp`).execute(db);
  }
}
