// What operators need to see and to note down: indexes for lists of payments, newest first, of all and of each side, and
// for finding one by what people know of it (OBS-5); the bytes that a party sent and that did not count (PAY-8); who
// takes care of which alert (OBS-6); how each party's receivers are (OBS-7). Forward only: a released migration is never edited; what it got wrong, a later one
// mends.
import { sql, type Kysely } from 'kysely';

const lists = `
create index payments_received on payments (received_at, uetr);
create index payments_of_source on payments (source_clearing_system, received_at, uetr);
create index payments_of_destination on payments (destination_clearing_system, received_at, uetr);
create index payments_of_debtor_agent on payments (debtor_agent_id, received_at, uetr);
create index payments_of_creditor_agent on payments (creditor_agent_id, received_at, uetr);
create index payments_quote_id on payments (quote_id) where quote_id is not null;
create index payments_end_to_end_id on payments ((source_references -> 'original' ->> 'endToEndId'));
create index messages_message_identification on messages (message_identification);
create index deliveries_dead on deliveries (closed_at)
  where kind in ('callback', 'confirmation', 'notification') and delivered_at is null and closed_at is not null;`;

const refusedMessages = `
create table refused_messages (
  message_id uuid primary key,
  subject_id uuid not null,
  party text not null,
  in_reply_to uuid references messages,
  sha256 bytea not null,
  body bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  unique (subject_id, sha256)
);
comment on table refused_messages is 'What a party sent about a payment or resolution and what did not count, byte for byte: it may tell what the party did (PAY-8, RES-4). Once per subject and bytes. Insert-only.';
comment on column refused_messages.message_id is 'Our id.';
comment on column refused_messages.subject_id is 'What it was about: the UETR of a payment, or the id of a resolution.';
comment on column refused_messages.party is 'Who sent it.';
comment on column refused_messages.in_reply_to is 'The message of ours that it answered; null where it came to our address.';
comment on column refused_messages.sha256 is 'SHA-256 of body.';
comment on column refused_messages.body is 'The bytes, as far as they were read.';
comment on column refused_messages.created_at is 'When it was stored.';`;

const caseEntries = `
create table case_entries (
  case_entry_id bigint generated always as identity primary key,
  audit_event_id bigint references audit_events,
  subject_id uuid,
  action text not null check (action in ('take', 'note', 'close', 'reopen')),
  client_id text not null,
  note text check (char_length(note) <= 2000),
  at timestamptz not null default clock_timestamp(),
  check (num_nonnulls(audit_event_id, subject_id) = 1)
);
create table logged_alerts (
  audit_event_id bigint primary key references audit_events
);
comment on table logged_alerts is 'Alerts and security events of which a process has written a log line (OBS-1).';
comment on column logged_alerts.audit_event_id is 'The alert.';
create index case_entries_audit_event_id on case_entries (audit_event_id) where audit_event_id is not null;
create index case_entries_subject_id on case_entries (subject_id) where subject_id is not null;
comment on table case_entries is 'What operators did about an alert, or about a payment or resolution with all its alerts so far (OBS-6). Insert-only.';
comment on column case_entries.case_entry_id is 'Our id.';
comment on column case_entries.audit_event_id is 'The alert; null where it is about the whole case.';
comment on column case_entries.subject_id is 'The case: the UETR of a payment, or the id of a resolution.';
comment on column case_entries.action is 'take: somebody takes care of it; note; close: nothing more is to be done; reopen.';
comment on column case_entries.client_id is 'Who.';
comment on column case_entries.note is 'In their words; no personal data (SEC-3).';
comment on column case_entries.at is 'When.';`;

const parties = `
create index delivery_attempts_started_at on delivery_attempts using brin (started_at);
create unlogged table receiver_states (
  worker_id uuid not null,
  receiver text not null,
  breaker text not null check (breaker in ('closed', 'open', 'probing')),
  failures_in_a_row integer not null,
  sends_under_way integer not null,
  at timestamptz not null default clock_timestamp(),
  primary key (worker_id, receiver)
);
comment on table receiver_states is 'How each worker finds the receivers that it sends to (CBK-3), written anew every few seconds: what is older than 30 s is of a worker that is gone.';
comment on column receiver_states.worker_id is 'The worker process.';
comment on column receiver_states.receiver is 'The origin as registered; with a party behind it, where it has several.';
comment on column receiver_states.breaker is 'open: nothing is sent to it for now; probing: one send tries it.';
comment on column receiver_states.failures_in_a_row is 'Since its last answer.';
comment on column receiver_states.sends_under_way is 'Of 16 at most.';
comment on column receiver_states.at is 'When it was written.';`;

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statements of [lists, refusedMessages, caseEntries, parties])
    await sql.raw(statements).execute(db);
}
