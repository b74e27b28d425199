// Messages, payments, decisions, deliveries and the audit trail.
// Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const payments = `
create table messages (
  message_id uuid primary key,
  uetr uuid,
  message_type text not null check (message_type in ('pacs008', 'pacs002', 'pacs028', 'acmt023', 'acmt024', 'fxtr017')),
  message_identification text not null,
  direction text not null check (direction in ('in', 'out')),
  leg text not null check (leg in ('source', 'destination', 'fxp')),
  party text not null,
  status text,
  reason_code text,
  answer_url text,
  in_reply_to uuid references messages,
  sha256 bytea not null,
  body bytea not null,
  created_at timestamptz not null default now()
);
create index messages_uetr on messages (uetr);
create index messages_in_reply_to on messages (in_reply_to) where in_reply_to is not null;
create unique index messages_received_once on messages (party, message_type, sha256) where direction = 'in';
comment on table messages is 'Every ISO 20022 message received or sent, byte for byte. Insert-only.';
comment on column messages.message_id is 'Our id.';
comment on column messages.uetr is 'The payment it belongs to; null for resolutions.';
comment on column messages.message_type is 'pacs008, pacs002, pacs028, acmt023, acmt024 or fxtr017.';
comment on column messages.message_identification is 'Its own MsgId.';
comment on column messages.direction is 'in: received; out: built by us.';
comment on column messages.leg is 'source, destination or fxp: the side we exchanged it with.';
comment on column messages.party is 'Payment system or FX provider on the other end.';
comment on column messages.status is 'Transaction status of a pacs.002.';
comment on column messages.reason_code is 'Status reason of a pacs.002, if any.';
comment on column messages.answer_url is 'Address that a submission named for its answer (pacs002Endpoint, acmt024Endpoint).';
comment on column messages.in_reply_to is 'The message that this one answers.';
comment on column messages.sha256 is 'SHA-256 of body.';
comment on column messages.body is 'The bytes.';
comment on column messages.created_at is 'When it was stored.';

create table message_identifications (
  source_clearing_system text not null,
  message_identification text not null,
  uetr uuid not null,
  claimed_at timestamptz not null,
  primary key (source_clearing_system, message_identification)
);
comment on table message_identifications is 'MsgId of submitted payments, unique per sender within 62 days (DUP-2).';
comment on column message_identifications.source_clearing_system is 'The submitting payment system.';
comment on column message_identifications.message_identification is 'MsgId.';
comment on column message_identifications.uetr is 'The payment that has it.';
comment on column message_identifications.claimed_at is 'When it was taken.';

create table payments (
  uetr uuid primary key,
  source_clearing_system text not null,
  message_id uuid not null references messages,
  answer_message_id uuid not null references messages,
  received_at timestamptz not null,
  accepted boolean not null,
  forwarded_message_id uuid references messages,
  destination_clearing_system text,
  corridor text,
  priority text check (priority in ('HIGH', 'NORM')),
  acceptance_at timestamptz,
  deadline_at timestamptz,
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
  destination_references jsonb
);
comment on table payments is 'One row per UETR that was ever submitted, written once, when its first pacs.008 was judged (DUP-3).';
comment on column payments.uetr is 'Unique end-to-end transaction reference.';
comment on column payments.source_clearing_system is 'Payment system that submitted it.';
comment on column payments.message_id is 'The submitted pacs.008.';
comment on column payments.answer_message_id is 'The first answer: pacs.002 ACTC or RJCT.';
comment on column payments.received_at is 'When the submission was judged, database clock.';
comment on column payments.accepted is 'Whether it passed validation (ACTC); false: RJCT.';
comment on column payments.forwarded_message_id is 'The converted pacs.008 for the destination.';
comment on column payments.destination_clearing_system is 'Payment system it goes to.';
comment on column payments.corridor is 'Source and destination country, as in SG-TH.';
comment on column payments.priority is 'HIGH or NORM (MSG-5).';
comment on column payments.acceptance_at is 'AccptncDtTm, the scheme''s clock.';
comment on column payments.deadline_at is 'Moment by which a HIGH payment must be final (TIM-1); null for NORM.';
comment on column payments.quote_id is 'The quote it uses; null where the debtor agent does its own FX (PAY-5).';
comment on column payments.fxp_id is 'FX provider of the quote.';
comment on column payments.exchange_rate is 'Destination units per source unit.';
comment on column payments.source_amount is 'Source interbank settlement amount, source currency.';
comment on column payments.source_currency is 'Source currency.';
comment on column payments.destination_amount is 'Destination interbank settlement amount, destination currency.';
comment on column payments.destination_currency is 'Destination currency.';
comment on column payments.creditor_agent_fee is 'Creditor agent fee, destination currency.';
comment on column payments.debtor_agent_id is 'Debtor agent.';
comment on column payments.creditor_agent_id is 'Creditor agent.';
comment on column payments.source_sap_id is 'Source-side SAP (intermediary agent 1); null without a quote.';
comment on column payments.source_account_id is 'The FX provider''s account there.';
comment on column payments.destination_sap_id is 'Destination-side SAP (intermediary agent 2).';
comment on column payments.destination_account_id is 'The account there: of the FX provider, or of the debtor agent (PAY-5).';
comment on column payments.source_references is 'Ids and agents of the submitted pacs.008, as a pacs.002 to the source repeats them (MSG-11).';
comment on column payments.destination_references is 'Ids and agents of the forwarded pacs.008, as a confirmation repeats them (PAY-9).';

create table decisions (
  uetr uuid primary key references payments,
  status text not null check (status in ('ACCC', 'RJCT', 'BLCK')),
  reason_code text,
  rule_id text,
  decided_by text not null check (decided_by in ('destination', 'gateway')),
  report_message_id uuid references messages,
  callback_message_id uuid references messages,
  confirmation_message_id uuid references messages,
  notification_message_id uuid references messages,
  decided_at timestamptz not null default now(),
  check ((decided_by = 'destination') = (report_message_id is not null))
);
comment on table decisions is 'The final status of each payment: one row, written once, never changed (PAY-7, PAY-10).';
comment on column decisions.uetr is 'The payment.';
comment on column decisions.status is 'ACCC, RJCT or BLCK.';
comment on column decisions.reason_code is 'Status reason code of RJCT, or of the destination''s report.';
comment on column decisions.rule_id is 'Rule by which the gateway rejected, or null.';
comment on column decisions.decided_by is 'Who decided: the destination''s pacs.002, or the gateway.';
comment on column decisions.report_message_id is 'The destination''s pacs.002 that decided.';
comment on column decisions.callback_message_id is 'pacs.002 to the source.';
comment on column decisions.confirmation_message_id is 'pacs.002 to the destination (PAY-9).';
comment on column decisions.notification_message_id is 'fxtr.017 to the FX provider.';
comment on column decisions.decided_at is 'When, database clock.';

create table deliveries (
  delivery_id uuid primary key,
  uetr uuid not null,
  kind text not null check (kind in ('instruction', 'callback', 'confirmation', 'notification')),
  message_id uuid not null references messages,
  party text not null,
  url text not null,
  asked_at timestamptz not null default now(),
  next_due_at timestamptz not null default now(),
  attempts integer not null default 0,
  attempts_since_asked integer not null default 0,
  possibly_sent integer not null default 0 check (possibly_sent >= 0),
  delivered_at timestamptz,
  closed_at timestamptz,
  closed_reason text,
  unique (uetr, kind)
);
create index deliveries_closed on deliveries (closed_at) where closed_at is not null and delivered_at is null;
comment on table deliveries is 'Messages to be brought to another party, at least once, same bytes (CBK-1). One row per payment and kind; every attempt updates it, so that an attempt and a decision against it never miss each other.';
comment on column deliveries.delivery_id is 'Our id.';
comment on column deliveries.uetr is 'The payment.';
comment on column deliveries.kind is 'instruction: pacs.008 to the destination; callback: final pacs.002 to the source; confirmation: pacs.002 to the destination; notification: fxtr.017.';
comment on column deliveries.message_id is 'What is delivered.';
comment on column deliveries.party is 'To whom: payment system or FX provider.';
comment on column deliveries.url is 'Where.';
comment on column deliveries.asked_at is 'When it was asked for; set anew by a redelivery.';
comment on column deliveries.next_due_at is 'When the next attempt is due (CBK-1); during an attempt, when that attempt counts as lost.';
comment on column deliveries.attempts is 'Number of attempts made; the last one may be under way.';
comment on column deliveries.attempts_since_asked is 'Position in the schedule of CBK-1.';
comment on column deliveries.possibly_sent is 'Attempts that are under way or ended otherwise than NOT_SENT (TIM-3).';
comment on column deliveries.delivered_at is 'When it was acknowledged since it was last asked for; null while it is due.';
comment on column deliveries.closed_at is 'When no further attempt was allowed: given up, or decided (instructions).';
comment on column deliveries.closed_reason is 'decided, gone (410), expired (72 h).';

create table delivery_attempts (
  delivery_id uuid not null references deliveries,
  attempt integer not null check (attempt > 0),
  started_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  outcome text check (outcome in ('NOT_SENT', 'MAYBE_SENT', 'ANSWERED')),
  http_status smallint,
  duration_ms integer,
  error_class text,
  response_excerpt text,
  primary key (delivery_id, attempt)
);
comment on table delivery_attempts is 'Every attempt, its row committed before the socket opens (TIM-3, CBK-4). A row without outcome counts as MAYBE_SENT.';
comment on column delivery_attempts.delivery_id is 'The delivery.';
comment on column delivery_attempts.attempt is 'From 1.';
comment on column delivery_attempts.started_at is 'Before the socket opened.';
comment on column delivery_attempts.finished_at is 'When the answer or the failure was recorded.';
comment on column delivery_attempts.outcome is 'NOT_SENT, MAYBE_SENT or ANSWERED (TIM-3).';
comment on column delivery_attempts.http_status is 'Status of the answer.';
comment on column delivery_attempts.duration_ms is 'Milliseconds from start to answer or failure.';
comment on column delivery_attempts.error_class is 'refused, timeout, reset and so on; null when answered.';
comment on column delivery_attempts.response_excerpt is 'At most 1 KiB of an answer other than 2xx (CBK-4).';

create table audit_events (
  audit_event_id bigint generated always as identity primary key,
  occurred_at timestamptz not null default clock_timestamp(),
  severity text not null check (severity in ('info', 'alert', 'security')),
  kind text not null,
  uetr uuid,
  party text,
  detail jsonb not null default '{}'
);
create index audit_events_uetr on audit_events (uetr);
comment on table audit_events is 'What operators must be able to look up: contradictions, security events, interim statuses. Insert-only, no personal data.';
comment on column audit_events.audit_event_id is 'Our id.';
comment on column audit_events.occurred_at is 'When.';
comment on column audit_events.severity is 'info, alert (a person must look) or security.';
comment on column audit_events.kind is 'What happened, for example payment.contradiction.';
comment on column audit_events.uetr is 'The payment, if one is concerned.';
comment on column audit_events.party is 'The party concerned, if any.';
comment on column audit_events.detail is 'Codes and ids; never personal data (SEC-3).';
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(payments).execute(db);
}
