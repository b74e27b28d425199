// The signing keys of the built-in token issuer, shared by all api processes. It must not make keys: the api does.
import type { Db } from './connection.ts';

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
    .select(['key_id', 'private_jwk', 'retired_at'])
    .orderBy('retired_at', (order) => order.desc().nullsFirst())
    .execute();
  return rows.map((row) => ({
    keyId: row.key_id,
    privateJwk: row.private_jwk as Record<string, unknown>,
    active: row.retired_at === null,
  }));
}

/** Stores a first key; where another process was faster, its key stays. */
export async function offerIssuerKey(db: Db, key: Pick<IssuerKey, 'keyId' | 'privateJwk'>): Promise<void> {
  await db
    .insertInto('issuer_keys')
    .values({ key_id: key.keyId, private_jwk: JSON.stringify(key.privateJwk) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
