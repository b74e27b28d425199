// The first steps of a received message, in the order of MSG-2: size, content type, then (after
// authentication) encoding, parsing, namespace and keys. If one fails, the answer is HTTP 4xx, and nothing is
// stored or started.
import type { Context } from 'hono';
import type { MessageName } from '../../../core/iso20022/messages.ts';
import {
  findKeyFaults,
  readMessageKey,
  readUetr,
  type MessageKey,
} from '../../../core/iso20022/references.ts';
import { foreignName, type XmlElement } from '../../../core/iso20022/tree.ts';
import { isMediaType, isUnencoded } from '../../../core/media-type.ts';
import type { IntakeFault, ParsedMessage, XmlEngine } from '../../../xml/engine.ts';
import type { AboutRequest } from '../access-log.ts';
import { readLimited, sentInstead } from './input.ts';
import { problem, type Problem } from '../problems/problem.ts';

const maxMessageBytes = 256 * 1024;
const xmlTypes = ['application/xml', 'text/xml'];

declare module 'hono' {
  interface ContextVariableMap {
    /** The bytes that `takeMessage` has read. */
    message: Buffer;
  }
}

/** Checks the size, then the content type. If `keeps` is true, stores the bytes for `bodyOf`. */
export async function takeMessage(context: Context, keeps: boolean): Promise<Problem | undefined> {
  const { raw } = context.req;
  const bytes = await readLimited(raw, maxMessageBytes, keeps);
  if (bytes === undefined)
    return problem('payload-too-large', { detail: 'A message must not exceed 256 KiB.' });
  const { headers } = raw;
  if (!isMediaType(headers.get('content-type'), xmlTypes) || !isUnencoded(headers.get('content-encoding'))) {
    return problem('unsupported-media-type', {
      detail: `Send Content-Type: application/xml or text/xml, UTF-8, without Content-Encoding${sentInstead(headers)}.`,
    });
  }
  context.set('message', Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return undefined;
}

/** Returns the bytes that `takeMessage` has read. */
export function bodyOf(context: Context): Buffer {
  return context.get('message');
}

/** A message that can be answered: it is parsed, but not yet validated. The caller must dispose of it. */
export interface TakenMessage {
  readonly parsed: ParsedMessage;
  readonly key: MessageKey;
}

/** Refuses a body that is not a message. The text names every fault, and repeats no text of the body. */
export function refusal({ detail, ruleId }: IntakeFault): Problem {
  const told = { detail: `The body is refused: ${detail}.` };
  return problem('message-refused', ruleId === undefined ? told : { ...told, ruleId });
}

/**
 * Parses a message and reads its keys.
 * @param about receives the UETR if it can be read, even if the message is refused
 */
export function openMessage(
  engine: XmlEngine,
  { body, name, about }: { readonly body: Buffer; readonly name: MessageName; readonly about: AboutRequest },
): TakenMessage | Problem {
  const result = engine.parse(body, [name]);
  if (!result.ok) return refusal(result.refusal);
  const document = result.value.document();
  const uetr = readUetr(name, document);
  if (uetr !== undefined) about.subjectId = uetr;
  const key = readMessageKey(name, document);
  if (key.ok) return { parsed: result.value, key: key.value };
  result.value.dispose();
  return problem('message-refused', { detail: refusedKeys(name, document) ?? '' });
}

/**
 * Returns the faults of a message's keys and root, because of which it cannot be answered (MSG-2). Undefined
 * if there are none.
 */
export function refusedKeys(name: MessageName, document: XmlElement): string | undefined {
  const told = findKeyFaults(name, document).map(
    ({ element, problem: what, path, expected }) =>
      `${element} is ${what}: Document/${path} must be ${expected}.`,
  );
  const root = document.name === 'Document' ? [] : ['The root element must be Document (MSG-12).'];
  const foreign = hasForeign(document, nestingOfKeys)
    ? ['Some elements are not in the namespace of Document, so Isthmus does not read them (MSG-12).']
    : [];
  return told.length === 0 ? undefined : [...root, ...foreign, ...told].join(' ');
}

const nestingOfKeys = 4;

const hasForeign = ({ children }: XmlElement, depth: number): boolean =>
  depth > 0 && children.some((one) => one.name === foreignName || hasForeign(one, depth - 1));
