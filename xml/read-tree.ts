/**
 * Builds the message tree from a document that libxml2 serialised. Walking the document through the bindings
 * would take five times as long, more than parsing and validating it (`npm run bench -- xml`). The input is
 * always output of libxml2, never bytes from outside. So anything unexpected is a defect.
 */
import { assert } from '../core/assert.ts';
import { foreignName, type XmlElement, isBlank } from '../core/iso20022/tree.ts';
import { isDeclaration, namespaceOf, outermost, scopeWithin, type Scope } from './namespaces.ts';

interface OpenElement extends XmlElement {
  name: string;
  children: XmlElement[];
  text: string;
}

export interface TreeReading {
  readonly root: XmlElement;
  /**
   * Namespace of the root element. Elements of other namespaces get the name {@link foreignName}, so that no
   * path matches them.
   */
  readonly namespace: string;
  /**
   * Elements with a prefixed attribute: `instance` for XML Schema instance attributes (`xsi:type`,
   * `xsi:nil`), `other` for another namespace. Schema locations do not count, because they are hints that our
   * engines ignore.
   */
  readonly withForeignAttribute: ReadonlyMap<XmlElement, 'instance' | 'other'>;
  /** Elements in no namespace, if the root element has a namespace. */
  readonly withoutNamespace: ReadonlySet<XmlElement>;
  /**
   * Finds the elements with text between their children. The tree drops this text, so only the diagnosis
   * reports it.
   */
  readonly withTextBetween: () => ReadonlySet<XmlElement>;
}

const noAttributes: Readonly<Record<string, string>> = Object.freeze({});
const noChildren: XmlElement[] = []; // All leaves share this array, so nothing may be pushed to it.

const slash = 0x2f;

const reference = /&#(?:x([0-9a-fA-F]+)|([0-9]+));/g;

/**
 * Replaces the references in a text, in one pass per kind. That takes a tenth of the time of one callback per
 * reference. `&amp;` comes last, because its result could look like another reference.
 */
function unescape(text: string): string {
  if (!text.includes('&')) return text;
  const plain = text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll(reference, (_, hex?: string, decimal?: string) =>
      String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
    );
  assert(!/&(?!amp;)/.test(plain), 'libxml2 writes no entity that XML does not define');
  return plain.replaceAll('&amp;', '&');
}

// Our schemas have about 300 names. The limit protects memory from names in incoming messages.
const maxSharedNames = 1_000;
const sharedNames = new Map<string, string>();

/** Interns element names as property keys, so that the runtime can compare them by address. */
function shareName(name: string): string {
  const shared = sharedNames.get(name);
  if (shared !== undefined) return shared;
  const [key = name] = Object.keys({ [name]: 0 });
  if (sharedNames.size < maxSharedNames) sharedNames.set(key, key);
  return key;
}

/** The attributes of a start tag with their prefixes, including the namespace declarations. */
function readAttributes(rest: string): readonly (readonly [name: string, value: string])[] {
  const attributes: [string, string][] = [];
  for (let start = 0; start < rest.length;) {
    const equals = rest.indexOf('=', start);
    const quote = rest.charAt(equals + 1);
    const end = rest.indexOf(quote, equals + 2);
    const isRead =
      rest.charAt(start) === ' ' && equals > start + 1 && (quote === '"' || quote === "'") && end >= 0;
    assert(isRead, 'every start tag that libxml2 writes can be read to its end');
    attributes.push([rest.slice(start + 1, equals), unescape(rest.slice(equals + 2, end))]);
    start = end + 1;
  }
  return attributes;
}

const locations: readonly string[] = ['schemaLocation', 'noNamespaceSchemaLocation'];
const instanceNamespace = 'http://www.w3.org/2001/XMLSchema-instance';

/**
 * Leaves out namespace declarations and schema locations. In a built message, their prefix would be
 * undeclared.
 */
function isLeftOut(attribute: string, scope: Scope): boolean {
  if (isDeclaration(attribute)) return true;
  const [prefix, name] = partsOf(attribute);
  return prefix !== '' && locations.includes(name) && namespaceOf(prefix, scope) === instanceNamespace;
}

function partsOf(qualifiedName: string): readonly [prefix: string, localName: string] {
  const colon = qualifiedName.indexOf(':');
  return colon < 0 ? ['', qualifiedName] : [qualifiedName.slice(0, colon), qualifiedName.slice(colon + 1)];
}

function foreignAmong(
  attributes: readonly (readonly [name: string, value: string])[],
  scope: Scope,
): StartTag['foreignAttribute'] {
  const prefixes = attributes.map(([name]) => partsOf(name)[0]).filter((prefix) => prefix !== '');
  if (prefixes.length === 0) return undefined;
  return prefixes.every((prefix) => namespaceOf(prefix, scope) === instanceNamespace) ? 'instance' : 'other';
}

interface StartTag {
  readonly element: OpenElement;
  /** The namespaces in scope inside the element. */
  readonly scope: Scope;
  readonly namespace: string;
  readonly foreignAttribute: 'instance' | 'other' | undefined;
}

/**
 * @param tag the text between `<` and `>`
 * @param outer the namespaces in scope outside the element
 */
function readStartTag(tag: string, outer: Scope): StartTag {
  const known = sharedNames.get(tag); // so it has no prefix and no attribute
  if (known !== undefined) {
    const element = { name: known, attributes: noAttributes, children: noChildren, text: '' };
    return { element, scope: outer, namespace: outer.unprefixed, foreignAttribute: undefined };
  }
  const space = tag.indexOf(' ');
  if (space < 0) {
    const [prefix, localName] = partsOf(tag);
    const element = { name: shareName(localName), attributes: noAttributes, children: noChildren, text: '' };
    return { element, scope: outer, namespace: namespaceOf(prefix, outer), foreignAttribute: undefined };
  }
  const written = readAttributes(tag.slice(space));
  const scope = scopeWithin(outer, written);
  const kept = written.filter(([name]) => !isLeftOut(name, scope));
  const [prefix, localName] = partsOf(tag.slice(0, space));
  const attributes = kept.length === 0 ? noAttributes : Object.fromEntries(kept);
  return {
    element: { name: shareName(localName), attributes, children: noChildren, text: '' },
    scope,
    namespace: namespaceOf(prefix, scope),
    foreignAttribute: foreignAmong(kept, scope),
  };
}

/**
 * Whether there is only white space between two tags. It unescapes the text too, because libxml2 writes a
 * carriage return as a reference.
 */
function isBlankBetween(written: string, start: number, end: number): boolean {
  return isBlank(written, start, end) || isBlank(unescape(written.slice(start, end)));
}

/** @param written the document as libxml2 serialises it with `writeOptions` */
export function readTree(written: string): TreeReading {
  const stack: Pick<StartTag, 'element' | 'scope'>[] = [];
  const withForeignAttribute = new Map<XmlElement, 'instance' | 'other'>();
  const withoutNamespace = new Set<XmlElement>();
  let namespace = '';
  let start = written.indexOf('<');
  for (;;) {
    const end = written.indexOf('>', start + 2);
    let next = written.indexOf('<', end);
    assert(start >= 0 && end >= 0, 'libxml2 writes documents that end');
    const parent = stack.at(-1);
    if (written.charCodeAt(start + 1) === slash /* an end tag */) {
      assert(parent !== undefined, 'libxml2 writes no end tag without its start');
      stack.pop();
      if (stack.length === 0) {
        const { element: root } = parent;
        const withTextBetween = () => findTextBetween(root, written);
        return { root, namespace, withForeignAttribute, withoutNamespace, withTextBetween };
      }
    } else {
      const tag = readStartTag(written.slice(start + 1, end), parent?.scope ?? outermost);
      if (parent !== undefined && tag.namespace !== namespace) tag.element.name = foreignName;
      const { element } = tag;
      if (element.name === foreignName && tag.namespace === '') withoutNamespace.add(element);
      if (tag.foreignAttribute !== undefined) withForeignAttribute.set(element, tag.foreignAttribute);
      if (parent === undefined) ({ namespace } = tag);
      else if (parent.element.children === noChildren) parent.element.children = [element];
      else parent.element.children.push(element);
      const isLeaf = written.charCodeAt(next + 1) === slash;
      if (isLeaf) element.text = unescape(written.slice(end + 1, next));
      if (isLeaf && parent !== undefined)
        next = written.indexOf('<', next + 2); // skips the end tag
      else stack.push(tag);
    }
    start = next;
  }
}

/** @param written the source of the tree; its start tags have the same order as the elements of the tree */
function findTextBetween(root: XmlElement, written: string): ReadonlySet<XmlElement> {
  const found = new Set<XmlElement>();
  let position = 0;
  const passTag = (around?: XmlElement) => {
    const start = written.indexOf('<', position);
    if (around !== undefined && !isBlankBetween(written, position, start)) found.add(around);
    position = written.indexOf('>', start + 2) + 1;
  };
  const visit = (element: XmlElement) => {
    for (const child of element.children) {
      passTag(element);
      visit(child);
    }
    passTag(element.children.length === 0 ? undefined : element);
  };
  passTag();
  visit(root);
  return found;
}
