// The signing keys of the built-in token issuer, shared by all api processes. It must not make keys: the api does.
import { sql } from 'kysely';
import { recordAudit } from './audit.ts';
import type { Db } from './connection.ts';
import type { DeliveryKey, Rotation } from './delivery-keys.ts';
import { isToWrap, unwrapSecret, wrapSecret } from './vault.ts';

export interface IssuerKey {
  readonly keyId: string;
  /** RFC 7517, private part included. */
  readonly privateJwk: Readonly<Record<string, unknown>>;
  readonly active: boolean;
}

/** As operators see it. */
export type ListedIssuerKey = Omit<DeliveryKey, 'publicKey'>;

/** All, the newest first. */
export async function listIssuerKeys(db: Db): Promise<readonly ListedIssuerKey[]> {
  const { rows } = await sql<ListedIssuerKey>`
    select key_id as "keyId", created_at as "signsFrom", retired_at as "signsUntil", withdrawn_at as "withdrawnAt",
      made_by as "madeBy", because
    from issuer_keys order by created_at desc, key_id`.execute(db);
  return rows;
}

/** A token lives for an hour at most (SEC-8), and clocks differ by seconds. */
const countsAfterHours = 2;

/** Those by which something may be signed that still counts, the active one first. */
export async function readIssuerKeys(db: Db): Promise<IssuerKey[]> {
  const rows = await db
    .selectFrom('issuer_keys')
    .select(['key_id', 'private_jwk', 'retired_at', 'wrapped_by'])
    .where('withdrawn_at', 'is', null)
    .where(
      sql<boolean>`(retired_at is null or retired_at > clock_timestamp() - ${sql.lit(countsAfterHours)} * interval '1 hour')`,
    )
    .orderBy('retired_at', (order) => order.desc().nullsFirst())
    .execute();
  return Promise.all(
    rows.map(async (row) => ({
      keyId: row.key_id,
      privateJwk: await privateJwkOf(db, row),
      active: row.retired_at === null,
    })),
  );
}

const about = (keyId: string) => ['issuer key', keyId];

interface StoredKey {
  readonly key_id: string;
  /** A JWK, or a string where it is wrapped (SEC-3). */
  readonly private_jwk: unknown;
  readonly wrapped_by: string | null;
}

async function privateJwkOf(
  db: Db,
  { key_id: keyId, private_jwk: stored, wrapped_by: wrappedBy }: StoredKey,
) {
  if (typeof stored !== 'string') return stored as Record<string, unknown>;
  const text = await unwrapSecret(db, about(keyId), { text: stored, wrappedBy });
  return JSON.parse(text) as Record<string, unknown>;
}

async function wrap(db: Db, { keyId, privateJwk }: Pick<IssuerKey, 'keyId' | 'privateJwk'>) {
  const { text, wrappedBy } = await wrapSecret(db, about(keyId), JSON.stringify(privateJwk));
  return { private_jwk: wrappedBy === null ? text : JSON.stringify(text), wrapped_by: wrappedBy };
}

/** Wraps those that are not, or by another key (SEC-3). */
export async function wrapIssuerKeys(db: Db): Promise<void> {
  const rows = await db.selectFrom('issuer_keys').select(['key_id', 'private_jwk', 'wrapped_by']).execute();
  for (const row of rows) {
    if (!isToWrap(db, { wrappedBy: row.wrapped_by })) continue;
    const wrapped = await wrap(db, { keyId: row.key_id, privateJwk: await privateJwkOf(db, row) });
    await db
      .updateTable('issuer_keys')
      .set(wrapped)
      .where('key_id', '=', row.key_id)
      .where(sql<boolean>`wrapped_by is not distinct from ${row.wrapped_by}`) // else another process was faster
      .execute();
  }
}

/**
 * Another key signs from now on (SEC-8).
 * @param rotation as of the keys of deliveries; with `withdraw`, nothing that was signed before counts any longer
 * @returns whether it does; false: none was due, or another process has just made one
 */
export async function rotateIssuerKey(
  db: Db,
  key: Pick<IssuerKey, 'keyId' | 'privateJwk'>,
  { by, because, withdraw, ifOlderThanDays }: Rotation,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('issuer_keys'))`.execute(trx);
    if (ifOlderThanDays !== undefined) {
      const { rows } = await sql`
        select from issuer_keys
        where retired_at is null and created_at > clock_timestamp() - ${ifOlderThanDays} * interval '1 day'`.execute(
        trx,
      );
      if (rows.length > 0) return false;
    }
    const ended = withdraw ? sql`withdrawn_at is null` : sql`retired_at is null`;
    await sql`
      update issuer_keys set retired_at = coalesce(retired_at, statement_timestamp()),
        withdrawn_at = case when ${withdraw}::boolean then statement_timestamp() end
      where ${ended}`.execute(trx);
    await trx
      .insertInto('issuer_keys')
      .values({ key_id: key.keyId, ...(await wrap(trx, key)), made_by: by, because })
      .execute();
    await recordAudit(trx, { kind: 'issuer-key.made', detail: { by, keyId: key.keyId, withdraw } });
    return true;
  });
}

/** Stores a first key; where another process was faster, its key stays. */
export async function offerIssuerKey(db: Db, key: Pick<IssuerKey, 'keyId' | 'privateJwk'>): Promise<void> {
  await db
    .insertInto('issuer_keys')
    .values({ key_id: key.keyId, ...(await wrap(db, key)) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
