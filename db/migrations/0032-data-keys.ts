// What is stored of people may be sealed (SEC-3): the data keys, which are stored wrapped, and beside each sealed value the
// key that it is sealed under. Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const keys = `
create table data_keys (
  key_id text primary key,
  month date not null unique,
  wrapped bytea not null,
  wrapped_by text not null,
  made_at timestamptz not null default clock_timestamp()
);
comment on table data_keys is 'Keys under which bytes of messages and excerpts are sealed (SEC-3), one for each month. With the last bytes that it sealed a key is deleted.';
comment on column data_keys.key_id is 'Drawn at random.';
comment on column data_keys.month is 'First day of the month (UTC) in which it seals.';
comment on column data_keys.wrapped is 'The key: AES-256-GCM under that of wrapped_by.';
comment on column data_keys.wrapped_by is 'Id of a key of SEALING_KEYS.';
comment on column data_keys.made_at is 'When it was made.';

alter table message_bodies add column key_id text;
comment on column message_bodies.key_id is 'Data key that the bytes are sealed under (SEC-3); null: they are not sealed.';
alter table delivery_attempts add column excerpt_key_id text;
comment on column delivery_attempts.excerpt_key_id is 'Data key that the excerpt is sealed under (SEC-3), which is base64 then; null: it is not sealed.';

alter table delivery_key_secrets add column wrapped_by text;
comment on column delivery_key_secrets.private_key is 'In base64url: the 32 bytes as in d of a JWK (RFC 8037), or what they are wrapped as.';
comment on column delivery_key_secrets.wrapped_by is 'Id of a key of SEALING_KEYS; null: it is not wrapped.';
alter table issuer_keys add column wrapped_by text;
comment on column issuer_keys.private_jwk is 'RFC 7517, private part included; or a JSON string, base64url, of what it is wrapped as.';
comment on column issuer_keys.wrapped_by is 'Id of a key of SEALING_KEYS; null: it is not wrapped.';`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(keys).execute(db);
}
