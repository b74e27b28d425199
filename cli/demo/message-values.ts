// Reads the messages in the journals, for the timeline. It does not validate them, because the gateway, the
// parties and the tests do.
import { readFxtr017 } from '../../core/iso20022/fxtr017.ts';
import type { MessageName } from '../../core/iso20022/messages.ts';
import { takePacs002 } from '../../core/iso20022/pacs002.ts';
import { readForwardedPacs008 } from '../../core/iso20022/pacs008.ts';
import type { Rejection } from '../../core/rejections/rejection.ts';
import { ok, type Result } from '../../core/result.ts';
import type { XmlElement } from '../../core/iso20022/tree.ts';
import { createLibxml2Engine } from '../../xml/libxml2.ts';

export type MessageValues = ReturnType<typeof messageValues>;

/** Returns a reader for each message type. A reader throws if the bytes are not such a message. */
export function messageValues() {
  const engine = createLibxml2Engine();
  const read = <Value>(
    bytes: Uint8Array,
    name: MessageName,
    reader: (document: XmlElement) => Result<Value, Rejection>,
  ): Value => {
    const parsed = engine.parse(bytes, [name]);
    if (!parsed.ok) throw new Error(`not a ${name}: ${parsed.refusal.detail}`);
    const reading = reader(parsed.value.document());
    parsed.value.dispose();
    if (!reading.ok) throw new Error(`not a ${name}: ${reading.refusal.text}`);
    return reading.value;
  };
  return {
    /** The pacs.008 as the destination receives it. */
    forwardedPacs008: (bytes: Uint8Array) => read(bytes, 'pacs008', readForwardedPacs008),
    pacs002: (bytes: Uint8Array) => read(bytes, 'pacs002', (document) => ok(takePacs002(document))),
    fxtr017: (bytes: Uint8Array) => read(bytes, 'fxtr017', readFxtr017),
  };
}
