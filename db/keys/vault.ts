// Seals and opens stored personal data (SEC-3): message bodies and excerpts of answers.
// db/keys/own-secrets.ts does the same for our private keys. The vault belongs to the database connection, so
// all code that reads or stores messages can use it. Without sealing keys, data is stored in the clear.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { sql, type KyselyPlugin, type RawBuilder } from 'kysely';
import { ConfigurationError } from '../../core/settings/environment-variables.ts';
import type { SealingConfig } from '../../core/settings/sealing-keys.ts';
import type { Db } from '../pool/connection.ts';
import { findDataKey, listDataKeys, offerDataKey, replaceWrapping, type StoredDataKey } from './data-keys.ts';
import { SealingKeyMissing } from '../pool/failures.ts';
import { decrypt, encrypt, localWrapper, SealBroken, type KeyWrapper } from './key-wrapping.ts';

/** The context of sealed bytes, used as additional authenticated data. Opening needs the same value. */
export type About = readonly string[];

export interface Sealed {
  readonly bytes: Buffer;
  /** Id of the data key; null: the bytes are not sealed. */
  readonly keyId: string | null;
}

interface DataKey extends Pick<StoredDataKey, 'keyId' | 'month'> {
  readonly key: Buffer;
  /** `performance.now()` at which this process last saw the key in the database. */
  seenAtMs: number;
}

interface Vault {
  readonly config: SealingConfig;
  readonly wrapper: KeyWrapper;
  /** Unwrapped data keys that still exist in the database, as far as this process knows. */
  readonly known: Map<string, DataKey>;
  current: DataKey | undefined;
  lookedAtMs: number;
  isLooking: boolean;
  /** `performance.now()` at which the database last confirmed that `current` is the newest key. */
  confirmedAtMs: number;
  begun: Db | undefined;
  readonly onFailure: (error: unknown) => void;
}

const vaults = new WeakMap<KyselyPlugin, Vault>();

/** The connection calls `dataKeyGone` when a statement fails because its data key was deleted. */
type VaultPlugin = KyselyPlugin & { readonly dataKeyGone: () => void };

/** Makes the vault of a process; undefined: the process seals nothing. */
export const openVault = (
  sealing: SealingConfig | undefined,
  logger: { warn(about: object, says: string): void },
): VaultPlugin | undefined =>
  sealing &&
  vaultPlugin(sealing, (error) => {
    logger.warn({ err: error }, 'cannot get the data key of this month; the last one goes on sealing');
  });

/**
 * A Kysely plugin that only carries the vault, so that transactions have it too. It changes no statement.
 * @internal exported for tests
 */
export function vaultPlugin(config: SealingConfig, onFailure: (error: unknown) => void): VaultPlugin {
  const vault: Vault = {
    config,
    wrapper: localWrapper(config.keys),
    known: new Map(),
    current: undefined,
    lookedAtMs: Number.NEGATIVE_INFINITY,
    isLooking: false,
    confirmedAtMs: Number.NEGATIVE_INFINITY,
    begun: undefined,
    onFailure,
  };
  const plugin: VaultPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: ({ result }) => Promise.resolve(result),
    dataKeyGone: () => lookNow(vault),
  };
  vaults.set(plugin, vault);
  return plugin;
}

export function vaultOf(db: Db): Vault | undefined {
  for (const plugin of db.getExecutor().plugins) {
    const vault = vaults.get(plugin);
    if (vault !== undefined) return vault;
  }
  return undefined;
}

/**
 * Prepares the vault. Call it before the process takes work. Checks that the process can open all sealed
 * data, rewraps data keys with the newest sealing key, and finds or makes the data key of this month.
 * @throws ConfigurationError if a sealing key that wraps a data key is missing, or if a data key was changed
 */
export async function beginSealing(db: Db): Promise<void> {
  const vault = vaultOf(db);
  const stored = await listDataKeys(db);
  const lacking = new Set(
    stored.map(({ wrappedBy }) => wrappedBy).filter((id) => vault?.wrapper.knows(id) !== true),
  );
  if (lacking.size > 0) {
    throw new ConfigurationError(
      `SEALING_KEYS lacks ${[...lacking].join(', ')}, without which messages of this database cannot be read: ` +
        'add it, after the first key. (docs/operations/keys-and-sealing.md)',
    );
  }
  if (vault === undefined) return;
  vault.begun = db;
  try {
    for (const key of stored) await rewrap(db, vault, key);
    await look(db, vault);
  } catch (error) {
    throw error instanceof SealBroken ? new ConfigurationError(error.message) : error;
  }
}

async function rewrap(db: Db, { wrapper, config }: Vault, stored: StoredDataKey): Promise<void> {
  if (stored.wrappedBy === wrapper.keyId || !config.seals) return;
  const key = await unwrap(wrapper, stored);
  const wrapped = await wrapper.wrap(key, aboutDataKey(stored.keyId));
  await replaceWrapping(db, { ...stored, wrapped, wrappedBy: wrapper.keyId }, stored.wrappedBy);
}

const aboutDataKey = (keyId: string): About => ['data key', keyId];

/**
 * @throws SealBroken, with instructions for the operator: without this row, nothing of its month can be read
 */
async function unwrap(wrapper: KeyWrapper, { keyId, month, wrapped, wrappedBy }: StoredDataKey) {
  try {
    return await wrapper.unwrap(wrapped, wrappedBy, aboutDataKey(keyId));
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error;
    throw new SealBroken(
      `the data key ${keyId} of ${month.slice(0, 7)} does not open: its row in the table data_keys has been changed, ` +
        `or ${wrappedBy} in SEALING_KEYS is another key than the one that wrapped it. Put back the key, or that row from a ` +
        'backup. (docs/operations/keys-and-sealing.md)',
    );
  }
}

/**
 * Refreshes the vault: removes data keys that no longer exist in the database, and makes the key of this
 * month if it is missing. From then on the newest key seals.
 */
async function look(db: Db, vault: Vault): Promise<void> {
  vault.lookedAtMs = performance.now();
  const stored = await listDataKeys(db);
  keepOnly(vault, new Set(stored.map(({ keyId }) => keyId)));
  if (!vault.config.seals) return;
  const { wrapper } = vault;
  let [newest] = stored;
  if (newest === undefined || newest.month < monthOf(Date.now())) {
    const keyId = randomUUID();
    const wrapped = await wrapper.wrap(randomBytes(32), aboutDataKey(keyId));
    await offerDataKey(db, { keyId, wrapped, wrappedBy: wrapper.keyId });
    [newest] = await listDataKeys(db);
  }
  if (newest === undefined) return;
  vault.current = await unwrapped(vault, newest);
  vault.confirmedAtMs = performance.now();
}

function keepOnly(vault: Vault, there: ReadonlySet<string>): void {
  const { known, current } = vault;
  for (const [keyId, key] of known) {
    if (there.has(keyId)) key.seenAtMs = performance.now();
    else known.delete(keyId);
  }
  if (current !== undefined && !there.has(current.keyId)) vault.current = undefined;
}

const monthOf = (epochMs: number) => `${new Date(epochMs).toISOString().slice(0, 7)}-01`;

async function unwrapped(vault: Vault | undefined, stored: StoredDataKey): Promise<DataKey> {
  const { keyId, month, wrappedBy } = stored;
  const seenAtMs = performance.now();
  const before = vault?.known.get(keyId);
  if (before !== undefined) return Object.assign(before, { seenAtMs });
  if (vault?.wrapper.knows(wrappedBy) !== true)
    throw new SealingKeyMissing(`SEALING_KEYS lacks ${wrappedBy}`, wrappedBy);
  const dataKey = { keyId, month, key: await unwrap(vault.wrapper, stored), seenAtMs };
  vault.known.set(keyId, dataKey);
  return dataKey;
}

/** Milliseconds between two refreshes. A deleted key may be used for that long. */
const lookEveryMs = 30_000;
/** Milliseconds between two refreshes while there is no key to seal with. */
const lookAgainMs = 250;
/**
 * Milliseconds for which the key of a month may seal after the month has ended, while the database cannot be
 * asked for the next key. If the database confirms that there is no newer key, the key stays in use. The
 * database clock decides when a month ends, not the clock of this process.
 */
const graceMs = 86_400_000;

/**
 * Seals with the newest data key.
 * @param about context of the bytes, such as message id, message type and party
 * @throws SealingKeyMissing if there is no key for this month
 */
export function seal(db: Db, about: About, bytes: Buffer): Sealed {
  const vault = vaultOf(db);
  if (vault?.config.seals !== true) return { bytes, keyId: null };
  lookAgain(vault);
  const nowMs = Date.now();
  const { current } = vault;
  const isForgotten = performance.now() - vault.confirmedAtMs > graceMs;
  if (current === undefined || (isForgotten && current.month < monthOf(nowMs - graceMs))) {
    throw new SealingKeyMissing('there is no data key of this month yet');
  }
  return { bytes: encrypt(current.key, bytes, about), keyId: current.keyId };
}

/** SQL for storing the id of a data key. The statement fails if the key was deleted. */
export const heldKeyId = (keyId: RawBuilder<unknown> | string | null) => sql`held_data_key(${keyId}::text)`;

function lookAgain(vault: Vault): void {
  const sinceMs = performance.now() - vault.lookedAtMs;
  if (sinceMs >= (vault.current === undefined ? lookAgainMs : lookEveryMs)) lookNow(vault);
}

/** Refreshes in the background. Callers do not wait: they seal and open with the keys that the vault has. */
function lookNow(vault: Vault): void {
  const { begun, onFailure } = vault;
  if (begun === undefined || vault.isLooking) return;
  vault.isLooking = true;
  void look(begun, vault)
    .catch(onFailure)
    .finally(() => (vault.isLooking = false));
}

/**
 * Opens sealed bytes.
 * @returns null if the data key was deleted
 * @throws SealBroken if the bytes were changed; SealingKeyMissing if this process lacks the key that wraps
 *   the data key
 */
export async function open(db: Db, about: About, { bytes, keyId }: Sealed): Promise<Buffer | null> {
  if (keyId === null) return bytes;
  const vault = vaultOf(db);
  const known = vault?.known.get(keyId);
  if (known !== undefined && performance.now() - known.seenAtMs < lookEveryMs)
    return decrypt(known.key, bytes, about);
  const stored = await findDataKey(db, keyId);
  if (stored !== undefined) return decrypt((await unwrapped(vault, stored)).key, bytes, about);
  vault?.known.delete(keyId);
  return null;
}

export interface BodyColumns {
  /** Null: the body is no longer kept. */
  body: Buffer | null;
  body_key_id: string | null;
  body_about: About;
  /** SHA-256 of the opened bytes, from the record of the message. */
  body_sha256: Buffer;
}

/**
 * SQL for the columns of `BodyColumns`. The statement must join `message_bodies` as `b`
 * (db/records/messages.ts).
 * @param alias of `messages` in the statement
 */
export const bodyColumns = (alias: string, type: RawBuilder<unknown> = sql.ref(`${alias}.message_type`)) =>
  sql`b.body, b.key_id as body_key_id, ${sql.ref(`${alias}.sha256`)} as body_sha256,
    array[${sql.ref(`${alias}.message_id`)}::text, ${type}, ${sql.ref(`${alias}.party`)}] as body_about`;

/**
 * Opens the body of a message and compares it with the hash in its record. Otherwise somebody could replace
 * the body with unsealed text, which would look like a body from before sealing was set up.
 * @returns null if the body is no longer kept
 * @throws the errors of `open`; SealBroken if the hash differs
 */
export async function openBody(db: Db, row: BodyColumns): Promise<Buffer | null> {
  if (row.body === null) return null;
  const bytes = await open(db, row.body_about, { bytes: row.body, keyId: row.body_key_id });
  const isOfRecord = bytes === null || createHash('sha256').update(bytes).digest().equals(row.body_sha256);
  if (!isOfRecord)
    throw new SealBroken('the stored body does not match the hash in the record of the message');
  return bytes;
}

/**
 * Like `openBody`, for sending. Also returns null if the bytes were changed, because changed bytes must never
 * be sent.
 */
export async function openUnchanged(db: Db, row: BodyColumns): Promise<Buffer | null> {
  try {
    return await openBody(db, row);
  } catch (error) {
    if (error instanceof SealBroken) return null;
    throw error;
  }
}
