/**
 * The signature of a message that the gateway sends, by Standard Webhooks (CBK-2): ed25519 over message id,
 * time of the attempt and body. Pure: the callers hold the keys and run the algorithm
 * (`activities/wire/signer.ts`, `sandbox/signatures.ts`).
 */

/** The asymmetric scheme: ed25519. */
const scheme = 'v1a';

/** How far the time of an attempt may be from the verifier's clock, in seconds; older messages may be replayed ones. */
const toleranceSeconds = 300;

/** The path of the published keys below the gateway's public address: a JWK Set (RFC 7517). */
export const keySetPath = '/.well-known/webhooks/jwks.json';

/** The bytes to sign begin with `msg_id.timestamp.`; the message body follows. */
export const signedPrefix = (id: string, timestamp: string): string => `${id}.${timestamp}.`;

/** @param signatures base64, one for each current signing key */
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

/** The signature headers of a received message. */
export interface SignedHeaders {
  readonly id: string;
  readonly timestamp: string;
  /** Base64; signatures of the scheme `v1a` only. */
  readonly signatures: readonly string[];
}

/**
 * Reads the headers, whose names are in lower case, and checks the time.
 * @param nowSeconds epoch seconds
 * @returns the values to verify, or one sentence that states the fault
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
