/**
 * From a parsed message to its values, by the document that its schema judged (MSG-8). Whose message it is, and what it is
 * about, is judged by whoever asked.
 */
import { rejectionOf, type Violation } from '../core/iso20022/violation.ts';
import type { XmlElement } from '../core/iso20022/tree.ts';
import type { Rejection } from '../core/rejection.ts';
import { refused, type Result } from '../core/result.ts';
import type { ParsedMessage } from './engine.ts';

/**
 * The values, or the first thing that is against the message: of its schema, else of its reader. It disposes of nothing.
 * @param refuse what a fault of the schema means for that kind of message
 */
export async function readValid<Value>(
  message: ParsedMessage,
  read: (document: XmlElement) => Result<Value, Rejection>,
  refuse: (violation: Violation) => Rejection = rejectionOf,
): Promise<Result<Value, Rejection>> {
  const [violation] = await message.validate();
  return violation === undefined ? read(message.document) : refused(refuse(violation));
}
