// The ed25519 keys by which we sign what we send (CBK-2). Of two that follow each other both sign for a while, so that a
// receiver that knows only one of them finds a signature that it can verify.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { sql } from 'kysely';
import { recordAudit } from './audit.ts';
import type { Db } from './connection.ts';
import { isToWrap, isVouchedFor, unwrapIfOurs, vouchFor, vouching, wrapSecret } from './vault.ts';

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

/** Those by which something may be signed that a receiver reads now; of ours alone, or whoever owns the tables could forge (SEC-6). */
export async function publishedKeys(db: Db): Promise<readonly DeliveryKey[]> {
  const { rows } = await sql<DeliveryKey & Vouched>`
    select ${columns}, ${vouchedColumns} from delivery_keys
    where withdrawn_at is null
      and (signs_until is null or signs_until > clock_timestamp() - ${sql.lit(publishedDays)} * interval '1 day')
    order by signs_from desc, key_id`.execute(db);
  return ours(db, rows);
}

/** Those that sign, now or in a while. */
export async function signingKeys(db: Db): Promise<readonly SigningKey[]> {
  const { rows } = await sql<SigningKey & Vouched & StoredSecret>`
    select ${columns}, ${vouchedColumns}, private_key as text, wrapped_by as "wrappedBy"
    from delivery_keys join delivery_key_secrets using (key_id)
    where withdrawn_at is null and (signs_until is null or signs_until > clock_timestamp())
    order by signs_from desc, key_id`.execute(db);
  const keys = await Promise.all(
    (await ours(db, rows)).map(async (row) => ({ ...row, privateKey: await ownPrivateKey(db, row) })),
  );
  return keys.flatMap(({ privateKey, ...key }) => (privateKey === undefined ? [] : [{ ...key, privateKey }]));
}

const about = (keyId: string) => ['delivery key', keyId];
const aboutPublic = (keyId: string) => ['public delivery key', keyId];

/** What whoever has a key of SEALING_KEYS has said of a public key; null: nothing. */
export interface Vouched {
  readonly keyId: string;
  readonly publicKey: string;
  readonly vouched: string | null;
  readonly vouchedBy: string | null;
}

interface StoredSecret {
  readonly text: string;
  readonly wrappedBy: string | null;
}

const isVouched = async (db: Db, { keyId, publicKey, vouched, vouchedBy }: Vouched): Promise<boolean> =>
  vouched !== null &&
  isVouchedFor(db, aboutPublic(keyId), { text: publicKey, by: { text: vouched, wrappedBy: vouchedBy } });

/** Whether a key counts: where there are sealing keys, whoever made it had one (SEC-6). */
export const isOurs = async (db: Db, key: Vouched): Promise<boolean> =>
  !vouching(db).isRequired || isVouched(db, key);

async function ours<Key extends Vouched>(db: Db, keys: readonly Key[]): Promise<readonly Key[]> {
  const counts = await Promise.all(keys.map((key) => isOurs(db, key)));
  return keys.filter((_, index) => counts[index]);
}

/** Undefined: it is not of this public key, or nobody who has our keys has wrapped it. */
async function ownPrivateKey(
  db: Db,
  { keyId, publicKey, text, wrappedBy }: Pick<Vouched, 'keyId' | 'publicKey'> & StoredSecret,
): Promise<string | undefined> {
  const privateKey = await unwrapIfOurs(db, about(keyId), { text, wrappedBy });
  return privateKey !== undefined && publicPartOf(privateKey) === publicKey ? privateKey : undefined;
}

/** @param d of a JWK */
function publicPartOf(d: string): string | undefined {
  try {
    const der = Buffer.concat([pkcs8Head, Buffer.from(d, 'base64url')]);
    return createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).export({
      format: 'jwk',
    }).x;
  } catch {
    return undefined;
  }
}

const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex'); // RFC 8410, 7: 32 bytes follow

/**
 * Wraps the private parts that are not (SEC-3), and vouches for the keys that are ours (SEC-6). One that lies there in the clear
 * is taken for ours only at a start where none is wrapped yet, or while nothing is sealed yet: else anybody could put one there.
 * @param atStart what another key has wrapped is wrapped anew, once: two processes of which each has another key first would
 *   do so by turns for ever
 * @returns ids of those that do not count
 */
export async function wrapDeliveryKeys(db: Db, atStart: boolean): Promise<readonly string[]> {
  const { canVouch, isRequired } = vouching(db);
  if (!canVouch) return [];
  const foreign = await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('delivery_keys'))`.execute(trx);
    return wrapAll(trx, atStart);
  });
  return isRequired ? foreign : [];
}

async function wrapAll(db: Db, atStart: boolean): Promise<readonly string[]> {
  const { isRequired, keyId: newest } = vouching(db);
  const { rows } = await sql<Vouched & { readonly text: string | null; readonly wrappedBy: string | null }>`
    select key_id as "keyId", public_key as "publicKey", ${vouchedColumns}, private_key as text, wrapped_by as "wrappedBy"
    from delivery_keys left join delivery_key_secrets using (key_id)`.execute(db);
  const isFirst = atStart && rows.every(({ vouched, wrappedBy }) => vouched === null && wrappedBy === null);
  const foreign: string[] = [];
  for (const row of rows) {
    const { keyId, text, wrappedBy } = row;
    const privateKey = text === null ? undefined : await ownPrivateKey(db, { ...row, text });
    const isSaid = await isVouched(db, row);
    const isKnown = isSaid || wrappedBy !== null || isFirst || !isRequired;
    if (privateKey === undefined || !isKnown) {
      foreign.push(keyId);
      continue;
    }
    if (!isSaid || (atStart && row.vouchedBy !== newest)) await vouch(db, row);
    if (isToWrap(db, { wrappedBy }) && (atStart || wrappedBy === null))
      await wrap(db, { keyId, privateKey, wrappedBy });
  }
  return foreign;
}

async function vouch(db: Db, { keyId, publicKey }: Vouched): Promise<void> {
  const said = await vouchFor(db, aboutPublic(keyId), publicKey);
  await sql`
    update delivery_keys set vouched = ${said?.text ?? null}, vouched_by = ${said?.wrappedBy ?? null}
    where key_id = ${keyId} and public_key = ${publicKey}`.execute(db);
}

async function wrap(
  db: Db,
  {
    keyId,
    privateKey,
    wrappedBy: before,
  }: Pick<SigningKey, 'keyId' | 'privateKey'> & Pick<StoredSecret, 'wrappedBy'>,
): Promise<void> {
  const { text, wrappedBy } = await wrapSecret(db, about(keyId), privateKey);
  await sql`
    update delivery_key_secrets set private_key = ${text}, wrapped_by = ${wrappedBy}
    where key_id = ${keyId} and wrapped_by is not distinct from ${before}`.execute(db);
}

const vouchedColumns = sql`vouched, vouched_by as "vouchedBy"`;
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
      const { rows } = await sql<Vouched>`
        select key_id as "keyId", public_key as "publicKey", ${vouchedColumns} from delivery_keys
        where signs_until is null and signs_from > clock_timestamp() - ${ifOlderThanDays} * interval '1 day'`.execute(
        trx,
      );
      if ((await ours(trx, rows)).length > 0) return undefined;
    }
    const ending = withdraw
      ? sql`signs_until = least(signs_until, statement_timestamp()), withdrawn_at = statement_timestamp()`
      : sql`signs_until = clock_timestamp() + ${sql.lit(overlapDays)} * interval '1 day'`;
    const ended = withdraw ? sql`withdrawn_at is null` : sql`signs_until is null`;
    await sql`update delivery_keys set ${ending} where ${ended}`.execute(trx);
    const { keyId, publicKey, privateKey } = makeKey();
    const said = await vouchFor(trx, aboutPublic(keyId), publicKey);
    await sql`
      insert into delivery_keys (key_id, public_key, made_by, because, vouched, vouched_by)
      values (${keyId}, ${publicKey}, ${by}, ${because}, ${said?.text ?? null}, ${said?.wrappedBy ?? null})`.execute(
      trx,
    );
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
  return { keyId: keyIdOf(x), publicKey: x, privateKey: d };
}

/** Thumbprint of a public key (RFC 7638, 3), which nobody can give to another one. */
export const keyIdOf = (x: string): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
