/**
 * The default engine: libxml2 in this process. One document per message: it is parsed, written out as our tree and validated,
 * so that values are read from what was judged (MSG-8). It fetches nothing and expands no entity.
 */
import { XmlDocument, XmlParseError, XmlValidateError, type ErrorDetail } from 'libxml2-wasm';
import {
  expectedNamespaces,
  messageOfNamespace,
  messages,
  type MessageName,
} from '../core/iso20022/messages.ts';
import { xpathOf, type XmlElement } from '../core/iso20022/tree.ts';
import type { Violation } from '../core/iso20022/violation.ts';
import { classify, parentOf, type Complaint } from './classify.ts';
import {
  maxComplaints,
  maxViolations,
  type IntakeFault,
  type ParsedMessage,
  type ParseResult,
  type XmlEngine,
} from './engine.ts';
import { inspectBytes } from './intake.ts';
import { readTree, type TreeReading } from './read-tree.ts';
import {
  openSchemas,
  parseOptions,
  writeOptions,
  type MessageSchema,
  type SchemaOptions,
} from './schemas.ts';

/** A document that libxml2 holds, with the tree made of it. */
export interface OpenDocument extends TreeReading {
  readonly handle: XmlDocument;
}

type OpenResult =
  | { readonly ok: true; readonly document: OpenDocument }
  | { readonly ok: false; readonly fault: IntakeFault };

function refused(code: IntakeFault['code'], detail: string): OpenResult {
  return { ok: false, fault: { code, detail } };
}

/** Parses bytes that MSG-2 lets through; whoever called disposes of `handle`. */
export function openDocument(bytes: Uint8Array, expected: readonly MessageName[]): OpenResult {
  const fault = inspectBytes(bytes);
  if (fault !== undefined) return { ok: false, fault };
  let handle: XmlDocument;
  try {
    handle = XmlDocument.fromBuffer(bytes, { option: parseOptions, encoding: 'utf-8' });
  } catch (error) {
    if (!(error instanceof XmlParseError)) throw error;
    const line = error.details[0]?.line;
    return refused(
      'not-well-formed',
      line === undefined ? 'not well-formed XML' : `not well-formed XML at line ${line}`,
    );
  }
  const reading = readTree(handle.toString(writeOptions));
  if (expected.some((name) => messages[name].namespace === reading.namespace)) {
    return { ok: true, document: { ...reading, handle } };
  }
  handle.dispose();
  const wanted = expectedNamespaces(reading.namespace, expected).join(' or ');
  return refused('namespace', `the root element must be of namespace ${wanted}`);
}

const stepPattern = /^(?:\*|(?:[^:[]+:)?([^:[]+))(?:\[(\d+)\])?$/;

/** The elements along a path such as `/*[1]/p:Name[2]`, as libxml2 names nodes. */
function elementsAlong(root: XmlElement, path: string): readonly XmlElement[] {
  const elements = [root];
  for (const step of path.split('/').slice(2)) {
    const match = stepPattern.exec(step);
    const children = elements.at(-1)?.children ?? [];
    const named = match?.[1] === undefined ? children : children.filter((one) => one.name === match[1]);
    const next = match === null || step.startsWith('@') ? undefined : named[Number(match[2] ?? '1') - 1];
    if (next === undefined) break;
    elements.push(next);
  }
  return elements;
}

const misplacedPattern = /This element is not expected/;
const incompletePattern = /Missing child element/;

function complaintOf(detail: ErrorDetail, root: XmlElement): Complaint {
  const elements = elementsAlong(root, detail.xpath ?? '');
  const message = detail.message.trim();
  if (misplacedPattern.test(message)) return { message, elements, stoppedIn: parentOf(elements) };
  return { message, elements, stoppedIn: incompletePattern.test(message) ? elements : undefined };
}

function complaintsOf(document: OpenDocument, schema: MessageSchema): readonly Complaint[] {
  for (const { validator } of schema.files) {
    try {
      validator.validate(document.handle);
    } catch (error) {
      if (!(error instanceof XmlValidateError)) throw error;
      return error.details.slice(0, maxComplaints).map((detail) => complaintOf(detail, document.root));
    }
  }
  return [];
}

/** No schema of ours may be bent by what the instance says of its own types (`xsi:type`, `xsi:nil`). */
export function foreignAttributeViolations(document: TreeReading): readonly Violation[] {
  return [...document.withForeignAttribute].slice(0, maxViolations).map((element) => ({
    kind: 'invalid',
    xpath: xpathOf(pathTo(element, document.root)),
    stoppedIn: '/Document', // the engine was not asked
    message: 'an attribute of another namespace is not allowed',
  }));
}

/** The elements from the root to one of its descendants. */
function pathTo(element: XmlElement, from: XmlElement): readonly XmlElement[] {
  if (element === from) return [from];
  for (const child of from.children) {
    const path = pathTo(element, child);
    if (path.length > 0) return [from, ...path];
  }
  return [];
}

export function createLibxml2Engine(options: SchemaOptions = {}): XmlEngine {
  const schemaOf = openSchemas(options);

  function open(document: OpenDocument): ParsedMessage {
    const type = messageOfNamespace(document.namespace);
    if (type === undefined) throw new Error('only messages of a known namespace are opened');
    return {
      type,
      document: document.root,
      validate: () => {
        const schema = schemaOf(type.name);
        const foreign = foreignAttributeViolations(document);
        return Promise.resolve(
          foreign.length > 0 ? foreign : classify(complaintsOf(document, schema), schema.model),
        );
      },
      dispose: () => document.handle.dispose(),
    };
  }

  return {
    name: 'libxml2',
    parse(bytes, expected): ParseResult {
      const opened = openDocument(bytes, expected);
      return opened.ok ? { ok: true, message: open(opened.document) } : opened;
    },
  };
}
