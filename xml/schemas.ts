/**
 * Finds and compiles the schemas, each once per process at its first use. The schemas of a scheme may replace
 * the built-in ones (`guideline.ts`). If the official schemas are configured, they validate first.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ParseOption, XmlDocument, XmlValidateError, XsdValidator } from 'libxml2-wasm';
import type { Forwarding } from '../core/iso20022/build-pacs008.ts';
import { messages, type MessageName, type MessageType } from '../core/iso20022/messages.ts';
import { renderDocument, type XmlElement } from '../core/iso20022/tree.ts';
import type { SchemaKind } from './engine.ts';
import { readTree } from './read-tree.ts';
import { readSchemaModel, type SchemaModel } from './schema-model.ts';

export interface SchemaOptions {
  /** Directory with a scheme's own schemas. Each replaces the built-in schema with the same file name. */
  readonly guideline?: { readonly directory: string; readonly forwarding: Forwarding } | undefined;
  /**
   * Directory with the official schemas, which validate first. It has one file per message, with the ISO name
   * of the message.
   */
  readonly officialSchemaDirectory?: string | undefined;
}

export interface SchemaFile {
  readonly path: string;
  readonly validator: XsdValidator;
  /** Whether the schema accepts a message that Isthmus built. */
  readonly accepts: (type: MessageType, document: XmlElement) => boolean;
}

export interface MessageSchema {
  /** In the order of validation: first the official schema, if configured, then the scheme's schema. */
  readonly files: readonly SchemaFile[];
  /** The scheme's schema as data. */
  readonly model: SchemaModel;
}

export const projectSchemas = fileURLToPath(new URL('../schemas/', import.meta.url));

/** For messages and schemas: no network access, no expansion of entities, no loading of external files. */
export const parseOptions: ParseOption = ParseOption.XML_PARSE_NONET | ParseOption.XML_PARSE_NO_XXE;

/** @throws if the file is not a valid schema */
export function schemaAt(path: string): SchemaFile {
  using document = XmlDocument.fromBuffer(readFileSync(path), { option: parseOptions });
  const validator = XsdValidator.fromDoc(document);
  return {
    path,
    validator,
    accepts: ({ namespace }, root) => {
      using message = XmlDocument.fromBuffer(Buffer.from(renderDocument(namespace, root)), {
        option: parseOptions,
      });
      try {
        validator.validate(message);
        return true;
      } catch (error) {
        if (error instanceof XmlValidateError) return false;
        throw error;
      }
    },
  };
}

/**
 * The tree of a schema or of a message from Isthmus. Comments are removed, because the tree cannot represent
 * them.
 */
export function treeOf(text: string): XmlElement {
  using document = XmlDocument.fromString(text.replaceAll(/<!--[^]*?-->/g, ''), { option: parseOptions });
  return readTree(document.toString(writeOptions)).root;
}

export const modelAt = (path: string): SchemaModel => readSchemaModel(treeOf(readFileSync(path, 'utf8')));

/** The options by which libxml2 serialises a document for `readTree`. */
export const writeOptions = { format: false, noDeclaration: true, noEmptyTags: true } as const;

function load(
  type: MessageType,
  kind: SchemaKind,
  { officialSchemaDirectory, guideline }: SchemaOptions,
): MessageSchema {
  if (kind === 'intake') {
    // Only this schema: it covers all of ISO 20022, and no setting may make a final status invalid.
    const path = join(projectSchemas, 'intake', type.schemaFile);
    return { files: [schemaAt(path)], model: modelAt(path) };
  }
  const replaced = guideline && join(guideline.directory, type.schemaFile);
  const own =
    replaced !== undefined && existsSync(replaced) ? replaced : join(projectSchemas, type.schemaFile);
  const paths =
    officialSchemaDirectory === undefined ? [own] : [join(officialSchemaDirectory, type.schemaFile), own];
  return { files: paths.map(schemaAt), model: modelAt(own) };
}

/** Compiles each schema on first use, and caches it. */
export function openSchemas(options: SchemaOptions): (name: MessageName, kind: SchemaKind) => MessageSchema {
  const loaded = new Map<string, MessageSchema>();
  return (name, kind) => {
    const key = `${kind} ${name}`;
    const found = loaded.get(key);
    if (found !== undefined) return found;
    const schema = load(messages[name], kind, options);
    loaded.set(key, schema);
    return schema;
  };
}
