/**
 * Resolves prefixes to namespaces (Namespaces in XML). A declaration applies to its element and everything
 * inside.
 */

/**
 * The declarations of one element, linked to those of its ancestors. An element without declarations shares
 * its parent's scope.
 */
export interface Scope {
  readonly outer: Scope | undefined;
  /** Namespaces by prefix. The empty prefix is the default namespace. */
  readonly declared: ReadonlyMap<string, string>;
  /** The namespace of elements without a prefix; empty if there is none. */
  readonly unprefixed: string;
}

/** The scope around the root element, without declarations. */
export const outermost: Scope = { outer: undefined, declared: new Map(), unprefixed: '' };

/** The prefix that an attribute declares; undefined for any other attribute. */
function declaredPrefix(attribute: string): string | undefined {
  if (attribute === 'xmlns') return '';
  return attribute.startsWith('xmlns:') ? attribute.slice('xmlns:'.length) : undefined;
}

export function isDeclaration(attribute: string): boolean {
  return declaredPrefix(attribute) !== undefined;
}

/** @param attributes the attributes of the element, with their prefixes */
export function scopeWithin(outer: Scope, attributes: readonly (readonly [string, string])[]): Scope {
  const declared = new Map<string, string>();
  for (const [name, value] of attributes) {
    const prefix = declaredPrefix(name);
    if (prefix !== undefined) declared.set(prefix, value);
  }
  if (declared.size === 0) return outer;
  return { outer, declared, unprefixed: declared.get('') ?? outer.unprefixed };
}

/** The namespace of a prefix in a scope; empty if the prefix is not declared. */
export function namespaceOf(prefix: string, scope: Scope): string {
  if (prefix === '') return scope.unprefixed;
  for (let one: Scope | undefined = scope; one !== undefined; one = one.outer) {
    const namespace = one.declared.get(prefix);
    if (namespace !== undefined) return namespace;
  }
  return '';
}
