// The oracle's parser for ISO 20022 messages. It builds its own trees with libxml2 and validates with the
// project's schemas.
import { readFileSync } from 'node:fs';
import { ParseOption, XmlDocument, XmlElement, XmlText, XmlValidateError, XsdValidator } from 'libxml2-wasm';

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The element's direct text content, trimmed. */
  readonly text: string;
  readonly children: readonly Element[];
}

export type MessageType = 'pacs008' | 'pacs002' | 'pacs028' | 'acmt023' | 'acmt024' | 'fxtr017';

export interface Message {
  readonly type: MessageType;
  /** The element directly below `Document`. */
  readonly root: Element;
  /** Schema violations. Empty if the message is valid. */
  readonly faults: readonly string[];
}

/** Published schema names, such as `pacs.008.001.13`. */
const schemaFiles: Readonly<Record<MessageType, string>> = {
  pacs008: 'pacs.008.001.13',
  pacs002: 'pacs.002.001.15',
  pacs028: 'pacs.028.001.06',
  acmt023: 'acmt.023.001.04',
  acmt024: 'acmt.024.001.04',
  fxtr017: 'fxtr.017.001.06',
};
const namespaces = new Map(
  (Object.keys(schemaFiles) as MessageType[]).map((type) => [
    `urn:iso:std:iso:20022:tech:xsd:${schemaFiles[type]}`,
    type,
  ]),
);

const option: ParseOption =
  ParseOption.XML_PARSE_NONET | ParseOption.XML_PARSE_NO_XXE | ParseOption.XML_PARSE_NOCDATA;
const validators = new Map<MessageType, XsdValidator>();

function validatorOf(type: MessageType): XsdValidator {
  const known = validators.get(type);
  if (known !== undefined) return known;
  const file = new URL(`../../schemas/${schemaFiles[type]}.xsd`, import.meta.url);
  const document = XmlDocument.fromBuffer(readFileSync(file));
  const validator = XsdValidator.fromDoc(document);
  document.dispose();
  validators.set(type, validator);
  return validator;
}

const known = new Map<string, Message | undefined>();
const maxKnown = 20_000; // a long run has more messages; the full cache is cleared

/** Parses a message. Returns undefined if the text is not XML or not a message of the scheme. */
export function readMessage(text: string): Message | undefined {
  if (known.has(text)) return known.get(text);
  if (known.size >= maxKnown) known.clear();
  const message = read(text);
  known.set(text, message);
  return message;
}

function read(text: string): Message | undefined {
  let document: XmlDocument;
  try {
    document = XmlDocument.fromString(text.replace(/^\uFEFF/, ''), { option });
  } catch {
    return undefined;
  }
  try {
    const type = namespaces.get(document.root.namespaceUri);
    const root = toElement(document.root).children[0];
    return type === undefined || root === undefined
      ? undefined
      : { type, root, faults: faultsOf(document, type) };
  } finally {
    document.dispose();
  }
}

function faultsOf(document: XmlDocument, type: MessageType): readonly string[] {
  try {
    validatorOf(type).validate(document);
    return [];
  } catch (error) {
    if (!(error instanceof XmlValidateError)) throw error;
    return error.details.map((detail) => detail.message.trim());
  }
}

function toElement(node: XmlElement): Element {
  const children: Element[] = [];
  let text = '';
  for (let child = node.firstChild; child !== null; child = child.next) {
    if (child instanceof XmlElement) children.push(toElement(child));
    else if (child instanceof XmlText) text += child.content;
  }
  const attributes: Record<string, string> = {};
  for (const attribute of node.attrs) attributes[attribute.name] = attribute.value;
  return { name: node.name, attributes, text: text.trim(), children };
}

/** Returns the first element at a path such as `GrpHdr/MsgId`. */
export function at(element: Element | undefined, path: string): Element | undefined {
  let found = element;
  for (const name of path.split('/')) found = found?.children.find((child) => child.name === name);
  return found;
}

export function textAt(element: Element | undefined, path: string): string | undefined {
  return at(element, path)?.text;
}

export function named(element: Element | undefined, name: string): readonly Element[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/**
 * Renders an element as text. Two texts are equal exactly if the elements have equal names, attributes, texts
 * and children.
 */
export function render(element: Element | undefined): string {
  if (element === undefined) return '(none)';
  const attributes = Object.entries(element.attributes)
    .map(([name, value]) => ` ${name}="${value}"`)
    .sort()
    .join('');
  return `<${element.name}${attributes}>${element.text}${element.children.map(render).join('')}</>`;
}

/**
 * Renders the content of an element without its name, so that elements with different names can be compared.
 */
export function contentOf(element: Element | undefined): string {
  return element === undefined ? '(none)' : render({ ...element, name: '' });
}
