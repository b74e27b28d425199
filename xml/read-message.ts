/**
 * Reads a message that answers one of ours, from bytes to values: parsed, validated and read from one tree (MSG-8). The
 * caller judges whether it is about one of our messages.
 */
import { explain } from '../core/explanation.ts';
import { readAcmt024, type Acmt024 } from '../core/iso20022/acmt024.ts';
import { readPacs002, statedStatus, type Pacs002 } from '../core/iso20022/pacs002.ts';
import type { XmlElement } from '../core/iso20022/tree.ts';
import type { Rejection } from '../core/rejection.ts';
import { mapRefusal, refused, type Result } from '../core/result.ts';
import type { ParsedMessage, XmlEngine } from './engine.ts';
import { readValid } from './read-valid.ts';

/** The messages by which others answer ours, with their values. */
interface Answers {
  readonly pacs002: Pacs002;
  readonly acmt024: Acmt024;
}

interface Reader<Values> {
  /** As people call it. */
  readonly called: string;
  readonly read: (document: XmlElement) => Result<Values, Rejection>;
  /** The status that it states, valid or not. */
  readonly stated: (document: XmlElement) => string | undefined;
}

const readers: { readonly [Name in keyof Answers]: Reader<Answers[Name]> } = {
  pacs002: { called: 'pacs.002', read: readPacs002, stated: statedStatus },
  acmt024: { called: 'acmt.024', read: readAcmt024, stated: () => undefined },
};

/** Bytes that are no valid message. */
export interface Unreadable {
  /** In words: element and expectation, without the sender's text (MSG-13). */
  readonly reason: string;
  /** Undefined: there is no document that could be judged. */
  readonly rejection?: Rejection;
  /** The status that it states all the same; null: none that is a code; undefined: there is no document. */
  readonly reported?: string | null;
}

/** The values of a parsed message, or why it has none. Disposes of it. */
export async function readMessage<Name extends keyof Answers>(
  name: Name,
  parsed: ParsedMessage,
): Promise<Result<Answers[Name], Unreadable>> {
  const { document } = parsed; // outlives the message
  const { read, stated } = readers[name];
  try {
    const reading = await readValid(parsed, read);
    if (reading.ok) return reading;
    const { refusal: rejection } = reading;
    return refused({ reason: explain(rejection), rejection, reported: stated(document) ?? null });
  } finally {
    parsed.dispose();
  }
}

/** The same from bytes. */
export async function parseMessage<Name extends keyof Answers>(
  engine: XmlEngine,
  name: Name,
  bytes: Uint8Array,
): Promise<Result<Answers[Name], Unreadable>> {
  const parsed = engine.parse(bytes, [name]);
  if (!parsed.ok) return refused({ reason: parsed.refusal.detail });
  return readMessage(name, parsed.value);
}

/** The same from the body of an HTTP answer, whose fault a person is told in words (PAY-8, RES-2). */
export async function readAnswer<Name extends keyof Answers>(
  engine: XmlEngine,
  name: Name,
  { body, truncated }: { readonly body: Uint8Array; readonly truncated: boolean },
): Promise<Result<Answers[Name], Unreadable>> {
  if (truncated) return refused({ reason: 'not a whole message' });
  const reading = await parseMessage(engine, name, body);
  return mapRefusal(reading, (unreadable) => ({
    ...unreadable,
    reason: `not a valid ${readers[name].called}: ${unreadable.reason}`,
  }));
}
