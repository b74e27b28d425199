// Seals an excerpt of a receiver's answer (at most 1 KiB) like a message, because the answer may repeat
// personal data.
import type { Db } from '../pool/connection.ts';
import { SealBroken } from '../keys/key-wrapping.ts';
import { open, seal, type About } from '../keys/vault.ts';

interface Excerpt {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly responseExcerpt: string | null;
}

interface StoredExcerpt {
  /** Base64 if the excerpt is sealed; otherwise plain text. */
  readonly text: string | null;
  readonly keyId: string | null;
}

const about = ({ deliveryId, attempt }: Omit<Excerpt, 'responseExcerpt'>): About => [
  deliveryId,
  String(attempt),
  'excerpt',
];

export function sealExcerpt(db: Db, excerpt: Excerpt): StoredExcerpt {
  const { responseExcerpt: text } = excerpt;
  if (text === null) return { text, keyId: null };
  const { bytes, keyId } = seal(db, about(excerpt), Buffer.from(text));
  return { text: keyId === null ? text : bytes.toString('base64'), keyId };
}

/** Shown in place of an excerpt that fails its integrity check. */
const changed = '(the stored copy fails its integrity check)';

/**
 * Opens a stored excerpt.
 * @returns null if there is no excerpt, or if its key was deleted together with the messages of its month
 * @throws SealingKeyMissing
 */
export async function openExcerpt(db: Db, stored: Excerpt, keyId: string | null): Promise<string | null> {
  const { responseExcerpt: text } = stored;
  if (text === null || keyId === null) return text;
  try {
    const opened = await open(db, about(stored), { bytes: Buffer.from(text, 'base64'), keyId });
    return opened?.toString() ?? null;
  } catch (error) {
    if (error instanceof SealBroken) return changed;
    throw error;
  }
}
