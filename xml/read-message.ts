/**
 * Reads a message that answers one of ours, from bytes to values: parsed, validated and read from one tree. The
 * caller judges whether it is about one of our messages.
 */
import { explain } from '../core/rejections/explanation.ts';
import { takeAcmt024, type Acmt024 } from '../core/iso20022/acmt024.ts';
import { findPacs002Faults, takePacs002, statedStatus, type Pacs002 } from '../core/iso20022/pacs002.ts';
import type { XmlElement } from '../core/iso20022/tree.ts';
import type { Rejection } from '../core/rejections/rejection.ts';
import { mapRefusal, ok, refused, type Result } from '../core/result.ts';
import { rejectionOf } from '../core/iso20022/violation.ts';
import type { ParsedMessage, XmlEngine } from './engine.ts';

/** The messages by which others answer ours, with their values. */
interface Answers {
  readonly pacs002: Pacs002 & Deviating;
  readonly acmt024: Acmt024;
}

/** What counts although the usage guideline does not have it (PAY-11): in words, without the sender's text. */
interface Deviating {
  readonly deviations?: readonly string[];
}

interface Reader<Values> {
  /** As people call it. */
  readonly called: string;
  readonly read: (document: XmlElement) => Values;
  /** Where it breaks the rules of the usage guideline that its schema does not have; absent: nobody is told. */
  readonly faults?: (document: XmlElement) => readonly Rejection[];
  /** The status that it states, valid or not. */
  readonly stated: (document: XmlElement) => string | undefined;
}

const readers: { readonly [Name in keyof Answers]: Reader<Answers[Name]> } = {
  pacs002: { called: 'pacs.002', read: takePacs002, faults: findPacs002Faults, stated: statedStatus },
  acmt024: { called: 'acmt.024', read: takeAcmt024, stated: () => undefined },
};

/** Bytes that are no valid message. */
export interface Unreadable {
  /** In words: element and expectation, without the sender's text. */
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
  const { read, stated, faults } = readers[name];
  try {
    const [violation] = await parsed.validate('intake');
    if (violation !== undefined) {
      const rejection = rejectionOf(violation);
      return refused({ reason: explain(rejection), rejection, reported: stated(document) ?? null });
    }
    const values = read(document);
    if (faults === undefined) return ok(values);
    const found = [...(await parsed.validate()).map(rejectionOf), ...faults(document)];
    const deviations = [...new Set(found.map(explain))];
    return ok(deviations.length === 0 ? values : { ...values, deviations });
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

/** The same from the body of an HTTP answer, whose fault a person is told in words. */
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
