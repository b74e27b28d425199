// The keys by which we sign what we send (CBK-2): the public part for whoever verifies, the private one for workers.
// Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const keys = `
create table delivery_keys (
  key_id text primary key,
  public_key text not null unique,
  signs_from timestamptz not null default clock_timestamp(),
  signs_until timestamptz,
  withdrawn_at timestamptz,
  made_by text not null,
  because text not null,
  check (withdrawn_at is null or signs_until <= withdrawn_at)
);
comment on table delivery_keys is 'Public ed25519 keys of what we send; each attempt is signed by all that sign then (CBK-2).';
comment on column delivery_keys.key_id is 'Thumbprint of the public key (RFC 7638).';
comment on column delivery_keys.public_key is '32 bytes, base64url, as in x of a JWK (RFC 8037).';
comment on column delivery_keys.signs_from is 'From when on it signs.';
comment on column delivery_keys.signs_until is 'Until when it signs; null: until another key follows.';
comment on column delivery_keys.withdrawn_at is 'When it was given away: it is no longer published.';
comment on column delivery_keys.made_by is 'Client id of an operator, or isthmus.';
comment on column delivery_keys.because is 'Why it was made.';

create table delivery_key_secrets (
  key_id text primary key references delivery_keys,
  private_key text not null
);
comment on table delivery_key_secrets is 'Private parts of delivery_keys: workers read them, nobody else.';
comment on column delivery_key_secrets.key_id is 'The key.';
comment on column delivery_key_secrets.private_key is '32 bytes, base64url, as in d of a JWK (RFC 8037).';

create trigger delivery_keys_changed after insert or update or delete or truncate on delivery_keys
  for each statement execute function notify_reference_data();`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(keys).execute(db);
}
