// Turns a built message into a row to be stored. It validates the message against its schema first, because
// an invalid message must never leave. It sends nothing.
import { randomUUID } from 'node:crypto';
import { assert } from '../core/assert.ts';
import type { OutgoingMessage } from '../db/records/messages.ts';
import type { SchemaKind, XmlEngine } from '../xml/engine.ts';
import { newRowId } from '../db/pool/row-ids.ts';

/** A new, unique MsgId of 32 characters for a message from Isthmus. */
export function newMessageIdentification(): string {
  return randomUUID().replaceAll('-', '');
}

export interface Composition extends Omit<OutgoingMessage, 'messageId' | 'body'> {
  readonly xml: string;
}

/**
 * Validates a built message and adds its id.
 * @param schema `intake` if the message passes on values from a party
 * @throws a defect if the message is not valid by its schema
 */
export async function compose(
  engine: XmlEngine,
  composition: Composition,
  schema: SchemaKind = 'guideline',
): Promise<OutgoingMessage> {
  const { xml, ...message } = composition;
  const body = Buffer.from(xml, 'utf8');
  const parsed = engine.parse(body, [message.type]);
  assert(parsed.ok, `a ${message.type} of ours can be parsed`);
  try {
    const [violation] = await parsed.value.validate(schema);
    assert(
      violation === undefined,
      `a ${message.type} of ours is valid; it is not at ${violation?.xpath ?? ''}`,
    );
  } finally {
    parsed.value.dispose();
  }
  return { ...message, messageId: newRowId(), body };
}
