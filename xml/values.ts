/**
 * Explains what is wrong with a value of a simple type, with the value found and the values expected. The
 * engine, not this module, decides whether the value is valid.
 */
import type { RejectionDetails } from '../core/rejections/rejection.ts';
import { visible, type VisibleKind } from '../core/iso20022/lexical.ts';
import type { SchemaModel, SimpleType } from './schema-model.ts';
import { isBlank, showsNothing, trimmed } from '../core/iso20022/tree.ts';

/** One restriction step in the derivation of a simple type: its own facets, in words and as tests. */
interface Level {
  /** The sentence from the schema's documentation, without rule ids. */
  readonly words: string;
  readonly patterns: readonly RegExp[];
  readonly enumeration: readonly string[];
  readonly leftOut: ReadonlySet<string>;
  /** Numeric facets, by name. */
  readonly limits: ReadonlyMap<string, number>;
}

interface ValueType {
  /** Ordered from the type itself down to its base type. */
  readonly levels: readonly Level[];
  /** Whether white space around the value is ignored, as for decimals and booleans. */
  readonly collapses: boolean;
}

/** A fault in a value, with the rule of its type that it breaks. */
export interface ValueFault extends RejectionDetails {
  readonly kind: 'blank' | 'decimals' | 'invalid';
}

/** A sentence from the schema's documentation, without rule ids. */
export const withoutRules = (words: string) =>
  words
    .replaceAll(/ \([A-Z]{3}-[0-9]+(, [A-Z]{3}-[0-9]+)*\)/g, '')
    .replaceAll('`', '')
    .replace(/\.$/, '');

function levelOf(type: SimpleType): Level {
  const valuesOf = (name: string) =>
    type.facets.filter((facet) => facet.name === name).map((facet) => facet.value);
  const limits = type.facets.filter(({ name }) => name !== 'pattern' && name !== 'enumeration');
  return {
    words: withoutRules(type.documentation),
    // Our schemas use only patterns that mean the same in XML Schema and in JavaScript.
    patterns: valuesOf('pattern').map((pattern) => new RegExp(`^(?:${pattern})$`, 'u')),
    enumeration: valuesOf('enumeration'),
    leftOut: type.leftOut,
    limits: new Map(limits.map(({ name, value }) => [name, Number(value)])),
  };
}

const known = new WeakMap<SchemaModel, Map<string, ValueType>>();

function valueTypeOf(model: SchemaModel, name: string): ValueType {
  const types = known.get(model) ?? new Map<string, ValueType>();
  known.set(model, types);
  const found = types.get(name);
  if (found !== undefined) return found;
  const levels: Level[] = [];
  let base = name;
  for (let type = model.simpleTypes.get(base); type !== undefined; type = model.simpleTypes.get(base)) {
    levels.push(levelOf(type));
    base = type.base;
  }
  const made = { levels, collapses: base !== 'xs:string' };
  types.set(name, made);
  return made;
}

/** Describes the values that a type allows. */
export function expectedOf(model: SchemaModel, name: string): string {
  const { levels } = valueTypeOf(model, name);
  return levels
    .map(({ enumeration, words }) => (enumeration.length > 0 ? oneOf(enumeration) : words))
    .join('. ');
}

/** Joins names: `A`, `A or B`, `A, B or C`. */
export function oneOf(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;
}

/**
 * The types whose values may be quoted in an explanation, and in which form. All other types hold ids, names
 * or free text.
 */
const kinds: Readonly<Record<string, VisibleKind>> = {
  AmountValue: 'number',
  Rate: 'number',
  OneTransaction: 'number',
  Moment: 'moment',
  Day: 'moment',
  Currency: 'code',
  ThroughClearing: 'code',
  SharedCharges: 'code',
  Priority: 'code',
  PaymentStatus: 'code',
  ReportedSide: 'code',
  Settled: 'code',
  TrueOrFalse: 'code',
  NotSplit: 'code',
  FourLetterCode: 'code',
  ReasonCode: 'code',
  GivenReasonCode: 'code',
  ClearingSystemCode: 'code',
  MemberSystemCode: 'code',
};

const maxLooked = 400; // Characters. No type allows more.

/** The first character that the type never allows. Undefined if only the arrangement is wrong. */
function strangeCharacter(characters: readonly string[], { patterns }: Level): string | undefined {
  const isTaken = (text: string) => patterns.some((pattern) => pattern.test(text));
  if (!isTaken('aaa')) return undefined; // The type is not free text.
  const index = characters.slice(0, maxLooked).findIndex((one) => !isTaken(`a${one}a`));
  const code = characters[index]?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return code === undefined ? undefined : `U+${code} at position ${index + 1} of ${characters.length}`;
}

const toLower = (text: string) =>
  text.replaceAll(/[A-Z]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 32));
const toUpper = (text: string) =>
  text.replaceAll(/[a-z]/g, (one) => String.fromCharCode(one.charCodeAt(0) - 32));

/** Whether a text matches one of the patterns. Texts longer than maxLooked never match. */
const takesText = ({ patterns }: Level, text: string) =>
  text.length <= maxLooked && patterns.some((one) => one.test(text));

function caseFault(value: string, level: Level): string {
  if (!/[A-Za-z]/.test(value) || takesText(level, value)) return '';
  if (takesText(level, toLower(value))) return ', upper case instead of lower case';
  return takesText(level, toUpper(value)) ? ', lower case instead of upper case' : '';
}

/** Describes a wrong arrangement of characters, without quoting them. */
function arrangement(value: string, level: Level): string {
  const wrongCase = caseFault(value, level);
  if (wrongCase !== '') return wrongCase;
  if (trimmed(value) !== value) return ', white space around it';
  if (/^\/|\/$/.test(value)) return ', a slash at an end';
  return /[ /]{2}/.test(value) ? ', slashes or spaces in a row' : '';
}

const maxTried = 50; // Characters. No date time is longer.

/** Parts of a date time that may be wrong although its form is right: pattern, valid replacement, message. */
const partsOfMoments: readonly (readonly [part: RegExp, right: string, words: string])[] = [
  [/^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:Z|[+-][0-9]{2}:[0-9]{2})$/, '$1', 'must have no time zone'],
  [/^([0-9]{4})-[0-9]{2}-[0-9]{2}(?=T|$)/, '$1-01-01', 'must be a date that exists'],
  [/(?<=T[0-9]{2}:[0-9]{2})(?!:)/, ':00', 'must have seconds'],
  [/(?<=T)[0-9]{2}:[0-9]{2}:[0-9]{2}/, '00:00:00', 'must be a time from 00:00:00 to 23:59:59'],
  [/\.[0-9]+/, '', 'more than 9 decimals of a second'],
  [/[+-][0-9]{2}:[0-9]{2}$/, 'Z', 'must have a time zone from -14:00 to +14:00'],
  [/(?<=T[0-9:.]{1,40})$/, 'Z', 'must have a time zone'],
];

/**
 * Names the wrong parts of a date time. Undefined if the form is wrong, or if the value is not a date time.
 */
function momentFault(level: Level, value: string): string | undefined {
  const repaired = (left?: RegExp) =>
    partsOfMoments.reduce((text, [part, right]) => (part === left ? text : text.replace(part, right)), value);
  if (value.length > maxTried || !takesText(level, repaired())) return undefined;
  const wrong = partsOfMoments.filter(([part]) => !takesText(level, repaired(part)));
  return wrong.length === 0 ? undefined : wrong.map(([, , words]) => words).join(', ');
}

const plainDecimal = /^(?:0|[1-9][0-9]*)(?:\.([0-9]+))?$/;

/**
 * Reports too many digits. The words of the pattern describe only the form, which a plain decimal satisfies.
 */
function digitsFault({ limits }: Level, value: string): string | undefined {
  const [plain, fraction = ''] = plainDecimal.exec(value) ?? [];
  if (plain === undefined) return undefined;
  const [decimals = Infinity, digits = Infinity] = [limits.get('fractionDigits'), limits.get('totalDigits')];
  if (fraction.length > decimals) return `more than ${decimals} decimals`;
  return digitsOf(value).total > digits ? `more than ${digits} digits` : undefined;
}

/** Counts significant digits: without leading zeros, and without trailing zeros of the fraction. */
function digitsOf(decimal: string): { readonly total: number; readonly fraction: number } {
  const [integer = '', fraction = ''] = decimal.split('.');
  const [whole, part] = [integer.replace(/^0+/, ''), fraction.replace(/(?<!0)0+$/, '')];
  return { total: whole.length + part.length, fraction: part.length };
}

/** Describes the fault of a value by one level of its type. Undefined if there is none. */
function faultOf(level: Level, value: string, length: number): string | undefined {
  const { enumeration, patterns, limits, words } = level;
  const limit = (name: string) => limits.get(name) ?? Infinity;
  if (enumeration.length > 0) {
    return enumeration.includes(value) ? undefined : `must be ${oneOf(enumeration)}`;
  }
  if (length < (limits.get('minLength') ?? 0)) return 'empty';
  if (length > limit('maxLength')) return `longer than ${limit('maxLength')} characters`;
  const fits = patterns.length === 0 || (length <= maxLooked && patterns.some((one) => one.test(value)));
  if (!fits) return digitsFault(level, value) ?? momentFault(level, value) ?? `must be: ${words}`;
  const { total, fraction } = digitsOf(value);
  if (total > limit('totalDigits')) return `more than ${limit('totalDigits')} digits`;
  if (fraction > limit('fractionDigits')) return `more than ${limit('fractionDigits')} decimals`;
  const isZero = limits.get('minExclusive') === 0 && !/[1-9]/.test(value);
  return isZero ? 'must be above zero' : undefined;
}

const amountDecimals = /^[0-9]+\.([0-9]+)$/;

/** The allowed number of decimals, if an amount has more. This fault has its own reason code (CH20). */
function tooManyDecimals({ levels }: ValueType, value: string): number | undefined {
  const most = levels[0]?.limits.get('fractionDigits');
  const isAmount = levels[0]?.limits.has('minInclusive') === true;
  const decimals = amountDecimals.exec(value)?.[1]?.length ?? 0;
  return isAmount && most !== undefined && decimals > most ? most : undefined;
}

/**
 * Finds what is wrong with a value.
 * @param name name of a simple type of the model
 * @returns undefined if the value is valid
 */
export function findValueFault(
  model: SchemaModel,
  name: string,
  { text, xpath }: { readonly text: string; readonly xpath: string },
): ValueFault | undefined {
  const type = valueTypeOf(model, name);
  const value = type.collapses ? trimmed(text) : text;
  const characters = Array.from(value);
  const expected = expectedOf(model, name);
  for (const level of type.levels) {
    const words = faultOf(level, value, characters.length);
    if (words === undefined) continue;
    if (showsNothing(text)) {
      return {
        kind: 'blank',
        fault: 'place-or-count',
        found: text === '' ? 'nothing' : isBlank(text) ? 'white space' : 'invisible characters',
        expected,
      };
    }
    const kind = kinds[name];
    const shown = kind && visible(kind, xpath, value);
    const strange = strangeCharacter(characters, level);
    const told = shown === undefined ? undefined : `${shown}${caseFault(value, level)}`;
    const found = told ?? strange ?? `${characters.length} characters${arrangement(value, level)}`;
    const most = tooManyDecimals(type, value);
    if (most !== undefined) {
      return { kind: 'decimals', fault: 'value', found, expected, text: `more than ${most} decimals` };
    }
    const isLeftOut = level.leftOut.has(value);
    return { kind: 'invalid', fault: isLeftOut ? 'not-used' : 'value', found, expected, text: words };
  }
  return undefined;
}
