// Turns a built message into a row to be stored, and validates it against its schema first: a message of ours that is
// not valid must never leave (MSG-8). It sends nothing.
import { randomUUID } from 'node:crypto';
import { assert } from '../core/assert.ts';
import type { MessageName } from '../core/iso20022/messages.ts';
import type { Leg, OutgoingMessage } from '../db/messages.ts';
import type { XmlEngine } from '../xml/engine.ts';

/** A MsgId of our own: 32 characters, unique (MSG-9). */
export function newMessageIdentification(): string {
  return randomUUID().replaceAll('-', '');
}

/** What is known of a message besides its text. */
export interface Composition {
  readonly type: MessageName;
  /** UETR of the payment, or id of the resolution or the page of a book, that it is about. */
  readonly subjectId: string;
  readonly messageIdentification: string;
  readonly leg: Leg;
  readonly party: string;
  readonly status?: string;
  readonly reasonCode?: string | undefined;
  readonly inReplyTo?: string | undefined;
  readonly refusal?: string | undefined;
  readonly xml: string;
}

/** @throws a defect when the message is not valid by its schema */
export async function compose(engine: XmlEngine, composition: Composition): Promise<OutgoingMessage> {
  const { xml, ...message } = composition;
  const body = Buffer.from(xml, 'utf8');
  const parsed = engine.parse(body, [message.type]);
  assert(parsed.ok, `a ${message.type} of ours can be parsed`);
  try {
    const [violation] = await parsed.value.validate();
    assert(
      violation === undefined,
      `a ${message.type} of ours is valid; it is not at ${violation?.xpath ?? ''}`,
    );
  } finally {
    parsed.value.dispose();
  }
  return { ...message, messageId: randomUUID(), body };
}
