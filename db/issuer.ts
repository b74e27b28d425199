// The signing keys of the built-in token issuer, shared by all api processes. It must not make keys: the api does.
import { sql } from 'kysely';
import type { Db } from './connection.ts';
import { isToWrap, unwrapSecret, wrapSecret } from './vault.ts';

export interface IssuerKey {
  readonly keyId: string;
  /** RFC 7517, private part included. */
  readonly privateJwk: Readonly<Record<string, unknown>>;
  readonly active: boolean;
}

/** All keys, the active one first. */
export async function readIssuerKeys(db: Db): Promise<IssuerKey[]> {
  const rows = await db
    .selectFrom('issuer_keys')
    .select(['key_id', 'private_jwk', 'retired_at', 'wrapped_by'])
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

/** Stores a first key; where another process was faster, its key stays. */
export async function offerIssuerKey(db: Db, key: Pick<IssuerKey, 'keyId' | 'privateJwk'>): Promise<void> {
  await db
    .insertInto('issuer_keys')
    .values({ key_id: key.keyId, ...(await wrap(db, key)) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
