// Messages that tests read, and the official schemas as a judge where they lie beside the project.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { XmlDocument, XmlValidateError, XsdValidator } from 'libxml2-wasm';
import { messages, type MessageName } from '../../core/iso20022/messages.ts';
import type { XmlElement } from '../../core/iso20022/tree.ts';
import { createLibxml2Engine } from '../../xml/libxml2.ts';
import { readTree } from '../../xml/read-tree.ts';
import { writeOptions } from '../../xml/schemas.ts';

const folder = fileURLToPath(new URL('../fixtures/', import.meta.url));
export const officialFolder = fileURLToPath(new URL('../../../shared/iso20022/xsd/', import.meta.url));

export interface Fixture {
  readonly message: MessageName;
  /** For titles, e.g. `pacs008/sg-th-lotus.xml`. */
  readonly name: string;
  readonly bytes: Buffer;
}

export function readFixture(message: MessageName, file: string): Buffer {
  return readFileSync(join(folder, message, file));
}

/** Every valid message under `test/fixtures`. */
export function allFixtures(): readonly Fixture[] {
  return Object.values(messages)
    .filter(({ name }) => existsSync(join(folder, name)))
    .flatMap(({ name }) =>
      readdirSync(join(folder, name)).map((file) => ({
        message: name,
        name: `${name}/${file}`,
        bytes: readFixture(name, file),
      })),
    );
}

/** The base of most cases: a payment SG to TH with a quote. */
export const lotus = readFixture('pacs008', 'sg-th-lotus.xml').toString();

/** Whether the official schemas are there; tests that need them say in their title when they are not. */
export const officialPresent = existsSync(officialFolder);
export const officialNote = officialPresent ? '' : ' (skipped: no official schemas beside the project)';

const guidelineFolder = fileURLToPath(new URL('../../schemas/', import.meta.url));
const validators = new Map<string, XsdValidator>();

function validatorOf(path: string): XsdValidator {
  const known = validators.get(path);
  if (known !== undefined) return known;
  const schema = XmlDocument.fromBuffer(readFileSync(path));
  const validator = XsdValidator.fromDoc(schema);
  schema.dispose();
  validators.set(path, validator);
  return validator;
}

/** What the official schema says against a message: empty when it is valid. */
export const officialFaults = (message: MessageName, text: string | Uint8Array) =>
  faultsOf(join(officialFolder, messages[message].schemaFile), text);

/** The same of ours, also against a message that is longer than any that the engine takes in. */
export const guidelineFaults = (message: MessageName, text: string) =>
  faultsOf(join(guidelineFolder, messages[message].schemaFile), text);

/** The elements of such a message. */
export function treeOf(text: string): XmlElement {
  using document = XmlDocument.fromBuffer(Buffer.from(text));
  return readTree(document.toString(writeOptions)).root;
}

function faultsOf(schemaPath: string, text: string | Uint8Array): readonly string[] {
  const document = XmlDocument.fromBuffer(Buffer.from(text));
  try {
    validatorOf(schemaPath).validate(document);
    return [];
  } catch (error) {
    if (!(error instanceof XmlValidateError)) throw error;
    return error.details.map((detail) => detail.message);
  } finally {
    document.dispose();
  }
}

export const libxml2 = createLibxml2Engine();

/** The tree of a message that must be valid by our schema and, where it is present, by the official one. */
export async function validTree(message: MessageName, text: string | Uint8Array): Promise<XmlElement> {
  const parsed = libxml2.parse(Buffer.from(text), [message]);
  if (!parsed.ok) throw new Error(parsed.refusal.detail);
  const document = parsed.value.document();
  const violations = await parsed.value.validate();
  parsed.value.dispose();
  const faults = officialPresent ? officialFaults(message, text) : [];
  if (violations.length + faults.length > 0)
    throw new Error(JSON.stringify({ violations, faults }, undefined, 2));
  return document;
}
