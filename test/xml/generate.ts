// Writes random messages that our schemas take, from the schemas themselves; every run of a seed writes the same ones.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codingOf } from '../../core/iso20022/coded-elements.ts';
import { codeSets, type CodeSetName } from '../../core/iso20022/external-codes.ts';
import { messages, type MessageName } from '../../core/iso20022/messages.ts';
import { leaf, renderDocument, type XmlElement, showsNothing } from '../../core/iso20022/tree.ts';
import { XmlDocument } from 'libxml2-wasm';
import { ibanOf } from '../../fixtures/iban.ts';
import { readTree } from '../../xml/read-tree.ts';
import {
  readSchemaModel,
  type ComplexType,
  type Particle,
  type SchemaModel,
} from '../../xml/schema-model.ts';
import { writeOptions } from '../../xml/schemas.ts';
import { officialFolder } from './fixtures.ts';

/** Numbers from 0 up to, not including, 1: mulberry32, so that a failing seed can be run again. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Random = () => number;

export const pick = <T>(random: Random, values: ArrayLike<T>): T => {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
};

const between = (random: Random, low: number, high: number) => low + Math.floor(random() * (high - low + 1));

/** A loop: `Array.from` takes several times as long, and a run of the tests makes a hundred thousand messages. */
function times<T>(count: number, make: () => T): T[] {
  const made: T[] = [];
  for (let index = 0; index < count; index += 1) made.push(make());
  return made;
}

function repeat(random: Random, alphabet: ArrayLike<string>, length: number): string {
  let text = '';
  for (let index = 0; index < length; index += 1) text += pick(random, alphabet);
  return text;
}

const digits = '0123456789';
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const hex = '0123456789abcdef';
const printable = Array.from({ length: 0x7e - 0x20 }, (_, index) => String.fromCharCode(0x21 + index)).filter(
  (character) => character !== '/',
);
const readable = [...printable, ' ', '/', 'é', 'ß', '泰', '한', 'ไ', '\u200D', '😀', '\u00A0'];
/** What ReadableText takes of all that XML can carry. */
const readablePattern = /^[^\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFFFE\uFFFF]$/u;

/** Any character of a readable text, those of the supplementary planes among them. */
function anyReadable(random: Random): string {
  for (;;) {
    const character = String.fromCodePoint(Math.floor(random() * (random() < 0.5 ? 0x3000 : 0x110000)));
    if (readablePattern.test(character)) return character;
  }
}
const two = (value: number) => String(value).padStart(2, '0');

function identifier(random: Random, maxLength: number): string {
  const length = between(random, 1, maxLength);
  const characters = times(length, () => pick(random, printable));
  for (let index = 1; index < length - 1; index += 1) {
    const afterSeparator = characters[index - 1] === '/' || characters[index - 1] === ' ';
    if (!afterSeparator && random() < 0.1) characters[index] = pick(random, '/ ');
  }
  return characters.join('');
}

function text(random: Random, maxLength: number): string {
  const length = random() < 0.1 ? maxLength : between(random, 1, Math.min(maxLength, 40));
  const unusual = random() < 0.2 ? 0.5 : 0.02;
  const characters = times(length, () => (random() < unusual ? anyReadable(random) : pick(random, readable)));
  if (random() < 0.9 || showsNothing(characters.join(''))) characters[0] = pick(random, printable);
  return characters.join('');
}

function decimal(random: Random, integerDigits: number, decimals: number): string {
  const integer =
    random() < 0.2 ? '0' : pick(random, '123456789') + repeat(random, digits, integerDigits - 1);
  return decimals === 0 ? integer : `${integer}.${repeat(random, digits, decimals)}`;
}

function day(random: Random): string {
  return `${between(random, 1900, 2100)}-${two(between(random, 1, 12))}-${two(between(random, 1, 28))}`;
}

function moment(random: Random): string {
  const fraction = random() < 0.5 ? '' : `.${repeat(random, digits, between(random, 1, 9))}`;
  const zone =
    random() < 0.5
      ? 'Z'
      : `${pick(random, '+-')}${two(between(random, 0, 13))}:${two(between(random, 0, 59))}`;
  const time = `${two(between(random, 0, 23))}:${two(between(random, 0, 59))}:${two(between(random, 0, 59))}`;
  return `${day(random)}T${time}${fraction}${zone}`;
}

function uuid(random: Random, hyphen: string): string {
  const groups = [repeat(random, hex, 8), repeat(random, hex, 4), `4${repeat(random, hex, 3)}`];
  groups.push(pick(random, '89ab') + repeat(random, hex, 3), repeat(random, hex, 12));
  return groups.join(hyphen);
}

const iban = (random: Random) => ibanOf(pick(random, ['DE', 'FR', 'NO', 'MT']), repeat(random, digits, 30));

/** One writer per simple type that is no enumeration; texts and identifiers go by their length. */
const writers: Readonly<Record<string, (random: Random) => string>> = {
  Uuid4: (random) => uuid(random, '-'),
  BareUuid4: (random) => uuid(random, ''),
  Moment: moment,
  Day: day,
  AmountValue: (random) => decimal(random, between(random, 1, 13), between(random, 0, 5)),
  Rate: (random) => decimal(random, between(random, 1, 5), between(random, 0, 5)).replace(/^0(\.0*)?$/, '1'),
  Currency: (random) => repeat(random, upper, 3),
  Country: (random) => repeat(random, upper, 2),
  Bic: (random) => repeat(random, upper, 8) + (random() < 0.5 ? '' : repeat(random, upper + digits, 3)),
  Lei: (random) => repeat(random, upper + digits, 18) + repeat(random, digits, 2),
  Iban: iban,
  Phone: (random) =>
    `+${repeat(random, digits, between(random, 1, 3))}-${repeat(random, `${digits}()+-`, 9)}`,
  FourLetterCode: (random) => repeat(random, upper, 4),
  ReasonCode: (random) => repeat(random, upper + digits, between(random, 1, 4)),
  GivenReasonCode: (random) => text(random, 4),
  ClearingSystemCode: (random) => repeat(random, upper, between(random, 1, 3)),
  MemberSystemCode: (random) => repeat(random, upper, between(random, 1, 5)),
  ReportingCode: (random) => text(random, 10),
  PageNumber: (random) => String(between(random, 1, 99_999)),
  Count: (random) => String(between(random, 0, 100_000)),
  SumValue: (random) => decimal(random, between(random, 1, 13), between(random, 0, 5)),
  Additional: (random) => repeat(random, upper + digits, 4),
  TrueOrFalse: (random) => pick(random, ['true', 'false']),
};

/** White space, line breaks, marks of direction and control characters: ISO 20022 takes any text that XML can carry. */
function anyText(random: Random, maxLength: number): string {
  const length = between(random, 1, random() < 0.1 ? maxLength : Math.min(maxLength, 12));
  const odd = [' ', '\n', '\t', '/', '//', '\u0085', '\u202E', '&', '<', '😀'];
  const characters = times(length, () => (random() < 0.1 ? pick(random, odd) : pick(random, readable)));
  return Array.from(characters.join('')).slice(0, maxLength).join('');
}

const isoMoment = (random: Random) =>
  random() < 0.3 ? moment(random).replace(/(Z|[+-]\d\d:\d\d)$/, '') : moment(random);

/** One writer per simple type of ISO 20022 that is neither a list nor a text of limited length, in several forms each. */
const isoWriters: Readonly<Record<string, (random: Random) => string>> = {
  ISODateTime: isoMoment,
  AnyMoment: isoMoment,
  ISODate: (random) => day(random) + (random() < 0.2 ? '+08:00' : ''),
  ISOYear: (random) => String(between(random, 1900, 2100)),
  AnyDay: day,
  TrueFalseIndicator: (random) => pick(random, ['true', 'false', '1', '0']),
  IdentificationVerificationIndicator: (random) => pick(random, ['true', 'false', '1', '0', ' true ']),
  DecimalNumber: (random) => decimal(random, between(random, 1, 9), between(random, 0, 5)),
  ControlSum: (random) => decimal(random, between(random, 1, 9), between(random, 0, 5)),
  Number: (random) => decimal(random, between(random, 1, 9), 0),
  PercentageRate: (random) => decimal(random, between(random, 1, 2), between(random, 0, 5)),
  Max10KBinary: (random) => Buffer.from(text(random, 20)).toString('base64'),
  Max15NumericText: (random) => repeat(random, digits, between(random, 1, 15)),
  Digits15: (random) => repeat(random, digits, between(random, 1, 15)),
  Exact2NumericText: (random) => repeat(random, digits, 2),
  Exact4AlphaNumericText: (random) => repeat(random, upper + digits, 4),
  LettersOrDigits4: (random) => repeat(random, upper + digits, 4),
  SHA256SignatureText: (random) => repeat(random, '0123456789ABCDEF', 64),
  Hash256: (random) => repeat(random, '0123456789ABCDEF', 64),
  UUIDv4Identifier: (random) => uuid(random, '-'),
  CountryCode: (random) => repeat(random, upper, 2),
  ActiveOrHistoricCurrencyCode: (random) => repeat(random, upper, 3),
  LEIIdentifier: (random) => repeat(random, upper + digits, 18) + repeat(random, digits, 2),
  BICFIDec2014Identifier: (random) => repeat(random, upper, 8),
  AnyBICDec2014Identifier: (random) => repeat(random, upper, 8) + repeat(random, upper, 3),
  IBAN2007Identifier: iban,
  AnyIban: iban,
  PhoneNumber: (random) => `+${repeat(random, digits, 2)}-${repeat(random, digits, 9)}`,
};

export function loadModel(message: MessageName): SchemaModel {
  return modelOf(new URL(`../../schemas/${messages[message].schemaFile}`, import.meta.url));
}

function modelOf(path: string | URL): SchemaModel {
  const text = readFileSync(path, 'utf8').replaceAll(/<!--[^]*?-->/g, ''); // the tree knows no comments
  const document = XmlDocument.fromString(text);
  const model = readSchemaModel(readTree(document.toString(writeOptions)).root);
  document.dispose();
  return model;
}

/** The schema of what parties answer us. */
export function intakeModel(message: MessageName): SchemaModel {
  return modelOf(new URL(`../../schemas/intake/${messages[message].schemaFile}`, import.meta.url));
}

/** The official schema, as far as our model can hold one. */
export function officialModel(message: MessageName): SchemaModel {
  return modelOf(join(officialFolder, messages[message].schemaFile));
}

/** The type of every element of the official schema, by the names from the message element on, as deep as ours go. */
export function officialTypes(message: MessageName): ReadonlyMap<string, string> {
  const official = officialModel(message);
  const types = new Map<string, string>();
  const visit = (own: SchemaModel, ownType: string, officialType: string, at: readonly string[]) => {
    const particles = own.complexTypes.get(ownType)?.options.flat() ?? [];
    const others = official.complexTypes.get(officialType)?.options.flat() ?? [];
    for (const { name, type } of particles) {
      const other = others.find((one) => one.name === name);
      if (other === undefined) throw new Error(`${at.join('/')}/${name} is not in the official schema`);
      types.set([...at, name].join('/'), other.type);
      visit(own, type, other.type, [...at, name]);
    }
  };
  visit(loadModel(message), 'Document', 'Document', []);
  return types;
}

function simpleValue(model: SchemaModel, name: string, random: Random): string {
  const facets = model.simpleTypes.get(name)?.facets ?? [];
  const options = facets.filter((facet) => facet.name === 'enumeration').map((facet) => facet.value);
  if (options.length > 0) return pick(random, options);
  const sized = /^(Text|Identifier)(\d+)$/.exec(name);
  if (sized?.[1] === 'Text') return text(random, Number(sized[2]));
  if (sized?.[1] === 'Identifier') return identifier(random, Number(sized[2]));
  const writer = isoWriters[name] ?? writers[name];
  const maxLength = facets.find((facet) => facet.name === 'maxLength')?.value;
  if (writer === undefined && maxLength !== undefined) return anyText(random, Number(maxLength));
  if (writer === undefined) throw new Error(`no writer for the simple type ${name}`);
  return writer(random);
}

const optionalShare = 0.35; // of optional elements that are written
const maxRepeats = 3;

function count(particle: Particle, random: Random): number {
  if (particle.min === 0 && random() > optionalShare) return 0;
  return between(
    random,
    Math.max(particle.min, 1),
    Math.min(particle.max, Math.max(particle.min, maxRepeats)),
  );
}

function children(
  model: SchemaModel,
  type: ComplexType,
  random: Random,
  path: readonly string[],
): readonly XmlElement[] {
  if (type.kind === 'open') return [anything(random)];
  const option = pick(random, type.options);
  return option.flatMap((particle) =>
    times(count(particle, random), () => element(model, particle, random, path)),
  );
}

/** What an element may hold that nobody reads: another namespace, its attributes, text between elements. */
function anything(random: Random): XmlElement {
  const inner = leaf('x:TxSts', text(random, 20), { 'x:note': 'RJCT' });
  return { name: 'x:Anything', attributes: { 'xmlns:x': 'urn:anything' }, children: [inner], text: '' };
}

const codeLists = Object.fromEntries(
  Object.entries(codeSets().codes).map(([name, codes]) => [name, [...codes]]),
) as Readonly<Record<string, readonly string[]>> as Readonly<Record<CodeSetName, readonly string[]>>;

/** A code of the set that the element is held against (MSG-4); undefined where there is none. */
function knownCode(path: readonly string[], random: Random): string | undefined {
  if (path.at(-1) !== 'Cd') return undefined;
  const coding = codingOf(path);
  return coding === undefined || !('set' in coding) ? undefined : pick(random, codeLists[coding.set]);
}

function element(
  model: SchemaModel,
  { name, type: typeName }: Pick<Particle, 'name' | 'type'>,
  random: Random,
  outer: readonly string[],
): XmlElement {
  const path = [...outer, name];
  const type = model.complexTypes.get(typeName);
  if (type === undefined) return leaf(name, knownCode(path, random) ?? simpleValue(model, typeName, random));
  if (type.kind === 'amount') {
    const currency = simpleValue(model, 'Currency', random);
    return leaf(name, simpleValue(model, 'AmountValue', random), { Ccy: currency });
  }
  return { name, attributes: {}, children: children(model, type, random, path), text: '' };
}

/** A random tree of a model. */
export const generateTree = (model: SchemaModel, random: Random): XmlElement =>
  element(model, { name: 'Document', type: 'Document' }, random, []);

/** A random message that the project's schema of that model takes, with codes of their sets (MSG-4), as text. */
export function generate(message: MessageName, model: SchemaModel, random: Random): string {
  return renderDocument(
    messages[message].namespace,
    element(model, { name: 'Document', type: 'Document' }, random, []),
  );
}
