/**
 * Verifies that a message comes from the gateway. It checks the signature by the gateway's published keys,
 * and the time of signing. Every receiver should do this; docs/how-to/verify-our-signatures.md shows the
 * steps.
 */
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { readSignedHeaders, signedPrefix } from '../core/deliveries/webhook-signature.ts';

/** 401 if the signature is not from the gateway. 503 if it cannot be verified now. */
export interface SignatureFault {
  readonly httpStatus: 401 | 503;
  readonly detail: string;
}

export interface SignatureCheck {
  /** @returns undefined if the message comes from the gateway */
  readonly fault: (
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
  ) => Promise<SignatureFault | undefined>;
}

const keepMs = 300_000; // the same time as in the Cache-Control header of the key set
const againMs = 1_000; // minimum interval between reads of the key set, if a message has an unknown key
const waitMs = 5_000;

export function checkSignaturesBy(keysUrl: string): SignatureCheck {
  let known: { readonly keys: readonly KeyObject[]; readonly readAt: number } | undefined;
  let reading: Promise<void> | undefined;
  const read = async () => {
    const response = await fetch(keysUrl, { signal: AbortSignal.timeout(waitMs), redirect: 'error' });
    if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
    const { keys } = (await response.json()) as { readonly keys: readonly { readonly x: string }[] };
    known = {
      keys: keys.map(({ x }) => createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })),
      readAt: performance.now(),
    };
  };
  /**
   * Reads the key set, unless it was read recently. If the gateway does not answer, the known keys stay in
   * use, because messages may still arrive.
   * @returns the reason why the keys could not be read; undefined after success
   */
  const readUnless = async (youngerThanMs: number): Promise<string | undefined> => {
    if (known !== undefined && performance.now() - known.readAt < youngerThanMs) return undefined;
    reading ??= read().finally(() => (reading = undefined));
    return reading.then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  };
  return {
    fault: async (headers, body) => {
      const signed = readSignedHeaders(headers, Date.now() / 1_000);
      if (typeof signed === 'string') return { httpStatus: 401, detail: `CBK-2: ${signed}` };
      const content = Buffer.concat([Buffer.from(signedPrefix(signed.id, signed.timestamp)), body]);
      const isVerified = () =>
        known?.keys.some((key) =>
          signed.signatures.some((one) => verify(null, content, key, Buffer.from(one, 'base64'))),
        ) === true;
      let failure = await readUnless(keepMs);
      if (isVerified()) return undefined;
      failure ??= await readUnless(againMs);
      if (isVerified()) return undefined;
      return known === undefined
        ? { httpStatus: 503, detail: `CBK-2: the keys of the gateway could not be read: ${failure ?? ''}` }
        : { httpStatus: 401, detail: 'CBK-2: no key of the gateway verifies webhook-signature' };
    },
  };
}
