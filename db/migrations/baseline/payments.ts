// Payments and their decisions. There are no foreign keys between partitioned tables: to drop a partition, Postgres would
// have to scan all the partitions that refer to it.

export const payments = `
-- Every UETR that was judged, once, across all partitions of payments (DUP-3). Deleted together with the payment.
create table payment_keys (
  uetr uuid primary key, -- The payment.
  begun_at timestamptz not null -- Same as in payments.
);

-- One row per UETR that was submitted, written once when its first pacs.008 was judged (DUP-3).
create table payments (
  uetr uuid not null, -- Unique end-to-end transaction reference.
  source_clearing_system text not null, -- Payment system that submitted it.
  message_id uuid not null, -- The submitted pacs.008.
  answer_message_id uuid not null, -- The first answer: pacs.002 ACTC or RJCT.
  judged_at timestamptz not null, -- When the submission was judged, database clock.
  accepted boolean not null, -- Whether it passed validation (ACTC); false: RJCT.
  forwarded_message_id uuid, -- The converted pacs.008 for the destination.
  destination_clearing_system text, -- Destination payment system.
  corridor text, -- Source and destination country, as in SG-TH.
  priority text check (priority in ('HIGH', 'NORM')), -- HIGH or NORM.
  acceptance_at timestamptz, -- AccptncDtTm, the scheme's clock.
  deadline_at timestamptz, -- Time by which a HIGH payment must be final; null for NORM.
  quote_id uuid, -- The quote that it uses; null if the debtor agent does its own FX.
  fxp_id text, -- FX provider of the quote.
  exchange_rate numeric, -- Destination units per source unit.
  source_amount numeric, -- Source interbank settlement amount, source currency.
  source_currency text, -- Source currency.
  destination_amount numeric, -- Destination interbank settlement amount, destination currency.
  destination_currency text, -- Destination currency.
  creditor_agent_fee numeric, -- Creditor agent fee, destination currency.
  debtor_agent_id text, -- Debtor agent. For a rejected payment: the one that the message names, if it is a member of the submitting system; otherwise null.
  creditor_agent_id text, -- Creditor agent.
  source_sap_id text, -- Source-side SAP (intermediary agent 1); null without a quote.
  source_account_id text, -- The FX provider's account at that SAP.
  destination_sap_id text, -- Destination-side SAP (intermediary agent 2).
  destination_account_id text, -- The account at that SAP: of the FX provider, or of the debtor agent.
  source_references jsonb, -- Ids and agents of the submitted pacs.008, which a pacs.002 to the source repeats.
  destination_references jsonb, -- Ids and agents of the forwarded pacs.008, which a confirmation repeats.
  begun_at timestamptz not null -- When the payment was judged. Partition key.
) partition by range (begun_at);
create table payments_default partition of payments default;
alter table payments_default add primary key (uetr);
create index payments_end_to_end_id on payments ((source_references -> 'original' ->> 'endToEndId'));
create index payments_of_creditor_agent on payments (creditor_agent_id, judged_at, uetr);
create index payments_of_debtor_agent on payments (debtor_agent_id, judged_at, uetr);
create index payments_of_destination on payments (destination_clearing_system, judged_at, uetr);
create index payments_of_source on payments (source_clearing_system, judged_at, uetr);
create index payments_quote_id on payments (quote_id) where quote_id is not null;
create index payments_judged on payments (judged_at, uetr);

create function take_payment_key() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into payment_keys (uetr, begun_at) values (new.uetr, new.begun_at);
  return new;
end $$;
comment on function take_payment_key() is 'Ensures that a UETR is judged once, across all partitions (DUP-3); otherwise fails with 23505.';
create trigger payments_once before insert on payments for each row execute function take_payment_key();

-- The outcome of a payment in doubt, as one operator recorded and another confirmed it (LIF-4). At most one per payment is not withdrawn.
create table recorded_outcomes (
  outcome_id uuid primary key, -- Our id.
  uetr uuid not null, -- The payment.
  status text not null check (status in ('ACCC', 'RJCT', 'BLCK')), -- ACCC, RJCT or BLCK.
  reason_code text, -- ISO 20022 code; always for RJCT, never for ACCC.
  evidence text not null check (char_length(evidence) between 1 and 2000), -- How the operator knows, in their words; no personal data.
  recorded_by text not null, -- Client id of the operator.
  recorded_at timestamptz not null default clock_timestamp(), -- When it was recorded.
  confirmed_by text, -- Client id of another operator; null: not confirmed yet.
  confirmed_at timestamptz, -- When it was confirmed; from then on it decides, unless a final of the destination is stored.
  withdrawn_by text, -- Client id of the operator; only an unconfirmed outcome can be withdrawn.
  withdrawn_at timestamptz, -- When it was withdrawn.
  withdrawn_because text check (char_length(withdrawn_because) <= 2000), -- Why it was withdrawn, in their words; no personal data.
  check (status <> 'RJCT' or reason_code is not null),
  check (status <> 'ACCC' or reason_code is null),
  check (confirmed_by <> recorded_by),
  check ((confirmed_by is null) = (confirmed_at is null)),
  check ((withdrawn_by is null) = (withdrawn_at is null)),
  check (confirmed_at is null or withdrawn_at is null)
);
create unique index recorded_outcomes_standing on recorded_outcomes (uetr) where withdrawn_at is null;
create index recorded_outcomes_uetr on recorded_outcomes (uetr);

-- The final status of each payment: one row, written once, never changed (PAY-7, PAY-10).
create table decisions (
  uetr uuid not null, -- The payment.
  status text not null check (status in ('ACCC', 'RJCT', 'BLCK')), -- ACCC, RJCT or BLCK.
  reason_code text, -- Status reason code of RJCT, or of the destination's report.
  rule_id text, -- Rule by which the gateway rejected it, or null.
  decided_by text not null check (decided_by in ('destination', 'gateway', 'operator')), -- destination: its final pacs.002; gateway: its own rejection; operator: two operators.
  report_message_id uuid, -- The destination's pacs.002 that decided.
  callback_message_id uuid, -- pacs.002 to the source.
  confirmation_message_id uuid, -- pacs.002 to the destination.
  notification_message_id uuid, -- fxtr.017 to the FX provider.
  decided_at timestamptz not null default now(), -- When it was decided, database clock.
  outcome_id uuid references recorded_outcomes, -- The recorded outcome; null unless operators decided.
  perhaps_seen boolean not null, -- Whether the destination may have seen the payment, as known at the decision. If so, the payment is in the book of the destination too, even if rejected.
  begun_at timestamptz not null, -- When the payment was judged. Partition key.
  check ((decided_by = 'destination') = (report_message_id is not null)),
  check ((decided_by = 'operator') = (outcome_id is not null))
) partition by range (begun_at);
create table decisions_default partition of decisions default;
alter table decisions_default add primary key (uetr);
create index decisions_decided_at on decisions (decided_at, uetr);

create function check_decision() returns trigger
  language plpgsql set plan_cache_mode = force_generic_plan set search_path = public, pg_temp as $$
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
end $$;
create constraint trigger decisions_follow_the_states after insert on decisions deferrable initially deferred for each row
  execute function check_decision();
`;
