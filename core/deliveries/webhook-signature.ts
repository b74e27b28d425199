/**
 * How a message that we send is signed, after Standard Webhooks (CBK-2): ed25519 over its id, the time of the attempt and
 * its bytes. Pure: keys and the algorithm are the caller's (`activities/wire/signer.ts`, `sandbox/signatures.ts`).
 */

/** Asymmetric, by ed25519. */
const scheme = 'v1a';

/** How far the time of an attempt may be from that of whoever verifies it, seconds: what is older was recorded. */
const toleranceSeconds = 300;

/** Where the keys are published, below our public address (RFC 7517). */
export const keySetPath = '/.well-known/webhooks/jwks.json';

/** What is signed stands before the bytes of the message: `msg_id.timestamp.` */
export const signedPrefix = (id: string, timestamp: string): string => `${id}.${timestamp}.`;

/** @param signatures base64, one for each key that signs at present */
export function webhookHeaders(
  id: string,
  timestamp: string,
  signatures: readonly string[],
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.map((one) => `${scheme},${one}`).join(' '),
  };
}

/** What came with a message. */
export interface SignedHeaders {
  readonly id: string;
  readonly timestamp: string;
  /** Base64; of other schemes none. */
  readonly signatures: readonly string[];
}

/**
 * Reads the headers, by their names in lower case, and judges the time.
 * @param nowSeconds since 1970
 * @returns what is wrong, as a sentence, or what a key is to verify
 */
export function readSignedHeaders(
  headers: Readonly<Record<string, string | undefined>>,
  nowSeconds: number,
): SignedHeaders | string {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
  if (!id || !timestamp || !signature) {
    return 'webhook-id, webhook-timestamp and webhook-signature are needed';
  }
  if (!/^\d{1,12}$/.test(timestamp)) return 'webhook-timestamp is no whole number of seconds since 1970';
  if (Math.abs(nowSeconds - Number(timestamp)) > toleranceSeconds) {
    return `webhook-timestamp is more than ${toleranceSeconds} s from now`;
  }
  const signatures = signature
    .split(' ')
    .filter((one) => one.startsWith(`${scheme},`))
    .map((one) => one.slice(scheme.length + 1));
  return signatures.length === 0 ? `webhook-signature has none of ${scheme}` : { id, timestamp, signatures };
}
