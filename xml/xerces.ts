/**
 * The second engine: Xerces, through `xsd-schema-validator`, one JVM per message. It validates the same bytes that
 * libxml2 parsed into the tree: an independent judge, but far slower; meant for tests, and for operators who choose it.
 */
import type * as xsdSchemaValidator from 'xsd-schema-validator';
import { assert } from '../core/assert.ts';
import { ownForwarding } from '../core/iso20022/build-pacs008.ts';
import { messageOfNamespace } from '../core/iso20022/messages.ts';
import { mapValue } from '../core/result.ts';
import { bendingAttributes, bendsSchema, violationsOf } from './diagnose.ts';
import type { ParsedMessage, XmlEngine } from './engine.ts';
import { openDocument, type OpenDocument } from './libxml2.ts';
import { openSchemas, type MessageSchema, type SchemaOptions } from './schemas.ts';

type ValidateXml = typeof xsdSchemaValidator.validateXML;

/** The package's rejection if a document is invalid, or Java is missing. */
interface Refusal {
  readonly messages?: readonly string[];
}

async function loadValidator(): Promise<ValidateXml> {
  try {
    const { default: validator } = await import('xsd-schema-validator');
    return validator.validateXML;
  } catch (error) {
    throw new Error('XSD_ENGINE=xerces needs the optional package xsd-schema-validator and a Java runtime', {
      cause: error,
    });
  }
}

/** The schemas' complaint about the bytes, in Xerces' words; undefined if they are valid. */
async function complaintOf(
  validateXml: ValidateXml,
  bytes: Uint8Array,
  schema: MessageSchema,
): Promise<string | undefined> {
  const body = Buffer.from(bytes);
  for (const { path } of schema.files) {
    try {
      await validateXml(body, path);
    } catch (error) {
      const { messages } = error as Refusal;
      if (messages === undefined) throw error;
      return messages[0] ?? 'not valid';
    }
  }
  return undefined;
}

export async function createXercesEngine(options: SchemaOptions = {}): Promise<XmlEngine> {
  const validateXml = await loadValidator();
  const schemaOf = openSchemas(options);

  function open(document: OpenDocument, bytes: Uint8Array): ParsedMessage {
    const type = messageOfNamespace(document.namespace);
    assert(type !== undefined, 'only messages of a known namespace are opened');
    return {
      type,
      document: document.root,
      validate: async (kind = 'guideline') => {
        const schema = schemaOf(type.name, kind);
        const complaint =
          bendingAttributes(document, schema.model).size > 0
            ? bendsSchema
            : await complaintOf(validateXml, bytes, schema);
        return violationsOf(document, schema.model, complaint);
      },
      dispose: () => document.handle.dispose(),
    };
  }

  return {
    name: 'xerces',
    forwarding: options.guideline?.forwarding ?? ownForwarding,
    parse: (bytes, expected) => mapValue(openDocument(bytes, expected), (document) => open(document, bytes)),
  };
}
