/** Finds elements by their name, wherever they are, with the way to each. */
import type { XmlElement } from './tree.ts';

/** An element and its ancestors, up to the one that is searched. */
interface Link {
  readonly element: XmlElement;
  readonly outer: Link | undefined;
}

/** From the outermost element to the innermost. */
function chainOf(link: Link): readonly XmlElement[] {
  const chain: XmlElement[] = [];
  for (let one: Link | undefined = link; one !== undefined; one = one.outer) chain.unshift(one.element);
  return chain;
}

/** In document order. @returns of each the chain of elements, from the root to it */
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
