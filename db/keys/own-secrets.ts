// Stores our private keys wrapped by the newest key of SEALING_KEYS, and vouches for our public keys with the
// same key. Reads each key separately, so a key that this process cannot read does not block the others.
import type { Db } from '../pool/connection.ts';
import { SealingKeyMissing } from '../pool/failures.ts';
import { SealBroken } from './key-wrapping.ts';
import { vaultOf, type About } from './vault.ts';

export interface WrappedSecret {
  /** The key in the clear if `wrappedBy` is null; otherwise the wrapped key in base64url. */
  readonly text: string;
  readonly wrappedBy: string | null;
}

/**
 * Wraps the text with the newest key of SEALING_KEYS. Without SEALING_KEYS, returns the text in the clear.
 */
export async function wrapSecret(db: Db, about: About, text: string): Promise<WrappedSecret> {
  const vault = vaultOf(db);
  const wrapped = vault?.config.seals === true ? await vouchFor(db, about, text) : null;
  return wrapped ?? { text, wrappedBy: null };
}

/** @throws SealingKeyMissing, SealBroken */
export async function unwrapSecret(
  db: Db,
  about: About,
  { text, wrappedBy }: WrappedSecret,
): Promise<string> {
  if (wrappedBy === null) return text;
  const wrapper = vaultOf(db)?.wrapper;
  if (wrapper?.knows(wrappedBy) !== true) throw new SealingKeyMissing(`SEALING_KEYS lacks ${wrappedBy}`);
  return (await wrapper.unwrap(Buffer.from(text, 'base64url'), wrappedBy, about)).toString();
}

/**
 * Why a secret cannot be read. `lacking`: this process does not have the key that wraps the secret, which may
 * still be genuine. `broken`: this process has the key, but the secret was changed, or was not wrapped by
 * that key for this purpose.
 */
export type Unread = 'lacking' | 'broken';

/** Like `unwrapSecret`, but returns the reason instead of throwing, for callers that read several secrets. */
export async function readSecret(
  db: Db,
  about: About,
  secret: WrappedSecret,
): Promise<{ readonly text: string } | { readonly text?: never; readonly why: Unread }> {
  try {
    return { text: await unwrapSecret(db, about, secret) };
  } catch (error) {
    if (error instanceof SealingKeyMissing) return { why: 'lacking' };
    if (error instanceof SealBroken) return { why: 'broken' };
    throw error;
  }
}

/** Whether a stored secret should be wrapped again: it is in the clear, or another key wrapped it. */
export function isToWrap(db: Db, { wrappedBy }: Pick<WrappedSecret, 'wrappedBy'>): boolean {
  const vault = vaultOf(db);
  return vault?.config.seals === true && vault.wrapper.keyId !== wrappedBy;
}

/**
 * Encrypts the text to prove to other holders of SEALING_KEYS that one of them vouched for it. Null: this
 * process has no sealing keys.
 */
export async function vouchFor(db: Db, about: About, text: string): Promise<WrappedSecret | null> {
  const wrapper = vaultOf(db)?.wrapper;
  if (wrapper === undefined) return null;
  const wrapped = await wrapper.wrap(Buffer.from(text), about);
  return { text: wrapped.toString('base64url'), wrappedBy: wrapper.keyId };
}

/** `ours`: a holder of SEALING_KEYS vouched for the text; `nothing`: nobody vouched for it. */
export type Said = 'ours' | 'nothing' | Unread;

export async function saidOf(
  db: Db,
  about: About,
  { text, by }: { readonly text: string; readonly by: WrappedSecret | null },
): Promise<Said> {
  if (by === null || by.wrappedBy === null) return 'nothing';
  const said = await readSecret(db, about, by);
  if (said.text === undefined) return said.why;
  return said.text === text ? 'ours' : 'broken';
}

/** Whether this process has sealing keys (`canVouch`), and whether all processes have them (`isRequired`). */
export function vouching(db: Db): {
  readonly canVouch: boolean;
  readonly isRequired: boolean;
  readonly keyId?: string;
} {
  const vault = vaultOf(db);
  if (vault === undefined) return { canVouch: false, isRequired: false };
  return { canVouch: true, isRequired: vault.config.seals, keyId: vault.wrapper.keyId };
}
