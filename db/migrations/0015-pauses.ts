// Destinations and FX providers that operators have paused (LIF-5). Forward only: a released migration is never edited; what
// it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const pauses = `
create table pauses (
  pause_id uuid primary key,
  party_id text not null,
  paused_by text not null,
  paused_at timestamptz not null default clock_timestamp(),
  paused_because text not null check (char_length(paused_because) between 1 and 2000),
  resumed_by text,
  resumed_at timestamptz,
  resumed_because text check (char_length(resumed_because) between 1 and 2000),
  check (num_nonnulls(resumed_by, resumed_at, resumed_because) in (0, 3))
);
create unique index pauses_standing on pauses (party_id) where resumed_at is null;
create trigger pauses_changed after insert or update or delete or truncate on pauses
  for each statement execute function notify_reference_data();
comment on table pauses is 'While one stands, a payment system gets no new payments, and the quotes of an FX provider are left out (LIF-5).';
comment on column pauses.pause_id is 'Our id.';
comment on column pauses.party_id is 'The payment system, or the internalId of the FX provider.';
comment on column pauses.paused_by is 'Client id.';
comment on column pauses.paused_at is 'When.';
comment on column pauses.paused_because is 'Why, in their words.';
comment on column pauses.resumed_by is 'Client id; null while it stands.';
comment on column pauses.resumed_at is 'When.';
comment on column pauses.resumed_because is 'Why, in their words.';`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(pauses).execute(db);
}
