// The signing keys of the built-in token issuer, shared by all api processes. The api makes the keys; this file stores
// them.
import { sql } from 'kysely';
import { alertUnlessOpen, recordAudit } from '../records/audit.ts';
import type { Db } from '../pool/connection.ts';
import type { DeliveryKey, Rotation } from './delivery-keys.ts';
import { isToWrap, readSecret, unwrapSecret, vouching, wrapSecret } from './own-secrets.ts';

export interface IssuerKey {
  readonly keyId: string;
  /** JWK (RFC 7517), including the private part. */
  readonly privateJwk: Readonly<Record<string, unknown>>;
  readonly active: boolean;
}

export interface ListedIssuerKey extends Omit<DeliveryKey, 'publicKey'> {
  /** Time until which tokens signed by this key may be valid; null: the key still signs. */
  readonly countsUntil: Date | null;
}

export async function listIssuerKeys(db: Db): Promise<readonly ListedIssuerKey[]> {
  const { rows } = await sql<ListedIssuerKey>`
    select key_id as "keyId", created_at as "signsFrom", retired_at as "signsUntil", withdrawn_at as "withdrawnAt",
      made_by as "madeBy", because, retired_at + ${sql.lit(countsAfterHours)} * interval '1 hour' as "countsUntil"
    from issuer_keys order by created_at desc, key_id`.execute(db);
  return rows;
}

/**
 * Hours for which the tokens of a retired key may be valid. A token lives for at most an hour, and clocks
 * differ by seconds.
 */
const countsAfterHours = 2;

/** SQL: no token that this key signed is valid any longer. */
export const issuerKeyIsOver = sql<boolean>`(withdrawn_at is not null
  or coalesce(retired_at <= clock_timestamp() - ${sql.lit(countsAfterHours)} * interval '1 hour', false))`;

/**
 * Reads the keys whose tokens may still be valid, the active one first. If keys are wrapped, a key in the
 * clear does not count, because no holder of SEALING_KEYS made it. Such a key raises an alert.
 * @throws SealingKeyMissing, SealBroken if the active key cannot be read. Any other unreadable key is left
 *   out, so that it does not block the active one.
 */
export async function readIssuerKeys(db: Db): Promise<IssuerKey[]> {
  const rows = await db
    .selectFrom('issuer_keys')
    .select(['key_id', 'private_jwk', 'retired_at', 'wrapped_by'])
    .where(sql<boolean>`not ${issuerKeyIsOver}`)
    .orderBy('retired_at', (order) => order.desc().nullsFirst())
    .execute();
  const keys = await Promise.all(
    rows.map(async (row) => {
      if (vouching(db).isRequired && isInTheClear(row)) {
        await alertUnlessOpen(db, { kind: 'issuer-key.not-ours', detail: { keyId: row.key_id } });
        return [];
      }
      const active = row.retired_at === null;
      const privateJwk = active ? await privateJwkOf(db, row) : await privateJwkIfRead(db, row);
      return privateJwk === undefined ? [] : [{ keyId: row.key_id, privateJwk, active }];
    }),
  );
  return keys.flat();
}

const about = (keyId: string) => ['issuer key', keyId];

interface StoredKey {
  readonly key_id: string;
  /** A JWK in the clear, or a string if it is wrapped. */
  readonly private_jwk: unknown;
  readonly wrapped_by: string | null;
}

/** A stored object is a JWK in the clear, whatever `wrapped_by` says. */
const secretOf = ({ private_jwk: stored, wrapped_by: wrappedBy }: StoredKey) =>
  typeof stored === 'string'
    ? { text: stored, wrappedBy }
    : { text: JSON.stringify(stored), wrappedBy: null };
const isInTheClear = (row: StoredKey) => secretOf(row).wrappedBy === null;

const privateJwkOf = async (db: Db, row: StoredKey) =>
  JSON.parse(await unwrapSecret(db, about(row.key_id), secretOf(row))) as IssuerKey['privateJwk'];

async function privateJwkIfRead(db: Db, row: StoredKey): Promise<IssuerKey['privateJwk'] | undefined> {
  const { text } = await readSecret(db, about(row.key_id), secretOf(row));
  return text === undefined ? undefined : (JSON.parse(text) as IssuerKey['privateJwk']);
}

async function wrap(db: Db, { keyId, privateJwk }: Pick<IssuerKey, 'keyId' | 'privateJwk'>) {
  const { text, wrappedBy } = await wrapSecret(db, about(keyId), JSON.stringify(privateJwk));
  return { private_jwk: wrappedBy === null ? text : JSON.stringify(text), wrapped_by: wrappedBy };
}

/**
 * Wraps the keys that are in the clear, and rewraps those that another sealing key wrapped, if this process
 * can read them. A key in the clear is trusted only while no key is wrapped. Otherwise anybody could insert a
 * key.
 */
export async function wrapIssuerKeys(db: Db): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('issuer_keys'))`.execute(trx);
    const rows = await trx
      .selectFrom('issuer_keys')
      .select(['key_id', 'private_jwk', 'wrapped_by'])
      .execute();
    const isFirst = rows.every(isInTheClear);
    for (const row of rows) {
      if (isInTheClear(row) && !isFirst) continue;
      if (!isToWrap(db, secretOf(row))) continue;
      const privateJwk = await privateJwkIfRead(db, row);
      if (privateJwk === undefined) continue;
      const wrapped = await wrap(db, { keyId: row.key_id, privateJwk });
      await trx.updateTable('issuer_keys').set(wrapped).where('key_id', '=', row.key_id).execute();
    }
  });
}

/**
 * Stores a new key, which signs from now on.
 * @param rotation with `withdraw`, every token that an earlier key signed becomes invalid
 * @returns false if no rotation was due
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

/** Stores the first key. If another process has stored one meanwhile, that key stays. */
export async function offerIssuerKey(db: Db, key: Pick<IssuerKey, 'keyId' | 'privateJwk'>): Promise<void> {
  await db
    .insertInto('issuer_keys')
    .values({ key_id: key.keyId, ...(await wrap(db, key)) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
