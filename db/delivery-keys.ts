// The ed25519 keys by which we sign what we send (CBK-2). Of two that follow each other both sign for a while, so that a
// receiver that knows only one of them finds a signature that it can verify.
import { createHash, generateKeyPairSync } from 'node:crypto';
import { sql } from 'kysely';
import { recordAudit } from './audit.ts';
import type { Db } from './connection.ts';
import { isToWrap, unwrapSecret, wrapSecret } from './vault.ts';

/** How long a key signs on beside the one that follows it; no receiver may keep a key set for longer. */
export const overlapDays = 7;
/** How long one is published after it has signed for the last time: whatever was on its way then has been read. */
const publishedDays = 3;

/** As operators and receivers see it. */
export interface DeliveryKey {
  readonly keyId: string;
  /** `x` of the JWK. */
  readonly publicKey: string;
  readonly signsFrom: Date;
  /** Null: until another follows. */
  readonly signsUntil: Date | null;
  readonly withdrawnAt: Date | null;
  readonly madeBy: string;
  readonly because: string;
}

/** What a worker signs with. */
export interface SigningKey extends Pick<DeliveryKey, 'keyId' | 'publicKey' | 'signsFrom' | 'signsUntil'> {
  /** `d` of the JWK. */
  readonly privateKey: string;
}

/** All, the newest first. */
export async function listDeliveryKeys(db: Db): Promise<readonly DeliveryKey[]> {
  const { rows } = await sql<DeliveryKey>`
    select ${columns} from delivery_keys order by signs_from desc, key_id`.execute(db);
  return rows;
}

/** Those by which something may be signed that a receiver reads now. */
export async function publishedKeys(db: Db): Promise<readonly DeliveryKey[]> {
  const { rows } = await sql<DeliveryKey>`
    select ${columns} from delivery_keys
    where withdrawn_at is null
      and (signs_until is null or signs_until > clock_timestamp() - ${sql.lit(publishedDays)} * interval '1 day')
    order by signs_from desc, key_id`.execute(db);
  return rows;
}

/** Those that sign, now or in a while. */
export async function signingKeys(db: Db): Promise<readonly SigningKey[]> {
  const { rows } = await sql<SigningKey & { readonly wrappedBy: string | null }>`
    select ${columns}, private_key as "privateKey", wrapped_by as "wrappedBy" from delivery_keys join delivery_key_secrets using (key_id)
    where withdrawn_at is null and (signs_until is null or signs_until > clock_timestamp())
    order by signs_from desc, key_id`.execute(db);
  return Promise.all(
    rows.map(async ({ wrappedBy, ...key }) => ({
      ...key,
      privateKey: await unwrapSecret(db, about(key.keyId), { text: key.privateKey, wrappedBy }),
    })),
  );
}

const about = (keyId: string) => ['delivery key', keyId];

/** Wraps the private parts that are not, or by another key (SEC-3). */
export async function wrapDeliveryKeys(db: Db): Promise<void> {
  const { rows } = await sql<{ keyId: string; text: string; wrappedBy: string | null }>`
    select key_id as "keyId", private_key as text, wrapped_by as "wrappedBy" from delivery_key_secrets`.execute(
    db,
  );
  for (const row of rows) {
    if (!isToWrap(db, row)) continue;
    const { text, wrappedBy } = await wrapSecret(
      db,
      about(row.keyId),
      await unwrapSecret(db, about(row.keyId), row),
    );
    await sql`
      update delivery_key_secrets set private_key = ${text}, wrapped_by = ${wrappedBy}
      where key_id = ${row.keyId} and wrapped_by is not distinct from ${row.wrappedBy}`.execute(db);
  }
}

const columns = sql`key_id as "keyId", public_key as "publicKey", signs_from as "signsFrom",
  signs_until as "signsUntil", withdrawn_at as "withdrawnAt", made_by as "madeBy", because`;

export interface Rotation {
  readonly by: string;
  readonly because: string;
  /** Those that sign end at once, and are published no longer: somebody else may have them. */
  readonly withdraw: boolean;
  /** Only if no key has begun to sign since so many days. */
  readonly ifOlderThanDays?: number;
}

/**
 * Makes a key, which signs from now on.
 * @returns its id; undefined: none was due, or another process has just made one
 */
export async function rotateDeliveryKey(db: Db, rotation: Rotation): Promise<string | undefined> {
  const { by, because, withdraw, ifOlderThanDays } = rotation;
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('delivery_keys'))`.execute(trx);
    if (ifOlderThanDays !== undefined) {
      const { rows } = await sql`
        select from delivery_keys
        where signs_until is null and signs_from > clock_timestamp() - ${ifOlderThanDays} * interval '1 day'`.execute(
        trx,
      );
      if (rows.length > 0) return undefined;
    }
    const ending = withdraw
      ? sql`signs_until = least(signs_until, statement_timestamp()), withdrawn_at = statement_timestamp()`
      : sql`signs_until = clock_timestamp() + ${sql.lit(overlapDays)} * interval '1 day'`;
    const ended = withdraw ? sql`withdrawn_at is null` : sql`signs_until is null`;
    await sql`update delivery_keys set ${ending} where ${ended}`.execute(trx);
    const { keyId, publicKey, privateKey } = makeKey();
    await sql`
      insert into delivery_keys (key_id, public_key, made_by, because)
      values (${keyId}, ${publicKey}, ${by}, ${because})`.execute(trx);
    const { text, wrappedBy } = await wrapSecret(trx, about(keyId), privateKey);
    await sql`
      insert into delivery_key_secrets (key_id, private_key, wrapped_by)
      values (${keyId}, ${text}, ${wrappedBy})`.execute(trx);
    await recordAudit(trx, { kind: 'delivery-key.made', detail: { by, keyId, withdraw } });
    return keyId;
  });
}

function makeKey(): Pick<SigningKey, 'keyId' | 'publicKey' | 'privateKey'> {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x })); // RFC 7638, 3
  return { keyId: thumbprint.digest('base64url'), publicKey: x, privateKey: d };
}
