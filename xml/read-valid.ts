/**
 * Validates a parsed message and reads its values from the validated document. The caller checks who sent it and what
 * it is about.
 */
import { rejectionOf, type Violation } from '../core/iso20022/violation.ts';
import type { XmlElement } from '../core/iso20022/tree.ts';
import type { Rejection } from '../core/rejections/rejection.ts';
import { refused, type Result } from '../core/result.ts';
import type { ParsedMessage } from './engine.ts';

/**
 * Returns the values, or the first rejection, by the schema or else by `read`. It does not dispose of the message.
 * @param refuse turns a schema violation of this kind of message into a rejection
 */
export async function readValid<Value>(
  message: ParsedMessage,
  read: (document: XmlElement) => Result<Value, Rejection>,
  refuse: (violation: Violation) => Rejection = rejectionOf,
): Promise<Result<Value, Rejection>> {
  const [violation] = await message.validate();
  return violation === undefined ? read(message.document) : refused(refuse(violation));
}
