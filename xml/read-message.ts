/**
 * Reads messages from bytes to values: it parses a message, then validates and reads the same tree. The
 * caller finds the request to which an answer belongs.
 */
import { explain } from '../core/rejections/explanation.ts';
import { takeAcmt024, type Acmt024 } from '../core/iso20022/acmt024.ts';
import { findPacs002Faults, takePacs002, statedStatus, type Pacs002 } from '../core/iso20022/pacs002.ts';
import type { XmlElement } from '../core/iso20022/tree.ts';
import type { Rejection } from '../core/rejections/rejection.ts';
import { mapRefusal, ok, refused, type Result } from '../core/result.ts';
import { rejectionOf, type Violation } from '../core/iso20022/violation.ts';
import type { ParsedMessage, XmlEngine } from './engine.ts';

/** The kinds of answers, with the type of their values. */
interface Answers {
  readonly pacs002: Pacs002 & Deviating;
  readonly acmt024: Acmt024;
}

/**
 * Deviations from the usage guideline that do not invalidate an answer (PAY-11). They are described in words,
 * without the sender's text.
 */
interface Deviating {
  readonly deviations?: readonly string[];
}

interface Reader<Values> {
  /** The name of the message in error texts. */
  readonly called: string;
  readonly read: (document: XmlElement) => Values;
  /**
   * Finds breaches of guideline rules that the schema cannot express. If absent, such breaches are not
   * reported.
   */
  readonly faults?: (document: XmlElement) => readonly Rejection[];
  /** The status in the message, whether the message is valid or not. */
  readonly stated: (document: XmlElement) => string | undefined;
}

const readers: { readonly [Name in keyof Answers]: Reader<Answers[Name]> } = {
  pacs002: { called: 'pacs.002', read: takePacs002, faults: findPacs002Faults, stated: statedStatus },
  acmt024: { called: 'acmt.024', read: takeAcmt024, stated: () => undefined },
};

/** Why bytes are not a valid message. */
export interface Unreadable {
  /** The faulty element and the expected value, in words, without the sender's text. */
  readonly reason: string;
  /** Undefined if the bytes contain no document to judge. */
  readonly rejection?: Rejection;
  /** The status in the invalid message; null if it has no status; undefined if there is no document. */
  readonly reported?: string | null;
}

/** Validates and reads a parsed message, and disposes of it. */
export async function readMessage<Name extends keyof Answers>(
  name: Name,
  parsed: ParsedMessage,
): Promise<Result<Answers[Name], Unreadable>> {
  const document = parsed.document(); // The document stays usable after dispose().
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

export async function parseMessage<Name extends keyof Answers>(
  engine: XmlEngine,
  name: Name,
  bytes: Uint8Array,
): Promise<Result<Answers[Name], Unreadable>> {
  const parsed = engine.parse(bytes, [name]);
  if (!parsed.ok) return refused({ reason: parsed.refusal.detail });
  return readMessage(name, parsed.value);
}

/** Reads the body of an HTTP response. Adds a readable reason to a refusal. */
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

/**
 * Returns the values, or the first rejection. The schema comes first, then `read`. It does not dispose of the
 * message.
 * @param refuse turns a schema violation of this kind of message into a rejection
 */
export async function readValid<Value>(
  message: ParsedMessage,
  read: (document: XmlElement) => Result<Value, Rejection>,
  refuse: (violation: Violation) => Rejection = rejectionOf,
): Promise<Result<Value, Rejection>> {
  const [violation] = await message.validate();
  return violation === undefined ? read(message.document()) : refused(refuse(violation));
}
