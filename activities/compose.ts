// Turns a built message into a row to be stored, and validates it against its schema first: a message of ours that is
// not valid must never leave. It sends nothing.
import { randomUUID } from 'node:crypto';
import { assert } from '../core/assert.ts';
import type { OutgoingMessage } from '../db/records/messages.ts';
import type { SchemaKind, XmlEngine } from '../xml/engine.ts';

/** A MsgId of our own: 32 characters, unique. */
export function newMessageIdentification(): string {
  return randomUUID().replaceAll('-', '');
}

/** A message of ours as it was built. */
export interface Composition extends Omit<OutgoingMessage, 'messageId' | 'body'> {
  readonly xml: string;
}

/**
 * @param schema 'intake' where a party's own values are passed on
 * @throws a defect when the message is not valid by its schema
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
  return { ...message, messageId: randomUUID(), body };
}
