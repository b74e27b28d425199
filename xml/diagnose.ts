/**
 * Explains why an engine refused a message. Lists every faulty element, with the value found and the value
 * expected. It uses the tree and the schema, not the engine's error text. So all engines give the same
 * rejections, and all faults are found. Only the engine decides whether a message is valid.
 */
import { maxViolations, type Violation } from '../core/iso20022/violation.ts';
import { type XmlElement, isBlank } from '../core/iso20022/tree.ts';
import { takes, tellChild, type Finding } from './child-words.ts';
import { matchChildren, type ChildFault } from './match.ts';
import type { TreeReading } from './read-tree.ts';
import { particleNamed, type ComplexType, type SchemaModel } from './schema-model.ts';
import { expectedOf, findValueFault } from './values.ts';

/**
 * The complaint about attributes that would override the schema (`xsi:type`, `xsi:nil`). Such a message is
 * refused before validation, because an engine might accept it.
 */
export const bendsSchema = 'an attribute of another namespace is not allowed';

/**
 * The violations of a message, at most 20, in document order; empty if it is valid.
 * @param read makes the tree, which only an invalid message needs
 * @param complaint the engine's error; undefined if the engine finds the message valid
 */
export function violationsOf(
  read: () => TreeReading,
  model: SchemaModel,
  complaint: string | undefined,
): readonly Violation[] {
  if (complaint === undefined) return [];
  const violations: Violation[] = [];
  for (const finding of diagnose(read(), model)) {
    violations.push({ ...finding, message: complaint });
    if (violations.length === maxViolations) break;
  }
  return violations.length > 0 ? violations : [{ kind: 'invalid', xpath: '/Document', message: complaint }];
}

/**
 * The elements with attributes of another namespace. Content of an element with an open type is left out,
 * because Isthmus never reads it.
 */
export function bendingAttributes(
  { root, withForeignAttribute }: Pick<TreeReading, 'root' | 'withForeignAttribute'>,
  model: SchemaModel,
): TreeReading['withForeignAttribute'] {
  if (withForeignAttribute.size === 0) return withForeignAttribute;
  const judged = new Map(withForeignAttribute);
  const leaveOut = (element: XmlElement) => {
    for (const child of element.children) {
      judged.delete(child);
      leaveOut(child);
    }
  };
  const visit = (element: XmlElement, typeName: string) => {
    const type = model.complexTypes.get(typeName);
    if (type?.kind === 'open') leaveOut(element);
    else if (type !== undefined) {
      for (const child of element.children) {
        const particle = particleNamed(type, child.name);
        if (particle !== undefined) visit(child, particle.type);
      }
    }
  };
  visit(root, 'Document');
  return judged;
}

interface Exam {
  readonly reading: TreeReading;
  readonly withTextBetween: ReadonlySet<XmlElement>;
  readonly model: SchemaModel;
}

/** The element under examination, with its place and type. */
interface Examined {
  readonly element: XmlElement;
  readonly xpath: string;
  readonly typeName: string;
  /** Whether its parent requires it. Then an empty element counts as missing. */
  readonly isMandatory: boolean;
}

/**
 * Finds all faults of a message, in document order; none if it is valid.
 * @internal exported for tests
 */
export function* diagnose(reading: TreeReading, model: SchemaModel): Iterable<Finding> {
  const { root: element } = reading;
  const xpath = '/Document';
  if (element.name === 'Document') {
    const exam = { reading, model, withTextBetween: reading.withTextBetween() };
    yield* lookAt(exam, { element, xpath, typeName: 'Document', isMandatory: true });
  } else {
    const [text, found] = ['the root element must be Document', 'another root element'];
    yield { kind: 'invalid', xpath, text, fault: 'not-iso-20022', found, expected: 'Document' };
  }
}

function* lookAt(exam: Exam, examined: Examined): Iterable<Finding> {
  const type = exam.model.complexTypes.get(examined.typeName);
  yield* lookAtAttributes(exam, examined, type);
  if (type === undefined) yield* lookAtValue(exam, examined, examined.typeName);
  else if (type.kind === 'open') return;
  else if (type.kind !== 'amount') yield* lookAtChildren(exam, examined, type);
  else {
    yield* lookAtCurrency(exam, examined);
    yield* lookAtValue(exam, examined, 'AmountValue');
  }
}

function* lookAtAttributes(
  { reading }: Exam,
  { element, xpath }: Examined,
  type: ComplexType | undefined,
): Iterable<Finding> {
  const takesCurrency = type?.kind === 'amount';
  const expected = takesCurrency ? 'no attribute but Ccy' : 'no attribute';
  const common = { kind: 'invalid', xpath, isReadable: true, expected } as const;
  const foreign = reading.withForeignAttribute.get(element);
  if (foreign !== undefined) {
    const text = 'an attribute of another namespace';
    yield foreign === 'instance'
      ? { ...common, text, fault: 'not-used', found: 'an attribute such as xsi:type or xsi:nil' }
      : { ...common, text, fault: 'not-iso-20022', found: 'an attribute with a prefix' };
  }
  for (const name of Object.keys(element.attributes)) {
    if (name.includes(':') || (takesCurrency && name === 'Ccy')) continue;
    const found = name === 'Ccy' ? 'Ccy' : 'an unknown attribute';
    yield { ...common, text: 'an attribute that is not allowed here', fault: 'not-iso-20022', found };
  }
}

/**
 * Examines the value of an element without children.
 * @param typeName name of a simple type
 */
function* lookAtValue({ model }: Exam, examined: Examined, typeName: string): Iterable<Finding> {
  const { element, xpath, isMandatory } = examined;
  if (element.children.length > 0) {
    const [found, expected] = ['elements', expectedOf(model, typeName)];
    yield {
      kind: 'invalid',
      xpath,
      text: 'elements where a value belongs',
      fault: 'not-iso-20022',
      found,
      expected,
    };
    return;
  }
  const valueFault = findValueFault(model, typeName, { text: element.text, xpath });
  if (valueFault === undefined) return;
  const { kind, ...details } = valueFault;
  yield kind === 'blank'
    ? { kind: isMandatory ? 'missing' : 'invalid', xpath, ...details, text: 'empty' }
    : { kind, xpath, ...details };
}

/** Examines the attribute Ccy of an amount. */
function* lookAtCurrency({ model }: Exam, { element, xpath }: Examined): Iterable<Finding> {
  const text = element.attributes['Ccy'];
  if (text === undefined) {
    const [found, expected] = ['no Ccy', expectedOf(model, 'Currency')];
    yield { kind: 'invalid', xpath, text: 'Ccy is missing', fault: 'place-or-count', found, expected };
    return;
  }
  const valueFault = findValueFault(model, 'Currency', { text, xpath });
  if (valueFault !== undefined)
    yield { ...valueFault, kind: 'invalid', xpath, text: 'Ccy is not a currency code' };
}

function* lookAtChildren(exam: Exam, { element, xpath }: Examined, type: ComplexType): Iterable<Finding> {
  const { children } = element;
  const hasText = children.length === 0 ? !isBlank(element.text) : exam.withTextBetween.has(element);
  if (hasText) {
    const common = { kind: 'invalid', xpath, isReadable: true, fault: 'not-iso-20022' } as const;
    yield { ...common, text: 'text where only elements are allowed', found: 'text', expected: takes(type) };
  }
  const steps = stepsOf(children);
  const { model, reading } = exam;
  const { withoutNamespace } = reading;
  const parent = { xpath, children, steps, type, model, withoutNamespace };
  const faults = byIndex(matchChildren(type, children));
  for (const [index, child] of children.entries()) {
    const own = faults.get(index) ?? [];
    for (const fault of own) yield* some(tellChild(parent, fault));
    const particle = particleNamed(type, child.name);
    const isTooMany = own.some(({ kind }) => kind === 'surplus' || kind === 'excluded');
    if (particle === undefined || isTooMany) continue;
    const isMandatory = type.kind === 'choice' || particle.min > 0;
    const inner = { element: child, xpath: `${xpath}/${steps[index] ?? ''}`, typeName: particle.type };
    yield* lookAt(exam, { ...inner, isMandatory });
  }
  for (const fault of faults.get(children.length) ?? []) yield* some(tellChild(parent, fault));
}

const some = <T>(value: T | undefined): readonly T[] => (value === undefined ? [] : [value]);

function byIndex(faults: readonly ChildFault[]): ReadonlyMap<number, readonly ChildFault[]> {
  const grouped = new Map<number, ChildFault[]>();
  for (const fault of faults) {
    const own = grouped.get(fault.index);
    if (own === undefined) grouped.set(fault.index, [fault]);
    else own.push(fault);
  }
  return grouped;
}

/** The last step of each child's XPath: its name, with a position if several siblings have that name. */
function stepsOf(children: readonly XmlElement[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { name } of children) counts.set(name, (counts.get(name) ?? 0) + 1);
  const seen = new Map<string, number>();
  return children.map(({ name }) => {
    const position = (seen.get(name) ?? 0) + 1;
    seen.set(name, position);
    return counts.get(name) === 1 ? name : `${name}[${position}]`;
  });
}
