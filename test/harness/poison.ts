// A defect of ours that a test makes and takes away again (SEC-9): in the worker's XML engine, for messages with a
// MsgId of this kind.
import { randomUUID } from 'node:crypto';
import type { XmlEngine } from '../../xml/engine.ts';
import { createLibxml2Engine } from '../../xml/libxml2.ts';

const poison = 'POISON';

/** Whatever names it meets the defect, an answer too, so that nothing at all can be answered. */
export const poisonedMessageId = () => `${poison}${randomUUID().slice(0, 8)}`;

/** @param isMended asked at each message; default: never */
export function poisonedEngine(isMended: () => boolean = () => false): XmlEngine {
  const engine = createLibxml2Engine();
  return {
    ...engine,
    parse: (bytes, expected) => {
      if (!isMended() && Buffer.from(bytes).includes(`MsgId>${poison}`))
        throw new TypeError('a defect of ours');
      return engine.parse(bytes, expected);
    },
  };
}
