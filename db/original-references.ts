// What an answer repeats of a pacs.008 (MSG-11), as it stands in the columns source_references and
// destination_references of payments. There the MsgId has been called `messageId` since 0.1.0; in code that is the id
// of a row.
import type { OriginalReferences, Pacs008References } from '../core/iso20022/references.ts';

/** As stored. */
export interface StoredReferences extends Omit<Pacs008References, 'original'> {
  readonly original: Omit<OriginalReferences, 'messageIdentification'> & { readonly messageId: string };
}

export function toStored(references: Pacs008References): StoredReferences {
  const { messageIdentification: messageId, ...rest } = references.original;
  return { ...references, original: { messageId, ...rest } };
}

export function fromStored(stored: StoredReferences): Pacs008References {
  const { messageId: messageIdentification, ...rest } = stored.original;
  return { ...stored, original: { messageIdentification, ...rest } };
}
