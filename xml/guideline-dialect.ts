/**
 * Finds the XSD features that our reader of schemas (`schema-model.ts`) does not know. A usage guideline must not use
 * them: otherwise refusals would say nothing, or the wrong thing.
 */
import type { XmlElement } from '../core/iso20022/tree.ts';

const facets = [
  ...['enumeration', 'pattern', 'length', 'minLength', 'maxLength'],
  ...['totalDigits', 'fractionDigits', 'minInclusive', 'maxInclusive', 'minExclusive', 'maxExclusive'],
];

/** The child elements that each element may have, besides annotations. */
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

/** The attributes that each element may have. Others would change its meaning (`nillable`, `mixed`, `default`). */
const attributes: Readonly<Record<string, readonly string[]>> = {
  schema: ['targetNamespace', 'elementFormDefault', 'blockDefault', 'version', 'id'],
  element: ['name', 'type', 'minOccurs', 'maxOccurs'],
  complexType: ['name'],
  extension: ['base'],
  attribute: ['name', 'type', 'use'],
  simpleType: ['name'],
  restriction: ['base'],
};

/**
 * The built-in types that a simple type may restrict. Text types that drop spaces at the ends of a value (`xs:token`)
 * are excluded: we read a value exactly as it was written.
 */
const bases = ['string', 'decimal', 'boolean', 'date', 'dateTime', 'time', 'gYear', 'gYearMonth', 'gMonth'];

function* attributeFaults(element: XmlElement, types: ReadonlySet<string>): Iterable<string> {
  const { name } = element;
  const may = attributes[name] ?? (facets.includes(name) ? ['value'] : []);
  for (const attribute of Object.keys(element.attributes))
    if (!may.includes(attribute) && !attribute.startsWith('xmlns'))
      yield `${attribute} of xs:${name} is not known here`;
  const { base, elementFormDefault, type, use } = element.attributes;
  if (name === 'schema' && elementFormDefault !== 'qualified')
    yield 'elements are of its namespace: elementFormDefault="qualified" is missing';
  if (
    name === 'attribute' &&
    (element.attributes['name'] !== 'Ccy' || use !== 'required' || type !== 'Currency')
  )
    yield 'the only attribute is Ccy, of type Currency, and it is required';
  if (name === 'extension' && base !== 'AmountValue') yield 'an amount is of the simple type AmountValue';
  if (name === 'restriction' && base !== undefined && !types.has(base)) {
    const [, builtIn = ''] = base.split(':');
    if (!bases.includes(builtIn)) yield `${base}: a type is made of one of ${bases.join(', ')}`;
  }
}

/** @returns one sentence per fault */
export function findDialectFaults(schema: XmlElement): readonly string[] {
  const faults: string[] = [];
  const types = new Set(
    schema.children.filter(({ name }) => name.endsWith('Type')).map((one) => one.attributes['name'] ?? ''),
  );
  const look = (element: XmlElement, where: string) => {
    for (const fault of attributeFaults(element, types)) faults.push(`${where}: ${fault}`);
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
    const parts = element.children.filter(({ name }) => name !== 'annotation');
    if (element.name === 'choice' && new Set(parts.map(({ name }) => name)).size > 1)
      faults.push(`${where}: a choice is one of elements or one of sequences`);
    const names = parts.flatMap(({ attributes: { name } }) => name ?? []);
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (element.name === 'sequence' && twice !== undefined)
      faults.push(`${where}: ${twice} stands at one place of a sequence`);
    const { type, ref } = element.attributes;
    if (element.name === 'element' && (ref !== undefined || type === undefined))
      faults.push(`${where}: an element names its type`);
  };
  look(schema, '');
  return faults;
}
