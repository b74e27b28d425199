/**
 * Reads a message for any party: parses it with the XML engine, validates it against the schema, and extracts
 * the values. If the message is faulty, the HTTP answer names elements but never contains their values.
 */
import { messages, type MessageName } from '../core/iso20022/messages.ts';
import { readMessageKey, type MessageKey } from '../core/iso20022/references.ts';
import { takeAcmt024, type Acmt024 } from '../core/iso20022/acmt024.ts';
import { takePacs002, type Pacs002 } from '../core/iso20022/pacs002.ts';
import type { XmlElement } from '../core/iso20022/tree.ts';
import type { Rejection } from '../core/rejections/rejection.ts';
import { mapRefusal, ok, refused, type Result } from '../core/result.ts';
import type { XmlEngine } from '../xml/engine.ts';

interface MessageFault {
  /** 400 if the body is not such a message. 422 if the message violates its schema or a usage guideline. */
  readonly httpStatus: 400 | 422;
  readonly detail: string;
}

export interface TakenMessage<T> extends MessageKey {
  readonly values: T;
}

/** Returns the values of a schema-valid message, or a description of the fault. */
export type ValuesReader<T> = (document: XmlElement) => Result<T, string>;

export interface MessageReader {
  read<T>(
    bytes: Uint8Array,
    name: MessageName,
    readValues: ValuesReader<T>,
  ): Promise<Result<TakenMessage<T>, MessageFault>>;
}

/** Wraps a reader of the gateway, so that it returns a text instead of a rejection. */
export function explained<T>(read: (document: XmlElement) => Result<T, Rejection>): ValuesReader<T> {
  return (document) =>
    mapRefusal(read(document), ({ ruleId, text, xpath = '' }) => `${ruleId}: ${text} ${xpath}`.trimEnd());
}

export const pacs002Values: ValuesReader<Pacs002> = (document) => ok(takePacs002(document));
export const acmt024Values: ValuesReader<Acmt024> = (document) => ok(takeAcmt024(document));

/** Compiles the schemas at the start, so that the first message is not slower than the others. */
export async function warmUp(engine: XmlEngine): Promise<void> {
  for (const name of ['pacs008', 'pacs002', 'fxtr017', 'acmt023', 'acmt024'] as const) {
    const parsed = engine.parse(Buffer.from(`<Document xmlns="${messages[name].namespace}"/>`), [name]);
    if (!parsed.ok) throw new Error(`the XML engine does not take ${name}: ${parsed.refusal.code}`);
    await parsed.value.validate();
    parsed.value.dispose();
  }
}

/** @param validating whether to validate against the schema. Benchmarks turn this off. */
export function messageReader(engine: XmlEngine, validating: boolean): MessageReader {
  async function judged(bytes: Uint8Array, name: MessageName): Promise<Result<XmlElement, MessageFault>> {
    const parsed = engine.parse(bytes, [name]);
    if (!parsed.ok) return refused({ httpStatus: 400, detail: `not a ${name}: ${parsed.refusal.code}` });
    const message = parsed.value;
    try {
      const [first] = validating ? await message.validate() : [];
      if (first !== undefined) {
        return notValid(`not valid by the schema: ${first.kind} at ${first.xpath}`);
      }
      return ok(message.document());
    } finally {
      message.dispose();
    }
  }

  return {
    async read(bytes, name, readValues) {
      const judgement = await judged(bytes, name);
      if (!judgement.ok) return judgement;
      const document = judgement.value;
      const key = readMessageKey(name, document);
      if (!key.ok) return notValid(`${key.refusal.element} is ${key.refusal.problem}`);
      const reading = guarded(() => readValues(document), validating);
      return reading.ok ? ok({ ...key.value, values: reading.value }) : notValid(reading.refusal);
    },
  };
}

/**
 * Runs a reader, which expects a valid message. Without validation, an error of the reader counts as a fault
 * of the message.
 */
function guarded<T>(read: () => Result<T, string>, validating: boolean): Result<T, string> {
  try {
    return read();
  } catch (error) {
    if (validating) throw error;
    return refused('a mandatory element is missing');
  }
}

const notValid = (detail: string) => refused<MessageFault>({ httpStatus: 422, detail });
