// Seals what is stored of people, and opens it (SEC-3): bytes of messages and excerpts of answers; private keys of ours are in
// db/keys/own-secrets.ts. It belongs to a connection, so that whoever reads or stores a message has it. Without keys nothing is
// sealed.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { sql, type KyselyPlugin, type RawBuilder } from 'kysely';
import { ConfigurationError } from '../../core/settings/environment-variables.ts';
import type { SealingConfig } from '../../core/settings/sealing-keys.ts';
import type { Db } from '../pool/connection.ts';
import { findDataKey, listDataKeys, offerDataKey, replaceWrapping, type StoredDataKey } from './data-keys.ts';
import { SealingKeyMissing } from '../pool/failures.ts';
import { decrypt, encrypt, localWrapper, SealBroken, type KeyWrapper } from './key-wrapping.ts';

/** What something sealed is part of; it opens for nothing else. */
export type About = readonly string[];

export interface Sealed {
  readonly bytes: Buffer;
  /** Null: it is not sealed. */
  readonly keyId: string | null;
}

interface DataKey extends Pick<StoredDataKey, 'keyId' | 'month'> {
  readonly key: Buffer;
  /** When the database last had it; `performance.now()`. */
  seenAtMs: number;
}

/** The keys of one connection. */
interface Vault {
  readonly config: SealingConfig;
  readonly wrapper: KeyWrapper;
  /** Those that the database has, as far as this process knows: one that is deleted there is forgotten here. */
  readonly known: Map<string, DataKey>;
  current: DataKey | undefined;
  lookedAtMs: number;
  isLooking: boolean;
  /** When the database last said that `current` is the newest; `performance.now()`. */
  confirmedAtMs: number;
  begun: Db | undefined;
  readonly onFailure: (error: unknown) => void;
}

const vaults = new WeakMap<KyselyPlugin, Vault>();

/** Told by its connections when a statement has failed because its data key is not there any longer. */
type VaultPlugin = KyselyPlugin & { readonly dataKeyGone: () => void };

/** The vault of a process; undefined: nothing is sealed. */
export const openVault = (
  sealing: SealingConfig | undefined,
  logger: { warn(about: object, says: string): void },
): VaultPlugin | undefined =>
  sealing &&
  vaultPlugin(sealing, (error) => {
    logger.warn({ err: error }, 'the data key of this month could not be had; that of the last seals on');
  });

/**
 * What a connection is opened with, so that its transactions have the keys too; it changes no statement.
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

/** Undefined: the process has no keys. */
export function vaultOf(db: Db): Vault | undefined {
  for (const plugin of db.getExecutor().plugins) {
    const vault = vaults.get(plugin);
    if (vault !== undefined) return vault;
  }
  return undefined;
}

/**
 * Before a process takes work: whether it can open everything that was sealed, and what it seals under; data keys that other
 * keys have wrapped are wrapped by the newest.
 * @throws ConfigurationError where it lacks a key of a data key, or where one has been changed
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

/** @throws SealBroken, which says what to do: by one row of the database nothing of its month can be read */
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
 * Forgets the keys that are no longer there, makes that of this month where there is none, and seals under the newest from
 * then on.
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

/** For which a key that has been deleted may still be used. */
const lookEveryMs = 30_000;
/** Where there is no key to seal under, because it was not there at the last look, or could not be made. */
const lookAgainMs = 250;
/**
 * For which the key of a month may still seal after it, while the database does not say which follows. Where it says that
 * there is no other, its clock counts, and not that of this process.
 */
const graceMs = 86_400_000;

/**
 * @param about what it is part of: the id of its message, the type, the party
 * @throws SealingKeyMissing where the key of this month cannot be had
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

/** For whoever stores what was sealed: the id of its key, and an error of the database where that is not there. */
export const heldKeyId = (keyId: RawBuilder<unknown> | string | null) => sql`held_data_key(${keyId}::text)`;

function lookAgain(vault: Vault): void {
  const sinceMs = performance.now() - vault.lookedAtMs;
  if (sinceMs >= (vault.current === undefined ? lookAgainMs : lookEveryMs)) lookNow(vault);
}

/** Beside what is under way, which does not wait for it: it seals and opens with what is at hand. */
function lookNow(vault: Vault): void {
  const { begun, onFailure } = vault;
  if (begun === undefined || vault.isLooking) return;
  vault.isLooking = true;
  void look(begun, vault)
    .catch(onFailure)
    .finally(() => (vault.isLooking = false));
}

/**
 * @returns null where its key was deleted, with all that it sealed
 * @throws SealBroken where it was changed; SealingKeyMissing where this process lacks the key that wraps its key
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

/** The sealed bytes of a message as they are read, with what they are about. */
export interface BodyColumns {
  /** Null: they are no longer kept. */
  body: Buffer | null;
  body_key_id: string | null;
  body_about: About;
  /** Of the bytes, as the record of the message has it. */
  body_sha256: Buffer;
}

/**
 * To be selected beside a join of `message_bodies` as `b` (db/records/messages.ts).
 * @param alias of `messages` in the statement
 */
export const bodyColumns = (alias: string, type: RawBuilder<unknown> = sql.ref(`${alias}.message_type`)) =>
  sql`b.body, b.key_id as body_key_id, ${sql.ref(`${alias}.sha256`)} as body_sha256,
    array[${sql.ref(`${alias}.message_id`)}::text, ${type}, ${sql.ref(`${alias}.party`)}] as body_about`;

/**
 * The bytes of a message; null: they are no longer kept. They are those of its record, sealed or not: a text that
 * somebody has put in their place without a seal would open, as if it were from before there were keys.
 * @throws as `open`
 */
export async function openBody(db: Db, row: BodyColumns): Promise<Buffer | null> {
  if (row.body === null) return null;
  const bytes = await open(db, row.body_about, { bytes: row.body, keyId: row.body_key_id });
  const isOfRecord = bytes === null || createHash('sha256').update(bytes).digest().equals(row.body_sha256);
  if (!isOfRecord) throw new SealBroken('what was stored is not what the record of the message has');
  return bytes;
}

/** As `openBody`, where a message goes out; null too where its bytes were changed: such a one is never sent. */
export async function openUnchanged(db: Db, row: BodyColumns): Promise<Buffer | null> {
  try {
    return await openBody(db, row);
  } catch (error) {
    if (error instanceof SealBroken) return null;
    throw error;
  }
}
