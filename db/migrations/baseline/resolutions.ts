// Resolutions of proxies and accounts.

export const resolutions = `
-- One row per acmt.023 that a source submitted, written once, when it was judged.
create table resolutions (
  resolution_id uuid primary key, -- Message id of the submitted acmt.023; correlates all messages and deliveries of the resolution.
  source_clearing_system text not null, -- Payment system that submitted it.
  message_identification text not null, -- Its MsgId; the unique key that detects duplicates.
  judged_at timestamptz not null, -- When it was judged, database clock.
  deadline_at timestamptz not null, -- Time at which the gateway itself answers: false, AB08.
  destination_country text, -- Country of the account; null if the request was refused.
  destination_clearing_system text, -- Payment system whose operator is asked; null if the request was refused.
  unique (source_clearing_system, message_identification)
);
create index resolutions_deadline on resolutions (deadline_at);

-- The answer of each resolution: one row, written once, never changed (RES-1).
create table resolution_answers (
  resolution_id uuid primary key references resolutions, -- The resolution.
  verified boolean not null, -- Vrfctn: whether the account was found or confirmed.
  reason_code text, -- Reason of a false answer.
  rule_id text, -- Rule by which the gateway itself answered, or null.
  answered_by text not null check (answered_by in ('directory', 'creditor-agent', 'gateway')), -- Source of the answer: the proxy directory, the creditor agent, or the gateway itself.
  report_message_id uuid, -- The acmt.024 that was received and passed on.
  answer_message_id uuid not null, -- The acmt.024 to the source.
  answered_at timestamptz not null default now(), -- When it was answered, database clock.
  check (verified or reason_code is not null),
  check ((answered_by = 'gateway') = (report_message_id is null)),
  check ((answered_by = 'gateway') = (rule_id is not null))
);
create unique index resolution_answers_message on resolution_answers (answer_message_id);
`;
