// What became of a payment in doubt, as operators found out: recorded by one, confirmed by another, and then a decision
// like any other (LIF-4). Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const recordedOutcomes = `
create table recorded_outcomes (
  outcome_id uuid primary key,
  uetr uuid not null references payments,
  status text not null check (status in ('ACCC', 'RJCT', 'BLCK')),
  reason_code text,
  evidence text not null check (char_length(evidence) between 1 and 2000),
  recorded_by text not null,
  recorded_at timestamptz not null default clock_timestamp(),
  confirmed_by text,
  confirmed_at timestamptz,
  withdrawn_by text,
  withdrawn_at timestamptz,
  withdrawn_because text check (char_length(withdrawn_because) <= 2000),
  check (status <> 'RJCT' or reason_code is not null),
  check (status <> 'ACCC' or reason_code is null),
  check (confirmed_by <> recorded_by),
  check ((confirmed_by is null) = (confirmed_at is null)),
  check ((withdrawn_by is null) = (withdrawn_at is null)),
  check (confirmed_at is null or withdrawn_at is null)
);
create unique index recorded_outcomes_standing on recorded_outcomes (uetr) where withdrawn_at is null;
create index recorded_outcomes_uetr on recorded_outcomes (uetr);
comment on table recorded_outcomes is 'How a payment in doubt ended, as an operator found out, and who confirmed that (LIF-4). One stands per payment.';
comment on column recorded_outcomes.outcome_id is 'Our id.';
comment on column recorded_outcomes.uetr is 'The payment.';
comment on column recorded_outcomes.status is 'ACCC, RJCT or BLCK.';
comment on column recorded_outcomes.reason_code is 'ISO 20022 code; always for RJCT, never for ACCC.';
comment on column recorded_outcomes.evidence is 'How the operator knows, in their words; no personal data (SEC-3).';
comment on column recorded_outcomes.recorded_by is 'Client id.';
comment on column recorded_outcomes.recorded_at is 'When.';
comment on column recorded_outcomes.confirmed_by is 'Client id of another operator; null while nobody has.';
comment on column recorded_outcomes.confirmed_at is 'When; from then on it decides, unless a final of the destination is stored.';
comment on column recorded_outcomes.withdrawn_by is 'Client id; only one that is not confirmed can be withdrawn.';
comment on column recorded_outcomes.withdrawn_at is 'When.';
comment on column recorded_outcomes.withdrawn_because is 'Why, in their words; no personal data (SEC-3).';`;

const decisions = `
alter table decisions add column outcome_id uuid references recorded_outcomes;
alter table decisions drop constraint decisions_decided_by_check;
alter table decisions add constraint decisions_decided_by_check
  check (decided_by in ('destination', 'gateway', 'operator'));
alter table decisions add constraint decisions_outcome_id_check
  check ((decided_by = 'operator') = (outcome_id is not null));
comment on column decisions.decided_by is 'Who decided: the destination''s pacs.002, the gateway, or two operators (LIF-4).';
comment on column decisions.outcome_id is 'What the operators recorded; null where they did not decide.';`;

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statements of [recordedOutcomes, decisions]) await sql.raw(statements).execute(db);
}
