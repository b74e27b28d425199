// The Ed25519 keys that sign outgoing messages. During a rotation the old and the new key both sign for a while. So a
// receiver that knows only one of them can still verify.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { sql } from 'kysely';
import { recordAudit } from '../records/audit.ts';
import type { Db } from '../pool/connection.ts';
import { isThere } from '../pool/statements.ts';
import { isToWrap, readSecret, saidOf, vouchFor, vouching, wrapSecret, type Said } from './own-secrets.ts';

/**
 * Days for which an old key still signs beside its successor. A receiver must not cache a key set for longer.
 */
export const overlapDays = 7;
/** Days for which a key stays published after its last signature, so that messages under way can still be verified. */
const publishedDays = 3;

export interface DeliveryKey {
  readonly keyId: string;
  /** `x` of the JWK. */
  readonly publicKey: string;
  readonly signsFrom: Date;
  /** When the key stops signing; null: it signs until another key follows. */
  readonly signsUntil: Date | null;
  readonly withdrawnAt: Date | null;
  readonly madeBy: string;
  readonly because: string;
}

export interface SigningKey extends Pick<DeliveryKey, 'keyId' | 'publicKey' | 'signsFrom' | 'signsUntil'> {
  /** `d` of the JWK. */
  readonly privateKey: string;
}

/** Lists all keys, newest first, and states for each whether this process trusts it. */
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

/**
 * `strange` is set if this process does not trust the key. `not-ours`: nobody vouched for the key. `unreadable`: this
 * process cannot read the voucher.
 */
export type ListedDeliveryKey = DeliveryKey & { readonly strange?: 'not-ours' | 'unreadable' };

/** SQL: no message under way can carry a signature by this key any longer. */
export const deliveryKeyIsOver = sql`(withdrawn_at is not null
  or coalesce(signs_until <= clock_timestamp() - ${sql.lit(publishedDays)} * interval '1 day', false))`;
const signs = sql`withdrawn_at is null and (signs_until is null or signs_until > clock_timestamp())`;

/**
 * Lists the keys that receivers need now to verify signatures. Includes only keys that a holder of
 * SEALING_KEYS vouched for. Otherwise the owner of the tables could forge a key.
 * @param onUnreadable called with the id of each key that this process cannot check; processes that can check
 *   the key publish it
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

/**
 * Reads the ids of all keys that sign now or later, trusted or not. A key that is missing here was withdrawn
 * or has ended.
 */
export async function signingKeyIds(db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ keyId: string }>`
    select key_id as "keyId" from delivery_keys where ${signs}`.execute(db);
  return new Set(rows.map(({ keyId }) => keyId));
}

/**
 * Lists the trusted keys that sign now or later and whose private part this process can read, newest first.
 * @param which SQL condition that narrows them
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

/**
 * A public key and its voucher, the proof that a holder of SEALING_KEYS made the key. Null: nobody vouched
 * for the key.
 */
export interface Vouched {
  readonly keyId: string;
  readonly publicKey: string;
  readonly vouched: string | null;
  readonly vouchedBy: string | null;
}

interface StoredKey extends Vouched {
  /** The private part as stored; null: there is none. */
  readonly text: string | null;
  readonly wrappedBy: string | null;
}

const saidOfKey = (db: Db, { keyId, publicKey, vouched, vouchedBy }: Vouched): Promise<Said> =>
  saidOf(db, aboutPublic(keyId), {
    text: publicKey,
    by: vouched === null ? null : { text: vouched, wrappedBy: vouchedBy },
  });

/**
 * Whether this process trusts the key. If sealing is required, a holder of SEALING_KEYS must have vouched for
 * the key.
 */
export const isOurs = async (db: Db, key: Vouched): Promise<boolean> =>
  !vouching(db).isRequired || (await saidOfKey(db, key)) === 'ours';

interface Judged {
  readonly said: Said;
  /**
   * Undefined if the private part is missing, belongs to another public key, or is unreadable for this
   * process.
   */
  readonly privateKey: string | undefined;
  /** Whether this process lacks a sealing key that it needs to judge this key. */
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

/** @param d member `d` of the JWK */
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

const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex'); // DER prefix of a PKCS #8 key (RFC 8410, 7), before the 32 bytes of the key

/**
 * A key that this process does not trust, or whose voucher it cannot read. `kind` is the kind of the alert
 * about it.
 */
export interface StrangeKey {
  readonly kind: 'delivery-key.not-ours' | 'delivery-key.unreadable';
  readonly keyId: string;
}

/** Log line for a key whose voucher this process cannot read. */
export const unreadableKey = 'a delivery key cannot be checked with the SEALING_KEYS of this process';

/**
 * Wraps private keys that are stored in the clear, and vouches for trusted keys. A private key in the clear
 * is trusted only at the first start with sealing keys, or if sealing is not required. Otherwise anybody
 * could insert a key.
 * @param atStart whether the process is starting. Then it also rewraps keys that another sealing key wrapped,
 *   and vouches for keys whose voucher it cannot read. Two running processes with different SEALING_KEYS
 *   would otherwise undo each other's work for ever.
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
  // also vouch for a key that has ended: the audit seals that it signed must stay verifiable
  if (said === 'ours' && atStart && row.vouchedBy !== newest) await vouch(db, row);
  const isKnown = said === 'ours' || row.wrappedBy !== null || isFirst || !isRequired;
  if (privateKey === undefined || !isKnown) {
    if (isLacking) return 'delivery-key.unreadable';
    return isRequired ? 'delivery-key.not-ours' : undefined;
  }
  const isUnread = said === 'lacking' || said === 'broken'; // another process vouched for the key, or somebody changed the voucher
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
  /**
   * Whether to withdraw the keys that sign now, as after a leak. A withdrawn key stops signing at once, and
   * is no longer published.
   */
  readonly withdraw: boolean;
  /** Rotate only if no key began to sign in the last so many days. */
  readonly ifOlderThanDays?: number;
}

/**
 * Makes a key that signs from now on.
 * @returns the id of the key; undefined if no rotation was due
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
 * Whether this process can sign with a key that is younger than `days` and does not end within a day. Two
 * processes that cannot read each other's keys keep replacing them. The second condition makes them do so
 * every few days, not constantly.
 */
async function isYoung(db: Db, days: number): Promise<boolean> {
  const young = sql`signs_from > clock_timestamp() - ${days} * interval '1 day'
    and (signs_until is null or signs_until > clock_timestamp() + interval '1 day')`;
  if (vouching(db).canVouch) return (await signingKeys(db, young)).length > 0;
  // without sealing keys, count all keys: no process that has sealing keys would trust a key made here
  return isThere(db, sql`select from delivery_keys where ${signs} and ${young}`);
}

function makeKey(): Pick<SigningKey, 'keyId' | 'publicKey' | 'privateKey'> {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { keyId: keyIdOf(x), publicKey: x, privateKey: d };
}

/** RFC 7638 (3) thumbprint of a public key, so that no other key can have the same id. */
export const keyIdOf = (x: string): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
