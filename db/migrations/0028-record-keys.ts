// Before the records are partitioned (LIF-6): the columns and keys that partitions need. Nothing here takes long on a
// large table, and the release before goes on with it; db/partition-records.ts does what takes long, and the next
// migration the switch. Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

/** Records of a payment, resolution or book page go by when that began. */
const begun = ['payments', 'decisions', 'deliveries', 'delivery_attempts'];

const tables = `
create table message_bodies (
  message_id uuid not null,
  created_at timestamptz not null,
  body bytea not null
) partition by range (created_at);
create table message_bodies_default partition of message_bodies default;
alter table message_bodies_default add primary key (message_id);
comment on table message_bodies is 'The bytes of each message: kept for a shorter time than the record of it (LIF-6). Insert-only; partitioned by month.';
comment on column message_bodies.message_id is 'The message, or refused message.';
comment on column message_bodies.created_at is 'As of the message.';
comment on column message_bodies.body is 'The bytes.';

create table message_keys (
  party text not null,
  message_type text not null,
  sha256 bytea not null,
  message_id uuid not null,
  created_at timestamptz not null,
  primary key (party, message_type, sha256)
);
comment on table message_keys is 'By which a received message is recognised when it comes again (DUP-1): once per party and content, whatever partition the message is in. Goes with it.';
comment on column message_keys.party is 'Who sent it.';
comment on column message_keys.message_type is 'As of the message.';
comment on column message_keys.sha256 is 'SHA-256 of its bytes.';
comment on column message_keys.message_id is 'The message.';
comment on column message_keys.created_at is 'As of the message.';

create table payment_keys (
  uetr uuid primary key,
  begun_at timestamptz not null
);
comment on table payment_keys is 'Every UETR that was judged, once, whatever partition the payment is in (DUP-3). Goes with it.';
comment on column payment_keys.uetr is 'The payment.';
comment on column payment_keys.begun_at is 'As of the payment.';

create table records_to_partition (
  year_end timestamptz not null,
  month_end timestamptz not null
);
comment on table records_to_partition is 'Until what is on record has been partitioned: up to when the first partitions reach.';
-- a month and more ahead: nothing that is written meanwhile lies beyond
insert into records_to_partition
select (date_trunc('year', (now() + interval '31 days') at time zone 'UTC') + interval '1 year') at time zone 'UTC',
  (date_trunc('month', (now() + interval '31 days') at time zone 'UTC') + interval '1 month') at time zone 'UTC';`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(tables).execute(db);
  for (const table of begun) {
    // what is on record already is in the first partition, whenever it began; a default that is a constant rewrites nothing
    await sql
      .raw(`alter table ${table} add column begun_at timestamptz not null default '-infinity'`)
      .execute(db);
    await sql
      .raw(
        `comment on column ${table}.begun_at is 'When its payment was judged, its resolution or book page began: by it records are partitioned (LIF-6). -infinity: before they were.'`,
      )
      .execute(db);
  }
}
