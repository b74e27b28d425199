// Records are partitioned (LIF-6): what is there becomes the first partition of each table, as it stands; of messages,
// the bytes do, and the records beside them were copied before (db/partition-records.ts). Locks are held for moments.
// Each partition has the keys that the whole table had, by one column, so that a row is looked up as before; what must
// be unique across them has a table of its own, or belongs to something that has. References across them are checked by
// nobody but the tests, because a partition that goes must not read all others. Forward only: a released migration is never edited.
import { sql, type Kysely } from 'kysely';

interface Attached {
  readonly table: string;
  readonly by: string;
  /** Of each partition by itself: what cannot be across them. The first has them, by the names of before. */
  readonly keys: readonly string[];
  readonly indexes: readonly string[];
}

const attached: readonly Attached[] = [
  {
    table: 'payments',
    by: 'begun_at',
    keys: ['primary key (uetr)'],
    indexes: [
      "index payments_end_to_end_id on payments ((source_references -> 'original' ->> 'endToEndId'))",
      'index payments_of_creditor_agent on payments (creditor_agent_id, received_at, uetr)',
      'index payments_of_debtor_agent on payments (debtor_agent_id, received_at, uetr)',
      'index payments_of_destination on payments (destination_clearing_system, received_at, uetr)',
      'index payments_of_source on payments (source_clearing_system, received_at, uetr)',
      'index payments_quote_id on payments (quote_id) where quote_id is not null',
      'index payments_received on payments (received_at, uetr)',
    ],
  },
  {
    table: 'decisions',
    by: 'begun_at',
    keys: ['primary key (uetr)'],
    indexes: ['index decisions_decided_at on decisions (decided_at, uetr)'],
  },
  {
    table: 'deliveries',
    by: 'begun_at',
    keys: ['primary key (delivery_id)', 'unique (subject_id, kind)'],
    indexes: [
      'index deliveries_closed on deliveries (closed_at) where closed_at is not null and delivered_at is null',
      `index deliveries_dead on deliveries (closed_at)
        where kind in ('callback', 'confirmation', 'notification', 'book') and delivered_at is null and closed_at is not null`,
      `index deliveries_open on deliveries (asked_at)
        where kind in ('callback', 'confirmation', 'notification', 'book') and delivered_at is null and closed_at is null`,
      "index deliveries_undecided on deliveries (asked_at) where kind = 'instruction' and closed_at is null",
    ],
  },
  {
    table: 'delivery_attempts',
    by: 'begun_at',
    keys: ['primary key (delivery_id, attempt)'],
    indexes: ['index delivery_attempts_started_at on delivery_attempts using brin (started_at)'],
  },
  {
    table: 'audit_events',
    by: 'occurred_at',
    keys: ['primary key (audit_event_id)'],
    indexes: [
      "index audit_events_alerts on audit_events (occurred_at) where severity in ('alert', 'security')",
      `index audit_events_contradictions on audit_events (subject_id, (detail ->> 'reportMessageId'))
        where kind = 'payment.contradiction'`,
      'index audit_events_subject_id on audit_events (subject_id)',
    ],
  },
];

const prefixed = (table: string, year: string) => `${table}_${year}`;

/** Names are of the whole schema: those of the new table are free then. */
const freeNames = (table: string, suffix: string) => `
do $$
declare
  one record;
begin
  for one in select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = '${table}'::regclass
  loop
    execute format('alter index %I rename to %I', one.relname, one.relname || '_${suffix}');
  end loop;
end $$`;

/** Of a table whose references end: they would have every partition read when one goes. */
const endReferences = `
do $$
declare
  one record;
begin
  for one in
    select conrelid::regclass as child, conname from pg_constraint
    where contype = 'f' and confrelid in ('messages'::regclass, 'payments'::regclass, 'deliveries'::regclass, 'audit_events'::regclass)
  loop
    execute format('alter table %s drop constraint %I', one.child, one.conname);
  end loop;
end $$`;

function attach({ table, by, keys, indexes }: Attached, year: string, until: string): readonly string[] {
  const first = prefixed(table, year);
  const identity = table === 'audit_events';
  return [
    `alter table ${table} rename to ${first}`,
    freeNames(first, year),
    `create table ${table} (like ${first} including defaults including constraints including comments${identity ? ' including identity' : ''}) partition by range (${by})`,
    `do $$ begin execute format('comment on table ${table} is %L', obj_description('${first}'::regclass, 'pg_class')); end $$`,
    `alter table ${table} drop constraint ${table}_first_partition`,
    ...(identity
      ? [
          `select setval(pg_get_serial_sequence('${table}', 'audit_event_id'), coalesce(max(audit_event_id), 0) + 1, false) from ${first}`,
          `alter table ${first} alter column audit_event_id drop identity`,
        ]
      : []),
    ...indexes.map((index) => `create ${index}`),
    `alter table ${table} attach partition ${first} for values from (minvalue) to ('${until}')`,
    `alter table ${first} drop constraint ${table}_first_partition`,
    `create table ${table}_default partition of ${table} default`,
    ...keys.map((key) => `alter table ${table}_default add ${key}`),
  ];
}

const messages = (year: string, month: string, until: { year: string; month: string }): readonly string[] => [
  // what has come since they were copied: no transaction of ours takes an hour
  `insert into messages_to_be
    select message_id, subject_id, message_type, message_identification, direction, leg, party, status, reason_code,
      answer_url, in_reply_to, refusal, sha256, octet_length(body), created_at
    from messages m
    where created_at > coalesce((select max(created_at) from messages_to_be), '-infinity') - interval '1 hour'
      and not exists (select from messages_to_be c where c.message_id = m.message_id)`,
  `insert into message_keys (party, message_type, sha256, message_id, created_at)
    select party, message_type, sha256, message_id, created_at from messages_to_be
    where direction = 'in' and created_at > (select max(created_at) from messages_to_be) - interval '1 day'
    on conflict do nothing`,
  `do $$ begin
    if (select count(*) from messages) <> (select count(*) from messages_to_be) then
      raise exception 'not every message was copied; nothing was changed: start again'; -- it would be lost
    end if;
  end $$`,
  `alter table messages rename to message_bodies_${month}`,
  `drop index messages_copied`,
  `alter index messages_pkey rename to message_bodies_${month}_pkey`,
  `drop index messages_finals, messages_in_reply_to, messages_message_identification, messages_received_once,
    messages_subject_id, messages_submitted`,
  `alter table message_bodies_${month} drop column subject_id, drop column message_type, drop column message_identification,
    drop column direction, drop column leg, drop column party, drop column status, drop column reason_code,
    drop column answer_url, drop column in_reply_to, drop column refusal, drop column sha256,
    alter column created_at drop default`,
  `alter table message_bodies attach partition message_bodies_${month} for values from (minvalue) to ('${until.month}')`,
  `alter table message_bodies_${month} drop constraint messages_first_partition`,
  `insert into message_bodies select message_id, created_at, body from refused_messages`,
  `alter table refused_messages add column size integer`,
  `update refused_messages set size = octet_length(body)`,
  `alter table refused_messages alter column size set not null, drop column body`,
  `comment on column refused_messages.size is 'Bytes of it, as far as they were read.'`,
  `alter table messages_to_be rename to messages_${year}`,
  freeNames(`messages_${year}`, year),
  `create table messages (like messages_${year} including defaults including constraints)
    partition by range (created_at)`,
  `create index messages_subject_id on messages (subject_id)`,
  `create index messages_message_identification on messages (message_identification)`,
  `create index messages_in_reply_to on messages (in_reply_to) where in_reply_to is not null`,
  `create index messages_submitted on messages (created_at) where direction = 'in' and leg = 'source'`,
  `create index messages_finals on messages (created_at) where direction = 'in' and leg = 'destination'
    and message_type = 'pacs002' and status in ('ACCC', 'RJCT', 'BLCK')`,
  // it is small beside the bytes: reading it once for its bounds takes as long as an index of it
  `alter table messages attach partition messages_${year} for values from (minvalue) to ('${until.year}')`,
  `create table messages_default partition of messages default`,
  `alter table messages_default add primary key (message_id)`,
];

const comments = `
comment on table messages is 'Every ISO 20022 message received or sent; its bytes are in message_bodies. Insert-only; partitioned by year (LIF-6).';
comment on column messages.message_id is 'Our id.';
comment on column messages.subject_id is 'What it is about: the UETR of a payment, or the id of a resolution or of a page of a book.';
comment on column messages.message_type is 'pacs008, pacs002, pacs028, acmt023, acmt024, fxtr017 or camt054.';
comment on column messages.message_identification is 'Its own MsgId.';
comment on column messages.direction is 'in: received; out: built by us.';
comment on column messages.leg is 'source, destination or fxp: the side we exchanged it with; book: whoever keeps the same books.';
comment on column messages.party is 'Payment system or FX provider on the other end.';
comment on column messages.status is 'Transaction status of a pacs.002; true or false of an acmt.024.';
comment on column messages.reason_code is 'Status reason of a pacs.002, verification reason of an acmt.024, if any.';
comment on column messages.answer_url is 'Address that a submission named for its answer (pacs002Endpoint, acmt024Endpoint).';
comment on column messages.in_reply_to is 'The message that this one answers.';
comment on column messages.refusal is 'Of an answer of ours that refuses: rule, place and public text at length (MSG-13).';
comment on column messages.sha256 is 'SHA-256 of its bytes.';
comment on column messages.size is 'Number of its bytes.';
comment on column messages.created_at is 'When it was stored.';`;

/** What foreign keys did, and what belongs to the whole table. */
const guards = `
create or replace function check_decision() returns trigger language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  payment record;
  is_known boolean;
begin
  select accepted, priority into payment from payments where uetr = new.uetr and begun_at = new.begun_at;
  if payment.accepted is null then
    raise exception 'a decision without a payment (LIF-1)' using errcode = 'integrity_constraint_violation';
  end if;
  is_known := case
    when not payment.accepted then new.decided_by = 'gateway' and new.status = 'RJCT' and new.rule_id is not null
    when new.decided_by <> 'gateway' then new.rule_id is null
    else new.status = 'RJCT' and (payment.priority, new.rule_id) in (('HIGH', 'TIM-1'), ('NORM', 'TIM-3'))
  end;
  if is_known is not true then
    raise exception 'the states of a payment do not have this decision (LIF-1): % by %, %', new.status, new.decided_by,
      coalesce(new.rule_id, 'no rule') using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create constraint trigger decisions_follow_the_states after insert on decisions
  deferrable initially deferred for each row execute function check_decision();
alter table decisions add foreign key (outcome_id) references recorded_outcomes (outcome_id);

create function take_payment_key() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into payment_keys (uetr, begun_at) values (new.uetr, new.begun_at);
  return new;
end $$;
comment on function take_payment_key() is 'A UETR is judged once, whatever partition its payment is in (DUP-3); 23505 where it was.';
create trigger payments_once before insert on payments for each row execute function take_payment_key();

create function lock_submission() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform from messages where message_id = new.message_id for key share;
  if not found then
    raise exception 'no message % is stored', new.message_id using errcode = 'foreign_key_violation';
  end if;
  return new;
end $$;
comment on function lock_submission() is 'Whoever names an address for an answer waits for whoever writes the answer: see callback_address().';
create trigger callback_addresses_wait before insert on callback_addresses for each row execute function lock_submission();
revoke execute on function take_payment_key(), lock_submission() from public;

create trigger message_bodies_insert_only before update or delete or truncate on message_bodies
  for each statement execute function refuse_change();
${['messages', 'payments', 'decisions', 'audit_events']
  .map(
    (table) => `create trigger ${table}_insert_only before update or delete or truncate on ${table}
  for each statement execute function refuse_change();`,
  )
  .join('\n')}

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
comment on view partitions is 'Partitions of the records (LIF-6) and of the quotes (QUO-10), and which time each is of.';

drop function make_quote_partition(date);
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
    return 0; -- by another process
  end if;
  execute format('lock table %I in access exclusive mode', parent || '_default'); -- nothing of that time may come into it
  execute format('create table %I (like %I including all excluding identity)', partition, parent);
  for key in -- what its neighbours have by themselves
    select pg_get_constraintdef(oid) from pg_constraint
    where conrelid = (parent || '_default')::regclass and contype in ('p', 'u') and conparentid = 0
  loop
    execute format('alter table %I add %s', partition, key);
  end loop;
  execute format('with moved as (delete from %I where %I >= $1 and %2$I < $2 returning *) insert into %I select * from moved',
    parent || '_default', by_, partition) using from_, to_;
  get diagnostics moved = row_count;
  -- to make it at once as a partition would hold up every write until it has its lock
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, partition, from_, to_);
  return moved;
end $$;
comment on function make_partition(text, date) is 'Makes the partition that a UTC day is in: of a day for quotes (QUO-10), of a month for the bytes of messages, of a year for records (LIF-6); and moves into it what came too early: how many rows.';
revoke execute on function make_partition(text, date) from public;
drop table records_to_partition;`;

export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ year: string; month: string; yearEnd: string; monthEnd: string }>`
    select to_char((year_end - interval '1 day') at time zone 'UTC', 'YYYY') as year,
      to_char((month_end - interval '1 day') at time zone 'UTC', 'YYYYMM') as month,
      year_end::text as "yearEnd", month_end::text as "monthEnd"
    from records_to_partition`.execute(db);
  const [first] = rows;
  if (first === undefined)
    throw new Error('the bounds of the first partitions are missing: migration 0028 sets them');
  const { year, month, yearEnd, monthEnd } = first;
  const statements = [
    "set local lock_timeout = '2s'", // whoever waits behind us goes on then; it is tried again (db/migrate.ts)
    'drop trigger decisions_follow_the_states on decisions',
    `lock table messages, payments, decisions, deliveries, delivery_attempts, audit_events, refused_messages, refusals,
      resolutions, resolution_answers, recorded_outcomes, callback_addresses, case_entries, logged_alerts
      in access exclusive mode`,
    endReferences,
    ...messages(year, month, { year: yearEnd, month: monthEnd }),
    "insert into payment_keys (uetr, begun_at) select uetr, begun_at from payments where received_at > now() - interval '1 day' on conflict do nothing",
    "do $$ begin if (select count(*) from payments) <> (select count(*) from payment_keys) then raise exception 'not every payment has its key; nothing was changed: start again'; end if; end $$",
    ...attached.flatMap((one) => attach(one, year, yearEnd)),
    // from here on every write says when its payment, resolution or book began
    ...['payments', 'decisions', 'deliveries', 'delivery_attempts'].map(
      (table) => `alter table ${table} alter column begun_at drop default`,
    ),
    comments,
    guards,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
