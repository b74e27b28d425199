// Every message received or sent.

export const messages = `
-- Every ISO 20022 message received or sent; its bytes are in message_bodies. Insert-only; partitioned by year (LIF-6).
create table messages (
  message_id uuid not null, -- Our id.
  subject_id uuid, -- Subject: the UETR of a payment, or the id of a resolution or of a page of a book.
  message_type text not null check (message_type in ('pacs008', 'pacs002', 'pacs028', 'acmt023', 'acmt024', 'fxtr017', 'camt054')), -- pacs008, pacs002, pacs028, acmt023, acmt024, fxtr017 or camt054.
  message_identification text not null, -- MsgId of the message.
  direction text not null check (direction in ('in', 'out')), -- in: received; out: built by us.
  leg text not null check (leg in ('source', 'destination', 'fxp', 'book')), -- The side that we exchanged it with: source, destination or fxp; book: the receiver of a daily book.
  party text not null, -- Payment system or FX provider on the other end.
  status text, -- Transaction status of a pacs.002; true or false of an acmt.024.
  reason_code text, -- Status reason of a pacs.002, verification reason of an acmt.024, if any.
  answer_url text, -- Address that a submission named for its answer (pacs002Endpoint, acmt024Endpoint).
  in_reply_to uuid, -- The message that this one answers.
  refusal text, -- If it is our answer and refuses: rule, place and full public text.
  sha256 bytea not null, -- SHA-256 of its bytes.
  size integer not null, -- Number of its bytes.
  created_at timestamptz not null default now() -- When it was stored.
) partition by range (created_at);
create table messages_default partition of messages default;
alter table messages_default add primary key (message_id);
create index messages_finals on messages (created_at) where direction = 'in' and leg = 'destination' and message_type = 'pacs002' and status in ('ACCC', 'RJCT', 'BLCK');
create index messages_in_reply_to on messages (in_reply_to) where in_reply_to is not null;
create index messages_message_identification on messages (message_identification);
create index messages_subject_id on messages (subject_id);
create index messages_submitted on messages (created_at) where direction = 'in' and leg = 'source';

-- The bytes of each message, kept for a shorter time than its record (LIF-6). Insert-only; partitioned by month.
create table message_bodies (
  message_id uuid not null, -- The message, or refused message.
  created_at timestamptz not null, -- Same as in messages.
  body bytea not null, -- The bytes.
  key_id text -- Data key that seals the bytes; null: they are not sealed.
) partition by range (created_at);
create table message_bodies_default partition of message_bodies default;
alter table message_bodies_default add primary key (message_id);

-- Recognises a repeated message (DUP-1): one row per party and content, across all partitions of messages. Deleted together with the message.
create table message_keys (
  party text not null, -- The sender.
  message_type text not null, -- Same as in messages.
  sha256 bytea not null, -- SHA-256 of its bytes.
  message_id uuid not null, -- The message.
  created_at timestamptz not null, -- Same as in messages.
  primary key (party, message_type, sha256)
);

-- MsgId of submitted payments, unique per sender within 62 days (DUP-2).
create table message_identifications (
  source_clearing_system text not null, -- The submitting payment system.
  message_identification text not null, -- MsgId.
  uetr uuid not null, -- The payment that has it.
  claimed_at timestamptz not null, -- When the payment took it.
  primary key (source_clearing_system, message_identification)
);

-- The one answer to each message that was refused as a repeat, even if two processes judged it at the same time (DUP-2).
create table refusals (
  message_id uuid primary key, -- The refused message.
  answer_message_id uuid not null -- The answer to its sender.
);

-- Messages about a payment or resolution that were refused, byte for byte: they may show what the party did (PAY-8, RES-4). Once per subject and content. Insert-only.
create table refused_messages (
  message_id uuid primary key, -- Our id.
  subject_id uuid not null, -- Subject: the UETR of a payment, or the id of a resolution.
  party text not null, -- The sender.
  in_reply_to uuid, -- Our message that it answered; null: it was posted to our address.
  sha256 bytea not null, -- SHA-256 of body.
  created_at timestamptz not null default clock_timestamp(), -- When it was stored.
  refused_as text not null, -- Kind of the audit event that reports it.
  fault jsonb not null, -- The fault: reason in words, ruleId, and the status that it reported. Contains no text from the message.
  size integer not null, -- Number of its bytes, as far as they were read.
  unique (subject_id, sha256)
);
create index refused_messages_created_at on refused_messages using brin (created_at);

-- Addresses that a source named when it repeated its submission: the callback goes to the last one (DUP-1). Insert-only.
create table callback_addresses (
  message_id uuid not null, -- The submission.
  url text not null, -- The address, which was checked before it was stored.
  named_at timestamptz not null default clock_timestamp(), -- When it was named.
  primary key (message_id, named_at)
);

create function callback_address(submission uuid) returns text
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- conflicts with the key share lock of lock_submission(): a later address waits, an earlier one is read below
  perform from messages where message_id = submission for update;
  return coalesce(
    (select url from callback_addresses where message_id = submission order by named_at desc limit 1),
    (select answer_url from messages where message_id = submission));
end
$$;
comment on function callback_address(uuid) is 'The address for the answer to a submission: the last one named. Locks the submission until the statement that writes the callback commits, so that no other address can be named meanwhile (DUP-1).';

create function lock_submission() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform from messages where message_id = new.message_id for key share;
  if not found then
    raise exception 'no message % is stored', new.message_id using errcode = 'foreign_key_violation';
  end if;
  return new;
end $$;
comment on function lock_submission() is 'Makes a transaction that names a callback address wait for one that writes the answer: see callback_address().';
create trigger callback_addresses_wait before insert on callback_addresses for each row
  execute function lock_submission();
`;
