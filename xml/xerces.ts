/**
 * The second engine: Xerces, through `xsd-schema-validator`, one JVM per message. It judges the very bytes that libxml2 parsed
 * into the tree, so it is an independent judge and far slower; it is meant for tests and for whoever asks for it.
 */
import type * as xsdSchemaValidator from 'xsd-schema-validator';
import type { XmlElement } from '../core/iso20022/tree.ts';
import { messageOfNamespace } from '../core/iso20022/messages.ts';
import { classify, parentOf, type Complaint } from './classify.ts';
import { maxComplaints, type ParsedMessage, type ParseResult, type XmlEngine } from './engine.ts';
import { foreignAttributeViolations, openDocument, type OpenDocument } from './libxml2.ts';
import { openSchemas, type MessageSchema, type SchemaOptions } from './schemas.ts';

type ValidateXml = typeof xsdSchemaValidator.validateXML;

/** What the package rejects with when a document is refused, or when there is no Java. */
interface Refusal {
  readonly messages?: readonly string[];
}

const tagPattern = /<(\/?)([^\s/>]+)((?:"[^"]*"|'[^']*'|[^"'>])*)>/g;

/** Where a line starts; CR, LF and CR LF each end one. */
function offsetOfLine(text: string, line: number): number {
  const ends = text.matchAll(/\r\n|\r|\n/g);
  let offset = 0;
  for (let current = 1; current < line; current += 1) {
    const end = ends.next();
    if (end.done === true) break;
    offset = end.value.index + end.value[0].length;
  }
  return offset;
}

/**
 * The elements from the root to the one that a tag belongs to which ends last before a position: where Xerces reports an error.
 * The text holds neither comments nor CDATA, so every `<` starts a tag.
 * @param line 1-based, @param column 1-based, of the character after the tag
 */
function elementsBefore(text: string, root: XmlElement, line: number, column: number): readonly XmlElement[] {
  const limit = offsetOfLine(text, line) + column - 1;
  const stack: { element: XmlElement; seen: number }[] = [];
  let last: readonly XmlElement[] = [root];
  for (const match of text.matchAll(tagPattern)) {
    if (match[2] === '?xml') continue;
    if (match.index + match[0].length > limit) break;
    if (match[1] === '') {
      const parent = stack.at(-1);
      const element = parent === undefined ? root : parent.element.children[parent.seen++];
      if (element === undefined) throw new Error('the tree does not match the text that it was read from');
      stack.push({ element, seen: 0 });
    }
    last = stack.map((open) => open.element);
    if (match[1] !== '' || match[3]?.endsWith('/') === true) stack.pop();
  }
  return last;
}

const structuralPattern = /cvc-complex-type\.2\.4/;

/** The package joins lines that reach it together, so each message is found by its mark. */
function complaintsOf(refusal: Refusal, text: string, root: XmlElement): readonly Complaint[] {
  const messages = (refusal.messages ?? [])
    .flatMap((one) => one.split(/\[(?:error|fatal|warning)\] /))
    .filter(Boolean);
  const complaints = messages.slice(0, maxComplaints).map((message) => {
    const place = /\((\d+):(\d+)\)\s*$/.exec(message);
    const elements = place === null ? [root] : elementsBefore(text, root, Number(place[1]), Number(place[2]));
    return { message, elements, stoppedIn: structuralPattern.test(message) ? parentOf(elements) : undefined };
  });
  return complaints.length > 0
    ? complaints
    : [{ message: 'not valid', elements: [root], stoppedIn: undefined }];
}

async function loadValidator(): Promise<ValidateXml> {
  try {
    const { default: validator } = await import('xsd-schema-validator');
    return validator.validateXML;
  } catch (error) {
    throw new Error('XSD_ENGINE=xerces needs the optional package xsd-schema-validator and a Java runtime', {
      cause: error,
    });
  }
}

async function judge(
  validateXml: ValidateXml,
  document: OpenDocument,
  bytes: Uint8Array,
  schema: MessageSchema,
) {
  const body = Buffer.from(bytes);
  for (const { path } of schema.files) {
    try {
      await validateXml(body, path);
    } catch (error) {
      const refusal = error as Refusal;
      if (refusal.messages === undefined) throw error;
      const text = body.toString().replace(/^\uFEFF/, '');
      return classify(complaintsOf(refusal, text, document.root), schema.model);
    }
  }
  return [];
}

export async function createXercesEngine(options: SchemaOptions = {}): Promise<XmlEngine> {
  const validateXml = await loadValidator();
  const schemaOf = openSchemas(options);

  function open(document: OpenDocument, bytes: Uint8Array): ParsedMessage {
    const type = messageOfNamespace(document.namespace);
    if (type === undefined) throw new Error('only messages of a known namespace are opened');
    return {
      type,
      document: document.root,
      validate: async () => {
        const foreign = foreignAttributeViolations(document);
        return foreign.length > 0 ? foreign : judge(validateXml, document, bytes, schemaOf(type.name));
      },
      dispose: () => document.handle.dispose(),
    };
  }

  return {
    name: 'xerces',
    parse(bytes, expected): ParseResult {
      const opened = openDocument(bytes, expected);
      return opened.ok ? { ok: true, message: open(opened.document, bytes) } : opened;
    },
  };
}
