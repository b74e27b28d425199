/**
 * Loads a scheme's usage guideline in place of the built-in one. A guideline is a directory with schemas,
 * examples and a `guideline.json` with rules for additional elements. The code after validation relies on the
 * guarantees of the built-in schemas. So this module compares both, and refuses the guideline with a list of
 * all its faults.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigurationError } from '../core/settings/environment-variables.ts';
import { ownForwarding, type ElementRule, type Forwarding } from '../core/iso20022/build-pacs008.ts';
import { messages, type MessageName, type MessageType } from '../core/iso20022/messages.ts';
import { contradicting, mustHave, ofOneLeg, readElements } from './read-elements.ts';
import { elementsNamed, type XmlElement } from '../core/iso20022/tree.ts';
import { tryForwarding } from './guideline-forwarding.ts';
import { findLooser } from './guideline-strictness.ts';
import { modelAt, projectSchemas, schemaAt, treeOf, type SchemaFile } from './schemas.ts';
import { pathsOfModel, readSchemaModel } from './schema-model.ts';

export interface GuidelinePlace {
  readonly directory: string;
}

export interface Guideline {
  readonly directory: string;
  readonly forwarding: Forwarding;
}

/** Messages that come from outside. The schemas of the messages that Isthmus creates cannot be replaced. */
const replaceable: readonly MessageName[] = ['pacs008', 'pacs002', 'acmt023', 'acmt024'];
const settingsFile = 'guideline.json';

/** @throws ConfigurationError that lists every fault: its file, its element, and the correction */
export function openGuideline(place: GuidelinePlace): Guideline {
  const faults: string[] = [];
  const rules = readRules(place, faults);
  const names = findSchemas(place, faults);
  const forwarding = names.includes('pacs008')
    ? forwardingOf(join(place.directory, messages.pacs008.schemaFile), rules, faults)
    : ownForwarding;
  if (faults.length === 0) for (const name of names) faults.push(...tryMessage(place, name, forwarding));
  if (faults.length > 0) throw refusal(place, faults);
  return { directory: place.directory, forwarding };
}

function refusal({ directory }: GuidelinePlace, faults: readonly string[]): ConfigurationError {
  const shown = faults.map((one) => `\n  - ${one}`).join('');
  return new ConfigurationError(`The usage guideline in ${directory} cannot be used:${shown}`);
}

type Rules = Readonly<Record<string, ElementRule>>;
const elementRules = ['pass', 'leave-out', 'leg'] as const satisfies readonly ElementRule[];
const settingsSchema = z.strictObject({ elements: z.record(z.string(), z.enum(elementRules)).default({}) });

function readRules({ directory }: GuidelinePlace, faults: string[]): Rules {
  try {
    const read = settingsSchema.safeParse(JSON.parse(readText(join(directory, settingsFile))));
    // A null prototype, so that no inherited name counts as an element.
    if (read.success) return Object.assign(Object.create(null), read.data.elements) as Rules;
    faults.push(
      ...read.error.issues.map(({ path, message }) => `${settingsFile}: ${path.join('/')} ${message}`),
    );
  } catch (error) {
    faults.push(`${settingsFile}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return {};
}

function findSchemas({ directory }: GuidelinePlace, faults: string[]): readonly MessageName[] {
  const files = existsSync(directory) ? readdirSync(directory).filter((file) => file.endsWith('.xsd')) : [];
  const names: MessageName[] = [];
  for (const file of files) {
    const name = replaceable.find((one) => messages[one].schemaFile === file);
    if (name !== undefined) names.push(name);
    else {
      const expected = replaceable.map((one) => messages[one].schemaFile).join(', ');
      faults.push(`${file}: only ${expected} can be replaced`);
    }
  }
  if (files.length === 0) faults.push(`there is no schema, such as ${messages.pacs008.schemaFile}`);
  return names;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a file as text, without its byte order mark. @throws if the file is not UTF-8 */
function readText(path: string): string {
  const bytes = readFileSync(path);
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Error('it is not UTF-8: save it in that encoding');
  }
}

/** Parses a file of the scheme. @throws ConfigurationError that names the file if it is not XML */
function treeAt(path: string): XmlElement {
  try {
    return treeOf(readText(path));
  } catch (error) {
    throw new ConfigurationError(
      `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** The order of the guideline's elements, and a rule for each element that the built-in schema lacks. */
function forwardingOf(path: string, rules: Rules, faults: string[]): Forwarding {
  const all = pathsOfModel(readSchemaModel(treeAt(path))).filter((one) => one.split('/').length === 2);
  const below = (parent: string) =>
    all.filter((one) => one.startsWith(`${parent}/`)).map((one) => one.slice(parent.length + 1));
  const forwarding = { headerOrder: below('GrpHdr'), transactionOrder: below('CdtTrfTxInf'), rules };
  for (const [element, why] of Object.entries(contradicting))
    if (all.includes(element)) faults.push(`${element}: it cannot be used: ${why}`);
  for (const name of forwarding.headerOrder) {
    if (ownForwarding.headerOrder.includes(name) || rules[`GrpHdr/${name}`] !== undefined) continue;
    if (contradicting[`GrpHdr/${name}`] === undefined)
      faults.push(`${settingsFile}: say what becomes of GrpHdr/${name}: ${elementRules.join(', ')}`);
  }
  for (const [element, rule] of Object.entries(rules)) {
    const [parent = '', name = ''] = element.split('/');
    const isOwn = (parent === 'GrpHdr' ? ownForwarding.headerOrder : ownForwarding.transactionOrder).includes(
      name,
    );
    const isAgentOfHeader = parent === 'GrpHdr' && (name === 'InstgAgt' || name === 'InstdAgt');
    if (!all.includes(element)) faults.push(`${settingsFile}: the schema has no ${element}`);
    else if (isOwn)
      faults.push(`${settingsFile}: what becomes of ${element} is a rule of Isthmus (MSG-9, MSG-10)`);
    else if (rule === 'leg' && !isAgentOfHeader)
      faults.push(`${settingsFile}: ${element} cannot be leg; only GrpHdr/InstgAgt and GrpHdr/InstdAgt can`);
    else if (rule === 'pass' && isAgentOfHeader)
      faults.push(`${settingsFile}: ${element} names the agents of one leg: leg or leave-out`);
  }
  for (const element of ofOneLeg)
    if (all.includes(element) && rules[element] !== 'leave-out')
      faults.push(`${settingsFile}: ${element} would not be true of the other leg: leave-out`);
  return forwarding;
}

function readExamples(
  folder: string,
  isOfMessage: (file: string) => boolean,
): readonly (readonly [string, XmlElement])[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith('.xml') && isOfMessage(file));
  return files.map((file) => [file, treeAt(join(folder, file))] as const);
}

/** Finds amounts without the built-in digit limits or without a currency. Later code relies on both. */
function looseAmounts(schema: XmlElement): readonly string[] {
  return elementsNamed('extension', schema).flatMap((chain) => {
    const [amount] = chain.slice(-1);
    const currency = amount?.children.find(({ attributes }) => attributes['name'] === 'Ccy')?.attributes;
    const isOurs =
      amount?.attributes['base'] === 'AmountValue' &&
      currency?.['type'] === 'Currency' &&
      currency['use'] === 'required';
    return isOurs
      ? []
      : ['an amount must extend AmountValue, with a required attribute Ccy of type Currency'];
  });
}

/** @returns one sentence per fault */
function tryMessage(
  { directory }: GuidelinePlace,
  name: MessageName,
  forwarding: Forwarding,
): readonly string[] {
  const type: MessageType = messages[name];
  const path = join(directory, type.schemaFile);
  let tried: SchemaFile;
  try {
    tried = schemaAt(path);
  } catch (error) {
    return [`${type.schemaFile}: it is no schema: ${error instanceof Error ? error.message : String(error)}`];
  }
  const isValid = (document: XmlElement) => tried.accepts(type, document);
  const examples = readExamples(join(directory, 'examples'), (file) => file.startsWith(type.identifier));
  const faults = examples
    .filter(([, document]) => !isValid(document))
    .map(([file]) => `examples/${file}: it is not valid`);
  const model = modelAt(path);
  const read = readElements[name];
  const isRead = (one: string) =>
    read === 'all' || read.some((other) => other === one || other.startsWith(`${one}/`));
  const looser = findLooser({ own: modelAt(join(projectSchemas, type.schemaFile)), tried: model, isRead });
  faults.push(...looser.map((fault) => `${type.schemaFile}: ${fault}`));
  if (name !== 'pacs008') return faults;
  faults.push(...looseAmounts(treeAt(path)).map((fault) => `${type.schemaFile}: ${fault}`));
  const paths = new Set(pathsOfModel(model));
  for (const one of mustHave)
    if (!paths.has(one) && forwarding.rules[one.replace('CdtTrfTxInf', 'GrpHdr')] !== 'leg')
      faults.push(`${type.schemaFile}: ${one} is needed, and the schema has no such element`);
  if (faults.length > 0) return faults;
  if (examples.length === 0) faults.push(`examples: there is no ${type.identifier}*.xml`);
  const documents = examples.map(([, document]) => document);
  return [...faults, ...tryForwarding(isValid, documents, forwarding)];
}
