// A database that has been in use for years: with partitions of times that are long past, in place of the first ones,
// which hold all that was before (LIF-6); and payments that were made then.
import { sql } from 'kysely';
import type { Db } from '../../db/pool/connection.ts';
import { ensurePartitions, yearly } from '../../db/records/partitions.ts';
import { rewritten } from './rewritten.ts';

const parents = ['message_bodies', ...Object.keys(yearly)];

/** Makes the partitions of these days; of an empty database, as its owner. */
export async function replaceFirstPartitions(db: Db, days: readonly Date[]): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select name from partitions where since = '-infinity' and parent = any(${parents}::text[])`.execute(db);
  for (const { name } of rows) await sql`drop table ${sql.table(name)}`.execute(db);
  for (const day of days)
    for (const parent of parents) await sql`select make_partition(${parent}, ${day}::date)`.execute(db);
  const { failed } = await ensurePartitions(db);
  if (failed[0] !== undefined) throw failed[0].error;
}

/** As if all that is on record about it had come about so long before; as in `14 months`. */
export async function madeAgo(db: Db, subjectId: string, by: string): Promise<void> {
  const shifted = (table: string, columns: readonly string[], which = sql`subject_id = ${subjectId}`) =>
    rewritten(
      db,
      sql`update ${sql.table(table)}
        set ${sql.join(columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(column)} - ${by}::interval`))} where ${which}`,
    );
  const own = sql`message_id in (select message_id from messages where subject_id = ${subjectId})`;
  const refused = sql`message_id in (select message_id from refused_messages where subject_id = ${subjectId})`;
  await shifted('message_bodies', ['created_at'], sql`${own} or ${refused}`);
  await shifted('message_keys', ['created_at'], own);
  await shifted('messages', ['created_at']);
  await shifted('refused_messages', ['created_at']);
  await shifted(
    'delivery_attempts',
    ['begun_at', 'started_at', 'finished_at'],
    sql`delivery_id in (select delivery_id from deliveries where subject_id = ${subjectId})`,
  );
  await shifted('deliveries', ['begun_at', 'asked_at', 'next_due_at', 'delivered_at', 'closed_at']);
  for (const [table, columns] of [
    ['decisions', ['begun_at', 'decided_at']],
    ['payments', ['begun_at', 'judged_at', 'deadline_at']],
    ['payment_keys', ['begun_at']],
  ] as const)
    await shifted(table, columns, sql`uetr = ${subjectId}`);
  await shifted('audit_events', ['occurred_at']);
}
