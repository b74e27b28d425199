/**
 * The interface of an XML engine. An engine takes bytes, and returns a tree, its namespace and the verdict of
 * the schema. All code that reads or validates a message uses this interface.
 */
import type { Forwarding } from '../core/iso20022/build-pacs008.ts';
import type { MessageName, MessageType } from '../core/iso20022/messages.ts';
import type { XmlElement } from '../core/iso20022/tree.ts';
import type { Violation } from '../core/iso20022/violation.ts';
import type { Result } from '../core/result.ts';

/** Why bytes are not a message at all. The api responds with HTTP 4xx and starts no workflow. */
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
  /** The id of the broken rule, if it is not MSG-2. */
  readonly ruleId?: string;
  /** All faults found, in words for the sender: ASCII, without any text from the message. */
  readonly detail: string;
}

/**
 * `guideline` allows only the elements that the scheme uses (MSG-8). `intake` allows all of ISO 20022, for
 * answers from a party; only pacs.002 and acmt.024 have such a schema.
 */
export type SchemaKind = 'guideline' | 'intake';

/** A well-formed message of a known namespace. The caller of `parse` must dispose of it. */
export interface ParsedMessage {
  readonly type: MessageType;
  /**
   * The `Document` element of the document that `validate` judges. It is made at the first call, which must be before
   * `dispose`. It stays usable afterwards. A getter would let V8 keep each message until a full garbage collection.
   */
  readonly document: () => XmlElement;
  /**
   * Validates the message. Returns at most 20 violations, in document order; empty if it is valid.
   * @param schema default: `guideline`
   */
  validate(schema?: SchemaKind): Promise<readonly Violation[]>;
  dispose(): void;
}

export interface XmlEngine {
  readonly name: XmlEngineName;
  /** How pacs.008 messages are forwarded under the usage guideline of the engine. */
  readonly forwarding: Forwarding;
  /**
   * Checks the bytes, parses them and reads the root namespace.
   * @param expected the messages that the caller accepts; a refusal of another namespace names the expected
   * one
   */
  parse(bytes: Uint8Array, expected: readonly MessageName[]): Result<ParsedMessage, IntakeFault>;
}

export type XmlEngineName = 'libxml2' | 'xerces';
