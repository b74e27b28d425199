/**
 * Reads a pacs.002 that another party sent, from bytes to values: parsed, validated and read from one tree (MSG-8).
 * Whether it is about a payment of ours is judged by whoever asked.
 */
import { readPacs002, type Pacs002 } from '../core/iso20022/pacs002.ts';
import { rejectionOf } from '../core/iso20022/violation.ts';
import { explain } from '../core/explanation.ts';
import type { Rejection } from '../core/rejection.ts';
import type { ParsedMessage, XmlEngine } from './engine.ts';

export type ReportReading =
  { readonly ok: true; readonly report: Pacs002 } | { readonly ok: false; readonly rejection: Rejection };

/** The values of a parsed pacs.002, or what its schema has against it. Disposes of it. */
export async function readReport(parsed: ParsedMessage): Promise<ReportReading> {
  try {
    const [violation] = await parsed.validate();
    if (violation !== undefined) return { ok: false, rejection: rejectionOf(violation) };
    const reading = readPacs002(parsed.document);
    return reading.ok ? { ok: true, report: reading.value } : reading;
  } finally {
    parsed.dispose();
  }
}

/** The same from bytes, with what is against them in words: element and expectation, none of the sender's text (MSG-13). */
export async function parseReport(
  engine: XmlEngine,
  bytes: Uint8Array,
): Promise<
  { readonly ok: true; readonly report: Pacs002 } | { readonly ok: false; readonly reason: string }
> {
  const parsed = engine.parse(bytes, ['pacs002']);
  if (!parsed.ok) return { ok: false, reason: parsed.fault.detail };
  const reading = await readReport(parsed.message);
  return reading.ok ? reading : { ok: false, reason: explain(reading.rejection) };
}
