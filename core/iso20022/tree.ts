/**
 * The tree from which messages are read and built: element names without prefix, attributes, text. The XML engine makes
 * it from the document that it validates; nothing here parses XML.
 */

/** The name that stands for every element of another namespace. No XML element can have it. */
export const foreignName = '#foreign';

/** One element. `text` is empty for an element that has children. */
export interface XmlElement {
  /**
   * The name without prefix. An element of another namespace has the name {@link foreignName}, so that no
   * path matches it.
   */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

const noAttributes: Readonly<Record<string, string>> = Object.freeze({});
const noChildren: readonly XmlElement[] = Object.freeze([]);

/** An element with text and, for amounts, attributes. */
export function leaf(name: string, text: string, attributes = noAttributes): XmlElement {
  return { name, attributes, children: noChildren, text };
}

/** An element with children in the given order; undefined ones are omitted. */
export function branch(name: string, ...children: readonly (XmlElement | undefined)[]): XmlElement {
  return { name, attributes: noAttributes, children: children.filter((one) => one !== undefined), text: '' };
}

/** A leaf, or undefined if there is no value. */
export function optionalLeaf(name: string, text: string | undefined): XmlElement | undefined {
  return text === undefined ? undefined : leaf(name, text);
}

const stepsByPath = new Map<string, readonly string[]>();

/** Splits each path once. The cache stays small, because every path is a constant in the code. */
function stepsOf(path: string): readonly string[] {
  const known = stepsByPath.get(path);
  if (known !== undefined) return known;
  const steps = path.split('/');
  stepsByPath.set(path, steps);
  return steps;
}

/**
 * The first element at a path such as `GrpHdr/MsgId` below `element`.
 * @param path a constant of the code, never text from outside
 */
export function elementAt(element: XmlElement, path: string): XmlElement | undefined {
  let current: XmlElement | undefined = element;
  for (const name of stepsOf(path)) {
    current = current.children.find((one) => one.name === name);
    if (current === undefined) return undefined;
  }
  return current;
}

/** The text of the first element at a path, untrimmed. */
export function textAt(element: XmlElement, path: string): string | undefined {
  return elementAt(element, path)?.text;
}

export function childrenNamed(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.filter((one) => one.name === name);
}

/** Whether the element at XPath `inner` is `outer` or is inside it. */
export const within = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`);

/** An XPath without the positions of siblings that share a name. */
export const withoutPositions = (xpath: string): string => xpath.replaceAll(/\[[0-9]+\]/g, '');

/** The XPath of the last element of a chain. It has a position where siblings share a name. */
export function xpathOf(chain: readonly XmlElement[]): string {
  return chain
    .map((element, index) => {
      const parent = chain[index - 1];
      const siblings = parent === undefined ? [element] : childrenNamed(parent, element.name);
      return siblings.length === 1
        ? `/${element.name}`
        : `/${element.name}[${siblings.indexOf(element) + 1}]`;
    })
    .join('');
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#xD;',
  '\t': '&#x9;',
  '\n': '&#xA;',
};

function escapeText(text: string): string {
  return text.replaceAll(/[&<>\r]/g, (character) => escapes[character] ?? character);
}

function escapeAttribute(text: string): string {
  return text.replaceAll(/[&<>"\r\n\t]/g, (character) => escapes[character] ?? character);
}

function renderElement(element: XmlElement, namespace: string | undefined): string {
  let start = element.name;
  if (namespace !== undefined) start += ` xmlns="${escapeAttribute(namespace)}"`;
  for (const [name, value] of Object.entries(element.attributes))
    start += ` ${name}="${escapeAttribute(value)}"`;
  const content = element.children.map((one) => renderElement(one, undefined)).join('');
  return `<${start}>${content === '' ? escapeText(element.text) : content}</${element.name}>`;
}

/**
 * Renders a document for storage and sending: UTF-8, one namespace, no whitespace between elements. The same tree
 * always gives the same text.
 * @param root the `Document` element
 */
export function renderDocument(namespace: string, root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${renderElement(root, namespace)}\n`;
}

/** An element and its ancestors, up to the root of the search. */
interface Link {
  readonly element: XmlElement;
  readonly outer: Link | undefined;
}

/** The elements from the outermost to the innermost. */
function chainOf(link: Link): readonly XmlElement[] {
  const chain: XmlElement[] = [];
  for (let one: Link | undefined = link; one !== undefined; one = one.outer) chain.unshift(one.element);
  return chain;
}

/** @returns for each match, in document order, the chain of elements from the root to it */
export function elementsNamed(name: string, root: XmlElement): readonly (readonly XmlElement[])[] {
  const found: (readonly XmlElement[])[] = [];
  const visit = (link: Link) => {
    for (const element of link.element.children) {
      if (element.name === name) found.push(chainOf({ element, outer: link }));
      else if (element.children.length > 0) visit({ element, outer: link });
    }
  };
  visit({ element: root, outer: undefined });
  return found;
}

// White space as XML defines it: space, tab, carriage return and line feed only. Code that reads messages
// must not use JavaScript's white space (`\s`, `trim`), which includes more characters, some legal in names.
// Visibility to a person is a separate question; Unicode properties answer it.

/** @param code a UTF-16 code unit or a UTF-8 byte */
export function isWhiteSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}

/** Whether the text from `start` to `end` is only white space; true if it is empty. */
export function isBlank(text: string, start = 0, end = text.length): boolean {
  for (let index = start; index < end; index += 1) if (!isWhiteSpace(text.charCodeAt(index))) return false;
  return true;
}

/** Removes leading and trailing white space. */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isWhiteSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isWhiteSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const unseen = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]*$/u;

/** Whether a text is empty or invisible to a person. `ReadableText` of the schemas lists the same characters. */
export function showsNothing(text: string): boolean {
  return unseen.test(text);
}
