// The signing key of the built-in token issuer, so that every api process signs and verifies with the same one.
// Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const issuer = `
create table issuer_keys (
  key_id text primary key,
  private_jwk jsonb not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz
);
create unique index issuer_keys_active on issuer_keys ((true)) where retired_at is null;
comment on table issuer_keys is 'Signing keys of the built-in issuer (SEC-1); at most one is active. Empty where an external issuer is used.';
comment on column issuer_keys.key_id is 'kid: the RFC 7638 thumbprint of the public key.';
comment on column issuer_keys.private_jwk is 'The key, private part included (RFC 7517).';
comment on column issuer_keys.created_at is 'When it was made.';
comment on column issuer_keys.retired_at is 'When it stopped to sign, or null; its public part stays published.';

create index idempotency_keys_created on idempotency_keys (created_at);

comment on column quote_requests.scheme_fees is 'Network scheme fee of each quote, source currency (FEE-1); also from endpoint 12b, which does not show it.';
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(issuer).execute(db);
}
