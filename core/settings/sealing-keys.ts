/**
 * The keys that seal personal data and the gateway's private keys in the database: a list of `id:key`, with
 * the key in base64. The first key seals new data; the others only open data that they sealed before.
 */
export interface SealingConfig {
  /** At least one; each of 32 bytes in base64. */
  readonly keys: readonly SealingKey[];
  /**
   * Whether new data is sealed. False while some processes lack the keys; sealed data can still be opened.
   */
  readonly seals: boolean;
}

export interface SealingKey {
  readonly keyId: string;
  /** 32 bytes, base64. */
  readonly key: string;
}

/** Describes the expected form. */
export const sealingKeysForm =
  'id:key, separated by white space or commas, each key 32 bytes in base64 (openssl rand -base64 32), no id twice';

const keyForm = /^([A-Za-z0-9._-]{1,64}):([A-Za-z0-9+/]{43}=)$/;

/** @returns undefined if the text is malformed. No message may show the text, because it holds secrets. */
export function parseSealingKeys(text: string): readonly SealingKey[] | undefined {
  const keys: SealingKey[] = [];
  for (const part of text.split(/[\s,]+/).filter((one) => one !== '')) {
    const [, keyId, key] = keyForm.exec(part) ?? [];
    if (keyId === undefined || key === undefined || keys.some((one) => one.keyId === keyId)) return undefined;
    keys.push({ keyId, key });
  }
  return keys.length === 0 ? undefined : keys;
}
