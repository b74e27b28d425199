/**
 * Makes our tree of what libxml2 writes of a document that it holds. Walking that document node by node through the
 * bindings costs more than parsing and validating it; writing it out and reading it back costs a fifth (`npm run bench -- xml`).
 * The input is always libxml2's own output, never bytes from outside: anything unforeseen is a defect.
 */
import type { XmlElement } from '../core/iso20022/tree.ts';

interface OpenElement extends XmlElement {
  children: XmlElement[];
  text: string;
}

export interface TreeReading {
  readonly root: XmlElement;
  readonly namespace: string;
  /** Attributes with a prefix, but for schema locations, which are hints that no engine here follows. */
  readonly foreignAttributes: readonly string[];
}

const noAttributes: Readonly<Record<string, string>> = Object.freeze({});
const noChildren: XmlElement[] = []; // shared by all leaves, never pushed to

const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function unescape(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(
    /&(?:#x([0-9a-fA-F]+)|#(\d+)|(\w+));/g,
    (_, hex?: string, decimal?: string, name?: string) => {
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
      const character = named[name ?? ''];
      if (character === undefined) throw new Error('libxml2 wrote an entity that XML does not define');
      return character;
    },
  );
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}

const maxSharedNames = 1_000; // our six schemas have some 300; names from outside must not grow this without bound
const sharedNames = new Map<string, string>();

/** One string object per element name, as a property key is: comparing names is then comparing addresses. */
function shareName(name: string): string {
  const shared = sharedNames.get(name);
  if (shared !== undefined) return shared;
  const [key = name] = Object.keys({ [name]: 0 });
  if (sharedNames.size < maxSharedNames) sharedNames.set(key, key);
  return key;
}

const attributePattern = /\s+([^\s=]+)=(?:"([^"]*)"|'([^']*)')/gy; // sticky: linear, however long a name is

const schemaLocation = /:(noNamespaceS|s)chemaLocation$/;

/**
 * The attributes of a start tag; those with a prefix keep it. Left out are namespace declarations, and schema locations,
 * which must not pass on in a message that does not declare their prefix.
 */
function readAttributes(rest: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name = '', double, single] of rest.matchAll(attributePattern)) {
    if (name === 'xmlns' || name.startsWith('xmlns:') || schemaLocation.test(name)) continue;
    attributes[name] = unescape(double ?? single ?? '');
  }
  return attributes;
}

/** @param name with prefix, @param attributes what follows the name in the start tag */
function rootNamespace(name: string, attributes: string): string {
  const colon = name.indexOf(':');
  const declaration = colon < 0 ? 'xmlns' : `xmlns:${name.slice(0, colon)}`;
  for (const [, attribute, double, single] of attributes.matchAll(attributePattern)) {
    if (attribute === declaration) return unescape(double ?? single ?? '');
  }
  return '';
}

/** @param written the document as libxml2 writes it, without declaration and without empty-element tags */
export function readTree(written: string): TreeReading {
  const stack: OpenElement[] = [];
  const foreignAttributes: string[] = [];
  let namespace = '';
  let position = 0;
  for (;;) {
    const start = written.indexOf('<', position);
    const end = written.indexOf('>', start + 2);
    if (start < 0 || end < 0) throw new Error('libxml2 wrote a document that does not end');
    if (written.charCodeAt(start + 1) === 0x2f /* slash: an end tag */) {
      const closed = stack.pop();
      if (closed === undefined) throw new Error('libxml2 wrote an end tag without its start');
      if (closed.children.length === 0) closed.text = unescape(written.slice(position, start));
      if (stack.length === 0) return { root: closed, namespace, foreignAttributes };
    } else {
      const tag = written.slice(start + 1, end);
      const space = tag.indexOf(' ');
      const rest = space < 0 ? '' : tag.slice(space);
      const attributes = rest === '' ? noAttributes : readAttributes(rest);
      const qualifiedName = rest === '' ? tag : tag.slice(0, space);
      const name = shareName(localName(qualifiedName));
      const element: OpenElement = { name, attributes, children: noChildren, text: '' };
      if (attributes !== noAttributes) {
        for (const attribute of Object.keys(attributes)) {
          if (attribute.includes(':')) foreignAttributes.push(attribute);
        }
      }
      const parent = stack.at(-1);
      if (parent === undefined) namespace = rootNamespace(qualifiedName, rest);
      else if (parent.children === noChildren) parent.children = [element];
      else parent.children.push(element);
      stack.push(element);
    }
    position = end + 1;
  }
}
