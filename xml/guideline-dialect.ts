/**
 * What our reading of a schema (`schema-model.ts`) does not know: a usage guideline must do without it, or refusals would
 * say nothing, or the wrong thing.
 */
import type { XmlElement } from '../core/iso20022/tree.ts';

const facets = [
  ...['enumeration', 'pattern', 'length', 'minLength', 'maxLength', 'whiteSpace'],
  ...['totalDigits', 'fractionDigits', 'minInclusive', 'maxInclusive', 'minExclusive', 'maxExclusive'],
];

/** What may be below what, annotations apart. */
const known: Readonly<Record<string, readonly string[]>> = {
  schema: ['element', 'complexType', 'simpleType'],
  element: [],
  complexType: ['sequence', 'choice', 'simpleContent'],
  sequence: ['element'],
  choice: ['element', 'sequence'],
  simpleContent: ['extension'],
  extension: ['attribute'],
  attribute: [],
  simpleType: ['restriction'],
  restriction: facets,
};

/** @returns one sentence per fault */
export function findDialectFaults(schema: XmlElement): readonly string[] {
  const faults: string[] = [];
  const types = new Set(
    schema.children.filter(({ name }) => name.endsWith('Type')).map((one) => one.attributes['name'] ?? ''),
  );
  const look = (element: XmlElement, where: string) => {
    const may = known[element.name];
    for (const child of element.children) {
      if (child.name === 'annotation') continue;
      if (may?.includes(child.name) !== true && !facets.includes(element.name)) {
        faults.push(`${where}: xs:${child.name} within xs:${element.name} is not known here`);
        continue;
      }
      const name = child.attributes['name'];
      look(child, name === undefined ? where : `${where === '' ? '' : `${where}/`}${name}`);
    }
    const { type, ref } = element.attributes;
    if (element.name !== 'element') return;
    if (ref !== undefined || type === undefined) faults.push(`${where}: an element names its type`);
    else if (!types.has(type)) faults.push(`${where}: there is no type ${type}`);
  };
  look(schema, '');
  const amounts = schema.children.filter((one) => one.children.some(({ name }) => name === 'simpleContent'));
  for (const name of amounts.length > 0 ? ['AmountValue', 'Currency'] : [])
    if (!types.has(name))
      faults.push(`amounts are of the simple types AmountValue and Currency: there is no ${name}`);
  return faults;
}
