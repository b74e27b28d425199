/**
 * What the gateway wants of an XML engine: bytes in; a tree, its namespace and the schema's verdict out.
 * Everything that reads or validates a message goes through this interface; it knows nothing of payments.
 */
import type { MessageName, MessageType } from '../core/iso20022/messages.ts';
import type { XmlElement } from '../core/iso20022/tree.ts';
import type { Violation } from '../core/iso20022/violation.ts';
import type { Result } from '../core/result.ts';

/** Why bytes are no message at all (MSG-2): answered with HTTP 4xx, nothing is started. */
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
  /** The rule that says so, where it is another than MSG-2. */
  readonly ruleId?: string;
  /** All that could be known, for whoever sent it: ASCII, and nothing of its text. */
  readonly detail: string;
}

/** A well-formed message of a known namespace. Whoever parsed it disposes of it. */
export interface ParsedMessage {
  readonly type: MessageType;
  /** The `Document` element, read from the document that `validate` judges (MSG-8). */
  readonly document: XmlElement;
  /** What the schema refuses, at most 20, in document order; empty when the message is valid. */
  validate(): Promise<readonly Violation[]>;
  dispose(): void;
}

export interface XmlEngine {
  readonly name: XmlEngineName;
  /**
   * Checks the bytes as MSG-2 demands, parses them and reads the root namespace.
   * @param expected the messages that the caller takes; any other namespace is refused, naming the expected one
   */
  parse(bytes: Uint8Array, expected: readonly MessageName[]): Result<ParsedMessage, IntakeFault>;
}

export type XmlEngineName = 'libxml2' | 'xerces';
