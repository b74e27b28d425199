// AES-256-GCM, and the keys that wrap other keys. A key management service takes the place of the keys of the
// configuration by doing what a KeyWrapper does.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { assert } from '../../core/assert.ts';
import type { SealingKey } from '../../core/settings/sealing-keys.ts';

/** Wraps keys, which are stored wrapped only. */
export interface KeyWrapper {
  /** Of the key that wraps from now on. */
  readonly keyId: string;
  /** Whether what that key has wrapped can be unwrapped. */
  knows(keyId: string): boolean;
  /** @param about what the key is for; it is unwrapped for nothing else */
  wrap(key: Buffer, about: readonly string[]): Promise<Buffer>;
  /** @throws SealBroken where it was changed, or wrapped by another key or for something else */
  unwrap(wrapped: Buffer, by: string, about: readonly string[]): Promise<Buffer>;
}

/** What was sealed has been changed, or belongs somewhere else. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

const nonceBytes = 12; // NIST SP 800-38D, 8.2.2: drawn at random, for at most 2^32 of one key
const tagBytes = 16;

/** @returns nonce, tag and what was encrypted */
export function encrypt(key: Buffer, plain: Uint8Array, about: readonly string[]): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(JSON.stringify(about)));
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
}

/** @throws SealBroken */
export function decrypt(key: Buffer, sealed: Buffer, about: readonly string[]): Buffer {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(JSON.stringify(about)));
    decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
  } catch {
    throw new SealBroken('what was sealed has been changed, or belongs somewhere else');
  }
}

/** By the keys of the configuration. */
export function localWrapper(keys: readonly SealingKey[]): KeyWrapper {
  const byId = new Map(keys.map(({ keyId, key }) => [keyId, Buffer.from(key, 'base64')]));
  const [newest] = keys;
  assert(newest !== undefined, 'whoever seals has a key');
  const keyOf = (keyId: string) => {
    const key = byId.get(keyId);
    assert(key !== undefined, 'whoever unwraps knows the key');
    return key;
  };
  return {
    keyId: newest.keyId,
    knows: (keyId) => byId.has(keyId),
    wrap: (key, about) => Promise.resolve(encrypt(keyOf(newest.keyId), key, about)),
    // eslint-disable-next-line @typescript-eslint/require-await -- where it throws, it rejects
    unwrap: async (wrapped, by, about) => decrypt(keyOf(by), wrapped, about),
  };
}
