// What was decided, and what happened, is sealed hour by hour, each seal over the one before: whoever changes it behind our
// back is named (SEC-6, LIF-1).
// Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const seals = `
create index audit_events_occurred_at on audit_events using brin (occurred_at);

create table audit_seals (
  until timestamptz primary key,
  since timestamptz not null,
  previous bytea,
  entries bytea not null,
  digest bytea not null,
  key_id text not null references delivery_keys,
  signature bytea not null,
  sealed_at timestamptz not null default clock_timestamp(),
  check (since < until)
);
comment on table audit_seals is 'Seals over decisions and audit events, one for each hour, UTC (SEC-6).';
comment on column audit_seals.until is 'End of the hour, not included.';
comment on column audit_seals.since is 'Its beginning: the end of the one before.';
comment on column audit_seals.previous is 'Digest of the seal before; null: it is the first.';
comment on column audit_seals.entries is 'One of 35 bytes for each row, in order: what it is, the year of its partition, its id, the beginning of its hash.';
comment on column audit_seals.digest is 'SHA-256 over previous, since, until and entries.';
comment on column audit_seals.key_id is 'By which key it is signed.';
comment on column audit_seals.signature is 'ed25519 over the digest.';
comment on column audit_seals.sealed_at is 'When that was.';

create trigger audit_seals_insert_only before update or delete or truncate on audit_seals
  for each statement execute function refuse_change();`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(seals).execute(db);
}
