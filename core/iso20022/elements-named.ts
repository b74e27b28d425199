/** Finds elements by name at any depth, with the path to each. */
import type { XmlElement } from './tree.ts';

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
      const inner = { element, outer: link };
      if (element.name === name) found.push(chainOf(inner));
      else if (element.children.length > 0) visit(inner);
    }
  };
  visit({ element: root, outer: undefined });
  return found;
}
