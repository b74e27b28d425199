/**
 * Describes the faults of an element's children. It quotes a name from the message only if the schema
 * contains that name, as an element or in its list of unused elements.
 */
import type { Violation } from '../core/iso20022/violation.ts';
import { foreignName, type XmlElement } from '../core/iso20022/tree.ts';
import type { ChildFault } from './match.ts';
import { particleNamed, type ComplexType, type Particle, type SchemaModel } from './schema-model.ts';
import { expectedOf, oneOf, withoutRules } from './values.ts';

/** A violation without the error text of the engine. */
export type Finding = Omit<Violation, 'message'>;

/** The element whose children are examined. */
export interface Parent {
  readonly xpath: string;
  readonly children: readonly XmlElement[];
  /** The last step of each child's XPath. */
  readonly steps: readonly string[];
  readonly type: ComplexType;
  readonly model: SchemaModel;
  /** Elements of the message that are in no namespace. */
  readonly withoutNamespace: ReadonlySet<XmlElement>;
}

/** The names of all possible children of a type, without duplicates. */
const namesOf = (type: ComplexType) => [...new Set(type.options.flat().map(({ name }) => name))];

/** Lists the possible children of a type, in words. */
export const takes = (type: ComplexType) => `only ${namesOf(type).join(', ')}`;

/** Describes the position of a child by the nearest preceding sibling that the schema knows. */
function standing({ children, steps, type }: Parent, index: number): string {
  for (let before = index - 1; before >= 0; before -= 1) {
    if (particleNamed(type, children[before]?.name ?? '') !== undefined)
      return `after ${steps[before] ?? ''}`;
  }
  return 'at the beginning';
}

/** Describes where an element belongs, by its neighbours in the schema. */
function properPlace(name: string, type: ComplexType): string {
  const names = namesOf(type);
  const index = names.indexOf(name);
  const [before, after] = [names[index - 1], names[index + 1]];
  if (before === undefined) return after === undefined ? 'alone' : `first, before ${after}`;
  return after === undefined ? `last, after ${before}` : `after ${before} and before ${after}`;
}

function tellLeftOut(parent: Parent, index: number): Finding {
  const { xpath, steps, children, type } = parent;
  const common = { xpath: `${xpath}/${steps[index] ?? ''}`, fault: 'not-used', isReadable: true } as const;
  const standsForCode = children[index]?.name === 'Prtry' && particleNamed(type, 'Cd') !== undefined;
  return standsForCode
    ? { kind: 'proprietary', ...common, found: 'Prtry', expected: 'Cd' }
    : {
        kind: 'invalid',
        ...common,
        text: 'not used in this scheme',
        found: `it is ${standing(parent, index)}`,
        expected: 'no such element',
      };
}

function tellUnknown(parent: Parent, index: number): Finding {
  const { xpath, children, type } = parent;
  const child = children[index];
  const name = child?.name ?? '';
  if (type.leftOut.has(name)) return tellLeftOut(parent, index);
  const isForeign = name === foreignName;
  const isBare = child !== undefined && parent.withoutNamespace.has(child);
  const foreign = isBare ? 'an element in no namespace' : 'an element of another namespace';
  const what = isForeign ? foreign : 'an unknown element';
  return {
    kind: 'invalid',
    xpath,
    text: `holds ${what}`,
    fault: 'not-iso-20022',
    isReadable: true,
    found: `${what} ${standing(parent, index)}`,
    expected: takes(type),
  };
}

function tellMisplaced(parent: Parent, index: number): Finding {
  const { xpath, steps, children, type } = parent;
  return {
    kind: 'invalid',
    xpath: `${xpath}/${steps[index] ?? ''}`,
    text: 'in the wrong place',
    fault: 'place-or-count',
    isReadable: true,
    found: `it is ${standing(parent, index)}`,
    expected: properPlace(children[index]?.name ?? '', type),
  };
}

function tellSurplus(parent: Parent, { index, particle, kind }: ChildFault): Finding {
  const { xpath, steps, children, type } = parent;
  const count = children.filter(({ name }) => name === particle?.name).length;
  const most = particle?.max ?? 1;
  const words =
    kind === 'excluded'
      ? { text: `only one of ${oneOf(namesOf(type))}`, found: 'more than one of them' }
      : { text: `at most ${most} of them`, found: `${count} of them` };
  const expected = kind === 'excluded' ? `one of ${oneOf(namesOf(type))}` : `at most ${most}`;
  return {
    kind: 'surplus',
    xpath: `${xpath}/${steps[index] ?? ''}`,
    fault: 'place-or-count',
    ...words,
    expected,
  };
}

/** Describes the mandatory content of a type. */
function contentOf(type: ComplexType): string {
  if (type.kind === 'amount') return ', with Ccy';
  const needed = (type.options[0] ?? []).filter(({ min }) => min > 0).map(({ name }) => name);
  if (type.kind === 'sequence') return needed.length === 0 ? '' : `, with ${needed.join(', ')}`;
  return `, with one of ${oneOf(firstsOf(type))}`;
}

/** The first mandatory element of each option of a type. */
const firstsOf = (type: ComplexType) =>
  type.options.flatMap((option) => option.find(({ min }) => min > 0)?.name ?? []);

/** Names a missing element. If two are required, adds the words of the schema that name both. */
function whichOf({ name, min, documentation }: Particle): string {
  if (min < 2) return name;
  const words = withoutRules(documentation).replaceAll('\u2019', "'");
  return `${words}; ${name}`;
}

/** Undefined if another fault covers it. For example, a `Prtry` in place of `Cd` has its own finding. */
function tellMissing(parent: Parent, particle: Particle): Finding | undefined {
  const { name, type: typeName, max } = particle;
  const { xpath, children, type, model } = parent;
  const isReplaced =
    name === 'Cd' && children.some((one) => one.name === 'Prtry') && type.leftOut.has('Prtry');
  if (isReplaced) return undefined;
  const count = children.filter((one) => one.name === name).length;
  const firsts = firstsOf(type);
  const isOneOf = type.kind !== 'sequence' && firsts.length > 1;
  const inner = model.complexTypes.get(typeName);
  const content = inner === undefined ? `: ${expectedOf(model, typeName)}` : contentOf(inner);
  return {
    kind: 'missing',
    fault: 'place-or-count',
    xpath: `${xpath}/${name}${max > 1 ? `[${count + 1}]` : ''}`,
    found: count === 0 ? 'nothing' : `${count} of them`,
    expected: isOneOf
      ? `one of ${oneOf(firsts)}`
      : `${whichOf(particle)}, ${properPlace(name, type)}${content}`,
  };
}

/** The finding for one fault; undefined if another finding covers it. */
export function tellChild(parent: Parent, fault: ChildFault): Finding | undefined {
  const { kind, index, particle } = fault;
  switch (kind) {
    case 'foreign':
    case 'unknown':
      return tellUnknown(parent, index);
    case 'misplaced':
      return tellMisplaced(parent, index);
    case 'surplus':
    case 'excluded':
      return tellSurplus(parent, fault);
    case 'missing':
      return particle && tellMissing(parent, particle);
  }
}
