// The keys of an external issuer, read from its address when a token needs them. It may be away, slow or broken into:
// what it answers is limited, and strangers' tokens ask it no more often for that.
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  jwksCache,
  type ExportedJWKSCache,
  type JSONWebKeySet,
  type JWKSCacheInput,
  type JWTVerifyGetKey,
} from 'jose';
import type { Logger } from 'pino';

/** Plus 30 s for which a verified token is remembered, and 5 s for the read: 60 s. */
const maxAgeMs = 25_000;
/** A new key is accepted after at most this time; unknown key ids, wrong signatures and failures do not make us read more often. */
const cooldownMs = 5_000;
const timeoutMs = 5_000;
const mostBytes = 262_144; // hundreds of keys, each with its certificate

/** The keys could not be had: no fault of whoever sent the token. It has been logged. */
export class KeySetError extends Error {
  override readonly name = 'KeySetError';
}

/** Verifies by the keys that are known, and once more by newer ones where the signature fits none of them. */
export type VerifyByKeys = <T>(verify: (keys: JWTVerifyGetKey) => Promise<T>) => Promise<T>;

export function openKeySet(url: string, logger: Pick<Logger, 'error' | 'info'>): VerifyByKeys {
  let failed: { readonly atMs: number; readonly why: string } | undefined;

  async function read(...asked: Parameters<typeof fetch>): Promise<Response> {
    if (failed !== undefined && Math.abs(Date.now() - failed.atMs) < cooldownMs)
      throw new KeySetError(failed.why);
    try {
      const text = await readKeySet(await fetch(...asked));
      if (failed !== undefined) logger.info("the token issuer's keys can be had again");
      failed = undefined;
      return new Response(text);
    } catch (error) {
      const why = faultOf(error);
      // once for as long as it lasts, and again when it is another one
      if (failed?.why !== why) logger.error({ why }, "the token issuer's keys could not be had");
      failed = { atMs: Date.now(), why };
      throw new KeySetError(why);
    }
  }

  const known: Partial<ExportedJWKSCache> = {}; // holds the set that counts
  const keys = createRemoteJWKSet(new URL(url), {
    cacheMaxAge: maxAgeMs,
    cooldownDuration: cooldownMs,
    timeoutDuration: timeoutMs,
    [customFetch]: read,
    [jwksCache]: known as JWKSCacheInput,
  });
  return async (verify) => {
    const before = known.jwks;
    try {
      return await verify(keys);
    } catch (error) {
      if (!mayFitANewerSet(error)) throw error;
      if (known.jwks === before) {
        if (keys.coolingDown) throw error;
        await keys.reload();
      }
      return verify(keys); // another token may have had it read meanwhile
    }
  };
}

/** A key may take another's place, under its id or without one. For an id that is not known the library reads again itself. */
const mayFitANewerSet = (error: unknown) =>
  error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSMultipleMatchingKeys;

/** @throws KeySetError, or whatever befalls a connection */
async function readKeySet(response: Response): Promise<string> {
  if (response.status !== 200) throw new KeySetError(`it answered ${response.status}, and not 200`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > mostBytes) throw new KeySetError(`its answer is larger than ${mostBytes / 1_024} KiB`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  try {
    createLocalJWKSet(JSON.parse(text) as JSONWebKeySet);
  } catch {
    throw new KeySetError('its answer is no key set (RFC 7517)');
  }
  return text;
}

/** Never what it answered. */
function faultOf(error: unknown): string {
  if (error instanceof KeySetError) return error.message;
  if (error instanceof Error && error.name === 'TimeoutError')
    return `it did not answer within ${timeoutMs / 1_000} s`;
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no answer';
  return `the connection failed (${code})`; // ECONNREFUSED, SELF_SIGNED_CERT_IN_CHAIN
}
