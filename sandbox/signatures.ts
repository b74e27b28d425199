/**
 * Verifies that a message comes from the gateway, as every receiver should: by the keys that it publishes, and by
 * its time. Any receiver may do it so; docs/how-to/verify-our-signatures.md has it step by step.
 */
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { readSignedHeaders, signedPrefix } from '../core/deliveries/webhook-signature.ts';

/** 503: that it is the gateway's cannot be known now. */
export interface SignatureFault {
  readonly httpStatus: 401 | 503;
  readonly detail: string;
}

export interface SignatureCheck {
  /** @returns undefined: it is the gateway's */
  readonly fault: (
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
  ) => Promise<SignatureFault | undefined>;
}

const keepMs = 300_000; // as long as the answer says
const againMs = 1_000; // at most so often, where no known key fits: another may be new
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
  /** What is known stays in use while the gateway does not answer: it may be away, and its messages still come. */
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
