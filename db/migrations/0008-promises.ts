// What keeps the promise when something of ours fails: finals that count from the moment they are stored, deliveries
// that know how often they were asked for, addresses that a source names anew, and what the sweep goes by. Forward
// only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const promises = `
alter table deliveries
  add column final_report_id uuid references messages,
  add column asks integer not null default 1,
  add column round text,
  add column claim uuid,
  add column enquiry_asked_at timestamptz,
  alter column url drop not null;
comment on column deliveries.url is 'Where a callback goes; null for every other kind, whose address is the one registered at the moment of each attempt (CBK-5).';
comment on column deliveries.final_report_id is 'Of an instruction: the first final pacs.002 of the destination that was stored. From then on it decides (PAY-7).';
comment on column deliveries.asks is 'How often it was asked for: an attempt of an earlier asking changes nothing in the schedule of a later one (DUP-1).';
comment on column deliveries.round is 'Of an instruction: the send that its attempts since asked belong to, with its repeats (TIM-3).';
comment on column deliveries.claim is 'Of the last attempt: known to whoever claimed it, who may ask for the same attempt again as long as nothing was sent (TIM-3).';
comment on column deliveries.enquiry_asked_at is 'Of an instruction: when the source last asked for the status; others within 5 s join it (DUP-1).';
comment on column deliveries.attempts_since_asked is 'Position in the schedule: of CBK-1, or of the round of an instruction (TIM-3).';
update deliveries set url = null where kind <> 'callback';
-- taken by one attempt and given up by another at the same time: the receiver has it
update deliveries set closed_at = null, closed_reason = null
where kind in ('callback', 'confirmation', 'notification') and delivered_at is not null and closed_at is not null;
alter table deliveries add constraint deliveries_one_end check (
  kind not in ('callback', 'confirmation', 'notification') or delivered_at is null or closed_at is null);
-- finals that an earlier version stored and did not apply
update deliveries i set final_report_id = (
  select r.message_id from messages r
  where r.uetr = i.uetr and r.direction = 'in' and r.leg = 'destination' and r.message_type = 'pacs002'
    and r.status in ('ACCC', 'RJCT', 'BLCK')
  order by r.created_at limit 1)
where i.kind = 'instruction' and i.closed_at is null;
create index deliveries_undecided on deliveries (asked_at) where kind = 'instruction' and closed_at is null;
create index deliveries_open on deliveries (asked_at)
  where kind in ('callback', 'confirmation', 'notification') and delivered_at is null and closed_at is null;

alter table delivery_attempts add column url text;
comment on column delivery_attempts.url is 'Where it went (CBK-4).';

alter table messages add column refusal text;
comment on column messages.refusal is 'Of an answer of ours that refuses: rule, place and public text at length (MSG-13).';
create index messages_submitted on messages (created_at) where direction = 'in' and leg = 'source';

create index messages_finals on messages (created_at) where direction = 'in' and leg = 'destination'
  and message_type = 'pacs002' and status in ('ACCC', 'RJCT', 'BLCK');
create index resolutions_deadline on resolutions (deadline_at);

create table callback_addresses (
  message_id uuid not null references messages,
  url text not null,
  named_at timestamptz not null default clock_timestamp(),
  primary key (message_id, named_at)
);
comment on table callback_addresses is 'Addresses that a source named in a repeat of its submission: the last one is the callback''s from then on (DUP-1). Insert-only.';
comment on column callback_addresses.message_id is 'The submission.';
comment on column callback_addresses.url is 'The address, judged before it was stored (SEC-2).';
comment on column callback_addresses.named_at is 'When.';

create function callback_address(submission uuid) returns text language plpgsql volatile as $$
begin
  -- whoever names an address refers to the submission, and waits here; whoever has named one is read below
  perform from messages where message_id = submission for update;
  return coalesce(
    (select url from callback_addresses where message_id = submission order by named_at desc limit 1),
    (select answer_url from messages where message_id = submission));
end
$$;
comment on function callback_address(uuid) is 'Where the answer to a submission goes: the address that was named last. For the statement that writes a callback: until that is committed, no other can be named, so that neither misses the other (DUP-1).';

create table refusals (
  message_id uuid primary key references messages,
  answer_message_id uuid not null references messages
);
comment on table refusals is 'The one answer to each message that was refused as a repeat, whoever judged it at the same time (DUP-2).';
comment on column refusals.message_id is 'The refused message.';
comment on column refusals.answer_message_id is 'What its sender is told.';

create table leases (
  name text primary key,
  holder text not null,
  held_until timestamptz not null
);
comment on table leases is 'Work that one process at a time does, such as the sweep (LIF-2).';
comment on column leases.name is 'The work.';
comment on column leases.holder is 'The process.';
comment on column leases.held_until is 'From then on another process may take it.';
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(promises).execute(db);
}
