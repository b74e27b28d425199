/**
 * Gives what an engine complains of its kind and XPath, from the tree and the schema instead of the engine's words,
 * so that both engines lead to the same rejection. The verdict itself is never questioned here.
 */
import { childrenNamed, xpathOf, type XmlElement } from '../core/iso20022/tree.ts';
import type { Violation } from '../core/iso20022/violation.ts';
import { isBlank, trimmed } from '../core/iso20022/white-space.ts';
import { maxViolations } from './engine.ts';
import { missingChild, particleNamed, type ComplexType, type SchemaModel } from './schema-model.ts';

/** What an engine said, before it is put into words of the rules. */
export interface Complaint {
  readonly message: string;
  /** From the root to the element that is complained of. */
  readonly elements: readonly XmlElement[];
  /**
   * Where it is about which elements stand where, from the root to the element whose further content was not judged;
   * undefined where it is about a value or an attribute.
   */
  readonly stoppedIn: readonly XmlElement[] | undefined;
}

/** The chain without its last element, which for the root is the root. */
export function parentOf(elements: readonly XmlElement[]): readonly XmlElement[] {
  return elements.slice(0, Math.max(1, elements.length - 1));
}

/** The type of each element of the chain, as far as the schema knows them. */
function typesOf(elements: readonly XmlElement[], model: SchemaModel): readonly (string | undefined)[] {
  const types: (string | undefined)[] = ['Document'];
  for (const element of elements.slice(1)) {
    const parent = model.complexTypes.get(types.at(-1) ?? '');
    types.push(parent === undefined ? undefined : particleNamed(parent, element.name)?.type);
  }
  return types;
}

const isEmpty = (element: XmlElement) => element.children.length === 0 && isBlank(element.text);
const maxDecimals = 5; // MON-1, and of every ISO amount

function missingIn(type: ComplexType, element: XmlElement, path: string): string | undefined {
  const missing = missingChild(type, element);
  if (missing === undefined) return undefined;
  const position = missing.max > 1 ? `[${childrenNamed(element, missing.name).length + 1}]` : '';
  return `${path}/${missing.name}${position}`;
}

function isMandatory(type: ComplexType, name: string): boolean {
  return type.kind === 'choice' || (particleNamed(type, name)?.min ?? 0) > 0;
}

type Finding = Pick<Violation, 'kind' | 'xpath'>;

/** An element of a known type that has a value or children that the type does not take. */
function classifyValue(
  element: XmlElement,
  parent: ComplexType,
  type: ComplexType | undefined,
  xpath: string,
): Finding {
  if (isEmpty(element)) return { kind: isMandatory(parent, element.name) ? 'missing' : 'invalid', xpath };
  const decimals = /^[0-9]+\.([0-9]+)$/.exec(trimmed(element.text))?.[1];
  const tooMany = type?.kind === 'amount' && decimals !== undefined && decimals.length > maxDecimals;
  return { kind: tooMany ? 'decimals' : 'invalid', xpath };
}

function find({ elements, stoppedIn }: Complaint, model: SchemaModel): Finding {
  const structural = stoppedIn !== undefined;
  const xpath = xpathOf(elements);
  const types = typesOf(elements, model);
  const element = elements.at(-1);
  const parentElement = elements.at(-2);
  const type = model.complexTypes.get(types.at(-1) ?? '');
  const parent = model.complexTypes.get(types.at(-2) ?? '');
  if (element === undefined) return { kind: 'invalid', xpath: '/Document' };
  const own = structural && type !== undefined ? missingIn(type, element, xpath) : undefined;
  if (parentElement === undefined || parent === undefined) {
    const missing = element.name === 'Document' && elements.length === 1 ? own : undefined;
    return missing === undefined ? { kind: 'invalid', xpath } : { kind: 'missing', xpath: missing };
  }
  if (particleNamed(parent, element.name) === undefined) {
    const wantsCode = element.name === 'Prtry' && particleNamed(parent, 'Cd') !== undefined;
    return { kind: wantsCode ? 'proprietary' : 'invalid', xpath };
  }
  if (!structural) return classifyValue(element, parent, type, xpath);
  const missing = own ?? missingIn(parent, parentElement, xpathOf(elements.slice(0, -1)));
  return missing === undefined ? { kind: 'invalid', xpath } : { kind: 'missing', xpath: missing };
}

/** Each finding once, at most 20, in the order of the complaints. */
export function classify(complaints: readonly Complaint[], model: SchemaModel): readonly Violation[] {
  const violations = new Map<string, Violation>();
  for (const complaint of complaints) {
    const finding = find(complaint, model);
    const key = `${finding.kind} ${finding.xpath}`;
    const { message } = complaint;
    const stoppedIn = complaint.stoppedIn && { stoppedIn: xpathOf(complaint.stoppedIn) };
    const known = violations.get(key);
    if (known === undefined) {
      if (violations.size === maxViolations) break;
      violations.set(key, { ...finding, ...stoppedIn, message });
    } else if (known.stoppedIn === undefined) violations.set(key, { ...known, ...stoppedIn });
  }
  return [...violations.values()];
}
