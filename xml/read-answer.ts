/**
 * Reads an acmt.024 that another party sent, from bytes to values: parsed, validated and read from one tree (MSG-8).
 * Whether it answers a request of ours is judged by whoever asked.
 */
import { readAcmt024, type Acmt024 } from '../core/iso20022/acmt024.ts';
import type { Reading } from '../core/iso20022/pacs008.ts';
import { rejectionOf } from '../core/iso20022/violation.ts';
import type { XmlEngine } from './engine.ts';

/** The values of an acmt.024, or what is against it; undefined when the bytes are no acmt.024 at all. */
export async function parseAnswer(
  engine: XmlEngine,
  bytes: Uint8Array,
): Promise<Reading<Acmt024> | undefined> {
  const parsed = engine.parse(bytes, ['acmt024']);
  if (!parsed.ok) return undefined;
  const { message } = parsed;
  try {
    const [violation] = await message.validate();
    return violation === undefined
      ? readAcmt024(message.document)
      : { ok: false, rejection: rejectionOf(violation) };
  } finally {
    message.dispose();
  }
}
