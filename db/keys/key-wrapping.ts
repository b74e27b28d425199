// AES-256-GCM, and the key-encryption keys that wrap other keys. To use a key management service, implement KeyWrapper.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { assert } from '../../core/assert.ts';
import type { SealingKey } from '../../core/settings/sealing-keys.ts';

/** Wraps and unwraps keys, which are only stored wrapped. */
export interface KeyWrapper {
  /** Id of the key that wraps from now on. */
  readonly keyId: string;
  /** Whether this wrapper can unwrap what the key with this id wrapped. */
  knows(keyId: string): boolean;
  /**
   * @param about purpose of the key, used as additional authenticated data; unwrapping needs the same value
   */
  wrap(key: Buffer, about: readonly string[]): Promise<Buffer>;
  /** @throws SealBroken if the bytes were changed, or were wrapped by another key or for another purpose */
  unwrap(wrapped: Buffer, by: string, about: readonly string[]): Promise<Buffer>;
}

/** The sealed bytes were changed, or were sealed for another context. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

const nonceBytes = 12; // random nonce (NIST SP 800-38D, 8.2.2), for at most 2^32 encryptions by one key
const tagBytes = 16;

/** @returns nonce, tag and ciphertext, concatenated */
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
    throw new SealBroken('the sealed bytes were changed, or belong somewhere else');
  }
}

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
