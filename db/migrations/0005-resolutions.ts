// Resolutions: requests to resolve a proxy or confirm an account (RES-1 to RES-4), and the one answer of each.
// Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const resolutions = `
alter table clearing_systems
  add column max_resolution_seconds integer not null default 8 check (max_resolution_seconds > 0);
comment on column clearing_systems.max_resolution_seconds is 'Seconds that its submissions of acmt.023 wait for their answer (RES-1): a person looks at a screen meanwhile, whatever the destination.';

create table resolutions (
  resolution_id uuid primary key references messages,
  source_clearing_system text not null,
  message_identification text not null,
  received_at timestamptz not null,
  deadline_at timestamptz not null,
  destination_country text,
  destination_clearing_system text,
  unique (source_clearing_system, message_identification)
);
comment on table resolutions is 'One row per acmt.023 that a source submitted, written once, when it was judged.';
comment on column resolutions.resolution_id is 'The submitted acmt.023; correlates all messages and deliveries of the resolution.';
comment on column resolutions.source_clearing_system is 'Payment system that submitted it.';
comment on column resolutions.message_identification is 'Its MsgId; the authority on duplicates.';
comment on column resolutions.received_at is 'When it was judged, database clock.';
comment on column resolutions.deadline_at is 'Moment at which the gateway itself answers false AB08 (RES-1).';
comment on column resolutions.destination_country is 'Where the account is (RES-2); null where the request was refused.';
comment on column resolutions.destination_clearing_system is 'Payment system whose operator is asked; null where the request was refused.';

create table resolution_answers (
  resolution_id uuid primary key references resolutions,
  verified boolean not null,
  reason_code text,
  rule_id text,
  refusal text,
  answered_by text not null check (answered_by in ('directory', 'creditor-agent', 'gateway')),
  report_message_id uuid references messages,
  answer_message_id uuid not null references messages,
  answered_at timestamptz not null default now(),
  check (verified or reason_code is not null),
  check ((answered_by = 'gateway') = (report_message_id is null)),
  check ((answered_by = 'gateway') = (rule_id is not null))
);
create unique index resolution_answers_message on resolution_answers (answer_message_id);
comment on table resolution_answers is 'The answer of each resolution: one row, written once, never changed (RES-1).';
comment on column resolution_answers.resolution_id is 'The resolution.';
comment on column resolution_answers.verified is 'Vrfctn: whether the account was found or confirmed.';
comment on column resolution_answers.reason_code is 'Reason of a false answer (RES-4).';
comment on column resolution_answers.rule_id is 'Rule by which the gateway itself answered, or null.';
comment on column resolution_answers.refusal is 'Rule, XPath and public text of an answer of the gateway: acmt.024 has no place for them.';
comment on column resolution_answers.answered_by is 'Whose answer it is: the proxy directory''s, the creditor agent''s or the gateway''s own.';
comment on column resolution_answers.report_message_id is 'The acmt.024 that was received and passed on.';
comment on column resolution_answers.answer_message_id is 'The acmt.024 to the source.';
comment on column resolution_answers.answered_at is 'When, database clock.';

alter table deliveries drop constraint deliveries_kind_check;
alter table deliveries add constraint deliveries_kind_check check (kind in
  ('instruction', 'callback', 'confirmation', 'notification', 'directory-enquiry', 'account-enquiry'));
comment on table deliveries is 'Messages to be brought to another party, at least once, same bytes (CBK-1). One row per payment or resolution and kind; every attempt updates it, so that an attempt and a decision against it never miss each other.';
comment on column deliveries.uetr is 'What the message is about: the payment''s UETR, or the resolution''s id.';
comment on column deliveries.kind is 'instruction: pacs.008 to the destination; callback: final pacs.002, or acmt.024, to the source; confirmation: pacs.002 to the destination; notification: fxtr.017; directory-enquiry, account-enquiry: acmt.023 to a proxy directory, to a creditor agent.';
comment on column deliveries.closed_at is 'When no further attempt was allowed: given up, decided (instructions) or answered (enquiries).';
comment on column deliveries.closed_reason is 'decided, answered, gone (410), expired (72 h).';
comment on column messages.uetr is 'The payment it belongs to, or the resolution''s id.';
comment on column messages.status is 'Transaction status of a pacs.002; true or false of an acmt.024.';
comment on column messages.reason_code is 'Status reason of a pacs.002, verification reason of an acmt.024, if any.';
comment on column audit_events.uetr is 'The payment or the resolution, if one is concerned.';
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(resolutions).execute(db);
}
