-- Written by npm run migrate from the migrations in db/migrations; do not edit.

CREATE OR REPLACE FUNCTION public.begin_account()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  new.registered_at := now();
  return new;
end $function$;
comment on function begin_account() is 'Restarts an account whose id changes: its books do not go back before that time (REC-2).';

CREATE OR REPLACE FUNCTION public.callback_address(submission uuid)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  -- conflicts with the key share lock of lock_submission(): a later address waits, an earlier one is read below
  perform from messages where message_id = submission for update;
  return coalesce(
    (select url from callback_addresses where message_id = submission order by named_at desc limit 1),
    (select answer_url from messages where message_id = submission));
end
$function$;
comment on function callback_address(uuid) is 'The address for the answer to a submission: the last one named. Locks the submission until the statement that writes the callback commits, so that no other address can be named meanwhile (DUP-1).';

CREATE OR REPLACE FUNCTION public.check_change_step()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  change record;
  is_approved boolean;
begin
  select proposed_by, needs_approval, effective_at into change from scheme_changes where change_id = new.change_id;
  is_approved := exists (select from scheme_change_steps where change_id = new.change_id and step = 'approved');
  if new.step = 'approved' and change.needs_approval and new.done_by = change.proposed_by then
    raise exception 'a change must be approved by somebody other than its proposer (ADM-2)' using errcode = 'integrity_constraint_violation';
  end if;
  if new.step = 'applied' and change.needs_approval and not is_approved then
    raise exception 'a change must be approved before it is applied (ADM-2)' using errcode = 'integrity_constraint_violation';
  end if;
  if new.step = 'applied' and change.effective_at > clock_timestamp() then
    raise exception 'a change must not be applied before its time (ADM-1)' using errcode = 'integrity_constraint_violation';
  end if;
  if new.step = 'withdrawn' and new.done_by <> change.proposed_by then
    raise exception 'only the proposer may withdraw a change (ADM-2)' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.check_decision()
 RETURNS trigger
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
    raise exception 'the payment cannot have this decision (LIF-1): % by %, %', new.status, new.decided_by,
      coalesce(new.rule_id, 'no rule') using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.drop_quote_partition(day date)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if day >= (now() at time zone 'UTC')::date - 62 then
    raise exception 'quotes of % are kept for 62 days (QUO-10)', day using errcode = 'integrity_constraint_violation';
  end if;
  execute format('drop table %I', 'quote_requests_' || to_char(day, 'YYYYMMDD'));
end $function$;
comment on function drop_quote_partition(date) is 'Drops the partition of a UTC day more than 62 days ago (QUO-10).';

CREATE OR REPLACE FUNCTION public.held_data_key(id text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if id is not null then
    perform from data_keys where key_id = id;
    if not found then
      raise exception 'the data key % is not there (SEC-3)', id using errcode = 'IS001';
    end if;
  end if;
  return id;
end
$function$;
comment on function held_data_key(text) is 'Returns the id of a data key for the statement that stores sealed data, or fails if the key was deleted.';

CREATE OR REPLACE FUNCTION public.lock_submission()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform from messages where message_id = new.message_id for key share;
  if not found then
    raise exception 'no message % is stored', new.message_id using errcode = 'foreign_key_violation';
  end if;
  return new;
end $function$;
comment on function lock_submission() is 'Makes a transaction that names a callback address wait for one that writes the answer: see callback_address().';

CREATE OR REPLACE FUNCTION public.make_partition(parent text, day date)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
end $function$;
comment on function make_partition(text,date) is 'Makes the partition for a UTC day: by day for quotes (QUO-10), by month for message bytes, by year for records (LIF-6). Moves rows of that range from the default partition, and returns how many.';

CREATE OR REPLACE FUNCTION public.note_alert_states()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into alert_states as known (audit_event_id, case_entry_id, action, client_id, at)
  select distinct about.audit_event_id, new.case_entry_id, new.action, new.client_id, new.at
  from unnest(coalesce(new.audit_event_ids, array[new.audit_event_id])) about (audit_event_id)
  on conflict (audit_event_id) do update
    set case_entry_id = excluded.case_entry_id, action = excluded.action, client_id = excluded.client_id, at = excluded.at
    where known.case_entry_id < excluded.case_entry_id;
  return null;
end $function$;
comment on function note_alert_states() is 'Keeps alert_states in step with case_entries.';

CREATE OR REPLACE FUNCTION public.note_former_book_endpoint()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into former_book_endpoints (party_id, registered_at, removed_at) values (old.party_id, old.registered_at, now())
  on conflict (party_id) do update set registered_at = excluded.registered_at, removed_at = excluded.removed_at;
  return null;
end $function$;
comment on function note_former_book_endpoint() is 'Remembers since when a removed book address was registered.';

CREATE OR REPLACE FUNCTION public.note_former_owner()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into former_account_owners (sap_id, account_id, owner_id, currency_code, registered_at, owned_until)
  values (old.sap_id, old.account_id, old.owner_id, old.currency_code, old.registered_at,
    (date_trunc('day', greatest(now(), (select until from books_closed)) at time zone 'UTC')
      + interval '1 day') at time zone 'UTC');
  return null;
end $function$;
comment on function note_former_owner() is 'Records the former owner when an account gets another owner, using the time that decisions get (REC-2).';

CREATE OR REPLACE FUNCTION public.notify_reference_data()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform pg_notify('reference_data', tg_table_name);
  return null;
end
$function$;
comment on function notify_reference_data() is 'Tells every process that reference data changed (REF-6).';

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  raise exception '% is insert-only: % refused (LIF-1)', tg_table_name, lower(tg_op)
    using errcode = 'integrity_constraint_violation', hint = 'Correct it by adding a further record.';
end $function$;

CREATE OR REPLACE FUNCTION public.resume_book_endpoint()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  new.registered_at := least(new.registered_at, (select f.registered_at from former_book_endpoints f
    where f.party_id = new.party_id and f.removed_at > now() - interval '1 day'));
  return new;
end $function$;
comment on function resume_book_endpoint() is 'Continues the books of an address that is entered again within a day, so that no day is left out (REC-2).';

CREATE OR REPLACE FUNCTION public.take_payment_key()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into payment_keys (uetr, begun_at) values (new.uetr, new.begun_at);
  return new;
end $function$;
comment on function take_payment_key() is 'Ensures that a UETR is judged once, across all partitions (DUP-3); otherwise fails with 23505.';

create table address_inputs (
  address_input_id text not null,
  label jsonb,
  attributes jsonb not null,
  iso20022_xpath jsonb not null,
  constraint address_inputs_pkey PRIMARY KEY (address_input_id)
);
comment on table address_inputs is 'Input fields of address forms (endpoints 6 and 8).';
comment on column address_inputs.address_input_id is 'Id of the input.';
comment on column address_inputs.label is 'addressTypeCode and title per language; null for hidden inputs.';
comment on column address_inputs.attributes is 'name, type, pattern, placeholder, required, value.';
comment on column address_inputs.iso20022_xpath is 'acmt023 and pacs008: XPath of the element that takes the value, or null.';

create table address_type_countries (
  address_type_id text not null,
  country_code text not null,
  constraint address_type_countries_pkey PRIMARY KEY (address_type_id, country_code)
);
comment on table address_type_countries is 'Countries in which an address type can be used.';
comment on column address_type_countries.address_type_id is 'The address type.';
comment on column address_type_countries.country_code is 'The country.';

create table address_type_inputs (
  address_type_id text not null,
  "position" smallint not null,
  address_input_id text not null,
  constraint address_type_inputs_pkey PRIMARY KEY (address_type_id, "position")
);
comment on table address_type_inputs is 'The inputs of each address type, in order; inputs may be shared.';
comment on column address_type_inputs.address_type_id is 'The address type.';
comment on column address_type_inputs."position" is 'Order, from 1.';
comment on column address_type_inputs.address_input_id is 'The input.';

create table address_types (
  address_type_id text not null,
  address_type_code text not null,
  clearing_system_id text,
  proxy_directory_id text,
  display_order integer not null,
  constraint address_types_pkey PRIMARY KEY (address_type_id)
);
comment on table address_types is 'Kinds of recipient address (endpoints 6 and 7).';
comment on column address_types.address_type_id is 'Id of the address type.';
comment on column address_types.address_type_code is 'ACCT, IBAN, MBNO, EMAL.';
comment on column address_types.clearing_system_id is 'Payment system of an account-type address.';
comment on column address_types.proxy_directory_id is 'Proxy directory of a proxy-type address.';
comment on column address_types.display_order is 'Ordering hint for forms.';

create table alert_states (
  audit_event_id bigint not null,
  case_entry_id bigint not null,
  action text not null,
  client_id text not null,
  at timestamp with time zone not null,
  constraint alert_states_pkey PRIMARY KEY (audit_event_id),
  constraint alert_states_action_check CHECK ((action = ANY (ARRAY['take'::text, 'close'::text, 'reopen'::text])))
);
comment on table alert_states is 'The latest action on each alert, entered for the alert or for its case; no row: no action yet. Derived from case_entries by a trigger.';
comment on column alert_states.audit_event_id is 'The alert.';
comment on column alert_states.case_entry_id is 'The entry of that action.';
comment on column alert_states.action is 'The action; a note does not count.';
comment on column alert_states.client_id is 'Client id of the operator.';
comment on column alert_states.at is 'When it was entered.';

create table audit_events (
  audit_event_id bigint not null generated always as identity,
  occurred_at timestamp with time zone not null default clock_timestamp(),
  severity text not null,
  kind text not null,
  subject_id uuid,
  party text,
  detail jsonb not null default '{}'::jsonb,
  constraint audit_events_severity_check CHECK ((severity = ANY (ARRAY['info'::text, 'alert'::text, 'security'::text])))
) partition by RANGE (occurred_at);
CREATE INDEX audit_events_alerts ON ONLY public.audit_events USING btree (occurred_at) WHERE (severity = ANY (ARRAY['alert'::text, 'security'::text]));
CREATE INDEX audit_events_contradictions ON ONLY public.audit_events USING btree (subject_id, ((detail ->> 'reportMessageId'::text))) WHERE (kind = 'payment.contradiction'::text);
CREATE INDEX audit_events_occurred_at ON ONLY public.audit_events USING brin (occurred_at);
CREATE INDEX audit_events_subject_id ON ONLY public.audit_events USING btree (subject_id);
comment on table audit_events is 'Events that operators must be able to look up, such as contradictions, security events and interim statuses. Insert-only, no personal data.';
comment on column audit_events.audit_event_id is 'Our id.';
comment on column audit_events.occurred_at is 'When it happened.';
comment on column audit_events.severity is 'info, alert (a person must look) or security.';
comment on column audit_events.kind is 'Kind of event, for example payment.contradiction.';
comment on column audit_events.subject_id is 'Subject, if there is one: the UETR of a payment, or the id of a resolution or of a page of a book.';
comment on column audit_events.party is 'The party concerned, if any.';
comment on column audit_events.detail is 'Codes and ids; never personal data.';

create table audit_events_default partition of audit_events DEFAULT;
alter table audit_events_default add constraint audit_events_default_pkey PRIMARY KEY (audit_event_id);

create table audit_seals (
  until timestamp with time zone not null,
  since timestamp with time zone not null,
  previous bytea,
  entries bytea not null,
  digest bytea not null,
  key_id text not null,
  signature bytea not null,
  sealed_at timestamp with time zone not null default clock_timestamp(),
  constraint audit_seals_pkey PRIMARY KEY (until),
  constraint audit_seals_check CHECK ((since < until))
);
comment on table audit_seals is 'Seals over decisions and audit events, one for each hour, UTC (SEC-6).';
comment on column audit_seals.until is 'End of the hour, exclusive.';
comment on column audit_seals.since is 'Beginning of the hour, which is the end of the previous seal.';
comment on column audit_seals.previous is 'Digest of the previous seal; null: this is the first.';
comment on column audit_seals.entries is '35 bytes for each sealed row, in order: kind of row, year of its partition, its id, beginning of its hash.';
comment on column audit_seals.digest is 'SHA-256 over previous, since, until, sealed_at and entries.';
comment on column audit_seals.key_id is 'The key that signed it.';
comment on column audit_seals.signature is 'Ed25519 signature over the digest.';
comment on column audit_seals.sealed_at is 'When it was sealed; the signature covers this time.';

create table book_endpoints (
  party_id text not null,
  url text not null,
  registered_at timestamp with time zone not null default now(),
  constraint book_endpoints_pkey PRIMARY KEY (party_id)
);
comment on table book_endpoints is 'Where the camt.054 of each day is sent (REC-2).';
comment on column book_endpoints.party_id is 'The payment system; or the internalId of an institution, for each account that it has at a settlement access provider.';
comment on column book_endpoints.url is 'Full address.';
comment on column book_endpoints.registered_at is 'When it was registered; the first book is that of the day before.';

create table book_pages (
  book_page_id uuid not null,
  book text not null,
  party text not null,
  period_from timestamp with time zone not null,
  period_to timestamp with time zone not null,
  page integer not null,
  pages integer not null,
  message_id uuid not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint book_pages_pkey PRIMARY KEY (book_page_id),
  constraint book_pages_book_period_from_period_to_page_key UNIQUE (book, period_from, period_to, page),
  constraint book_pages_check CHECK ((pages >= page)),
  constraint book_pages_page_check CHECK ((page > 0))
);
CREATE INDEX book_pages_period ON public.book_pages USING btree (period_from, period_to);
comment on table book_pages is 'Each page of a camt.054 that is sent, once per book and period (REC-2). Rows are inserted and never changed.';
comment on column book_pages.book_page_id is 'Our id: the subject_id of its message and its delivery.';
comment on column book_pages.book is 'The payment system; or the internalId of a settlement access provider, a space, and the account id there.';
comment on column book_pages.party is 'The receiver: a payment system, or the BIC of an institution.';
comment on column book_pages.period_from is 'Beginning of the period, inclusive.';
comment on column book_pages.period_to is 'End of the period, exclusive.';
comment on column book_pages.page is 'From 1.';
comment on column book_pages.pages is 'Number of pages of the notification.';
comment on column book_pages.message_id is 'The camt.054.';
comment on column book_pages.created_at is 'When it was made.';

create table books_closed (
  is_only boolean not null default true,
  until timestamp with time zone not null,
  constraint books_closed_pkey PRIMARY KEY (is_only),
  constraint books_closed_is_only_check CHECK (is_only)
);
comment on table books_closed is 'One row: the end of the latest period that was read or sent as closed (REC-2).';
comment on column books_closed.is_only is 'Ensures that there is only one row.';
comment on column books_closed.until is 'Later decisions get this time or a later one.';

create table callback_addresses (
  message_id uuid not null,
  url text not null,
  named_at timestamp with time zone not null default clock_timestamp(),
  constraint callback_addresses_pkey PRIMARY KEY (message_id, named_at)
);
comment on table callback_addresses is 'Addresses that a source named when it repeated its submission: the callback goes to the last one (DUP-1). Insert-only.';
comment on column callback_addresses.message_id is 'The submission.';
comment on column callback_addresses.url is 'The address, which was checked before it was stored.';
comment on column callback_addresses.named_at is 'When it was named.';

create table case_entries (
  case_entry_id bigint not null generated always as identity,
  audit_event_id bigint,
  subject_id uuid,
  action text not null,
  client_id text not null,
  note text,
  at timestamp with time zone not null default clock_timestamp(),
  audit_event_ids bigint[],
  constraint case_entries_pkey PRIMARY KEY (case_entry_id),
  constraint case_entries_action_check CHECK ((action = ANY (ARRAY['take'::text, 'note'::text, 'close'::text, 'reopen'::text]))),
  constraint case_entries_check CHECK ((num_nonnulls(audit_event_id, subject_id) = 1)),
  constraint case_entries_check1 CHECK (((subject_id IS NULL) = (audit_event_ids IS NULL))),
  constraint case_entries_note_check CHECK ((char_length(note) <= 2000))
);
CREATE INDEX case_entries_audit_event_id ON public.case_entries USING btree (audit_event_id) WHERE (audit_event_id IS NOT NULL);
CREATE INDEX case_entries_subject_id ON public.case_entries USING btree (subject_id) WHERE (subject_id IS NOT NULL);
comment on table case_entries is 'Actions of operators on an alert, or on a payment or resolution with all its alerts so far (OBS-6). Insert-only.';
comment on column case_entries.case_entry_id is 'Our id.';
comment on column case_entries.audit_event_id is 'The alert; null if the entry is about a whole case.';
comment on column case_entries.subject_id is 'The case: the UETR of a payment, or the id of a resolution.';
comment on column case_entries.action is 'take: the operator takes care of it; note: a note only; close: nothing more is to be done; reopen: it is open again.';
comment on column case_entries.client_id is 'Client id of the operator.';
comment on column case_entries.note is 'In the words of the operator; no personal data.';
comment on column case_entries.at is 'When it was entered.';
comment on column case_entries.audit_event_ids is 'The alerts that an entry about a whole case covers; null if the entry is about one alert.';

create table clearing_systems (
  clearing_system_id text not null,
  operator_id text not null,
  currency_code text not null,
  max_amount numeric not null,
  max_execution_seconds integer not null,
  max_acceptance_age_seconds integer not null default 120,
  max_resolution_seconds integer not null default 8,
  ended_at timestamp with time zone,
  constraint clearing_systems_pkey PRIMARY KEY (clearing_system_id),
  constraint clearing_systems_max_acceptance_age_seconds_check CHECK ((max_acceptance_age_seconds > 0)),
  constraint clearing_systems_max_amount_check CHECK ((max_amount > (0)::numeric)),
  constraint clearing_systems_max_execution_seconds_check CHECK ((max_execution_seconds > 0)),
  constraint clearing_systems_max_resolution_seconds_check CHECK ((max_resolution_seconds > 0))
);
comment on table clearing_systems is 'Instant payment systems (IPS), each with one currency.';
comment on column clearing_systems.clearing_system_id is 'Id of the payment system (UPS id), as in ClrSys and ClrSysMmbId.';
comment on column clearing_systems.operator_id is 'The operator that runs it.';
comment on column clearing_systems.currency_code is 'Its settlement currency.';
comment on column clearing_systems.max_amount is 'Largest payment, in its currency, scale kept as given.';
comment on column clearing_systems.max_execution_seconds is 'Seconds from AccptncDtTm within which a HIGH payment to it must be final.';
comment on column clearing_systems.max_acceptance_age_seconds is 'Seconds after AccptncDtTm that a first submission from it is still accepted.';
comment on column clearing_systems.max_resolution_seconds is 'Seconds within which its acmt.023 must be answered. It depends on the source only, because a person waits at a screen there.';
comment on column clearing_systems.ended_at is 'When it ended: only what refers to it already still uses it; null: in use.';

create table client_secrets (
  client_id text not null,
  secret_id text not null,
  salt bytea not null,
  digest bytea not null,
  ends_at timestamp with time zone,
  algorithm text not null,
  tag bytea,
  constraint client_secrets_pkey PRIMARY KEY (client_id, secret_id),
  constraint client_secrets_algorithm_check CHECK ((algorithm = ANY (ARRAY['sha256'::text, 'scrypt'::text]))),
  constraint client_secrets_tag_check CHECK ((octet_length(tag) = 4))
);
comment on table client_secrets is 'Secrets of clients of the built-in issuer, as salted hashes (ADM-4).';
comment on column client_secrets.client_id is 'The client.';
comment on column client_secrets.secret_id is 'Id of the secret, for people.';
comment on column client_secrets.salt is 'Random salt.';
comment on column client_secrets.digest is 'Hash of the salt and the secret, by algorithm.';
comment on column client_secrets.ends_at is 'When it expires; null: it is valid until an operator ends it.';
comment on column client_secrets.algorithm is 'scrypt (N 16384, r 8, p 1); sha256: for demo secrets, which need no slow hash.';
comment on column client_secrets.tag is 'First bytes of a fast hash of the salt and the secret: most wrong secrets are refused without the slow hash. Null: the secret was not made by us and may have too little entropy for that, or is older than this column.';

create table clients (
  client_id text not null,
  role text not null,
  institution_id text,
  clearing_system_id text,
  demo boolean not null,
  ended_at timestamp with time zone,
  constraint clients_pkey PRIMARY KEY (client_id),
  constraint clients_check CHECK (((role = ANY (ARRAY['psp'::text, 'fxp'::text])) = (institution_id IS NOT NULL))),
  constraint clients_check1 CHECK (((role = 'ipso'::text) = (clearing_system_id IS NOT NULL))),
  constraint clients_role_check CHECK ((role = ANY (ARRAY['psp'::text, 'fxp'::text, 'ipso'::text, 'operator'::text])))
);
comment on table clients is 'OAuth 2.0 clients of the built-in issuer (SEC-1).';
comment on column clients.client_id is 'client_id.';
comment on column clients.role is 'psp, fxp, ipso or operator.';
comment on column clients.institution_id is 'Institution that a psp or fxp client speaks for.';
comment on column clients.clearing_system_id is 'Payment system that an ipso client speaks for.';
comment on column clients.demo is 'Whether its secret is publicly known; only the demo (AUTH=builtin with DEMO=1) starts with such a client.';
comment on column clients.ended_at is 'When it ended: only what refers to it already still uses it; null: in use.';

create table countries (
  country_code text not null,
  country_id integer not null,
  name text not null,
  required_pacs008_elements text[] not null,
  ended_at timestamp with time zone,
  constraint countries_pkey PRIMARY KEY (country_code),
  constraint countries_country_id_key UNIQUE (country_id),
  constraint countries_country_code_check CHECK ((country_code ~ '^[A-Z]{2}$'::text)),
  constraint countries_country_id_check CHECK (((country_id >= 1) AND (country_id <= 999)))
);
comment on table countries is 'Countries whose payment systems are linked (endpoints 1 and 2).';
comment on column countries.country_code is 'ISO 3166 alpha-2 code.';
comment on column countries.country_id is 'ISO 3166 numeric code.';
comment on column countries.name is 'English short name.';
comment on column countries.required_pacs008_elements is 'Elements that a pacs.008 to this country must contain: purposeCode, categoryPurposeCode.';
comment on column countries.ended_at is 'When it ended: only what refers to it already still uses it; null: in use.';

create table country_clearing_systems (
  country_code text not null,
  clearing_system_id text not null,
  constraint country_clearing_systems_pkey PRIMARY KEY (country_code, clearing_system_id)
);
comment on table country_clearing_systems is 'Which payment systems serve which country; one system may serve several.';
comment on column country_clearing_systems.country_code is 'The country.';
comment on column country_clearing_systems.clearing_system_id is 'The payment system.';

create table creditor_agent_fee_formulas (
  country_code text not null,
  currency_code text not null,
  nominal_fee_amount numeric not null,
  percentage_fee numeric not null,
  constraint creditor_agent_fee_formulas_pkey PRIMARY KEY (country_code, currency_code),
  constraint creditor_agent_fee_formulas_nominal_fee_amount_check CHECK ((nominal_fee_amount >= (0)::numeric)),
  constraint creditor_agent_fee_formulas_percentage_fee_check CHECK (((percentage_fee >= (0)::numeric) AND (percentage_fee < (100)::numeric)))
);
comment on table creditor_agent_fee_formulas is 'Creditor agent fee per destination country and currency (FEE-2).';
comment on column creditor_agent_fee_formulas.country_code is 'Destination country.';
comment on column creditor_agent_fee_formulas.currency_code is 'Destination currency.';
comment on column creditor_agent_fee_formulas.nominal_fee_amount is 'Fixed part, destination currency, scale kept as given.';
comment on column creditor_agent_fee_formulas.percentage_fee is 'Percent of the destination interbank settlement amount (0.1 is 0.1 %).';

create table currencies (
  currency_code text not null,
  currency_id integer not null,
  name text not null,
  symbol text not null,
  decimal_places smallint not null,
  ended_at timestamp with time zone,
  constraint currencies_pkey PRIMARY KEY (currency_code),
  constraint currencies_currency_id_key UNIQUE (currency_id),
  constraint currencies_currency_code_check CHECK ((currency_code ~ '^[A-Z]{3}$'::text)),
  constraint currencies_currency_id_check CHECK (((currency_id >= 1) AND (currency_id <= 999))),
  constraint currencies_decimal_places_check CHECK (((decimal_places >= 0) AND (decimal_places <= 5)))
);
comment on table currencies is 'Currencies of the linked payment systems (endpoints 4 and 5).';
comment on column currencies.currency_code is 'ISO 4217 alphabetic code.';
comment on column currencies.currency_id is 'ISO 4217 numeric code.';
comment on column currencies.name is 'English name.';
comment on column currencies.symbol is 'Symbol for display.';
comment on column currencies.decimal_places is 'Decimals of an amount: scheme data, not ISO 4217 data.';
comment on column currencies.ended_at is 'When it ended: only what refers to it already still uses it; null: in use.';

create table data_keys (
  key_id text not null,
  month date not null,
  wrapped bytea not null,
  wrapped_by text not null,
  made_at timestamp with time zone not null default clock_timestamp(),
  constraint data_keys_pkey PRIMARY KEY (key_id)
);
CREATE INDEX data_keys_month ON public.data_keys USING btree (month);
comment on table data_keys is 'Keys that seal message bodies and excerpts (SEC-3), one for each month. A key is deleted once no message body is sealed by it.';
comment on column data_keys.key_id is 'Random id.';
comment on column data_keys.month is 'First day of the month (UTC) in which it seals.';
comment on column data_keys.wrapped is 'The key, encrypted with AES-256-GCM by the key in wrapped_by.';
comment on column data_keys.wrapped_by is 'Id of the key of SEALING_KEYS that wraps it.';
comment on column data_keys.made_at is 'When it was made.';

create table decisions (
  uetr uuid not null,
  status text not null,
  reason_code text,
  rule_id text,
  decided_by text not null,
  report_message_id uuid,
  callback_message_id uuid,
  confirmation_message_id uuid,
  notification_message_id uuid,
  decided_at timestamp with time zone not null default now(),
  outcome_id uuid,
  perhaps_seen boolean not null,
  begun_at timestamp with time zone not null,
  constraint decisions_check CHECK (((decided_by = 'destination'::text) = (report_message_id IS NOT NULL))),
  constraint decisions_check1 CHECK (((decided_by = 'operator'::text) = (outcome_id IS NOT NULL))),
  constraint decisions_decided_by_check CHECK ((decided_by = ANY (ARRAY['destination'::text, 'gateway'::text, 'operator'::text]))),
  constraint decisions_status_check CHECK ((status = ANY (ARRAY['ACCC'::text, 'RJCT'::text, 'BLCK'::text])))
) partition by RANGE (begun_at);
CREATE INDEX decisions_decided_at ON ONLY public.decisions USING btree (decided_at, uetr);
comment on table decisions is 'The final status of each payment: one row, written once, never changed (PAY-7, PAY-10).';
comment on column decisions.uetr is 'The payment.';
comment on column decisions.status is 'ACCC, RJCT or BLCK.';
comment on column decisions.reason_code is 'Status reason code of RJCT, or of the destination''s report.';
comment on column decisions.rule_id is 'Rule by which the gateway rejected it, or null.';
comment on column decisions.decided_by is 'destination: its final pacs.002; gateway: its own rejection; operator: two operators.';
comment on column decisions.report_message_id is 'The destination''s pacs.002 that decided.';
comment on column decisions.callback_message_id is 'pacs.002 to the source.';
comment on column decisions.confirmation_message_id is 'pacs.002 to the destination.';
comment on column decisions.notification_message_id is 'fxtr.017 to the FX provider.';
comment on column decisions.decided_at is 'When it was decided, database clock.';
comment on column decisions.outcome_id is 'The recorded outcome; null unless operators decided.';
comment on column decisions.perhaps_seen is 'Whether the destination may have seen the payment, as known at the decision. If so, the payment is in the book of the destination too, even if rejected.';
comment on column decisions.begun_at is 'When the payment was judged. Partition key.';

create table decisions_default partition of decisions DEFAULT;
alter table decisions_default add constraint decisions_default_pkey PRIMARY KEY (uetr);

create table deliveries (
  delivery_id uuid not null,
  subject_id uuid not null,
  kind text not null,
  message_id uuid not null,
  party text not null,
  url text,
  asked_at timestamp with time zone not null default now(),
  next_due_at timestamp with time zone not null default now(),
  attempts integer not null default 0,
  attempts_since_asked integer not null default 0,
  possibly_sent integer not null default 0,
  delivered_at timestamp with time zone,
  closed_at timestamp with time zone,
  closed_reason text,
  final_report_id uuid,
  asks integer not null default 1,
  round text,
  claim uuid,
  enquiry_asked_at timestamp with time zone,
  enquiry_owed_since timestamp with time zone,
  begun_at timestamp with time zone not null,
  constraint deliveries_kind_check CHECK ((kind = ANY (ARRAY['instruction'::text, 'callback'::text, 'confirmation'::text, 'notification'::text, 'directory-enquiry'::text, 'account-enquiry'::text, 'book'::text]))),
  constraint deliveries_one_end CHECK (((kind <> ALL (ARRAY['callback'::text, 'confirmation'::text, 'notification'::text, 'book'::text])) OR (delivered_at IS NULL) OR (closed_at IS NULL))),
  constraint deliveries_possibly_sent_check CHECK ((possibly_sent >= 0))
) partition by RANGE (begun_at);
CREATE INDEX deliveries_closed ON ONLY public.deliveries USING btree (closed_at) WHERE ((closed_at IS NOT NULL) AND (delivered_at IS NULL));
CREATE INDEX deliveries_dead ON ONLY public.deliveries USING btree (closed_at) WHERE ((kind = ANY (ARRAY['callback'::text, 'confirmation'::text, 'notification'::text, 'book'::text])) AND (delivered_at IS NULL) AND (closed_at IS NOT NULL));
CREATE INDEX deliveries_open ON ONLY public.deliveries USING btree (asked_at) WHERE ((kind = ANY (ARRAY['callback'::text, 'confirmation'::text, 'notification'::text, 'book'::text])) AND (delivered_at IS NULL) AND (closed_at IS NULL));
CREATE INDEX deliveries_undecided ON ONLY public.deliveries USING btree (asked_at) WHERE ((kind = 'instruction'::text) AND (closed_at IS NULL));
comment on table deliveries is 'Messages to deliver to another party, at least once, with the same bytes (CBK-1). One row per payment or resolution and kind. Attempts and decisions both update the row, so each sees the other.';
comment on column deliveries.delivery_id is 'Our id.';
comment on column deliveries.subject_id is 'Subject of its message: the UETR of a payment, or the id of a resolution or of a page of a book.';
comment on column deliveries.kind is 'instruction: pacs.008 to the destination; callback: final pacs.002, or acmt.024, to the source; confirmation: pacs.002 to the destination; notification: fxtr.017; directory-enquiry, account-enquiry: acmt.023 to a proxy directory, to a creditor agent; book: a page of a camt.054.';
comment on column deliveries.message_id is 'The message that is delivered.';
comment on column deliveries.party is 'The receiver: a payment system, an FX provider, or the owner of an account.';
comment on column deliveries.url is 'Address of a callback; null for other kinds, which use the address that is registered at the time of each attempt.';
comment on column deliveries.asked_at is 'When it was last requested; a redelivery sets it again.';
comment on column deliveries.next_due_at is 'When the next attempt is due; during an attempt, when that attempt counts as lost.';
comment on column deliveries.attempts is 'Number of attempts made; the last one may be under way.';
comment on column deliveries.attempts_since_asked is 'Position in the schedule: of CBK-1, or of the current round of an instruction.';
comment on column deliveries.possibly_sent is 'Attempts that are under way, or that ended other than NOT_SENT.';
comment on column deliveries.delivered_at is 'When the receiver acknowledged it, since it was last requested; null: not acknowledged.';
comment on column deliveries.closed_at is 'When attempts ended: given up, decided (instructions) or answered (enquiries).';
comment on column deliveries.closed_reason is 'decided, answered, gone (410), expired (72 h).';
comment on column deliveries.final_report_id is 'Instruction only: the first final pacs.002 of the destination that was stored. From then on it decides.';
comment on column deliveries.asks is 'How often it was requested. An attempt of an earlier request does not change the schedule of a later one.';
comment on column deliveries.round is 'Instruction only: the send to which attempts_since_asked belongs, with its retries.';
comment on column deliveries.claim is 'Id of the last claim, known only to the claimant, which may repeat the claim until it has sent something.';
comment on column deliveries.enquiry_asked_at is 'Instruction only: when the source last asked for the status; questions within 5 s of it join it.';
comment on column deliveries.enquiry_owed_since is 'Instruction only: the first of the status questions of the source that no send had followed when the last question came.';
comment on column deliveries.begun_at is 'When its payment was judged, or its resolution or book page began. Partition key.';

create table deliveries_default partition of deliveries DEFAULT;
alter table deliveries_default add constraint deliveries_default_pkey PRIMARY KEY (delivery_id);
alter table deliveries_default add constraint deliveries_default_subject_id_kind_key UNIQUE (subject_id, kind);

create table delivery_attempts (
  delivery_id uuid not null,
  attempt integer not null,
  started_at timestamp with time zone not null default clock_timestamp(),
  finished_at timestamp with time zone,
  outcome text,
  http_status smallint,
  duration_ms integer,
  error_class text,
  response_excerpt text,
  url text,
  begun_at timestamp with time zone not null,
  excerpt_key_id text,
  constraint delivery_attempts_attempt_check CHECK ((attempt > 0)),
  constraint delivery_attempts_outcome_check CHECK ((outcome = ANY (ARRAY['NOT_SENT'::text, 'MAYBE_SENT'::text, 'ANSWERED'::text])))
) partition by RANGE (begun_at);
CREATE INDEX delivery_attempts_started_at ON ONLY public.delivery_attempts USING brin (started_at);
comment on table delivery_attempts is 'Every attempt. Its row is committed before the socket opens (TIM-3, CBK-4). A row without outcome counts as MAYBE_SENT.';
comment on column delivery_attempts.delivery_id is 'The delivery.';
comment on column delivery_attempts.attempt is 'From 1.';
comment on column delivery_attempts.started_at is 'Before the socket opened.';
comment on column delivery_attempts.finished_at is 'When the answer or the failure was recorded.';
comment on column delivery_attempts.outcome is 'NOT_SENT, MAYBE_SENT or ANSWERED.';
comment on column delivery_attempts.http_status is 'Status of the answer.';
comment on column delivery_attempts.duration_ms is 'Milliseconds from start to answer or failure.';
comment on column delivery_attempts.error_class is 'refused, timeout, reset and so on; null when answered.';
comment on column delivery_attempts.response_excerpt is 'At most 1 KiB of an answer other than 2xx.';
comment on column delivery_attempts.url is 'Address that it was sent to.';
comment on column delivery_attempts.begun_at is 'When its payment was judged, or its resolution or book page began. Partition key.';
comment on column delivery_attempts.excerpt_key_id is 'Data key that seals the excerpt, which is then base64; null: it is not sealed.';

create table delivery_attempts_default partition of delivery_attempts DEFAULT;
alter table delivery_attempts_default add constraint delivery_attempts_default_pkey PRIMARY KEY (delivery_id, attempt);

create table delivery_key_secrets (
  key_id text not null,
  private_key text not null,
  wrapped_by text,
  constraint delivery_key_secrets_pkey PRIMARY KEY (key_id)
);
comment on table delivery_key_secrets is 'Private parts of delivery_keys. Only workers may read them.';
comment on column delivery_key_secrets.key_id is 'The key.';
comment on column delivery_key_secrets.private_key is 'In base64url: the 32 bytes as in d of a JWK (RFC 8037), wrapped if wrapped_by is set.';
comment on column delivery_key_secrets.wrapped_by is 'Id of the key of SEALING_KEYS that wraps it; null: it is not wrapped.';

create table delivery_keys (
  key_id text not null,
  public_key text not null,
  signs_from timestamp with time zone not null default clock_timestamp(),
  signs_until timestamp with time zone,
  withdrawn_at timestamp with time zone,
  made_by text not null,
  because text not null,
  vouched text,
  vouched_by text,
  constraint delivery_keys_pkey PRIMARY KEY (key_id),
  constraint delivery_keys_public_key_key UNIQUE (public_key),
  constraint delivery_keys_check CHECK (((withdrawn_at IS NULL) OR (signs_until <= withdrawn_at))),
  constraint delivery_keys_check1 CHECK (((vouched IS NULL) = (vouched_by IS NULL)))
);
comment on table delivery_keys is 'Public Ed25519 keys that sign our messages. All keys that are in force sign each attempt (CBK-2).';
comment on column delivery_keys.key_id is 'Thumbprint of the public key (RFC 7638).';
comment on column delivery_keys.public_key is '32 bytes, base64url, as in x of a JWK (RFC 8037).';
comment on column delivery_keys.signs_from is 'When it began to sign.';
comment on column delivery_keys.signs_until is 'When it stops signing; null: when another key follows.';
comment on column delivery_keys.withdrawn_at is 'When it was withdrawn, as after a leak: it is no longer published.';
comment on column delivery_keys.made_by is 'Client id of an operator, or isthmus.';
comment on column delivery_keys.because is 'Why it was made.';
comment on column delivery_keys.vouched is 'The public key encrypted by a key of SEALING_KEYS, as proof that a holder of those made it; null: no proof.';
comment on column delivery_keys.vouched_by is 'Id of that key of SEALING_KEYS.';

create table endpoint_probes (
  change_id uuid not null,
  url text not null,
  asked_at timestamp with time zone not null default clock_timestamp(),
  claimed_at timestamp with time zone,
  finished_at timestamp with time zone,
  outcome text,
  says text,
  constraint endpoint_probes_pkey PRIMARY KEY (change_id, url),
  constraint endpoint_probes_check CHECK ((num_nonnulls(finished_at, outcome, says) = ANY (ARRAY[0, 3]))),
  constraint endpoint_probes_outcome_check CHECK ((outcome = ANY (ARRAY['answered'::text, 'failed'::text])))
);
CREATE INDEX endpoint_probes_open ON public.endpoint_probes USING btree (asked_at) WHERE (finished_at IS NULL);
comment on table endpoint_probes is 'Trial messages to endpoints that a change adds, sent by a worker before the change is approved (ADM-1).';
comment on column endpoint_probes.change_id is 'The change.';
comment on column endpoint_probes.url is 'Full address of the endpoint.';
comment on column endpoint_probes.asked_at is 'When the change was proposed.';
comment on column endpoint_probes.claimed_at is 'When a worker last claimed it.';
comment on column endpoint_probes.finished_at is 'When the outcome was known.';
comment on column endpoint_probes.outcome is 'answered: the endpoint responds; failed: nobody responds, or the server is out of order.';
comment on column endpoint_probes.says is 'HTTP status, or why it failed.';

create table endpoint_trials (
  party_id text not null,
  url text not null,
  asked_at timestamp with time zone not null default clock_timestamp(),
  claimed_at timestamp with time zone,
  finished_at timestamp with time zone,
  outcome text,
  says text,
  constraint endpoint_trials_pkey PRIMARY KEY (party_id, url),
  constraint endpoint_trials_check CHECK ((num_nonnulls(finished_at, outcome, says) = ANY (ARRAY[0, 3]))),
  constraint endpoint_trials_outcome_check CHECK ((outcome = ANY (ARRAY['answered'::text, 'failed'::text])))
);
CREATE INDEX endpoint_trials_open ON public.endpoint_trials USING btree (asked_at) WHERE (finished_at IS NULL);
comment on table endpoint_trials is 'The last trial message to each address of a party that asked for one. A worker sends it.';
comment on column endpoint_trials.party_id is 'The payment system; or the internalId of the FX provider.';
comment on column endpoint_trials.url is 'Full address of the endpoint.';
comment on column endpoint_trials.asked_at is 'When the party asked for it.';
comment on column endpoint_trials.claimed_at is 'When a worker last claimed it.';
comment on column endpoint_trials.finished_at is 'When the outcome was known.';
comment on column endpoint_trials.outcome is 'answered: the endpoint responds; failed: nobody responds, or the server is out of order.';
comment on column endpoint_trials.says is 'HTTP status, or why it failed.';

create table former_account_owners (
  former_account_owner_id bigint not null generated always as identity,
  sap_id text not null,
  account_id text not null,
  owner_id text not null,
  owned_until timestamp with time zone not null,
  currency_code text not null,
  registered_at timestamp with time zone not null,
  constraint former_account_owners_pkey PRIMARY KEY (former_account_owner_id)
);
CREATE INDEX former_account_owners_account ON public.former_account_owners USING btree (sap_id, account_id);
comment on table former_account_owners is 'Former owners of accounts at settlement access providers: only they may see the books of those days (REC-1). Filled by a trigger.';
comment on column former_account_owners.former_account_owner_id is 'Our id; ascending in the order of the changes.';
comment on column former_account_owners.sap_id is 'The SAP that holds the account.';
comment on column former_account_owners.account_id is 'Account id at the SAP.';
comment on column former_account_owners.owner_id is 'The former owner.';
comment on column former_account_owners.owned_until is 'End (UTC) of the day on which the owner gave up the account: the book of a day has one owner.';
comment on column former_account_owners.currency_code is 'Currency of the account.';
comment on column former_account_owners.registered_at is 'When the account was registered; its first book is that of the day before.';

create table former_book_endpoints (
  party_id text not null,
  registered_at timestamp with time zone not null,
  removed_at timestamp with time zone not null,
  constraint former_book_endpoints_pkey PRIMARY KEY (party_id)
);
comment on table former_book_endpoints is 'Removed book addresses. If an address is entered again within a day, its books continue without a gap (REC-2). Filled by a trigger.';
comment on column former_book_endpoints.party_id is 'The payment system or institution.';
comment on column former_book_endpoints.registered_at is 'When the address was first registered.';
comment on column former_book_endpoints.removed_at is 'When it was last removed.';

create table fxp_corridors (
  fxp_id text not null,
  source_country text not null,
  source_currency text not null,
  destination_country text not null,
  destination_currency text not null,
  constraint fxp_corridors_pkey PRIMARY KEY (fxp_id, source_country, source_currency, destination_country, destination_currency)
);
comment on table fxp_corridors is 'Corridors that an FX provider is set up to rate (FX-3).';
comment on column fxp_corridors.fxp_id is 'The FX provider.';
comment on column fxp_corridors.source_country is 'Source country.';
comment on column fxp_corridors.source_currency is 'Source currency.';
comment on column fxp_corridors.destination_country is 'Destination country.';
comment on column fxp_corridors.destination_currency is 'Destination currency.';

create table fxp_endpoints (
  fxp_id text not null,
  notification_url text not null,
  constraint fxp_endpoints_pkey PRIMARY KEY (fxp_id)
);
comment on table fxp_endpoints is 'The address to which the fxtr.017 of an FX provider are sent (NOT-1).';
comment on column fxp_endpoints.fxp_id is 'The FX provider.';
comment on column fxp_endpoints.notification_url is 'Full address.';

create table fxp_settlement_access (
  fxp_id text not null,
  country_code text not null,
  sap_id text not null,
  validated boolean not null,
  constraint fxp_settlement_access_pkey PRIMARY KEY (fxp_id, country_code)
);
comment on table fxp_settlement_access is 'The SAP that an FX provider nominated per country (FX-3).';
comment on column fxp_settlement_access.fxp_id is 'The FX provider.';
comment on column fxp_settlement_access.country_code is 'The country.';
comment on column fxp_settlement_access.sap_id is 'The nominated SAP.';
comment on column fxp_settlement_access.validated is 'Whether the scheme validated the nomination.';

create table idempotency_keys (
  client_id text not null,
  idempotency_key text not null,
  request_sha256 bytea not null,
  response_status smallint,
  response_body text,
  created_at timestamp with time zone not null default now(),
  constraint idempotency_keys_pkey PRIMARY KEY (client_id, idempotency_key)
);
CREATE INDEX idempotency_keys_created ON public.idempotency_keys USING btree (created_at);
comment on table idempotency_keys is 'Answers to POST requests with an Idempotency-Key, kept 24 hours (FX-10).';
comment on column idempotency_keys.client_id is 'Client id.';
comment on column idempotency_keys.idempotency_key is 'The header''s value.';
comment on column idempotency_keys.request_sha256 is 'SHA-256 of method, path and body.';
comment on column idempotency_keys.response_status is 'HTTP status of the answer; null while the first request runs.';
comment on column idempotency_keys.response_body is 'JSON text of the answer; null while the first request runs.';
comment on column idempotency_keys.created_at is 'When the first request came.';

create table institution_identifiers (
  identifier_type text not null,
  lookup_value text not null,
  value text not null,
  "position" smallint not null,
  institution_id text not null,
  constraint institution_identifiers_pkey PRIMARY KEY (identifier_type, lookup_value),
  constraint institution_identifiers_identifier_type_check CHECK ((identifier_type = ANY (ARRAY['BICFI'::text, 'LEI'::text, 'otherId'::text])))
);
CREATE INDEX institution_identifiers_institution ON public.institution_identifiers USING btree (institution_id);
comment on table institution_identifiers is 'BICs, LEIs and other ids of institutions.';
comment on column institution_identifiers.identifier_type is 'BICFI, LEI or otherId.';
comment on column institution_identifiers.lookup_value is 'The value in the form used for lookups: a BIC11 ending in XXX as its BIC8.';
comment on column institution_identifiers.value is 'The value as given.';
comment on column institution_identifiers."position" is 'Order among the same type, from 1; the first BICFI is the one we write.';
comment on column institution_identifiers.institution_id is 'The institution.';

create table institution_memberships (
  institution_id text not null,
  clearing_system_id text not null,
  member_id text not null,
  constraint institution_memberships_pkey PRIMARY KEY (institution_id, clearing_system_id),
  constraint institution_memberships_clearing_system_id_member_id_key UNIQUE (clearing_system_id, member_id)
);
comment on table institution_memberships is 'Which institution is a member of which payment system.';
comment on column institution_memberships.institution_id is 'The institution.';
comment on column institution_memberships.clearing_system_id is 'The payment system.';
comment on column institution_memberships.member_id is 'Its member id there (ClrSysMmbId/MmbId).';

create table institution_roles (
  institution_id text not null,
  role text not null,
  constraint institution_roles_pkey PRIMARY KEY (institution_id, role),
  constraint institution_roles_role_check CHECK ((role = ANY (ARRAY['psp'::text, 'fxp'::text, 'sap'::text])))
);
comment on table institution_roles is 'Roles of institutions.';
comment on column institution_roles.institution_id is 'The institution.';
comment on column institution_roles.role is 'psp, fxp or sap.';

create table institutions (
  institution_id text not null,
  name text not null,
  country_code text not null,
  onboarded boolean not null,
  supports_acmt023 boolean not null,
  ended_at timestamp with time zone,
  constraint institutions_pkey PRIMARY KEY (institution_id)
);
comment on table institutions is 'Financial institutions: PSPs, FXPs and SAPs.';
comment on column institutions.institution_id is 'internalId, the service''s own id.';
comment on column institutions.name is 'Name.';
comment on column institutions.country_code is 'Country of establishment.';
comment on column institutions.onboarded is 'Whether it can take part in payments; others are listed only.';
comment on column institutions.supports_acmt023 is 'Whether it answers account resolution requests.';
comment on column institutions.ended_at is 'When it ended: only what refers to it already still uses it; null: in use.';

create table issuer_keys (
  key_id text not null,
  private_jwk jsonb not null,
  created_at timestamp with time zone not null default now(),
  retired_at timestamp with time zone,
  wrapped_by text,
  withdrawn_at timestamp with time zone,
  made_by text not null default 'isthmus'::text,
  because text not null default 'on schedule'::text,
  constraint issuer_keys_pkey PRIMARY KEY (key_id)
);
CREATE UNIQUE INDEX issuer_keys_active ON public.issuer_keys USING btree ((true)) WHERE (retired_at IS NULL);
comment on table issuer_keys is 'Signing keys of the built-in issuer (SEC-1); at most one signs. Empty if an external issuer is used.';
comment on column issuer_keys.key_id is 'kid: the RFC 7638 thumbprint of the public key.';
comment on column issuer_keys.private_jwk is 'JWK (RFC 7517) with its private part; or, if wrapped, a JSON string in base64url.';
comment on column issuer_keys.created_at is 'When it was made.';
comment on column issuer_keys.retired_at is 'When it stopped signing, or null; tokens that it signed stay valid until they expire.';
comment on column issuer_keys.wrapped_by is 'Id of the key of SEALING_KEYS that wraps it; null: it is not wrapped.';
comment on column issuer_keys.withdrawn_at is 'When all tokens that it signed became invalid; null: they are valid until they expire.';
comment on column issuer_keys.made_by is 'Client id of an operator, or isthmus.';
comment on column issuer_keys.because is 'Why it was made, in words.';

create table leases (
  name text not null,
  holder text not null,
  held_until timestamp with time zone not null,
  constraint leases_pkey PRIMARY KEY (name)
);
comment on table leases is 'Work that one process at a time does, such as the sweep (LIF-2).';
comment on column leases.name is 'Name of the work.';
comment on column leases.holder is 'Process that holds the lease.';
comment on column leases.held_until is 'When the lease expires, and another process may take it.';

create table logged_alerts (
  audit_event_id bigint not null,
  constraint logged_alerts_pkey PRIMARY KEY (audit_event_id)
);
comment on table logged_alerts is 'Alerts and security events that a process has written to the log (OBS-1).';
comment on column logged_alerts.audit_event_id is 'The alert.';

create table message_bodies (
  message_id uuid not null,
  created_at timestamp with time zone not null,
  body bytea not null,
  key_id text
) partition by RANGE (created_at);
comment on table message_bodies is 'The bytes of each message, kept for a shorter time than its record (LIF-6). Insert-only; partitioned by month.';
comment on column message_bodies.message_id is 'The message, or refused message.';
comment on column message_bodies.created_at is 'Same as in messages.';
comment on column message_bodies.body is 'The bytes.';
comment on column message_bodies.key_id is 'Data key that seals the bytes; null: they are not sealed.';

create table message_bodies_default partition of message_bodies DEFAULT;
alter table message_bodies_default add constraint message_bodies_default_pkey PRIMARY KEY (message_id);

create table message_identifications (
  source_clearing_system text not null,
  message_identification text not null,
  uetr uuid not null,
  claimed_at timestamp with time zone not null,
  constraint message_identifications_pkey PRIMARY KEY (source_clearing_system, message_identification)
);
comment on table message_identifications is 'MsgId of submitted payments, unique per sender within 62 days (DUP-2).';
comment on column message_identifications.source_clearing_system is 'The submitting payment system.';
comment on column message_identifications.message_identification is 'MsgId.';
comment on column message_identifications.uetr is 'The payment that has it.';
comment on column message_identifications.claimed_at is 'When the payment took it.';

create table message_keys (
  party text not null,
  message_type text not null,
  sha256 bytea not null,
  message_id uuid not null,
  created_at timestamp with time zone not null,
  constraint message_keys_pkey PRIMARY KEY (party, message_type, sha256)
);
comment on table message_keys is 'Recognises a repeated message (DUP-1): one row per party and content, across all partitions of messages. Deleted together with the message.';
comment on column message_keys.party is 'The sender.';
comment on column message_keys.message_type is 'Same as in messages.';
comment on column message_keys.sha256 is 'SHA-256 of its bytes.';
comment on column message_keys.message_id is 'The message.';
comment on column message_keys.created_at is 'Same as in messages.';

create table messages (
  message_id uuid not null,
  subject_id uuid,
  message_type text not null,
  message_identification text not null,
  direction text not null,
  leg text not null,
  party text not null,
  status text,
  reason_code text,
  answer_url text,
  in_reply_to uuid,
  refusal text,
  sha256 bytea not null,
  size integer not null,
  created_at timestamp with time zone not null default now(),
  constraint messages_direction_check CHECK ((direction = ANY (ARRAY['in'::text, 'out'::text]))),
  constraint messages_leg_check CHECK ((leg = ANY (ARRAY['source'::text, 'destination'::text, 'fxp'::text, 'book'::text]))),
  constraint messages_message_type_check CHECK ((message_type = ANY (ARRAY['pacs008'::text, 'pacs002'::text, 'pacs028'::text, 'acmt023'::text, 'acmt024'::text, 'fxtr017'::text, 'camt054'::text])))
) partition by RANGE (created_at);
CREATE INDEX messages_finals ON ONLY public.messages USING btree (created_at) WHERE ((direction = 'in'::text) AND (leg = 'destination'::text) AND (message_type = 'pacs002'::text) AND (status = ANY (ARRAY['ACCC'::text, 'RJCT'::text, 'BLCK'::text])));
CREATE INDEX messages_in_reply_to ON ONLY public.messages USING btree (in_reply_to) WHERE (in_reply_to IS NOT NULL);
CREATE INDEX messages_message_identification ON ONLY public.messages USING btree (message_identification);
CREATE INDEX messages_subject_id ON ONLY public.messages USING btree (subject_id);
CREATE INDEX messages_submitted ON ONLY public.messages USING btree (created_at) WHERE ((direction = 'in'::text) AND (leg = 'source'::text));
comment on table messages is 'Every ISO 20022 message received or sent; its bytes are in message_bodies. Insert-only; partitioned by year (LIF-6).';
comment on column messages.message_id is 'Our id.';
comment on column messages.subject_id is 'Subject: the UETR of a payment, or the id of a resolution or of a page of a book.';
comment on column messages.message_type is 'pacs008, pacs002, pacs028, acmt023, acmt024, fxtr017 or camt054.';
comment on column messages.message_identification is 'MsgId of the message.';
comment on column messages.direction is 'in: received; out: built by us.';
comment on column messages.leg is 'The side that we exchanged it with: source, destination or fxp; book: the receiver of a daily book.';
comment on column messages.party is 'Payment system or FX provider on the other end.';
comment on column messages.status is 'Transaction status of a pacs.002; true or false of an acmt.024.';
comment on column messages.reason_code is 'Status reason of a pacs.002, verification reason of an acmt.024, if any.';
comment on column messages.answer_url is 'Address that a submission named for its answer (pacs002Endpoint, acmt024Endpoint).';
comment on column messages.in_reply_to is 'The message that this one answers.';
comment on column messages.refusal is 'If it is our answer and refuses: rule, place and full public text.';
comment on column messages.sha256 is 'SHA-256 of its bytes.';
comment on column messages.size is 'Number of its bytes.';
comment on column messages.created_at is 'When it was stored.';

create table messages_default partition of messages DEFAULT;
alter table messages_default add constraint messages_default_pkey PRIMARY KEY (message_id);

create table operator_callback_origins (
  operator_id text not null,
  origin text not null,
  constraint operator_callback_origins_pkey PRIMARY KEY (operator_id, origin)
);
comment on table operator_callback_origins is 'Origins (scheme, host, port, path prefix) at which an operator may ask for callbacks (SEC-2).';
comment on column operator_callback_origins.operator_id is 'The operator that registered it.';
comment on column operator_callback_origins.origin is 'https://host[:port][/path]; port * means any port.';

create table operators (
  operator_id text not null,
  name text not null,
  endpoint_url text not null,
  ended_at timestamp with time zone,
  signs_messages boolean not null default false,
  constraint operators_pkey PRIMARY KEY (operator_id)
);
comment on table operators is 'Instant payment system operators (IPSOs).';
comment on column operators.operator_id is 'Our id of the operator.';
comment on column operators.name is 'Name for people.';
comment on column operators.endpoint_url is 'Base address; /iso20022/pacs008, /iso20022/pacs002 and /iso20022/acmt023 are appended.';
comment on column operators.ended_at is 'When it ended: only what refers to it already still uses it; null: in use.';
comment on column operators.signs_messages is 'Whether its messages need a signature by one of its keys, and ours to it carry one (RFC 9421).';

create table pauses (
  pause_id uuid not null,
  party_id text not null,
  paused_by text not null,
  paused_at timestamp with time zone not null default clock_timestamp(),
  paused_because text not null,
  resumed_by text,
  resumed_at timestamp with time zone,
  resumed_because text,
  constraint pauses_pkey PRIMARY KEY (pause_id),
  constraint pauses_check CHECK ((num_nonnulls(resumed_by, resumed_at, resumed_because) = ANY (ARRAY[0, 3]))),
  constraint pauses_paused_because_check CHECK (((char_length(paused_because) >= 1) AND (char_length(paused_because) <= 2000))),
  constraint pauses_resumed_because_check CHECK (((char_length(resumed_because) >= 1) AND (char_length(resumed_because) <= 2000)))
);
CREATE UNIQUE INDEX pauses_standing ON public.pauses USING btree (party_id) WHERE (resumed_at IS NULL);
comment on table pauses is 'Pauses. While one is in force, a payment system gets no new payments, or the quotes of an FX provider are left out (LIF-5).';
comment on column pauses.pause_id is 'Our id.';
comment on column pauses.party_id is 'The payment system, or the internalId of the FX provider.';
comment on column pauses.paused_by is 'Client id of the operator.';
comment on column pauses.paused_at is 'When it was paused.';
comment on column pauses.paused_because is 'Why it was paused, in the words of the operator.';
comment on column pauses.resumed_by is 'Client id of the operator; null: the pause is in force.';
comment on column pauses.resumed_at is 'When it was resumed.';
comment on column pauses.resumed_because is 'Why it was resumed, in the words of the operator.';

create table payment_keys (
  uetr uuid not null,
  begun_at timestamp with time zone not null,
  constraint payment_keys_pkey PRIMARY KEY (uetr)
);
comment on table payment_keys is 'Every UETR that was judged, once, across all partitions of payments (DUP-3). Deleted together with the payment.';
comment on column payment_keys.uetr is 'The payment.';
comment on column payment_keys.begun_at is 'Same as in payments.';

create table payments (
  uetr uuid not null,
  source_clearing_system text not null,
  message_id uuid not null,
  answer_message_id uuid not null,
  judged_at timestamp with time zone not null,
  accepted boolean not null,
  forwarded_message_id uuid,
  destination_clearing_system text,
  corridor text,
  priority text,
  acceptance_at timestamp with time zone,
  deadline_at timestamp with time zone,
  quote_id uuid,
  fxp_id text,
  exchange_rate numeric,
  source_amount numeric,
  source_currency text,
  destination_amount numeric,
  destination_currency text,
  creditor_agent_fee numeric,
  debtor_agent_id text,
  creditor_agent_id text,
  source_sap_id text,
  source_account_id text,
  destination_sap_id text,
  destination_account_id text,
  source_references jsonb,
  destination_references jsonb,
  begun_at timestamp with time zone not null,
  constraint payments_priority_check CHECK ((priority = ANY (ARRAY['HIGH'::text, 'NORM'::text])))
) partition by RANGE (begun_at);
CREATE INDEX payments_end_to_end_id ON ONLY public.payments USING btree ((((source_references -> 'original'::text) ->> 'endToEndId'::text)));
CREATE INDEX payments_judged ON ONLY public.payments USING btree (judged_at, uetr);
CREATE INDEX payments_of_creditor_agent ON ONLY public.payments USING btree (creditor_agent_id, judged_at, uetr);
CREATE INDEX payments_of_debtor_agent ON ONLY public.payments USING btree (debtor_agent_id, judged_at, uetr);
CREATE INDEX payments_of_destination ON ONLY public.payments USING btree (destination_clearing_system, judged_at, uetr);
CREATE INDEX payments_of_source ON ONLY public.payments USING btree (source_clearing_system, judged_at, uetr);
CREATE INDEX payments_quote_id ON ONLY public.payments USING btree (quote_id) WHERE (quote_id IS NOT NULL);
comment on table payments is 'One row per UETR that was submitted, written once when its first pacs.008 was judged (DUP-3).';
comment on column payments.uetr is 'Unique end-to-end transaction reference.';
comment on column payments.source_clearing_system is 'Payment system that submitted it.';
comment on column payments.message_id is 'The submitted pacs.008.';
comment on column payments.answer_message_id is 'The first answer: pacs.002 ACTC or RJCT.';
comment on column payments.judged_at is 'When the submission was judged, database clock.';
comment on column payments.accepted is 'Whether it passed validation (ACTC); false: RJCT.';
comment on column payments.forwarded_message_id is 'The converted pacs.008 for the destination.';
comment on column payments.destination_clearing_system is 'Destination payment system.';
comment on column payments.corridor is 'Source and destination country, as in SG-TH.';
comment on column payments.priority is 'HIGH or NORM.';
comment on column payments.acceptance_at is 'AccptncDtTm, the scheme''s clock.';
comment on column payments.deadline_at is 'Time by which a HIGH payment must be final; null for NORM.';
comment on column payments.quote_id is 'The quote that it uses; null if the debtor agent does its own FX.';
comment on column payments.fxp_id is 'FX provider of the quote.';
comment on column payments.exchange_rate is 'Destination units per source unit.';
comment on column payments.source_amount is 'Source interbank settlement amount, source currency.';
comment on column payments.source_currency is 'Source currency.';
comment on column payments.destination_amount is 'Destination interbank settlement amount, destination currency.';
comment on column payments.destination_currency is 'Destination currency.';
comment on column payments.creditor_agent_fee is 'Creditor agent fee, destination currency.';
comment on column payments.debtor_agent_id is 'Debtor agent. For a rejected payment: the one that the message names, if it is a member of the submitting system; otherwise null.';
comment on column payments.creditor_agent_id is 'Creditor agent.';
comment on column payments.source_sap_id is 'Source-side SAP (intermediary agent 1); null without a quote.';
comment on column payments.source_account_id is 'The FX provider''s account at that SAP.';
comment on column payments.destination_sap_id is 'Destination-side SAP (intermediary agent 2).';
comment on column payments.destination_account_id is 'The account at that SAP: of the FX provider, or of the debtor agent.';
comment on column payments.source_references is 'Ids and agents of the submitted pacs.008, which a pacs.002 to the source repeats.';
comment on column payments.destination_references is 'Ids and agents of the forwarded pacs.008, which a confirmation repeats.';
comment on column payments.begun_at is 'When the payment was judged. Partition key.';

create table payments_default partition of payments DEFAULT;
alter table payments_default add constraint payments_default_pkey PRIMARY KEY (uetr);

create table portal_sessions (
  session_hash text not null,
  client_id text not null,
  content text not null,
  seen_at timestamp with time zone not null default clock_timestamp(),
  ends_at timestamp with time zone not null,
  constraint portal_sessions_pkey PRIMARY KEY (session_hash)
);
CREATE INDEX portal_sessions_ends_at ON public.portal_sessions USING btree (ends_at);
comment on table portal_sessions is 'Who is signed in to the portal.';
comment on column portal_sessions.session_hash is 'SHA-256 of the session id, which only the browser has; base64url.';
comment on column portal_sessions.client_id is 'The client that signed in.';
comment on column portal_sessions.content is 'A JWE with the claims or the access token; its key is made from the session id.';
comment on column portal_sessions.seen_at is 'When the last page was opened.';
comment on column portal_sessions.ends_at is 'When it ends, whatever happens.';

create table psp_improvements (
  psp_improvement_id bigint not null generated always as identity,
  fxp_id text not null,
  psp_id text not null,
  improvement_basis_points numeric not null,
  updated_at timestamp with time zone not null default now(),
  constraint psp_improvements_pkey PRIMARY KEY (psp_improvement_id),
  constraint psp_improvements_fxp_id_psp_id_key UNIQUE (fxp_id, psp_id),
  constraint psp_improvements_improvement_basis_points_check CHECK (((improvement_basis_points >= (0)::numeric) AND (improvement_basis_points <= (10000)::numeric)))
);
comment on table psp_improvements is 'Improvements of an FX provider for a PSP, in every corridor (FX-7).';
comment on column psp_improvements.psp_improvement_id is 'Our id.';
comment on column psp_improvements.fxp_id is 'The FX provider.';
comment on column psp_improvements.psp_id is 'The PSP.';
comment on column psp_improvements.improvement_basis_points is 'Basis points on any rate of that FX provider for that PSP.';
comment on column psp_improvements.updated_at is 'Last registration.';

create table public_keys (
  key_id text not null,
  operator_id text,
  institution_id text,
  public_jwk jsonb not null,
  valid_from timestamp with time zone not null,
  valid_until timestamp with time zone,
  constraint public_keys_pkey PRIMARY KEY (key_id),
  constraint public_keys_check CHECK ((num_nonnulls(operator_id, institution_id) = 1))
);
CREATE INDEX public_keys_institution_id ON public.public_keys USING btree (institution_id);
CREATE INDEX public_keys_operator_id ON public.public_keys USING btree (operator_id);
comment on table public_keys is 'Public keys that parties gave at onboarding.';
comment on column public_keys.key_id is 'kid.';
comment on column public_keys.operator_id is 'The operator whose key it is, or null.';
comment on column public_keys.institution_id is 'The institution whose key it is, or null.';
comment on column public_keys.public_jwk is 'The key (RFC 7517).';
comment on column public_keys.valid_from is 'First moment of use.';
comment on column public_keys.valid_until is 'Last moment of use, or null.';

create table quote_requests (
  quote_request_id uuid not null,
  issued_at timestamp with time zone not null,
  psp_id text not null,
  source_country text not null,
  source_currency text not null,
  destination_country text not null,
  destination_currency text not null,
  amount_currency text not null,
  amount numeric not null,
  fxp_ids text[] not null,
  rate_ids uuid[] not null,
  tier_improvement_ids bigint[] not null,
  psp_improvement_ids bigint[] not null,
  exchange_rates numeric[] not null,
  source_amounts numeric[] not null,
  source_capped boolean[] not null,
  destination_amounts numeric[] not null,
  destination_capped boolean[] not null,
  scheme_fees numeric[] not null,
  creditor_agent_fees numeric[] not null,
  source_sap_ids text[] not null,
  source_account_ids text[] not null,
  destination_sap_ids text[] not null,
  destination_account_ids text[] not null,
  constraint quote_requests_pkey PRIMARY KEY (quote_request_id, issued_at)
) partition by RANGE (issued_at);
comment on table quote_requests is 'Quotes, one row per request, partitioned by UTC day (QUO-7, QUO-10). Arrays hold one entry per quote, best first; quote k has the request''s id with k as its last byte.';
comment on column quote_requests.quote_request_id is 'UUID v4 whose last byte is 00.';
comment on column quote_requests.issued_at is 'issuedDateTime of every quote of the request, database clock.';
comment on column quote_requests.psp_id is 'Requesting PSP.';
comment on column quote_requests.source_country is 'Source country.';
comment on column quote_requests.source_currency is 'Source currency.';
comment on column quote_requests.destination_country is 'Destination country.';
comment on column quote_requests.destination_currency is 'Destination currency.';
comment on column quote_requests.amount_currency is 'Currency of the requested amount.';
comment on column quote_requests.amount is 'Requested amount, in amount_currency.';
comment on column quote_requests.fxp_ids is 'FX provider of each quote.';
comment on column quote_requests.rate_ids is 'Rate of each quote.';
comment on column quote_requests.tier_improvement_ids is 'Tier of each quote, or null.';
comment on column quote_requests.psp_improvement_ids is 'PSP improvement of each quote, or null.';
comment on column quote_requests.exchange_rates is 'Rate of each quote after all improvements, destination units per source unit.';
comment on column quote_requests.source_amounts is 'Source interbank settlement amount of each quote, source currency.';
comment on column quote_requests.source_capped is 'Whether the request exceeded the source maximum.';
comment on column quote_requests.destination_amounts is 'Destination interbank settlement amount of each quote, destination currency.';
comment on column quote_requests.destination_capped is 'Whether the request exceeded the destination maximum.';
comment on column quote_requests.scheme_fees is 'Network scheme fee of each quote, source currency; stored also for endpoint 12b, which does not show it.';
comment on column quote_requests.creditor_agent_fees is 'Creditor agent fee of each quote, destination currency.';
comment on column quote_requests.source_sap_ids is 'Source-side SAP of each quote (intermediary agent 1).';
comment on column quote_requests.source_account_ids is 'The FX provider''s account at that SAP.';
comment on column quote_requests.destination_sap_ids is 'Destination-side SAP of each quote (intermediary agent 2).';
comment on column quote_requests.destination_account_ids is 'The FX provider''s account at that SAP.';

create table quote_requests_default partition of quote_requests DEFAULT;
comment on table quote_requests_default is 'Takes the rows of a day whose partition was not made in time; normally empty.';

create table quote_uses (
  quote_id uuid not null,
  uetr uuid not null,
  constraint quote_uses_pkey PRIMARY KEY (quote_id),
  constraint quote_uses_uetr_key UNIQUE (uetr)
);
comment on table quote_uses is 'The one payment that holds a quote; deleted when the payment is rejected (QUO-8).';
comment on column quote_uses.quote_id is 'The quote.';
comment on column quote_uses.uetr is 'The payment.';

create table rates (
  rate_id uuid not null default uuidv7(),
  fxp_id text not null,
  source_country text not null,
  source_currency text not null,
  destination_country text not null,
  destination_currency text not null,
  exchange_rate numeric not null,
  threshold numeric not null,
  tier_improvement_id bigint,
  created_at timestamp with time zone not null default now(),
  expired_at timestamp with time zone,
  constraint rates_pkey PRIMARY KEY (rate_id),
  constraint rates_check CHECK ((source_currency <> destination_currency)),
  constraint rates_check1 CHECK (((threshold = (0)::numeric) = (tier_improvement_id IS NULL))),
  constraint rates_exchange_rate_check CHECK ((exchange_rate > (0)::numeric)),
  constraint rates_threshold_check CHECK ((threshold >= (0)::numeric))
);
CREATE UNIQUE INDEX rates_active ON public.rates USING btree (source_country, source_currency, destination_country, destination_currency, fxp_id, threshold) INCLUDE (rate_id, exchange_rate, tier_improvement_id, created_at) WHERE (expired_at IS NULL);
CREATE INDEX rates_active_by_fxp ON public.rates USING btree (fxp_id, source_currency) WHERE (expired_at IS NULL);
comment on table rates is 'Rates of FX providers, base and per tier (FX-4). Rows are never deleted; the active ones have no expired_at.';
comment on column rates.rate_id is 'Our id.';
comment on column rates.fxp_id is 'The FX provider.';
comment on column rates.source_country is 'Source country.';
comment on column rates.source_currency is 'Source currency.';
comment on column rates.destination_country is 'Destination country.';
comment on column rates.destination_currency is 'Destination currency.';
comment on column rates.exchange_rate is 'Destination units per source unit, tier improvement included.';
comment on column rates.threshold is 'Smallest source amount, inclusive; 0 for the base rate.';
comment on column rates.tier_improvement_id is 'The tier that made it, or null for the base rate.';
comment on column rates.created_at is 'When it took effect.';
comment on column rates.expired_at is 'When it was replaced, or null while active.';

create unlogged table receiver_states (
  worker_id uuid not null,
  receiver text not null,
  breaker text not null,
  failures_in_a_row integer not null,
  sends_under_way integer not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint receiver_states_pkey PRIMARY KEY (worker_id, receiver),
  constraint receiver_states_breaker_check CHECK ((breaker = ANY (ARRAY['closed'::text, 'open'::text, 'probing'::text])))
);
comment on table receiver_states is 'State of each receiver as each worker sees it (CBK-3), rewritten every few seconds: a row older than 30 s belongs to a worker that is gone.';
comment on column receiver_states.worker_id is 'The worker process.';
comment on column receiver_states.receiver is 'The registered origin; followed by the party if several parties share it.';
comment on column receiver_states.breaker is 'open: the worker sends nothing for now; probing: one send tests it.';
comment on column receiver_states.failures_in_a_row is 'Failures since its last answer.';
comment on column receiver_states.sends_under_way is 'Sends under way, at most 16.';
comment on column receiver_states.at is 'When it was written.';

create table recorded_outcomes (
  outcome_id uuid not null,
  uetr uuid not null,
  status text not null,
  reason_code text,
  evidence text not null,
  recorded_by text not null,
  recorded_at timestamp with time zone not null default clock_timestamp(),
  confirmed_by text,
  confirmed_at timestamp with time zone,
  withdrawn_by text,
  withdrawn_at timestamp with time zone,
  withdrawn_because text,
  constraint recorded_outcomes_pkey PRIMARY KEY (outcome_id),
  constraint recorded_outcomes_check CHECK (((status <> 'RJCT'::text) OR (reason_code IS NOT NULL))),
  constraint recorded_outcomes_check1 CHECK (((status <> 'ACCC'::text) OR (reason_code IS NULL))),
  constraint recorded_outcomes_check2 CHECK ((confirmed_by <> recorded_by)),
  constraint recorded_outcomes_check3 CHECK (((confirmed_by IS NULL) = (confirmed_at IS NULL))),
  constraint recorded_outcomes_check4 CHECK (((withdrawn_by IS NULL) = (withdrawn_at IS NULL))),
  constraint recorded_outcomes_check5 CHECK (((confirmed_at IS NULL) OR (withdrawn_at IS NULL))),
  constraint recorded_outcomes_evidence_check CHECK (((char_length(evidence) >= 1) AND (char_length(evidence) <= 2000))),
  constraint recorded_outcomes_status_check CHECK ((status = ANY (ARRAY['ACCC'::text, 'RJCT'::text, 'BLCK'::text]))),
  constraint recorded_outcomes_withdrawn_because_check CHECK ((char_length(withdrawn_because) <= 2000))
);
CREATE UNIQUE INDEX recorded_outcomes_standing ON public.recorded_outcomes USING btree (uetr) WHERE (withdrawn_at IS NULL);
CREATE INDEX recorded_outcomes_uetr ON public.recorded_outcomes USING btree (uetr);
comment on table recorded_outcomes is 'The outcome of a payment in doubt, as one operator recorded and another confirmed it (LIF-4). At most one per payment is not withdrawn.';
comment on column recorded_outcomes.outcome_id is 'Our id.';
comment on column recorded_outcomes.uetr is 'The payment.';
comment on column recorded_outcomes.status is 'ACCC, RJCT or BLCK.';
comment on column recorded_outcomes.reason_code is 'ISO 20022 code; always for RJCT, never for ACCC.';
comment on column recorded_outcomes.evidence is 'How the operator knows, in their words; no personal data.';
comment on column recorded_outcomes.recorded_by is 'Client id of the operator.';
comment on column recorded_outcomes.recorded_at is 'When it was recorded.';
comment on column recorded_outcomes.confirmed_by is 'Client id of another operator; null: not confirmed yet.';
comment on column recorded_outcomes.confirmed_at is 'When it was confirmed; from then on it decides, unless a final of the destination is stored.';
comment on column recorded_outcomes.withdrawn_by is 'Client id of the operator; only an unconfirmed outcome can be withdrawn.';
comment on column recorded_outcomes.withdrawn_at is 'When it was withdrawn.';
comment on column recorded_outcomes.withdrawn_because is 'Why it was withdrawn, in their words; no personal data.';

create table refusals (
  message_id uuid not null,
  answer_message_id uuid not null,
  constraint refusals_pkey PRIMARY KEY (message_id)
);
comment on table refusals is 'The one answer to each message that was refused as a repeat, even if two processes judged it at the same time (DUP-2).';
comment on column refusals.message_id is 'The refused message.';
comment on column refusals.answer_message_id is 'The answer to its sender.';

create table refused_messages (
  message_id uuid not null,
  subject_id uuid not null,
  party text not null,
  in_reply_to uuid,
  sha256 bytea not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  refused_as text not null,
  fault jsonb not null,
  size integer not null,
  constraint refused_messages_pkey PRIMARY KEY (message_id),
  constraint refused_messages_subject_id_sha256_key UNIQUE (subject_id, sha256)
);
CREATE INDEX refused_messages_created_at ON public.refused_messages USING brin (created_at);
comment on table refused_messages is 'Messages about a payment or resolution that were refused, byte for byte: they may show what the party did (PAY-8, RES-4). Once per subject and content. Insert-only.';
comment on column refused_messages.message_id is 'Our id.';
comment on column refused_messages.subject_id is 'Subject: the UETR of a payment, or the id of a resolution.';
comment on column refused_messages.party is 'The sender.';
comment on column refused_messages.in_reply_to is 'Our message that it answered; null: it was posted to our address.';
comment on column refused_messages.sha256 is 'SHA-256 of body.';
comment on column refused_messages.created_at is 'When it was stored.';
comment on column refused_messages.refused_as is 'Kind of the audit event that reports it.';
comment on column refused_messages.fault is 'The fault: reason in words, ruleId, and the status that it reported. Contains no text from the message.';
comment on column refused_messages.size is 'Number of its bytes, as far as they were read.';

create table refused_signatures (
  party_id text not null,
  day date not null,
  number integer not null,
  last_at timestamp with time zone not null,
  last_why text not null,
  constraint refused_signatures_pkey PRIMARY KEY (party_id, day)
);
comment on table refused_signatures is 'Messages refused for their signature, counted per payment system and day. Rows are kept for 62 days.';
comment on column refused_signatures.party_id is 'The payment system in whose name the messages came.';
comment on column refused_signatures.day is 'Day (UTC).';
comment on column refused_signatures.number is 'Number of refused messages on that day.';
comment on column refused_signatures.last_at is 'When the last of them was refused.';
comment on column refused_signatures.last_why is 'Why the last of them was refused, as its answer said; no personal data.';

create unlogged table request_counts (
  name text not null,
  minute integer not null,
  count integer not null,
  constraint request_counts_pkey PRIMARY KEY (name, minute)
);
comment on table request_counts is 'Number of requests in this minute and the last, over all apis (SEC-7). Unlogged: empty after a crash.';
comment on column request_counts.name is 'Client and route; for failed logins, a digest.';
comment on column request_counts.minute is 'Minutes since 1970.';
comment on column request_counts.count is 'Number of requests.';

create table resolution_answers (
  resolution_id uuid not null,
  verified boolean not null,
  reason_code text,
  rule_id text,
  answered_by text not null,
  report_message_id uuid,
  answer_message_id uuid not null,
  answered_at timestamp with time zone not null default now(),
  constraint resolution_answers_pkey PRIMARY KEY (resolution_id),
  constraint resolution_answers_answered_by_check CHECK ((answered_by = ANY (ARRAY['directory'::text, 'creditor-agent'::text, 'gateway'::text]))),
  constraint resolution_answers_check CHECK ((verified OR (reason_code IS NOT NULL))),
  constraint resolution_answers_check1 CHECK (((answered_by = 'gateway'::text) = (report_message_id IS NULL))),
  constraint resolution_answers_check2 CHECK (((answered_by = 'gateway'::text) = (rule_id IS NOT NULL)))
);
CREATE UNIQUE INDEX resolution_answers_message ON public.resolution_answers USING btree (answer_message_id);
comment on table resolution_answers is 'The answer of each resolution: one row, written once, never changed (RES-1).';
comment on column resolution_answers.resolution_id is 'The resolution.';
comment on column resolution_answers.verified is 'Vrfctn: whether the account was found or confirmed.';
comment on column resolution_answers.reason_code is 'Reason of a false answer.';
comment on column resolution_answers.rule_id is 'Rule by which the gateway itself answered, or null.';
comment on column resolution_answers.answered_by is 'Source of the answer: the proxy directory, the creditor agent, or the gateway itself.';
comment on column resolution_answers.report_message_id is 'The acmt.024 that was received and passed on.';
comment on column resolution_answers.answer_message_id is 'The acmt.024 to the source.';
comment on column resolution_answers.answered_at is 'When it was answered, database clock.';

create table resolutions (
  resolution_id uuid not null,
  source_clearing_system text not null,
  message_identification text not null,
  judged_at timestamp with time zone not null,
  deadline_at timestamp with time zone not null,
  destination_country text,
  destination_clearing_system text,
  constraint resolutions_pkey PRIMARY KEY (resolution_id),
  constraint resolutions_source_clearing_system_message_identification_key UNIQUE (source_clearing_system, message_identification)
);
CREATE INDEX resolutions_deadline ON public.resolutions USING btree (deadline_at);
comment on table resolutions is 'One row per acmt.023 that a source submitted, written once, when it was judged.';
comment on column resolutions.resolution_id is 'Message id of the submitted acmt.023; correlates all messages and deliveries of the resolution.';
comment on column resolutions.source_clearing_system is 'Payment system that submitted it.';
comment on column resolutions.message_identification is 'Its MsgId; the unique key that detects duplicates.';
comment on column resolutions.judged_at is 'When it was judged, database clock.';
comment on column resolutions.deadline_at is 'Time at which the gateway itself answers: false, AB08.';
comment on column resolutions.destination_country is 'Country of the account; null if the request was refused.';
comment on column resolutions.destination_clearing_system is 'Payment system whose operator is asked; null if the request was refused.';

create table scheme_change_edits (
  change_id uuid not null,
  "position" integer not null,
  kind text not null,
  object_id text not null,
  before jsonb,
  after jsonb,
  constraint scheme_change_edits_pkey PRIMARY KEY (change_id, "position"),
  constraint scheme_change_edits_change_id_kind_object_id_key UNIQUE (change_id, kind, object_id),
  constraint scheme_change_edits_check CHECK ((num_nonnulls(before, after) > 0))
);
CREATE INDEX scheme_change_edits_object ON public.scheme_change_edits USING btree (kind, object_id);
comment on table scheme_change_edits is 'The objects of each change (ADM-2). Insert-only.';
comment on column scheme_change_edits.change_id is 'The change.';
comment on column scheme_change_edits."position" is 'Order, from 1.';
comment on column scheme_change_edits.kind is 'Kind of object, named like its file in an export.';
comment on column scheme_change_edits.object_id is 'Its id within the kind.';
comment on column scheme_change_edits.before is 'The document before the change; null: there was none.';
comment on column scheme_change_edits.after is 'The document after the change; null: the object ends.';

create table scheme_change_steps (
  change_id uuid not null,
  step text not null,
  done_by text not null,
  done_at timestamp with time zone not null default clock_timestamp(),
  done_because text,
  constraint scheme_change_steps_pkey PRIMARY KEY (change_id, step),
  constraint scheme_change_steps_done_because_check CHECK (((char_length(done_because) >= 1) AND (char_length(done_because) <= 2000))),
  constraint scheme_change_steps_step_check CHECK ((step = ANY (ARRAY['approved'::text, 'refused'::text, 'withdrawn'::text, 'applied'::text, 'outdated'::text])))
);
CREATE UNIQUE INDEX scheme_change_steps_end ON public.scheme_change_steps USING btree (change_id) WHERE (step = ANY (ARRAY['refused'::text, 'withdrawn'::text, 'applied'::text, 'outdated'::text]));
comment on table scheme_change_steps is 'The steps of each change (ADM-2). Insert-only.';
comment on column scheme_change_steps.change_id is 'The change.';
comment on column scheme_change_steps.step is 'approved, refused or withdrawn (by the proposer); applied: it is in effect; outdated: an object had changed since it was proposed.';
comment on column scheme_change_steps.done_by is 'Client id of the operator; for the step applied, of the one who caused it.';
comment on column scheme_change_steps.done_at is 'When the step was taken.';
comment on column scheme_change_steps.done_because is 'Why, in the words of the operator.';

create table scheme_changes (
  change_id uuid not null,
  proposed_by text not null,
  proposed_at timestamp with time zone not null default clock_timestamp(),
  proposed_because text not null,
  effective_at timestamp with time zone,
  needs_approval boolean not null,
  constraint scheme_changes_pkey PRIMARY KEY (change_id),
  constraint scheme_changes_proposed_because_check CHECK (((char_length(proposed_because) >= 1) AND (char_length(proposed_because) <= 2000)))
);
CREATE INDEX scheme_changes_proposed ON public.scheme_changes USING btree (proposed_at);
CREATE INDEX scheme_changes_timed ON public.scheme_changes USING btree (effective_at) WHERE (effective_at IS NOT NULL);
comment on table scheme_changes is 'Changes of the scheme''s data, proposed and applied (ADM-2). Insert-only.';
comment on column scheme_changes.change_id is 'Our id.';
comment on column scheme_changes.proposed_by is 'Client id of the operator, or the command that made the change.';
comment on column scheme_changes.proposed_at is 'When it was proposed.';
comment on column scheme_changes.proposed_because is 'Why, in the words of the operator; no personal data.';
comment on column scheme_changes.effective_at is 'When it takes effect; null: as soon as possible.';
comment on column scheme_changes.needs_approval is 'Whether a second operator must approve it.';

create table scheme_fee_formulas (
  country_code text not null,
  currency_code text not null,
  nominal_fee_amount numeric not null,
  percentage_fee_as_ratio numeric not null,
  constraint scheme_fee_formulas_pkey PRIMARY KEY (country_code, currency_code),
  constraint scheme_fee_formulas_nominal_fee_amount_check CHECK ((nominal_fee_amount >= (0)::numeric)),
  constraint scheme_fee_formulas_percentage_fee_as_ratio_check CHECK ((percentage_fee_as_ratio >= (0)::numeric))
);
comment on table scheme_fee_formulas is 'Network scheme fee per source country and currency (FEE-1).';
comment on column scheme_fee_formulas.country_code is 'Source country.';
comment on column scheme_fee_formulas.currency_code is 'Source currency.';
comment on column scheme_fee_formulas.nominal_fee_amount is 'Fixed part, source currency, scale kept as given.';
comment on column scheme_fee_formulas.percentage_fee_as_ratio is 'Ratio of the source interbank settlement amount (0.001 is 0.1 %).';

create table settlement_accounts (
  owner_id text not null,
  sap_id text not null,
  country_code text not null,
  currency_code text not null,
  account_id text not null,
  registered_at timestamp with time zone not null default now(),
  constraint settlement_accounts_pkey PRIMARY KEY (sap_id, account_id)
);
CREATE UNIQUE INDEX settlement_accounts_owner ON public.settlement_accounts USING btree (owner_id, sap_id, currency_code);
comment on table settlement_accounts is 'Accounts at settlement access providers: of FX providers, and of PSPs that do their own FX (PAY-5).';
comment on column settlement_accounts.owner_id is 'The owner of the account.';
comment on column settlement_accounts.sap_id is 'The SAP that holds it.';
comment on column settlement_accounts.country_code is 'Country of the SAP.';
comment on column settlement_accounts.currency_code is 'Currency of the account.';
comment on column settlement_accounts.account_id is 'Account id at the SAP.';
comment on column settlement_accounts.registered_at is 'When it was registered; its first book is that of the day before.';

create table tier_improvements (
  tier_improvement_id bigint not null generated always as identity,
  fxp_id text not null,
  unit_currency text not null,
  threshold numeric not null,
  improvement_basis_points numeric not null,
  updated_at timestamp with time zone not null default now(),
  constraint tier_improvements_pkey PRIMARY KEY (tier_improvement_id),
  constraint tier_improvements_fxp_id_unit_currency_threshold_key UNIQUE (fxp_id, unit_currency, threshold),
  constraint tier_improvements_improvement_basis_points_check CHECK (((improvement_basis_points >= (0)::numeric) AND (improvement_basis_points <= (10000)::numeric))),
  constraint tier_improvements_threshold_check CHECK ((threshold > (0)::numeric))
);
comment on table tier_improvements is 'Improvements of an FX provider by source amount (FX-6).';
comment on column tier_improvements.tier_improvement_id is 'Our id.';
comment on column tier_improvements.fxp_id is 'The FX provider.';
comment on column tier_improvements.unit_currency is 'Source currency.';
comment on column tier_improvements.threshold is 'Smallest source amount, inclusive, source currency.';
comment on column tier_improvements.improvement_basis_points is 'Basis points on the base rate.';
comment on column tier_improvements.updated_at is 'Last registration.';

create table used_assertions (
  client_id text not null,
  jti_sha256 bytea not null,
  ends_at timestamp with time zone not null,
  constraint used_assertions_pkey PRIMARY KEY (client_id, jti_sha256)
);
CREATE INDEX used_assertions_ends_at ON public.used_assertions USING btree (ends_at);
comment on table used_assertions is 'Used assertions of clients, until they would have expired (RFC 7523): each may be used once.';
comment on column used_assertions.client_id is 'The client that used it.';
comment on column used_assertions.jti_sha256 is 'SHA-256 of its jti.';
comment on column used_assertions.ends_at is 'When it would have expired.';

create unlogged table worker_states (
  worker_id uuid not null,
  started_at timestamp with time zone not null default clock_timestamp(),
  at timestamp with time zone not null default clock_timestamp(),
  constraint worker_states_pkey PRIMARY KEY (worker_id)
);
comment on table worker_states is 'Heartbeats of the worker processes, every few seconds: a row older than 30 s belongs to a worker that is gone (OBS-7).';
comment on column worker_states.worker_id is 'The worker process.';
comment on column worker_states.started_at is 'When its first heartbeat came.';
comment on column worker_states.at is 'When its last heartbeat came.';

create view partitions as
 SELECT parent,
    name,
    is_default,
    (
        CASE
            WHEN (since = 'MINVALUE'::text) THEN '-infinity'::text
            ELSE TRIM(BOTH ''''::text FROM since)
        END)::timestamp with time zone AS since,
    (
        CASE
            WHEN (until = 'MAXVALUE'::text) THEN 'infinity'::text
            ELSE TRIM(BOTH ''''::text FROM until)
        END)::timestamp with time zone AS until
   FROM ( SELECT ((i.inhparent)::regclass)::text AS parent,
            (c.relname)::text AS name,
            (pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT'::text) AS is_default,
            "substring"(pg_get_expr(c.relpartbound, c.oid), 'FROM \(([^)]*)\) TO'::text) AS since,
            "substring"(pg_get_expr(c.relpartbound, c.oid), 'TO \(([^)]*)\)$'::text) AS until
           FROM ((pg_inherits i
             JOIN pg_class c ON (((c.oid = i.inhrelid) AND (c.relkind = ANY (ARRAY['r'::"char", 'p'::"char"])))))
             JOIN pg_class p ON (((p.oid = i.inhparent) AND (p.relkind = 'p'::"char"))))
          WHERE (c.relnamespace = ('public'::regnamespace)::oid)) bounds;

alter table address_type_countries add constraint address_type_countries_address_type_id_fkey FOREIGN KEY (address_type_id) REFERENCES address_types(address_type_id);

alter table address_type_countries add constraint address_type_countries_country_code_fkey FOREIGN KEY (country_code) REFERENCES countries(country_code);

alter table address_type_inputs add constraint address_type_inputs_address_input_id_fkey FOREIGN KEY (address_input_id) REFERENCES address_inputs(address_input_id);

alter table address_type_inputs add constraint address_type_inputs_address_type_id_fkey FOREIGN KEY (address_type_id) REFERENCES address_types(address_type_id);

alter table address_types add constraint address_types_clearing_system_id_fkey FOREIGN KEY (clearing_system_id) REFERENCES clearing_systems(clearing_system_id);

alter table audit_seals add constraint audit_seals_key_id_fkey FOREIGN KEY (key_id) REFERENCES delivery_keys(key_id);

alter table clearing_systems add constraint clearing_systems_currency_code_fkey FOREIGN KEY (currency_code) REFERENCES currencies(currency_code);

alter table clearing_systems add constraint clearing_systems_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(operator_id);

alter table client_secrets add constraint client_secrets_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(client_id) ON DELETE CASCADE;

alter table clients add constraint clients_clearing_system_id_fkey FOREIGN KEY (clearing_system_id) REFERENCES clearing_systems(clearing_system_id);

alter table clients add constraint clients_institution_id_fkey FOREIGN KEY (institution_id) REFERENCES institutions(institution_id);

alter table country_clearing_systems add constraint country_clearing_systems_clearing_system_id_fkey FOREIGN KEY (clearing_system_id) REFERENCES clearing_systems(clearing_system_id);

alter table country_clearing_systems add constraint country_clearing_systems_country_code_fkey FOREIGN KEY (country_code) REFERENCES countries(country_code);

alter table creditor_agent_fee_formulas add constraint creditor_agent_fee_formulas_country_code_fkey FOREIGN KEY (country_code) REFERENCES countries(country_code);

alter table creditor_agent_fee_formulas add constraint creditor_agent_fee_formulas_currency_code_fkey FOREIGN KEY (currency_code) REFERENCES currencies(currency_code);

alter table decisions add constraint decisions_outcome_id_fkey FOREIGN KEY (outcome_id) REFERENCES recorded_outcomes(outcome_id);

alter table delivery_key_secrets add constraint delivery_key_secrets_key_id_fkey FOREIGN KEY (key_id) REFERENCES delivery_keys(key_id);

alter table endpoint_probes add constraint endpoint_probes_change_id_fkey FOREIGN KEY (change_id) REFERENCES scheme_changes(change_id);

alter table fxp_corridors add constraint fxp_corridors_destination_country_fkey FOREIGN KEY (destination_country) REFERENCES countries(country_code);

alter table fxp_corridors add constraint fxp_corridors_destination_currency_fkey FOREIGN KEY (destination_currency) REFERENCES currencies(currency_code);

alter table fxp_corridors add constraint fxp_corridors_fxp_id_fkey FOREIGN KEY (fxp_id) REFERENCES institutions(institution_id);

alter table fxp_corridors add constraint fxp_corridors_source_country_fkey FOREIGN KEY (source_country) REFERENCES countries(country_code);

alter table fxp_corridors add constraint fxp_corridors_source_currency_fkey FOREIGN KEY (source_currency) REFERENCES currencies(currency_code);

alter table fxp_endpoints add constraint fxp_endpoints_fxp_id_fkey FOREIGN KEY (fxp_id) REFERENCES institutions(institution_id);

alter table fxp_settlement_access add constraint fxp_settlement_access_country_code_fkey FOREIGN KEY (country_code) REFERENCES countries(country_code);

alter table fxp_settlement_access add constraint fxp_settlement_access_fxp_id_fkey FOREIGN KEY (fxp_id) REFERENCES institutions(institution_id);

alter table fxp_settlement_access add constraint fxp_settlement_access_sap_id_fkey FOREIGN KEY (sap_id) REFERENCES institutions(institution_id);

alter table institution_identifiers add constraint institution_identifiers_institution_id_fkey FOREIGN KEY (institution_id) REFERENCES institutions(institution_id);

alter table institution_memberships add constraint institution_memberships_clearing_system_id_fkey FOREIGN KEY (clearing_system_id) REFERENCES clearing_systems(clearing_system_id);

alter table institution_memberships add constraint institution_memberships_institution_id_fkey FOREIGN KEY (institution_id) REFERENCES institutions(institution_id);

alter table institution_roles add constraint institution_roles_institution_id_fkey FOREIGN KEY (institution_id) REFERENCES institutions(institution_id);

alter table institutions add constraint institutions_country_code_fkey FOREIGN KEY (country_code) REFERENCES countries(country_code);

alter table operator_callback_origins add constraint operator_callback_origins_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(operator_id);

alter table psp_improvements add constraint psp_improvements_fxp_id_fkey FOREIGN KEY (fxp_id) REFERENCES institutions(institution_id);

alter table psp_improvements add constraint psp_improvements_psp_id_fkey FOREIGN KEY (psp_id) REFERENCES institutions(institution_id);

alter table public_keys add constraint public_keys_institution_id_fkey FOREIGN KEY (institution_id) REFERENCES institutions(institution_id);

alter table public_keys add constraint public_keys_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(operator_id);

alter table rates add constraint rates_destination_country_fkey FOREIGN KEY (destination_country) REFERENCES countries(country_code);

alter table rates add constraint rates_destination_currency_fkey FOREIGN KEY (destination_currency) REFERENCES currencies(currency_code);

alter table rates add constraint rates_fxp_id_fkey FOREIGN KEY (fxp_id) REFERENCES institutions(institution_id);

alter table rates add constraint rates_source_country_fkey FOREIGN KEY (source_country) REFERENCES countries(country_code);

alter table rates add constraint rates_source_currency_fkey FOREIGN KEY (source_currency) REFERENCES currencies(currency_code);

alter table rates add constraint rates_tier_improvement_id_fkey FOREIGN KEY (tier_improvement_id) REFERENCES tier_improvements(tier_improvement_id);

alter table resolution_answers add constraint resolution_answers_resolution_id_fkey FOREIGN KEY (resolution_id) REFERENCES resolutions(resolution_id);

alter table scheme_change_edits add constraint scheme_change_edits_change_id_fkey FOREIGN KEY (change_id) REFERENCES scheme_changes(change_id);

alter table scheme_change_steps add constraint scheme_change_steps_change_id_fkey FOREIGN KEY (change_id) REFERENCES scheme_changes(change_id);

alter table scheme_fee_formulas add constraint scheme_fee_formulas_country_code_fkey FOREIGN KEY (country_code) REFERENCES countries(country_code);

alter table scheme_fee_formulas add constraint scheme_fee_formulas_currency_code_fkey FOREIGN KEY (currency_code) REFERENCES currencies(currency_code);

alter table settlement_accounts add constraint settlement_accounts_country_code_fkey FOREIGN KEY (country_code) REFERENCES countries(country_code);

alter table settlement_accounts add constraint settlement_accounts_currency_code_fkey FOREIGN KEY (currency_code) REFERENCES currencies(currency_code);

alter table settlement_accounts add constraint settlement_accounts_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES institutions(institution_id);

alter table settlement_accounts add constraint settlement_accounts_sap_id_fkey FOREIGN KEY (sap_id) REFERENCES institutions(institution_id);

alter table tier_improvements add constraint tier_improvements_fxp_id_fkey FOREIGN KEY (fxp_id) REFERENCES institutions(institution_id);

alter table tier_improvements add constraint tier_improvements_unit_currency_fkey FOREIGN KEY (unit_currency) REFERENCES currencies(currency_code);

CREATE TRIGGER address_inputs_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.address_inputs FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER address_type_countries_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.address_type_countries FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER address_type_inputs_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.address_type_inputs FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER address_types_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.address_types FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER audit_events_insert_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit_seals_insert_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER book_endpoints_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.book_endpoints FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER book_endpoints_entered BEFORE INSERT ON public.book_endpoints FOR EACH ROW EXECUTE FUNCTION resume_book_endpoint();

CREATE TRIGGER book_endpoints_removed AFTER DELETE ON public.book_endpoints FOR EACH ROW EXECUTE FUNCTION note_former_book_endpoint();

CREATE TRIGGER callback_addresses_wait BEFORE INSERT ON public.callback_addresses FOR EACH ROW EXECUTE FUNCTION lock_submission();

CREATE TRIGGER case_entries_noted AFTER INSERT ON public.case_entries FOR EACH ROW WHEN ((new.action <> 'note'::text)) EXECUTE FUNCTION note_alert_states();

CREATE TRIGGER clearing_systems_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.clearing_systems FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER client_secrets_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.client_secrets FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER clients_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.clients FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER countries_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.countries FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER country_clearing_systems_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.country_clearing_systems FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER creditor_agent_fee_formulas_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.creditor_agent_fee_formulas FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER currencies_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.currencies FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE CONSTRAINT TRIGGER decisions_follow_the_states AFTER INSERT ON public.decisions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_decision();

CREATE TRIGGER decisions_insert_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.decisions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER delivery_keys_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.delivery_keys FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER fxp_corridors_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.fxp_corridors FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER fxp_endpoints_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.fxp_endpoints FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER fxp_settlement_access_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.fxp_settlement_access FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER institution_identifiers_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.institution_identifiers FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER institution_memberships_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.institution_memberships FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER institution_roles_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.institution_roles FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER institutions_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.institutions FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER issuer_keys_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.issuer_keys FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER message_bodies_insert_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.message_bodies FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER messages_insert_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.messages FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER operator_callback_origins_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.operator_callback_origins FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER operators_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.operators FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER pauses_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.pauses FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER payments_insert_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.payments FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payments_once BEFORE INSERT ON public.payments FOR EACH ROW EXECUTE FUNCTION take_payment_key();

CREATE TRIGGER psp_improvements_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.psp_improvements FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER public_keys_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.public_keys FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER scheme_change_edits_insert_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.scheme_change_edits FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER scheme_change_steps_checked BEFORE INSERT ON public.scheme_change_steps FOR EACH ROW EXECUTE FUNCTION check_change_step();

CREATE TRIGGER scheme_change_steps_insert_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.scheme_change_steps FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER scheme_changes_insert_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.scheme_changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER scheme_fee_formulas_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.scheme_fee_formulas FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER settlement_accounts_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.settlement_accounts FOR EACH STATEMENT EXECUTE FUNCTION notify_reference_data();

CREATE TRIGGER settlement_accounts_passed AFTER UPDATE ON public.settlement_accounts FOR EACH ROW WHEN (((old.owner_id <> new.owner_id) OR (old.sap_id <> new.sap_id) OR (old.account_id <> new.account_id))) EXECUTE FUNCTION note_former_owner();

CREATE TRIGGER settlement_accounts_removed AFTER DELETE ON public.settlement_accounts FOR EACH ROW EXECUTE FUNCTION note_former_owner();

CREATE TRIGGER settlement_accounts_renamed BEFORE UPDATE ON public.settlement_accounts FOR EACH ROW WHEN (((old.sap_id <> new.sap_id) OR (old.account_id <> new.account_id))) EXECUTE FUNCTION begin_account();

grant delete, insert, select, update on address_inputs to isthmus_api;
grant select on address_inputs to isthmus_readonly;
grant select on address_inputs to isthmus_worker;
grant delete, insert, select, update on address_type_countries to isthmus_api;
grant select on address_type_countries to isthmus_readonly;
grant select on address_type_countries to isthmus_worker;
grant delete, insert, select, update on address_type_inputs to isthmus_api;
grant select on address_type_inputs to isthmus_readonly;
grant select on address_type_inputs to isthmus_worker;
grant delete, insert, select, update on address_types to isthmus_api;
grant select on address_types to isthmus_readonly;
grant select on address_types to isthmus_worker;
grant select on alert_states to isthmus_api;
grant select on alert_states to isthmus_readonly;
grant select on alert_states to isthmus_worker;
grant insert, select on audit_events to isthmus_api;
grant select on audit_events to isthmus_readonly;
grant insert, select on audit_events to isthmus_worker;
grant select on audit_events_default to isthmus_api;
grant select on audit_seals to isthmus_api;
grant select on audit_seals to isthmus_readonly;
grant insert, select on audit_seals to isthmus_worker;
grant delete, insert, select, update on book_endpoints to isthmus_api;
grant select on book_endpoints to isthmus_readonly;
grant select on book_endpoints to isthmus_worker;
grant select on book_pages to isthmus_api;
grant select on book_pages to isthmus_readonly;
grant insert, select on book_pages to isthmus_worker;
grant select, update on books_closed to isthmus_api;
grant select on books_closed to isthmus_readonly;
grant select, update on books_closed to isthmus_worker;
grant insert, select on callback_addresses to isthmus_api;
grant select on callback_addresses to isthmus_readonly;
grant select on callback_addresses to isthmus_worker;
grant insert, select on case_entries to isthmus_api;
grant select on case_entries to isthmus_readonly;
grant select on case_entries to isthmus_worker;
grant insert, select, update on clearing_systems to isthmus_api;
grant select on clearing_systems to isthmus_readonly;
grant select on clearing_systems to isthmus_worker;
grant delete, insert, select, update on client_secrets to isthmus_api;
grant insert, select, update on clients to isthmus_api;
grant insert, select, update on countries to isthmus_api;
grant select on countries to isthmus_readonly;
grant select on countries to isthmus_worker;
grant delete, insert, select, update on country_clearing_systems to isthmus_api;
grant select on country_clearing_systems to isthmus_readonly;
grant select on country_clearing_systems to isthmus_worker;
grant delete, insert, select, update on creditor_agent_fee_formulas to isthmus_api;
grant select on creditor_agent_fee_formulas to isthmus_readonly;
grant select on creditor_agent_fee_formulas to isthmus_worker;
grant insert, select, update on currencies to isthmus_api;
grant select on currencies to isthmus_readonly;
grant select on currencies to isthmus_worker;
grant insert, select, update on data_keys to isthmus_api;
grant insert, select, update on data_keys to isthmus_worker;
grant select on decisions to isthmus_api;
grant select on decisions to isthmus_readonly;
grant insert, select on decisions to isthmus_worker;
grant select on decisions_default to isthmus_api;
grant insert, select, update on deliveries to isthmus_api;
grant select on deliveries to isthmus_readonly;
grant delete, insert, select, update on deliveries to isthmus_worker;
grant select on deliveries_default to isthmus_api;
grant select on delivery_attempts to isthmus_api;
grant select on delivery_attempts to isthmus_readonly;
grant insert, select, update on delivery_attempts to isthmus_worker;
grant select on delivery_attempts_default to isthmus_api;
grant insert on delivery_key_secrets to isthmus_api;
grant insert, select, update on delivery_key_secrets to isthmus_worker;
grant insert, select, update on delivery_keys to isthmus_api;
grant select on delivery_keys to isthmus_readonly;
grant insert, select, update on delivery_keys to isthmus_worker;
grant insert, select on endpoint_probes to isthmus_api;
grant select on endpoint_probes to isthmus_readonly;
grant select, update on endpoint_probes to isthmus_worker;
grant insert, select, update on endpoint_trials to isthmus_api;
grant select on endpoint_trials to isthmus_readonly;
grant select, update on endpoint_trials to isthmus_worker;
grant select on former_account_owners to isthmus_api;
grant select on former_account_owners to isthmus_readonly;
grant select on former_account_owners to isthmus_worker;
grant select on former_book_endpoints to isthmus_api;
grant select on former_book_endpoints to isthmus_readonly;
grant select on former_book_endpoints to isthmus_worker;
grant delete, insert, select, update on fxp_corridors to isthmus_api;
grant select on fxp_corridors to isthmus_readonly;
grant select on fxp_corridors to isthmus_worker;
grant delete, insert, select, update on fxp_endpoints to isthmus_api;
grant select on fxp_endpoints to isthmus_readonly;
grant select on fxp_endpoints to isthmus_worker;
grant delete, insert, select, update on fxp_settlement_access to isthmus_api;
grant select on fxp_settlement_access to isthmus_readonly;
grant select on fxp_settlement_access to isthmus_worker;
grant delete, insert, select, update on idempotency_keys to isthmus_api;
grant delete, insert, select, update on institution_identifiers to isthmus_api;
grant select on institution_identifiers to isthmus_readonly;
grant select on institution_identifiers to isthmus_worker;
grant delete, insert, select, update on institution_memberships to isthmus_api;
grant select on institution_memberships to isthmus_readonly;
grant select on institution_memberships to isthmus_worker;
grant delete, insert, select, update on institution_roles to isthmus_api;
grant select on institution_roles to isthmus_readonly;
grant select on institution_roles to isthmus_worker;
grant insert, select, update on institutions to isthmus_api;
grant select on institutions to isthmus_readonly;
grant select on institutions to isthmus_worker;
grant insert, select, update on issuer_keys to isthmus_api;
grant select on leases to isthmus_api;
grant select on leases to isthmus_readonly;
grant delete, insert, select, update on leases to isthmus_worker;
grant select on logged_alerts to isthmus_api;
grant select on logged_alerts to isthmus_readonly;
grant insert, select on logged_alerts to isthmus_worker;
grant insert, select on message_bodies to isthmus_api;
grant select on message_bodies to isthmus_readonly;
grant insert, select on message_bodies to isthmus_worker;
grant select on message_bodies_default to isthmus_api;
grant select on message_identifications to isthmus_api;
grant select on message_identifications to isthmus_readonly;
grant insert, select, update on message_identifications to isthmus_worker;
grant insert, select on message_keys to isthmus_api;
grant select on message_keys to isthmus_readonly;
grant insert, select on message_keys to isthmus_worker;
grant insert, select on messages to isthmus_api;
grant select on messages to isthmus_readonly;
grant insert, select on messages to isthmus_worker;
grant select on messages_default to isthmus_api;
grant delete, insert, select, update on operator_callback_origins to isthmus_api;
grant select on operator_callback_origins to isthmus_readonly;
grant select on operator_callback_origins to isthmus_worker;
grant insert, select, update on operators to isthmus_api;
grant select on operators to isthmus_readonly;
grant select on operators to isthmus_worker;
grant select on partitions to isthmus_api;
grant select on partitions to isthmus_readonly;
grant select on partitions to isthmus_worker;
grant insert, select, update on pauses to isthmus_api;
grant select on pauses to isthmus_readonly;
grant select on pauses to isthmus_worker;
grant select on payment_keys to isthmus_api;
grant select on payment_keys to isthmus_readonly;
grant select on payment_keys to isthmus_worker;
grant select on payments to isthmus_api;
grant select on payments to isthmus_readonly;
grant insert, select on payments to isthmus_worker;
grant select on payments_default to isthmus_api;
grant delete, insert, select, update on portal_sessions to isthmus_api;
grant insert, select, update on psp_improvements to isthmus_api;
grant select on psp_improvements to isthmus_readonly;
grant select on psp_improvements to isthmus_worker;
grant delete, insert, select, update on public_keys to isthmus_api;
grant select on public_keys to isthmus_readonly;
grant select on public_keys to isthmus_worker;
grant insert, select on quote_requests to isthmus_api;
grant select on quote_requests to isthmus_readonly;
grant select on quote_requests to isthmus_worker;
grant select on quote_requests_default to isthmus_api;
grant select on quote_uses to isthmus_api;
grant select on quote_uses to isthmus_readonly;
grant delete, insert, select on quote_uses to isthmus_worker;
grant insert, select, update on rates to isthmus_api;
grant select on rates to isthmus_readonly;
grant select on rates to isthmus_worker;
grant select on receiver_states to isthmus_api;
grant select on receiver_states to isthmus_readonly;
grant delete, insert, select, update on receiver_states to isthmus_worker;
grant insert, select, update on recorded_outcomes to isthmus_api;
grant select on recorded_outcomes to isthmus_readonly;
grant select on recorded_outcomes to isthmus_worker;
grant select on refusals to isthmus_api;
grant select on refusals to isthmus_readonly;
grant insert, select on refusals to isthmus_worker;
grant insert, select on refused_messages to isthmus_api;
grant select on refused_messages to isthmus_readonly;
grant insert, select on refused_messages to isthmus_worker;
grant delete, insert, select, update on refused_signatures to isthmus_api;
grant select on refused_signatures to isthmus_readonly;
grant select on refused_signatures to isthmus_worker;
grant delete, insert, select, update on request_counts to isthmus_api;
grant select on resolution_answers to isthmus_api;
grant select on resolution_answers to isthmus_readonly;
grant insert, select on resolution_answers to isthmus_worker;
grant select on resolutions to isthmus_api;
grant select on resolutions to isthmus_readonly;
grant insert, select on resolutions to isthmus_worker;
grant insert, select on scheme_change_edits to isthmus_api;
grant select on scheme_change_edits to isthmus_readonly;
grant select on scheme_change_edits to isthmus_worker;
grant insert, select on scheme_change_steps to isthmus_api;
grant select on scheme_change_steps to isthmus_readonly;
grant select on scheme_change_steps to isthmus_worker;
grant insert, select on scheme_changes to isthmus_api;
grant select on scheme_changes to isthmus_readonly;
grant select on scheme_changes to isthmus_worker;
grant delete, insert, select, update on scheme_fee_formulas to isthmus_api;
grant select on scheme_fee_formulas to isthmus_readonly;
grant select on scheme_fee_formulas to isthmus_worker;
grant delete, insert, select, update on settlement_accounts to isthmus_api;
grant select on settlement_accounts to isthmus_readonly;
grant select on settlement_accounts to isthmus_worker;
grant insert, select, update on tier_improvements to isthmus_api;
grant select on tier_improvements to isthmus_readonly;
grant select on tier_improvements to isthmus_worker;
grant delete, insert, select, update on used_assertions to isthmus_api;
grant select on worker_states to isthmus_api;
grant select on worker_states to isthmus_readonly;
grant delete, insert, select, update on worker_states to isthmus_worker;
revoke execute on function begin_account() from public;
revoke execute on function callback_address(uuid) from public;
revoke execute on function check_change_step() from public;
revoke execute on function check_decision() from public;
revoke execute on function drop_quote_partition(date) from public;
revoke execute on function held_data_key(text) from public;
revoke execute on function lock_submission() from public;
revoke execute on function make_partition(text,date) from public;
revoke execute on function note_alert_states() from public;
revoke execute on function note_former_book_endpoint() from public;
revoke execute on function note_former_owner() from public;
revoke execute on function notify_reference_data() from public;
revoke execute on function refuse_change() from public;
revoke execute on function resume_book_endpoint() from public;
revoke execute on function take_payment_key() from public;
grant execute on function callback_address(uuid) to isthmus_api;
grant execute on function callback_address(uuid) to isthmus_worker;
grant execute on function drop_quote_partition(date) to isthmus_api;
grant execute on function held_data_key(text) to isthmus_api;
grant execute on function held_data_key(text) to isthmus_worker;
grant execute on function make_partition(text,date) to isthmus_api;
