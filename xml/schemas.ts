/**
 * Finds and compiles the schemas, each once per process and on first use; a message is validated by the compiled one.
 * Tests may set a directory with the official schemas, which then come first.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ParseOption, XmlDocument, XsdValidator } from 'libxml2-wasm';
import { messages, type MessageName, type MessageType } from '../core/iso20022/messages.ts';
import { readTree } from './read-tree.ts';
import { readSchemaModel, type SchemaModel } from './schema-model.ts';

export interface SchemaOptions {
  /** The official schemas, as a first gate; one file per message, named as published. */
  readonly officialSchemaDirectory?: string;
}

interface SchemaFile {
  readonly path: string;
  readonly validator: XsdValidator;
}

export interface MessageSchema {
  /** In the order of validation: the official one, if any, then the project's. */
  readonly files: readonly SchemaFile[];
  /** The project's schema as data. */
  readonly model: SchemaModel;
}

const projectSchemas = fileURLToPath(new URL('../schemas/', import.meta.url));

/** Nothing is fetched, expanded or loaded, neither for messages nor for schemas. */
export const parseOptions: ParseOption = ParseOption.XML_PARSE_NONET | ParseOption.XML_PARSE_NO_XXE;

function compile(path: string): SchemaFile {
  using document = XmlDocument.fromBuffer(readFileSync(path), { option: parseOptions });
  return { path, validator: XsdValidator.fromDoc(document) };
}

function loadModel(path: string): SchemaModel {
  using document = XmlDocument.fromBuffer(readFileSync(path), { option: parseOptions });
  return readSchemaModel(readTree(document.toString(writeOptions)).root);
}

/** How libxml2 serialises a document for `readTree`. */
export const writeOptions = { format: false, noDeclaration: true, noEmptyTags: true } as const;

function load(type: MessageType, { officialSchemaDirectory }: SchemaOptions): MessageSchema {
  const own = join(projectSchemas, type.schemaFile);
  const paths =
    officialSchemaDirectory === undefined ? [own] : [join(officialSchemaDirectory, type.schemaFile), own];
  return { files: paths.map(compile), model: loadModel(own) };
}

/** Compiles on first use, and caches. */
export function openSchemas(options: SchemaOptions): (name: MessageName) => MessageSchema {
  const loaded = new Map<MessageName, MessageSchema>();
  return (name) => {
    const found = loaded.get(name);
    if (found !== undefined) return found;
    const schema = load(messages[name], options);
    loaded.set(name, schema);
    return schema;
  };
}
