/**
 * How every party reads a message: the bytes through the XML engine, judged by the schema, then its values.
 * A fault becomes an HTTP answer; its text names elements, never their values.
 */
import { messages, type MessageName } from '../core/iso20022/messages.ts';
import { readMessageKey } from '../core/iso20022/references.ts';
import type { Reading } from '../core/iso20022/pacs008.ts';
import { readAcmt024, type Acmt024 } from '../core/iso20022/acmt024.ts';
import { readPacs002, type Pacs002 } from '../core/iso20022/pacs002.ts';
import type { XmlElement } from '../core/iso20022/tree.ts';
import type { XmlEngine } from '../xml/engine.ts';

interface MessageFault {
  readonly ok: false;
  /** 400: no message at all. 422: a message that breaks its schema or a usage guideline. */
  readonly httpStatus: 400 | 422;
  readonly detail: string;
}

export type MessageReading<T> =
  | {
      readonly ok: true;
      readonly values: T;
      readonly messageId: string;
      /** Where the message has one. */
      readonly uetr?: string;
    }
  | MessageFault;

/** Values of a message that its schema found valid, or what is wrong with them. */
export type ValuesReader<T> = (
  document: XmlElement,
) => { readonly ok: true; readonly value: T } | { readonly ok: false; readonly detail: string };

export interface MessageReader {
  read<T>(bytes: Uint8Array, name: MessageName, readValues: ValuesReader<T>): Promise<MessageReading<T>>;
}

/** The gateway's own rejections, told as a party would tell them. */
export function explained<T>(read: (document: XmlElement) => Reading<T>): ValuesReader<T> {
  return (document) => {
    const reading = read(document);
    if (reading.ok) return reading;
    const { ruleId, text, xpath = '' } = reading.rejection;
    return { ok: false, detail: `${ruleId}: ${text} ${xpath}`.trimEnd() };
  };
}

export const pacs002Values: ValuesReader<Pacs002> = explained(readPacs002);
export const acmt024Values: ValuesReader<Acmt024> = explained(readAcmt024);

/** Has the schemas compiled before the first message comes, so that it waits no longer than the second. */
export async function warmUp(engine: XmlEngine): Promise<void> {
  for (const name of ['pacs008', 'pacs002', 'fxtr017', 'acmt023', 'acmt024'] as const) {
    const parsed = engine.parse(Buffer.from(`<Document xmlns="${messages[name].namespace}"/>`), [name]);
    if (!parsed.ok) throw new Error(`the XML engine does not take ${name}: ${parsed.fault.code}`);
    await parsed.message.validate();
    parsed.message.dispose();
  }
}

/** @param validating false leaves the schema's judgement out (benchmarks) */
export function messageReader(engine: XmlEngine, validating: boolean): MessageReader {
  async function judged(
    bytes: Uint8Array,
    name: MessageName,
  ): Promise<{ ok: true; document: XmlElement } | MessageFault> {
    const parsed = engine.parse(bytes, [name]);
    if (!parsed.ok) return { ok: false, httpStatus: 400, detail: `not a ${name}: ${parsed.fault.code}` };
    const { message } = parsed;
    try {
      const [first] = validating ? await message.validate() : [];
      if (first !== undefined) {
        return {
          ok: false,
          httpStatus: 422,
          detail: `not valid by the schema: ${first.kind} at ${first.xpath}`,
        };
      }
      return { ok: true, document: message.document };
    } finally {
      message.dispose();
    }
  }

  return {
    async read(bytes, name, readValues) {
      const judgement = await judged(bytes, name);
      if (!judgement.ok) return judgement;
      const { document } = judgement;
      const key = readMessageKey(name, document);
      if (!key.ok) {
        return { ok: false, httpStatus: 422, detail: `${key.element} is ${key.problem}` };
      }
      const reading = guarded(() => readValues(document), validating);
      if (!reading.ok) return reading;
      return { ok: true, values: reading.value, ...key.value };
    },
  };
}

/** Values are read from valid messages only; where the schema was not asked, a missing one is the message's fault. */
function guarded<T>(
  read: () => ReturnType<ValuesReader<T>>,
  validating: boolean,
): { readonly ok: true; readonly value: T } | MessageFault {
  try {
    const reading = read();
    return reading.ok ? reading : { ok: false, httpStatus: 422, detail: reading.detail };
  } catch (error) {
    if (validating) throw error;
    return { ok: false, httpStatus: 422, detail: 'a mandatory element is missing' };
  }
}
