// Signs one attempt to a party whose operator wants messages signed (SEC-1): RFC 9421, over the request as it leaves, anew
// each time.
import { createHash, randomUUID, sign, type KeyObject } from 'node:crypto';
import { httpbis } from 'http-message-signatures';
import {
  contentDigest,
  signatureToleranceSeconds,
  signedComponents,
} from '../../core/deliveries/http-signature.ts';

export interface RequestKey {
  readonly keyId: string;
  /** ed25519. */
  readonly privateKey: KeyObject;
}

export async function signedRequest(
  { keyId, privateKey }: RequestKey,
  { url, body }: { readonly url: string; readonly body: Uint8Array },
): Promise<Readonly<Record<string, string>>> {
  const digest = contentDigest(createHash('sha256').update(body).digest('base64'));
  const created = new Date();
  const { headers } = await httpbis.signMessage(
    {
      key: {
        id: keyId,
        alg: 'ed25519',
        sign: (base) => Promise.resolve(sign(null, base, privateKey)),
      },
      fields: [...signedComponents],
      params: ['created', 'expires', 'keyid', 'nonce', 'alg'],
      paramValues: {
        created,
        expires: new Date(created.getTime() + signatureToleranceSeconds * 1_000),
        nonce: randomUUID(),
      },
    },
    { method: 'POST', url, headers: { 'content-digest': digest } },
  );
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat().join(', ')]),
  );
}
