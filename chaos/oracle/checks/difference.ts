// In which fields two pacs.008 differ: by XPath, as the record of a payment names them (MSG-10).
import type { Element } from '../read-message.ts';

export type Fields = ReadonlyMap<string, string>;

/** Values by XPath from `/Document` on, with a position where siblings share a name. */
export function fieldsOf(root: Element | undefined): Fields {
  const fields = new Map<string, string>();
  const visit = (element: Element, xpath: string): void => {
    for (const [name, value] of Object.entries(element.attributes)) fields.set(`${xpath}/@${name}`, value);
    if (element.children.length === 0) fields.set(xpath, element.text);
    for (const child of element.children) {
      const alike = element.children.filter(({ name }) => name === child.name);
      const position = alike.length === 1 ? '' : `[${alike.indexOf(child) + 1}]`;
      visit(child, `${xpath}/${child.name}${position}`);
    }
  };
  if (root !== undefined) visit(root, `/Document/${root.name}`);
  return fields;
}

/** What differs where it stands, in either message; what only moved is left out (`IntrmyAgt1`, MSG-10). */
export function pathsThatDiffer(before: Fields, after: Fields): readonly string[] {
  const isMoved = (path: string) => /\/CdtTrfTxInf\/(?:IntrmyAgt1|PrvsInstgAgt1)/.test(path);
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => !isMoved(path) && before.get(path) !== after.get(path),
  );
}
