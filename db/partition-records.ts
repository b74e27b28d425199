// Prepares what is on record for its partitions (LIF-6), while the service goes on: copies the records of messages,
// lets Postgres look at what it would look at under a lock. Between migration 0028 and 0029, which then
// needs its locks for moments only. Safe to repeat: what is there is not done again.
import { sql } from 'kysely';
import type { Db } from './connection.ts';

/** Up to when the rows of the first partition reach, by table and column; else Postgres would read them under a lock. */
const bounds = [
  ['messages', 'created_at', 'month_end'],
  ['payments', 'begun_at', 'year_end'],
  ['decisions', 'begun_at', 'year_end'],
  ['deliveries', 'begun_at', 'year_end'],
  ['delivery_attempts', 'begun_at', 'year_end'],
  ['audit_events', 'occurred_at', 'year_end'],
] as const;

/** The record of each message, without its bytes, in a table of its own. */
const copied = `
create table messages_to_be (
  message_id uuid not null,
  subject_id uuid,
  message_type text not null,
  message_identification text not null,
  direction text not null,
  leg text not null,
  party text not null,
  status text,
  reason_code text,
  answer_url text,
  in_reply_to uuid,
  refusal text,
  sha256 bytea not null,
  size integer not null,
  created_at timestamptz not null default now(),
  constraint messages_direction_check check (direction in ('in', 'out')),
  constraint messages_leg_check check (leg in ('source', 'destination', 'fxp', 'book')),
  constraint messages_message_type_check check (message_type in
    ('pacs008', 'pacs002', 'pacs028', 'acmt023', 'acmt024', 'fxtr017', 'camt054'))
);
insert into messages_to_be select message_id, subject_id, message_type, message_identification, direction, leg, party,
  status, reason_code, answer_url, in_reply_to, refusal, sha256, octet_length(body), created_at
from messages;
alter table messages_to_be add primary key (message_id);
create index on messages_to_be (subject_id);
create index on messages_to_be (message_identification);
create index on messages_to_be (in_reply_to) where in_reply_to is not null;
create index on messages_to_be (created_at) where direction = 'in' and leg = 'source';
create index on messages_to_be (created_at) where direction = 'in' and leg = 'destination' and message_type = 'pacs002'
  and status in ('ACCC', 'RJCT', 'BLCK');
insert into message_keys (party, message_type, sha256, message_id, created_at)
select party, message_type, sha256, message_id, created_at from messages_to_be where direction = 'in';
insert into payment_keys (uetr, begun_at) select uetr, begun_at from payments on conflict do nothing;`;

/**
 * For whoever migrates, alone.
 * @param onStep told what begins: with millions of payments each may take minutes
 */
export async function prepareRecords(db: Db, onStep: (what: string) => void): Promise<void> {
  const { rows } = await sql<{ isCopied: boolean }>`
    select to_regclass('messages_to_be') is not null as "isCopied"`.execute(db);
  if (rows[0]?.isCopied !== true) {
    onStep('copying the records of messages, without their bytes');
    await db.transaction().execute((trx) => sql.raw(copied).execute(trx));
  }
  await buildCopied(db, onStep);
  for (const [table, column, bound] of bounds) await checkBound(db, { table, column, bound });
}

const newest = 'messages_copied';

/** By which the switch finds what has come since the copy. */
async function buildCopied(db: Db, onStep: (what: string) => void): Promise<void> {
  const { rows } = await sql<{ isValid: boolean }>`
    select indisvalid as "isValid" from pg_index where indexrelid = to_regclass(${newest})`.execute(db);
  if (rows[0]?.isValid === true) return;
  onStep('building an index of the newest messages');
  if (rows[0] !== undefined) await sql`drop index concurrently ${sql.id(newest)}`.execute(db); // of a run that ended in it
  await sql`create index concurrently ${sql.id(newest)} on messages using brin (created_at)`.execute(db);
}

async function checkBound(
  db: Db,
  { table, column, bound }: { readonly table: string; readonly column: string; readonly bound: string },
): Promise<void> {
  const name = `${table}_first_partition`;
  const { rows } = await sql<{ until: string }>`
    select ${sql.ref(bound)}::text as until from records_to_partition
    where not exists (select from pg_constraint where conname = ${name})`.execute(db);
  if (rows[0] !== undefined) {
    const { until } = rows[0];
    await sql`alter table ${sql.table(table)} add constraint ${sql.id(name)}
      check (${sql.id(column)} < ${sql.lit(until)}::timestamptz) not valid`.execute(db);
  }
  await sql`alter table ${sql.table(table)} validate constraint ${sql.id(name)}`.execute(db);
}
