/**
 * The keys under which what the database holds of people is sealed: `id:key`, one after the other, the key in
 * base64. The first wraps from now on; the others open what they have wrapped.
 */
export interface SealingConfig {
  /** At least one; each of 32 bytes in base64. */
  readonly keys: readonly SealingKey[];
  /** Whether what is stored from now on is sealed, or only opened: while not all processes have the keys. */
  readonly seals: boolean;
}

export interface SealingKey {
  readonly keyId: string;
  /** 32 bytes, base64. */
  readonly key: string;
}

/** What is expected, in words. */
export const sealingKeysForm =
  'id:key, separated by white space or commas, each key 32 bytes in base64 (openssl rand -base64 32), no id twice';

const keyForm = /^([A-Za-z0-9._-]{1,64}):([A-Za-z0-9+/]{43}=)$/;

/** @returns undefined where the text is something else; it never shows in a message, for it holds secrets */
export function parseSealingKeys(text: string): readonly SealingKey[] | undefined {
  const keys: SealingKey[] = [];
  for (const part of text.split(/[\s,]+/).filter((one) => one !== '')) {
    const [, keyId, key] = keyForm.exec(part) ?? [];
    if (keyId === undefined || key === undefined || keys.some((one) => one.keyId === keyId)) return undefined;
    keys.push({ keyId, key });
  }
  return keys.length === 0 ? undefined : keys;
}
