/**
 * The second engine: Xerces, through `xsd-schema-validator`, with one JVM per message. It validates the bytes
 * as they were received. So it is an independent judge, but far slower. Tests, sampled checks
 * (second-opinion.ts) and operators who configure it use this engine.
 */
import { join } from 'node:path';
import type * as xsdSchemaValidator from 'xsd-schema-validator';
import { assert } from '../core/assert.ts';
import { ownForwarding } from '../core/iso20022/build-pacs008.ts';
import { messageOfNamespace, messages } from '../core/iso20022/messages.ts';
import { mapValue } from '../core/result.ts';
import { bendsSchema, violationsOf } from './diagnose.ts';
import type { ParsedMessage, XmlEngine } from './engine.ts';
import { isBent, openDocument, type OpenDocument } from './libxml2.ts';
import { openSchemas, projectSchemas, type MessageSchema, type SchemaOptions } from './schemas.ts';

type ValidateXml = typeof xsdSchemaValidator.validateXML;

/** The error of the package if a document is invalid or Java is missing. */
interface Refusal {
  readonly messages?: readonly string[];
}

async function loadValidator(): Promise<ValidateXml> {
  try {
    const { default: validator } = await import('xsd-schema-validator');
    return validator.validateXML;
  } catch (error) {
    throw new Error('Xerces needs the optional package xsd-schema-validator and a Java runtime', {
      cause: error,
    });
  }
}

// Lines written by the package's Java class. The JVM may write other lines.
const verdict = /^\[(error|warning|fatal)\]/;

/**
 * The complaint of Xerces about the bytes; undefined if they are valid.
 * @throws if the JVM ends without a verdict, because a crash proves nothing about the message
 */
async function complaintBy(
  validateXml: ValidateXml,
  body: Buffer,
  path: string,
): Promise<string | undefined> {
  try {
    await validateXml(body, path);
    return undefined;
  } catch (error) {
    const { messages: lines } = error as Refusal;
    if (lines === undefined) throw error;
    const complaint = lines.find((message) => verdict.test(message));
    if (complaint !== undefined) return complaint;
    throw new Error('Xerces gave no verdict: the JVM ended without one', { cause: error });
  }
}

/** The first complaint of Xerces about the bytes; undefined if they are valid by all schemas. */
async function complaintOf(
  validateXml: ValidateXml,
  bytes: Uint8Array,
  schema: MessageSchema,
): Promise<string | undefined> {
  const body = Buffer.from(bytes);
  for (const { path } of schema.files) {
    const complaint = await complaintBy(validateXml, body, path);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

/** Why Xerces does not work on this machine, as a sentence; undefined if a trial run succeeds. */
export async function xercesFault(): Promise<string | undefined> {
  try {
    const validateXml = await loadValidator();
    await complaintBy(
      validateXml,
      Buffer.from('<none/>'),
      join(projectSchemas, `${messages.pacs002.identifier}.xsd`),
    );
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export async function createXercesEngine(options: SchemaOptions = {}): Promise<XmlEngine> {
  const validateXml = await loadValidator();
  const schemaOf = openSchemas(options);

  function open(document: OpenDocument, bytes: Uint8Array): ParsedMessage {
    const type = messageOfNamespace(document.namespace);
    assert(type !== undefined, 'only messages of a known namespace are opened');
    return {
      type,
      document: () => document.reading().root,
      validate: async (kind = 'guideline') => {
        const schema = schemaOf(type.name, kind);
        const complaint = isBent(document, schema)
          ? bendsSchema
          : await complaintOf(validateXml, bytes, schema);
        return violationsOf(document.reading, schema.model, complaint);
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
