/**
 * Reads a message that answers one of ours, from bytes to values: parsed, validated and read from one tree (MSG-8). The
 * caller judges whether it is about one of our messages.
 */
import { explain } from '../core/explanation.ts';
import { readAcmt024, type Acmt024 } from '../core/iso20022/acmt024.ts';
import { readPacs002, type Pacs002 } from '../core/iso20022/pacs002.ts';
import type { XmlElement } from '../core/iso20022/tree.ts';
import type { Rejection } from '../core/rejection.ts';
import { refused, type Result } from '../core/result.ts';
import type { ParsedMessage, XmlEngine } from './engine.ts';
import { readValid } from './read-valid.ts';

/** The messages by which others answer ours, with their values. */
interface Answers {
  readonly pacs002: Pacs002;
  readonly acmt024: Acmt024;
}

const readers: {
  readonly [Name in keyof Answers]: (document: XmlElement) => Result<Answers[Name], Rejection>;
} = { pacs002: readPacs002, acmt024: readAcmt024 };

/** The values of a parsed message, or its rejection. Disposes of it. */
export async function readMessage<Name extends keyof Answers>(
  name: Name,
  parsed: ParsedMessage,
): Promise<Result<Answers[Name], Rejection>> {
  try {
    return await readValid(parsed, readers[name]);
  } finally {
    parsed.dispose();
  }
}

/** Bytes that are no valid message. */
export interface Unreadable {
  /** In words: element and expectation, without the sender's text (MSG-13). */
  readonly reason: string;
  /** What can be read of it all the same; undefined: it is not even XML. */
  readonly document?: XmlElement;
}

/** The same from bytes. */
export async function parseMessage<Name extends keyof Answers>(
  engine: XmlEngine,
  name: Name,
  bytes: Uint8Array,
): Promise<Result<Answers[Name], Unreadable>> {
  const parsed = engine.parse(bytes, [name]);
  if (!parsed.ok) return refused({ reason: parsed.refusal.detail });
  const { document } = parsed.value;
  const reading = await readMessage(name, parsed.value);
  return reading.ok ? reading : refused({ reason: explain(reading.refusal), document });
}
