// What Temporal keeps is sealed on its way there (SEC-3): a second line, because nothing of a person goes there at all.
// Workflows see none of it.
import type { Payload, PayloadCodec } from '@temporalio/common';

/** By the keys of the database's own connection. */
export interface PayloadSeal {
  /** @returns the id of no key where nothing is sealed now */
  seal(data: Uint8Array): { readonly bytes: Uint8Array; readonly keyId: string | null };
  /** @throws where the key cannot be had, or what was sealed has been changed */
  open(keyId: string, bytes: Uint8Array): Promise<Uint8Array>;
}

const encode = (ascii: string) => Uint8Array.from(ascii, (letter) => letter.charCodeAt(0));
const decode = (ascii: Uint8Array) => Array.from(ascii, (byte) => String.fromCharCode(byte)).join('');

const sealedEncoding = 'binary/encrypted';
const keyId = 'encryption-key-id';
/** What the encoding was before. */
const innerEncoding = 'encrypted-encoding';

export type SealingCodec = PayloadCodec;

/** What is not sealed passes as it is: it was there before the keys were. */
export function sealingCodec(vault: PayloadSeal): SealingCodec {
  return {
    encode: (payloads) => Promise.resolve(payloads.map((payload) => sealPayload(vault, payload))),
    decode: (payloads) => openAll(vault, payloads),
  };
}

/** One after the other: a key is asked for once, and what opens with none ends it, however many follow. */
async function openAll(vault: PayloadSeal, payloads: readonly Payload[]): Promise<Payload[]> {
  const opened: Payload[] = [];
  for (const payload of payloads) opened.push(await openPayload(vault, payload));
  return opened;
}

function sealPayload(vault: PayloadSeal, payload: Payload): Payload {
  const { metadata, data } = payload;
  const sealed = vault.seal(data ?? new Uint8Array());
  if (sealed.keyId === null) return payload;
  return {
    metadata: {
      ...metadata,
      ...(metadata?.['encoding'] && { [innerEncoding]: metadata['encoding'] }),
      encoding: encode(sealedEncoding),
      [keyId]: encode(sealed.keyId),
    },
    data: sealed.bytes,
  };
}

async function openPayload(vault: PayloadSeal, payload: Payload): Promise<Payload> {
  const { encoding, [keyId]: id, [innerEncoding]: inner, ...metadata } = payload.metadata ?? {};
  if (encoding == null || decode(encoding) !== sealedEncoding || id == null) return payload;
  return {
    metadata: { ...metadata, ...(inner && { encoding: inner }) },
    data: await vault.open(decode(id), payload.data ?? new Uint8Array()),
  };
}
