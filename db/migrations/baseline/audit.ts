// Audit events, alerts and the seals over them.

export const audit = `
-- Events that operators must be able to look up, such as contradictions, security events and interim statuses. Insert-only, no personal data.
create table audit_events (
  audit_event_id bigint not null generated always as identity, -- Our id.
  occurred_at timestamptz not null default clock_timestamp(), -- When it happened.
  severity text not null check (severity in ('info', 'alert', 'security')), -- info, alert (a person must look) or security.
  kind text not null, -- Kind of event, for example payment.contradiction.
  subject_id uuid, -- Subject, if there is one: the UETR of a payment, or the id of a resolution or of a page of a book.
  party text, -- The party concerned, if any.
  detail jsonb not null default '{}' -- Codes and ids; never personal data.
) partition by range (occurred_at);
create table audit_events_default partition of audit_events default;
alter table audit_events_default add primary key (audit_event_id);
create index audit_events_alerts on audit_events (occurred_at) where severity in ('alert', 'security');
create index audit_events_contradictions on audit_events (subject_id, (detail ->> 'reportMessageId')) where kind = 'payment.contradiction';
create index audit_events_occurred_at on audit_events using brin (occurred_at);
create index audit_events_subject_id on audit_events (subject_id);

-- Seals over decisions and audit events, one for each hour, UTC (SEC-6).
create table audit_seals (
  until timestamptz primary key, -- End of the hour, exclusive.
  since timestamptz not null, -- Beginning of the hour, which is the end of the previous seal.
  previous bytea, -- Digest of the previous seal; null: this is the first.
  entries bytea not null, -- 35 bytes for each sealed row, in order: kind of row, year of its partition, its id, beginning of its hash.
  digest bytea not null, -- SHA-256 over previous, since, until, sealed_at and entries.
  key_id text not null references delivery_keys, -- The key that signed it.
  signature bytea not null, -- Ed25519 signature over the digest.
  sealed_at timestamptz not null default clock_timestamp(), -- When it was sealed; the signature covers this time.
  check (since < until)
);

-- Alerts and security events that a process has written to the log (OBS-1).
create table logged_alerts (
  audit_event_id bigint primary key -- The alert.
);

-- Actions of operators on an alert, or on a payment or resolution with all its alerts so far (OBS-6). Insert-only.
create table case_entries (
  case_entry_id bigint primary key generated always as identity, -- Our id.
  audit_event_id bigint, -- The alert; null if the entry is about a whole case.
  subject_id uuid, -- The case: the UETR of a payment, or the id of a resolution.
  action text not null check (action in ('take', 'note', 'close', 'reopen')), -- take: the operator takes care of it; note: a note only; close: nothing more is to be done; reopen: it is open again.
  client_id text not null, -- Client id of the operator.
  note text check (char_length(note) <= 2000), -- In the words of the operator; no personal data.
  at timestamptz not null default clock_timestamp(), -- When it was entered.
  audit_event_ids bigint[], -- The alerts that an entry about a whole case covers; null if the entry is about one alert.
  check (num_nonnulls(audit_event_id, subject_id) = 1),
  check ((subject_id is null) = (audit_event_ids is null))
);
create index case_entries_audit_event_id on case_entries (audit_event_id) where audit_event_id is not null;
create index case_entries_subject_id on case_entries (subject_id) where subject_id is not null;

-- The latest action on each alert, entered for the alert or for its case; no row: no action yet. Derived from case_entries by a trigger.
create table alert_states (
  audit_event_id bigint primary key, -- The alert.
  case_entry_id bigint not null, -- The entry of that action.
  action text not null check (action in ('take', 'close', 'reopen')), -- The action; a note does not count.
  client_id text not null, -- Client id of the operator.
  at timestamptz not null -- When it was entered.
);

create function note_alert_states() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into alert_states as known (audit_event_id, case_entry_id, action, client_id, at)
  select distinct about.audit_event_id, new.case_entry_id, new.action, new.client_id, new.at
  from unnest(coalesce(new.audit_event_ids, array[new.audit_event_id])) about (audit_event_id)
  on conflict (audit_event_id) do update
    set case_entry_id = excluded.case_entry_id, action = excluded.action, client_id = excluded.client_id, at = excluded.at
    where known.case_entry_id < excluded.case_entry_id;
  return null;
end $$;
comment on function note_alert_states() is 'Keeps alert_states in step with case_entries.';
create trigger case_entries_noted after insert on case_entries for each row
  when (new.action <> 'note') execute function note_alert_states();
`;
