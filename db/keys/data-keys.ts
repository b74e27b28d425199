// The data keys that seal stored personal data, one for each month, stored wrapped. A data key is deleted
// once it seals no message bodies any longer. Anything else that it sealed is unreadable from then on.
import { sql } from 'kysely';
import { recordAudit } from '../records/audit.ts';
import type { Db } from '../pool/connection.ts';

export interface StoredDataKey {
  readonly keyId: string;
  /** First day of the month (UTC) in which the key seals, as in 2026-11-01. */
  readonly month: string;
  readonly wrapped: Buffer;
  readonly wrappedBy: string;
}

const columns = sql`key_id as "keyId", month::text as month, wrapped, wrapped_by as "wrappedBy"`;

/** Lists all keys, newest first. A month has several if one was lost and later restored. */
export async function listDataKeys(db: Db): Promise<readonly StoredDataKey[]> {
  const { rows } =
    await sql<StoredDataKey>`select ${columns} from data_keys order by month desc, made_at desc, key_id`.execute(
      db,
    );
  return rows;
}

/** @returns undefined if the key never existed or was deleted */
export async function findDataKey(db: Db, keyId: string): Promise<StoredDataKey | undefined> {
  const { rows } = await sql<StoredDataKey>`select ${columns} from data_keys where key_id = ${keyId}`.execute(
    db,
  );
  return rows[0];
}

/** Stores the key for the current month (UTC, database clock), unless that month has one. */
export async function offerDataKey(db: Db, key: Omit<StoredDataKey, 'month'>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('data_keys'))`.execute(trx);
    await sql`
      insert into data_keys (key_id, month, wrapped, wrapped_by)
      select ${key.keyId}, month, ${key.wrapped}, ${key.wrappedBy}
      from (select date_trunc('month', now() at time zone 'UTC')::date as month) this
      where not exists (select from data_keys k where k.month = this.month)`.execute(trx);
  });
}

/** Stores a rewrapped data key, unless another process has rewrapped the key in the meantime. */
export async function replaceWrapping(db: Db, key: StoredDataKey, before: string): Promise<void> {
  await sql`
    update data_keys set wrapped = ${key.wrapped}, wrapped_by = ${key.wrappedBy}
    where key_id = ${key.keyId} and wrapped_by = ${before}`.execute(db);
}

/**
 * Counts, by month, the message bodies that are not sealed although data keys exist. They were stored before
 * sealing was set up, or by a process without keys. Scans all message bodies, so only commands that a person
 * runs may call it.
 */
export async function countUnsealed(
  db: Db,
): Promise<readonly { readonly month: string; readonly messages: number }[]> {
  const { rows } = await sql<{ month: string; messages: number }>`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM') as month, count(*)::float8 as messages
    from message_bodies where key_id is null and exists (select from data_keys)
    group by 1 order by 1`.execute(db);
  return rows;
}

/**
 * Deletes the keys of past months that no longer seal any message body. Excerpts that they sealed become
 * unreadable. Scans all message bodies, so only a background job may call it.
 * @returns the months of the deleted keys, as in 2026-11
 */
export async function dropDataKeys(db: Db): Promise<readonly string[]> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ month: string }>`
      delete from data_keys k
      where month < date_trunc('month', now() at time zone 'UTC')::date - interval '1 month'
        and not exists (select from message_bodies b where b.key_id = k.key_id)
      returning to_char(month, 'YYYY-MM') as month`.execute(trx);
    const months = rows.map(({ month }) => month).sort();
    if (months.length > 0) {
      await recordAudit(trx, { kind: 'retention.data-keys-dropped', detail: { months: months.join(', ') } });
    }
    return months;
  });
}
