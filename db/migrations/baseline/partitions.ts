// Partitions: by day for quotes, by month for message bytes, by year for records.

export const partitions = `
create view partitions as
select parent, name, is_default,
  case when since = 'MINVALUE' then '-infinity' else trim(both '''' from since) end::timestamptz as since,
  case when until = 'MAXVALUE' then 'infinity' else trim(both '''' from until) end::timestamptz as until
from (
  select i.inhparent::regclass::text as parent, c.relname::text as name,
    pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT' as is_default,
    substring(pg_get_expr(c.relpartbound, c.oid) from 'FROM \\(([^)]*)\\) TO') as since,
    substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \\(([^)]*)\\)$') as until
  from pg_inherits i
    join pg_class c on c.oid = i.inhrelid and c.relkind in ('r', 'p')
    join pg_class p on p.oid = i.inhparent and p.relkind = 'p'
  where c.relnamespace = 'public'::regnamespace
) bounds;
comment on view partitions is 'Partitions of the records (LIF-6) and of the quotes (QUO-10), with the time range of each.';

create function make_partition(parent text, day date) returns bigint
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  unit text := case when parent = 'quote_requests' then 'day' when parent = 'message_bodies' then 'month' else 'year' end;
  by_ text := case when parent = 'quote_requests' then 'issued_at'
    when parent in ('messages', 'message_bodies') then 'created_at' when parent = 'audit_events' then 'occurred_at'
    when parent in ('payments', 'decisions', 'deliveries', 'delivery_attempts') then 'begun_at' end;
  from_ timestamptz := date_trunc(unit, day::timestamp) at time zone 'UTC';
  to_ timestamptz := (date_trunc(unit, day::timestamp) + ('1 ' || unit)::interval) at time zone 'UTC';
  partition text := parent || '_' || to_char(date_trunc(unit, day::timestamp),
    case unit when 'day' then 'YYYYMMDD' when 'month' then 'YYYYMM' else 'YYYY' end);
  key text;
  moved bigint;
begin
  if by_ is null then
    raise exception 'the table % has no partitions of a time', parent using errcode = 'invalid_parameter_value';
  end if;
  perform pg_advisory_xact_lock(hashtext(parent || ' partitions'));
  perform from partitions p where p.parent = make_partition.parent and p.since < to_ and p.until > from_;
  if found then
    return 0; -- another process made it
  end if;
  execute format('lock table %I in access exclusive mode', parent || '_default'); -- no row of that time may be added to the default partition meanwhile
  execute format('create table %I (like %I including all excluding identity)', partition, parent);
  for key in -- keys that the other partitions inherit, and that "like" does not copy from the parent
    select pg_get_constraintdef(oid) from pg_constraint
    where conrelid = (parent || '_default')::regclass and contype in ('p', 'u') and conparentid = 0
  loop
    execute format('alter table %I add %s', partition, key);
  end loop;
  execute format('with moved as (delete from %I where %I >= $1 and %2$I < $2 returning *) insert into %I select * from moved',
    parent || '_default', by_, partition) using from_, to_;
  get diagnostics moved = row_count;
  -- creating it as a partition at once would make all writes wait while this statement waits for its lock
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, partition, from_, to_);
  return moved;
end $$;
comment on function make_partition(text,date) is 'Makes the partition for a UTC day: by day for quotes (QUO-10), by month for message bytes, by year for records (LIF-6). Moves rows of that range from the default partition, and returns how many.';

create function drop_quote_partition(day date) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if day >= (now() at time zone 'UTC')::date - 62 then
    raise exception 'quotes of % are kept for 62 days (QUO-10)', day using errcode = 'integrity_constraint_violation';
  end if;
  execute format('drop table %I', 'quote_requests_' || to_char(day, 'YYYYMMDD'));
end $$;
comment on function drop_quote_partition(date) is 'Drops the partition of a UTC day more than 62 days ago (QUO-10).';

-- The first partition of each table has no lower bound, which shows that no older partition was dropped (LIF-6).
do $$
declare
  parent text;
  unit text;
  first timestamp;
  partition text;
  key text;
begin
  foreach parent in array
    array['messages', 'message_bodies', 'payments', 'decisions', 'deliveries', 'delivery_attempts', 'audit_events']
  loop
    unit := case parent when 'message_bodies' then 'month' else 'year' end;
    first := date_trunc(unit, now() at time zone 'UTC');
    partition := parent || '_' || to_char(first, case unit when 'month' then 'YYYYMM' else 'YYYY' end);
    execute format('create table %I partition of %I for values from (minvalue) to (%L)', partition, parent,
      (first + ('1 ' || unit)::interval) at time zone 'UTC');
    for key in
      select pg_get_constraintdef(oid) from pg_constraint
      where conrelid = (parent || '_default')::regclass and contype in ('p', 'u') and conparentid = 0
    loop
      execute format('alter table %I add %s', partition, key);
    end loop;
  end loop;
end $$;
`;
