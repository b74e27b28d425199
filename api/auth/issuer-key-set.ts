// Reads the keys of an external issuer from its address when a token needs them. The issuer may be down, slow
// or compromised. So the size and time of its answers are limited, and tokens of strangers cause no
// additional reads.
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

/**
 * Milliseconds. With the 30 s for which a verified token is cached and the 5 s of a read, the total is 60 s.
 */
const maxAgeMs = 25_000;
/**
 * Minimum milliseconds between two reads, so a new key is accepted after at most this time. Unknown key ids,
 * wrong signatures and failures do not cause more frequent reads.
 */
const cooldownMs = 5_000;
const timeoutMs = 5_000;
const mostBytes = 262_144; // enough for hundreds of keys, each with its certificate

/**
 * The keys could not be fetched, which is not the fault of the token's sender. The failure has already been
 * logged.
 */
export class KeySetError extends Error {
  override readonly name = 'KeySetError';
}

/** Verifies with the cached keys. Verifies once more with newer keys if no cached key fits the signature. */
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
      // log a failure once, and again only when its kind changes
      if (failed?.why !== why) logger.error({ why }, "the token issuer's keys could not be had");
      failed = { atMs: Date.now(), why };
      throw new KeySetError(why);
    }
  }

  const known: Partial<ExportedJWKSCache> = {}; // the library stores the current key set here
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
      return verify(keys); // another token may have caused a reload meanwhile
    }
  };
}

/**
 * Whether a newer key set may fit. An issuer may replace a key under the same id, or without an id. For an
 * unknown id, the library itself reloads.
 */
const mayFitANewerSet = (error: unknown) =>
  error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSMultipleMatchingKeys;

/** @throws KeySetError, or the error of the connection */
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

/** Returns the reason of a failure. The reason never contains text of the issuer's answer. */
function faultOf(error: unknown): string {
  if (error instanceof KeySetError) return error.message;
  if (error instanceof Error && error.name === 'TimeoutError')
    return `it did not answer within ${timeoutMs / 1_000} s`;
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no answer';
  return `the connection failed (${code})`; // for example ECONNREFUSED or SELF_SIGNED_CERT_IN_CHAIN
}
