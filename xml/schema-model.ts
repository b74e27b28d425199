/**
 * The schemas as data: the children of each element with their number and type, and the ISO 20022 elements
 * that the scheme does not use. The model explains why an engine refused a message (`diagnose.ts`), but does
 * not validate. Tests use it to generate messages and to check the README of the schemas.
 */
import { assert } from '../core/assert.ts';
import { childrenNamed, elementAt, type XmlElement } from '../core/iso20022/tree.ts';

export interface Particle {
  readonly name: string;
  readonly type: string;
  readonly min: number;
  /** Infinity if there is no maximum. */
  readonly max: number;
  readonly documentation: string;
  readonly source: string;
}

export interface ComplexType {
  /** `open`: the element may contain any elements, which are not validated. */
  readonly kind: 'sequence' | 'choice' | 'alternatives' | 'amount' | 'open';
  readonly documentation: string;
  /**
   * The lists of possible children. A sequence has one list. A choice has one list per option, each with one
   * particle. Alternatives have one list each. An amount and an open type have none.
   */
  readonly options: readonly (readonly Particle[])[];
  /** ISO 20022 elements that the scheme does not use, from the `xs:appinfo` of the type. */
  readonly leftOut: ReadonlySet<string>;
}

export interface SimpleType {
  readonly base: string;
  readonly documentation: string;
  /** ISO 20022 values that the scheme does not use. */
  readonly leftOut: ReadonlySet<string>;
  readonly facets: readonly { readonly name: string; readonly value: string }[];
}

export interface SchemaModel {
  readonly complexTypes: ReadonlyMap<string, ComplexType>;
  readonly simpleTypes: ReadonlyMap<string, SimpleType>;
}

const documentationOf = (element: XmlElement) => elementAt(element, 'annotation/documentation');
const leftOutOf = (element: XmlElement): ReadonlySet<string> =>
  new Set(elementAt(element, 'annotation/appinfo')?.text.split(' '));

function readParticle(element: XmlElement): Particle {
  const { name = '', type = '', minOccurs = '1', maxOccurs = '1' } = element.attributes;
  const documentation = documentationOf(element);
  return {
    name,
    type,
    min: Number(minOccurs),
    max: maxOccurs === 'unbounded' ? Infinity : Number(maxOccurs),
    documentation: documentation?.text ?? '',
    source: documentation?.attributes['source'] ?? 'I',
  };
}

const particlesOf = (group: XmlElement) => childrenNamed(group, 'element').map(readParticle);

function readComplexType(element: XmlElement): ComplexType {
  const documentation = documentationOf(element)?.text ?? '';
  const common = { documentation, leftOut: leftOutOf(element) };
  const sequence = elementAt(element, 'sequence');
  if (sequence !== undefined && elementAt(sequence, 'any') !== undefined) {
    return { kind: 'open', ...common, options: [] };
  }
  if (sequence !== undefined) return { kind: 'sequence', ...common, options: [particlesOf(sequence)] };
  const choice = elementAt(element, 'choice');
  if (choice === undefined) return { kind: 'amount', ...common, options: [] };
  const alternatives = childrenNamed(choice, 'sequence');
  if (alternatives.length > 0) {
    return { kind: 'alternatives', ...common, options: alternatives.map(particlesOf) };
  }
  return { kind: 'choice', ...common, options: particlesOf(choice).map((one) => [one]) };
}

function readSimpleType(element: XmlElement): SimpleType {
  const restriction = elementAt(element, 'restriction');
  assert(restriction !== undefined, 'a simple type of the schemas is a restriction');
  return {
    base: restriction.attributes['base'] ?? '',
    documentation: documentationOf(element)?.text ?? '',
    leftOut: leftOutOf(element),
    facets: restriction.children.map((facet) => ({
      name: facet.name,
      value: facet.attributes['value'] ?? '',
    })),
  };
}

/** @param schema the `xs:schema` element */
export function readSchemaModel(schema: XmlElement): SchemaModel {
  const byName = <T>(kind: string, read: (element: XmlElement) => T) =>
    new Map(childrenNamed(schema, kind).map((one) => [one.attributes['name'] ?? '', read(one)]));
  return {
    complexTypes: byName('complexType', readComplexType),
    simpleTypes: byName('simpleType', readSimpleType),
  };
}

/**
 * The paths of all elements below the message element, in schema order. Each recursive type is entered only
 * once.
 */
export function pathsOfModel({ complexTypes }: SchemaModel): readonly string[] {
  const paths: string[] = [];
  const enter = (typeName: string, path: string, within: readonly string[]) => {
    if (within.includes(typeName)) return;
    for (const { name, type } of complexTypes.get(typeName)?.options.flat() ?? []) {
      const own = path === '' ? name : `${path}/${name}`;
      if (!paths.includes(own)) paths.push(own);
      enter(type, own, [...within, typeName]);
    }
  };
  const [message] = complexTypes.get('Document')?.options.flat() ?? [];
  enter(message?.type ?? '', '', []);
  return paths;
}

/** The first particle with this name among all options of a type. */
export function particleNamed(type: ComplexType, name: string): Particle | undefined {
  for (const option of type.options) {
    const found = option.find((one) => one.name === name);
    if (found !== undefined) return found;
  }
  return undefined;
}
