// When a seal was made is part of what is signed, and a key of ours is told from one that somebody has put beside it (SEC-6).
// Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const inTime = `
alter table audit_seals add column version smallint not null default 1;
comment on column audit_seals.version is 'What the digest is over: from 2 on, sealed_at too.';
comment on column audit_seals.digest is 'SHA-256 over previous, since, until, from version 2 on sealed_at, and entries.';
comment on column audit_seals.sealed_at is 'When that was; from version 2 on it is signed.';

alter table delivery_keys add column vouched text, add column vouched_by text,
  add check ((vouched is null) = (vouched_by is null));
comment on column delivery_keys.vouched is 'The public key, encrypted by a key of SEALING_KEYS: whoever has those made it (SEC-6); null: nobody vouches for it.';
comment on column delivery_keys.vouched_by is 'By which.';`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(inTime).execute(db);
}
