/**
 * The default engine: libxml2 in this process. It parses each message into one document, validates that
 * document and converts it to the message tree. So the values that are read are the validated ones. The
 * engine fetches nothing and expands no entity.
 */
import { XmlDocument, XmlParseError, XmlValidateError, type ErrorDetail } from 'libxml2-wasm';
import { assert } from '../core/assert.ts';
import { ownForwarding } from '../core/iso20022/build-pacs008.ts';
import { messageOfNamespace, type MessageName } from '../core/iso20022/messages.ts';
import { mapValue, ok, refused, type Result } from '../core/result.ts';
import { bendingAttributes, bendsSchema, violationsOf } from './diagnose.ts';
import type { IntakeFault, ParsedMessage, XmlEngine } from './engine.ts';
import { inspectBytes, plainAnswer, withoutMark } from './intake.ts';
import { readTree, type TreeReading } from './read-tree.ts';
import { rootFault } from './root.ts';
import {
  openSchemas,
  parseOptions,
  writeOptions,
  type MessageSchema,
  type SchemaOptions,
} from './schemas.ts';

/** A document in the memory of libxml2. */
export interface OpenDocument {
  readonly handle: XmlDocument;
  /** Namespace of the root element. */
  readonly namespace: string;
  /** Whether any attribute may be of another namespace. Almost no message has such an attribute. */
  readonly mayBend: boolean;
  /**
   * The tree, made at the first call. A valid message that Isthmus built needs none, which saves a third of its time.
   * @throws a defect if the document was disposed of before the first call
   */
  readonly reading: () => TreeReading;
}

/** Combines all faults into one fault, with the code of the first. */
function oneFault(faults: readonly [IntakeFault, ...IntakeFault[]]): IntakeFault {
  const ruleId = faults.find((fault) => fault.ruleId !== undefined)?.ruleId;
  const detail = faults.map((fault) => fault.detail).join('; ');
  const [{ code }] = faults;
  return { code, detail, ...(ruleId === undefined ? {} : { ruleId }) };
}

/** Messages by which other parties answer ours. */
const isAnswer = (name: MessageName): boolean => name === 'pacs002' || name === 'acmt024';

/** Checks bytes by MSG-2 and parses them. The caller must dispose of `handle`. */
export function openDocument(
  received: Uint8Array,
  expected: readonly MessageName[],
): Result<OpenDocument, IntakeFault> {
  const bytes = expected.every(isAnswer) ? plainAnswer(received) : received;
  const text = withoutMark(bytes);
  const [first, ...others] = inspectBytes(bytes);
  if (first !== undefined) return refused(oneFault([first, ...others]));
  let handle: XmlDocument;
  try {
    handle = XmlDocument.fromBuffer(bytes, { option: parseOptions, encoding: 'utf-8' });
  } catch (error) {
    if (!(error instanceof XmlParseError)) throw error;
    return refused({ code: 'not-well-formed', detail: notWellFormed(error.details) });
  }
  const { name, namespaceUri: namespace } = handle.root;
  const ofRoot = rootFault({ name, namespace }, text, expected);
  if (ofRoot !== undefined) {
    handle.dispose();
    return refused(ofRoot);
  }
  const mayBend = text.includes('xmlns:') || text.includes('xml:');
  let made: TreeReading | undefined;
  const reading = () => (made ??= readTree(handle.toString(writeOptions)));
  return ok({ handle, namespace, mayBend, reading });
}

/**
 * Error texts for parse errors. The texts of libxml2 may quote names from the message, so they are not used.
 */
const parseWords: readonly (readonly [RegExp, string])[] = [
  [/^(Document is empty|Start tag expected)/, 'it does not start with an element'],
  [/^Opening and ending tag mismatch/, 'a start tag and an end tag that do not match'],
  [/^Premature end of data/, 'it ends before its last end tag'],
  [/^Extra content at the end/, 'something follows the end of the root element'],
  [/^Entity .* not defined/, 'an entity that XML does not define'],
  [/EntityRef/, 'an ampersand that starts no entity'],
  [/redefined$/, 'an attribute twice'],
  [/^Unescaped '<'/, 'a < within the value of an attribute'],
  [/^Sequence ']]>'/, 'the characters ]]>, which only end a CDATA section'],
  [/^(AttValue|attributes construct|Specification mandates)/, 'an attribute without a quoted value'],
  [/^(expected|Couldn't find end|error parsing attribute name)/, 'a tag that does not end as it must'],
  [/^Namespace prefix/, 'a prefix that is not declared'],
  [/[Ii]nvalid (xml)?[Cc]har|CharRef/, 'a character that XML does not allow'],
  [/not a valid URI|Empty XML namespace|wrong URI/, 'a namespace that is no URI'],
  [/^Excessive depth/, 'elements nested too deep'],
  [/^(StartTag|Failed to parse QName|Name too long)/, 'a name that XML does not allow'],
];

function notWellFormed([first]: readonly ErrorDetail[]): string {
  const words = parseWords.find(([pattern]) => pattern.test(first?.message.trim() ?? ''))?.[1];
  const where = first === undefined ? '' : ` at line ${first.line}`;
  return `not well-formed XML${where}: ${words ?? 'it breaks another rule of XML 1.0 or of its namespaces'}`;
}

/** Whether attributes of a document would override the schema. */
export const isBent = ({ mayBend, reading }: OpenDocument, { model }: MessageSchema): boolean =>
  mayBend && bendingAttributes(reading(), model).size > 0;

/** The first complaint of libxml2 about a document; undefined if the document is valid by all schemas. */
function complaintOf(document: OpenDocument, schema: MessageSchema): string | undefined {
  if (isBent(document, schema)) return bendsSchema;
  for (const { validator } of schema.files) {
    try {
      validator.validate(document.handle);
    } catch (error) {
      if (!(error instanceof XmlValidateError)) throw error;
      return error.details[0]?.message ?? 'not valid';
    }
  }
  return undefined;
}

export function createLibxml2Engine(options: SchemaOptions = {}): XmlEngine {
  const schemaOf = openSchemas(options);

  function open(document: OpenDocument): ParsedMessage {
    const type = messageOfNamespace(document.namespace);
    assert(type !== undefined, 'only messages of a known namespace are opened');
    return {
      type,
      document: () => document.reading().root,
      validate: (kind = 'guideline') => {
        const schema = schemaOf(type.name, kind);
        return Promise.resolve(violationsOf(document.reading, schema.model, complaintOf(document, schema)));
      },
      dispose: () => document.handle.dispose(),
    };
  }

  return {
    name: 'libxml2',
    forwarding: options.guideline?.forwarding ?? ownForwarding,
    parse: (bytes, expected) => mapValue(openDocument(bytes, expected), open),
  };
}
