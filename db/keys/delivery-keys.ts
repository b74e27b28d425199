// The ed25519 keys by which we sign what we send. Of two that follow each other both sign for a while, so that a
// receiver that knows only one of them finds a signature that it can verify.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { sql } from 'kysely';
import { recordAudit } from '../records/audit.ts';
import type { Db } from '../pool/connection.ts';
import { isToWrap, readSecret, saidOf, vouchFor, vouching, wrapSecret, type Said } from './own-secrets.ts';

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

/** All, the newest first, with whether each counts here. */
export async function listDeliveryKeys(db: Db): Promise<readonly ListedDeliveryKey[]> {
  const { rows } = await sql<DeliveryKey & Vouched>`
    select ${columns}, ${vouchedColumns} from delivery_keys order by signs_from desc, key_id`.execute(db);
  const { isRequired } = vouching(db);
  return Promise.all(
    rows.map(async (row): Promise<ListedDeliveryKey> => {
      const said = isRequired ? await saidOfKey(db, row) : 'ours';
      return said === 'ours' ? row : { ...row, strange: said === 'nothing' ? 'not-ours' : 'unreadable' };
    }),
  );
}

/** `strange`: it does not count in this process, because nobody said that it is ours, or nobody here can read who did. */
export type ListedDeliveryKey = DeliveryKey & { readonly strange?: 'not-ours' | 'unreadable' };

/** Nothing that it has signed is read any longer. */
export const deliveryKeyIsOver = sql`(withdrawn_at is not null
  or coalesce(signs_until <= clock_timestamp() - ${sql.lit(publishedDays)} * interval '1 day', false))`;
const signs = sql`withdrawn_at is null and (signs_until is null or signs_until > clock_timestamp())`;

/**
 * Those by which something may be signed that a receiver reads now; of ours alone, or whoever owns the tables could forge.
 * @param onUnreadable told of one that this process cannot read: it is published by those that can
 */
export async function publishedKeys(
  db: Db,
  onUnreadable?: (keyId: string) => void,
): Promise<readonly DeliveryKey[]> {
  const { rows } = await sql<DeliveryKey & Vouched>`
    select ${columns}, ${vouchedColumns} from delivery_keys where not ${deliveryKeyIsOver}
    order by signs_from desc, key_id`.execute(db);
  const said = await Promise.all(rows.map((row) => saidOfKey(db, row)));
  const { isRequired } = vouching(db);
  return rows.filter(({ keyId }, index) => {
    if (said[index] === 'lacking') onUnreadable?.(keyId);
    return !isRequired || said[index] === 'ours';
  });
}

/** Of those that sign, now or in a while, whether they are ours or not: what is not among them has been withdrawn, or is over. */
export async function signingKeyIds(db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ keyId: string }>`
    select key_id as "keyId" from delivery_keys where ${signs}`.execute(db);
  return new Set(rows.map(({ keyId }) => keyId));
}

/**
 * Those that sign, now or in a while, as far as this process can: the newest first.
 * @param which of them
 */
export async function signingKeys(db: Db, which = sql`true`): Promise<readonly SigningKey[]> {
  const { rows } = await sql<SigningKey & StoredKey>`
    select ${columns}, ${vouchedColumns}, private_key as text, wrapped_by as "wrappedBy"
    from delivery_keys join delivery_key_secrets using (key_id)
    where ${signs} and ${which}
    order by signs_from desc, key_id`.execute(db);
  const { isRequired } = vouching(db);
  const judged = await Promise.all(rows.map((row) => judge(db, row)));
  return rows.flatMap(({ keyId, publicKey, signsFrom, signsUntil }, index) => {
    const { said, privateKey } = judged[index] ?? {};
    if (privateKey === undefined || (isRequired && said !== 'ours')) return [];
    return [{ keyId, publicKey, signsFrom, signsUntil, privateKey }];
  });
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

interface StoredKey extends Vouched {
  /** The private part, as it is stored; null: there is none. */
  readonly text: string | null;
  readonly wrappedBy: string | null;
}

const saidOfKey = (db: Db, { keyId, publicKey, vouched, vouchedBy }: Vouched): Promise<Said> =>
  saidOf(db, aboutPublic(keyId), {
    text: publicKey,
    by: vouched === null ? null : { text: vouched, wrappedBy: vouchedBy },
  });

/** Whether a key counts: where there are sealing keys, whoever made it had one that this process has too. */
export const isOurs = async (db: Db, key: Vouched): Promise<boolean> =>
  !vouching(db).isRequired || (await saidOfKey(db, key)) === 'ours';

interface Judged {
  readonly said: Said;
  /** Undefined: there is none, it is not of this public key, or nobody who has our keys has wrapped it. */
  readonly privateKey: string | undefined;
  /** This process lacks a key without which it cannot tell. */
  readonly isLacking: boolean;
}

async function judge(db: Db, row: StoredKey): Promise<Judged> {
  const { keyId, publicKey, text, wrappedBy } = row;
  const said = await saidOfKey(db, row);
  const secret = text === null ? undefined : await readSecret(db, about(keyId), { text, wrappedBy });
  if (secret?.text === undefined)
    return { said, privateKey: undefined, isLacking: said === 'lacking' || secret?.why === 'lacking' };
  const isOfKey = publicPartOf(secret.text) === publicKey;
  return { said, privateKey: isOfKey ? secret.text : undefined, isLacking: said === 'lacking' };
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

/** One that does not count here, or of which something has been said that cannot be read; the kind of the alert. */
export interface StrangeKey {
  readonly kind: 'delivery-key.not-ours' | 'delivery-key.unreadable';
  readonly keyId: string;
}

/** The line of a log of whoever meets such a one. */
export const unreadableKey = 'a key of what is sent cannot be read by the SEALING_KEYS of this process';

/**
 * Wraps the private parts that are not, and vouches for the keys that are ours. One that lies there in the clear
 * is taken for ours only at a start where none is wrapped yet, or while nothing is sealed yet: else anybody could put one there.
 * @param atStart what another key has wrapped is wrapped anew, once, and so is what this process cannot read: two processes
 *   of which each has another key first, or another key of the same name, would do so by turns for ever
 */
export async function wrapDeliveryKeys(db: Db, atStart: boolean): Promise<readonly StrangeKey[]> {
  if (!vouching(db).canVouch) return [];
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('delivery_keys'))`.execute(trx);
    return wrapAll(trx, atStart);
  });
}

async function wrapAll(db: Db, atStart: boolean): Promise<readonly StrangeKey[]> {
  const { rows } = await sql<StoredKey & { readonly isOver: boolean }>`
    select key_id as "keyId", public_key as "publicKey", ${vouchedColumns}, private_key as text, wrapped_by as "wrappedBy",
      ${deliveryKeyIsOver} as "isOver"
    from delivery_keys left join delivery_key_secrets using (key_id)`.execute(db);
  const isFirst = atStart && rows.every(({ vouched, wrappedBy }) => vouched === null && wrappedBy === null);
  const strange: StrangeKey[] = [];
  for (const row of rows) {
    const kind = await wrapOne(db, row, { atStart, isFirst });
    if (kind !== undefined && !row.isOver) strange.push({ kind, keyId: row.keyId });
  }
  return strange;
}

async function wrapOne(
  db: Db,
  row: StoredKey,
  { atStart, isFirst }: { readonly atStart: boolean; readonly isFirst: boolean },
): Promise<StrangeKey['kind'] | undefined> {
  const { isRequired, keyId: newest } = vouching(db);
  const { said, privateKey, isLacking } = await judge(db, row);
  if (said === 'ours' && atStart && row.vouchedBy !== newest) await vouch(db, row); // also one that is over: its seals count
  const isKnown = said === 'ours' || row.wrappedBy !== null || isFirst || !isRequired;
  if (privateKey === undefined || !isKnown) {
    if (isLacking) return 'delivery-key.unreadable';
    return isRequired ? 'delivery-key.not-ours' : undefined;
  }
  const isUnread = said === 'lacking' || said === 'broken'; // by another process, or somebody has changed it
  if (said === 'nothing' || (isUnread && atStart)) await vouch(db, row);
  const { keyId, wrappedBy } = row;
  if (isToWrap(db, row) && (atStart || wrappedBy === null)) await wrap(db, { keyId, privateKey, wrappedBy });
  return isUnread ? 'delivery-key.unreadable' : undefined;
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
  }: Pick<SigningKey, 'keyId' | 'privateKey'> & Pick<StoredKey, 'wrappedBy'>,
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
    if (ifOlderThanDays !== undefined && (await isYoung(trx, ifOlderThanDays))) return undefined;
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

/**
 * Whether there is a key by which this process can sign, which has begun since so many days and does not end soon: where two
 * processes cannot read what the other makes, and each ends it, they do so every few days and not by turns.
 */
async function isYoung(db: Db, days: number): Promise<boolean> {
  const young = sql`signs_from > clock_timestamp() - ${days} * interval '1 day'
    and (signs_until is null or signs_until > clock_timestamp() + interval '1 day')`;
  if (vouching(db).canVouch) return (await signingKeys(db, young)).length > 0;
  // what a process without sealing keys made beside those of others would count for nobody else
  const { rows } = await sql`select from delivery_keys where ${signs} and ${young}`.execute(db);
  return rows.length > 0;
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
