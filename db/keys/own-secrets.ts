// Private keys of ours as they are stored: wrapped by the newest of SEALING_KEYS; and what whoever has those says of
// public ones. Each is judged by itself: one that a process cannot read must not keep it from the others.
import type { Db } from '../pool/connection.ts';
import { SealingKeyMissing } from '../pool/failures.ts';
import { SealBroken } from './key-wrapping.ts';
import { vaultOf, type About } from './vault.ts';

/** A private key of ours, as it is stored. */
export interface WrappedSecret {
  /** As it is, or base64url of what it is wrapped as. */
  readonly text: string;
  readonly wrappedBy: string | null;
}

/** By the newest key of the configuration; as it is where there is none. */
export async function wrapSecret(db: Db, about: About, text: string): Promise<WrappedSecret> {
  const vault = vaultOf(db);
  if (vault?.config.seals !== true) return { text, wrappedBy: null };
  const wrapped = await vault.wrapper.wrap(Buffer.from(text), about);
  return { text: wrapped.toString('base64url'), wrappedBy: vault.wrapper.keyId };
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
 * Why a secret cannot be read: `lacking`, this process has not the key that wraps it, which says nothing of whose it is;
 * `broken`, no key of that name here has wrapped it for that.
 */
export type Unread = 'lacking' | 'broken';

/** As `unwrapSecret`, where one of several must not decide over the others. */
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

/** Whether a stored secret is to be wrapped anew: it is as it is, or another key has wrapped it. */
export function isToWrap(db: Db, { wrappedBy }: Pick<WrappedSecret, 'wrappedBy'>): boolean {
  const vault = vaultOf(db);
  return vault?.config.seals === true && vault.wrapper.keyId !== wrappedBy;
}

/** Says to whoever has the keys that this text is ours, also while nothing is sealed yet; null: there are no keys. */
export async function vouchFor(db: Db, about: About, text: string): Promise<WrappedSecret | null> {
  const wrapper = vaultOf(db)?.wrapper;
  if (wrapper === undefined) return null;
  const wrapped = await wrapper.wrap(Buffer.from(text), about);
  return { text: wrapped.toString('base64url'), wrappedBy: wrapper.keyId };
}

/** What has been said of a text: that it is ours, by somebody who has one of the keys; nothing; or what cannot be read. */
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

/** Whether there are keys at all, and whether they have been given to every process, so that each says what is ours. */
export function vouching(db: Db): {
  readonly canVouch: boolean;
  readonly isRequired: boolean;
  readonly keyId?: string;
} {
  const vault = vaultOf(db);
  if (vault === undefined) return { canVouch: false, isRequired: false };
  return { canVouch: true, isRequired: vault.config.seals, keyId: vault.wrapper.keyId };
}
