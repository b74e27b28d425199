// How clients show who they are: keys of the issuer that follow each other (SEC-1, SEC-8), secrets that are slow to try
// (ADM-4), assertions that count once (RFC 7523). Forward only: a released migration is never edited; what it got wrong, a
// later one mends.
import { sql, type Kysely } from 'kysely';

const identity = `
alter table issuer_keys add column withdrawn_at timestamptz;
alter table issuer_keys add column made_by text not null default 'isthmus';
alter table issuer_keys add column because text not null default 'on schedule';
comment on table issuer_keys is 'Signing keys of the built-in issuer (SEC-1); at most one signs. Empty where an external issuer is used.';
comment on column issuer_keys.retired_at is 'When it stopped to sign, or null; what it has signed counts until it ends.';
comment on column issuer_keys.withdrawn_at is 'From when on nothing that it has signed counts; null: what has not ended counts.';
comment on column issuer_keys.made_by is 'Client id of an operator, or isthmus.';
comment on column issuer_keys.because is 'Why it was made.';

alter table client_secrets add column algorithm text not null default 'sha256' check (algorithm in ('sha256', 'scrypt'));
alter table client_secrets rename column sha256 to digest;
comment on column client_secrets.algorithm is 'scrypt (N 16384, r 8, p 1); sha256: of a secret from before.';
comment on column client_secrets.digest is 'Of the salt and the secret, by algorithm.';

create table used_assertions (
  client_id text not null,
  jti_sha256 bytea not null,
  ends_at timestamptz not null,
  primary key (client_id, jti_sha256)
);
create index used_assertions_ends_at on used_assertions (ends_at);
comment on table used_assertions is 'Assertions of clients that have been used, until they would have ended (RFC 7523): none counts twice.';
comment on column used_assertions.client_id is 'Whose it was.';
comment on column used_assertions.jti_sha256 is 'SHA-256 of its jti.';
comment on column used_assertions.ends_at is 'From when on it would not count in any case.';`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(identity).execute(db);
}
