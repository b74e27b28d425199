/**
 * From a parsed message to its values, through the document that its schema judged. The caller judges whose
 * message it is and what it is about.
 */
import { rejectionOf, type Violation } from '../core/iso20022/violation.ts';
import type { XmlElement } from '../core/iso20022/tree.ts';
import type { Rejection } from '../core/rejections/rejection.ts';
import { refused, type Result } from '../core/result.ts';
import type { ParsedMessage } from './engine.ts';

/**
 * The values, or the first rejection: by the schema, else by the reader. It does not dispose of the message.
 * @param refuse turns a violation of the schema into a rejection, for that kind of message
 */
export async function readValid<Value>(
  message: ParsedMessage,
  read: (document: XmlElement) => Result<Value, Rejection>,
  refuse: (violation: Violation) => Rejection = rejectionOf,
): Promise<Result<Value, Rejection>> {
  const [violation] = await message.validate();
  return violation === undefined ? read(message.document) : refused(refuse(violation));
}
