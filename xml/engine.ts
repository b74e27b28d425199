/**
 * The interface of an XML engine: bytes in; a tree, its namespace and the schema's verdict out. Everything that reads
 * or validates a message goes through it.
 */
import type { Forwarding } from '../core/iso20022/build-pacs008.ts';
import type { MessageName, MessageType } from '../core/iso20022/messages.ts';
import type { XmlElement } from '../core/iso20022/tree.ts';
import type { Violation } from '../core/iso20022/violation.ts';
import type { Result } from '../core/result.ts';

/** Why bytes are not a message at all: answered with HTTP 4xx, and nothing is started. */
export interface IntakeFault {
  readonly code:
    | 'not-utf8'
    | 'too-much'
    | 'encoding-declared'
    | 'xml-version'
    | 'doctype'
    | 'comment'
    | 'cdata'
    | 'processing-instruction'
    | 'not-well-formed'
    | 'namespace'
    | 'wrapped';
  /** The rule, if other than MSG-2. */
  readonly ruleId?: string;
  /** Everything that could be found, for the sender: ASCII, without any text of the message. */
  readonly detail: string;
}

/**
 * `guideline`: what the scheme uses (MSG-8). `intake`: what counts when a party answers us, every element of ISO 20022;
 * only for pacs.002 and acmt.024.
 */
export type SchemaKind = 'guideline' | 'intake';

/** A well-formed message of a known namespace. The caller of `parse` disposes of it. */
export interface ParsedMessage {
  readonly type: MessageType;
  /** The `Document` element, read from the document that `validate` judges. */
  readonly document: XmlElement;
  /**
   * What the schema refuses, at most 20, in document order; empty if the message is valid.
   * @param schema the usage guideline, unless it says otherwise
   */
  validate(schema?: SchemaKind): Promise<readonly Violation[]>;
  dispose(): void;
}

export interface XmlEngine {
  readonly name: XmlEngineName;
  /** How its usage guideline has a pacs.008 forwarded. */
  readonly forwarding: Forwarding;
  /**
   * Checks the bytes, parses them and reads the root namespace.
   * @param expected the messages that the caller accepts; any other namespace is refused, naming the expected one
   */
  parse(bytes: Uint8Array, expected: readonly MessageName[]): Result<ParsedMessage, IntakeFault>;
}

export type XmlEngineName = 'libxml2' | 'xerces';
