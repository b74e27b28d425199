/**
 * Reads an acmt.024 that another party sent, from bytes to values: parsed, validated and read from one tree (MSG-8).
 * Whether it answers a request of ours is judged by whoever asked.
 */
import { readAcmt024, type Acmt024 } from '../core/iso20022/acmt024.ts';
import { rejectionOf } from '../core/iso20022/violation.ts';
import { explain } from '../core/explanation.ts';
import type { XmlEngine } from './engine.ts';

/** The values of an acmt.024, or what is against it in words: element and expectation, none of its text (MSG-13). */
export async function parseAnswer(
  engine: XmlEngine,
  bytes: Uint8Array,
): Promise<{ readonly ok: true; readonly value: Acmt024 } | { readonly ok: false; readonly reason: string }> {
  const parsed = engine.parse(bytes, ['acmt024']);
  if (!parsed.ok) return { ok: false, reason: parsed.refusal.detail };
  const message = parsed.value;
  try {
    const [violation] = await message.validate();
    if (violation !== undefined) return { ok: false, reason: explain(rejectionOf(violation)) };
    const reading = readAcmt024(message.document);
    return reading.ok ? reading : { ok: false, reason: explain(reading.refusal) };
  } finally {
    message.dispose();
  }
}
