// A client that shows who it is by a key of its party instead of a secret: `private_key_jwt` (SEC-1, RFC 7523, FAPI 2.0). There is
// no secret to be lost, and an assertion counts once.
import { createLocalJWKSet, decodeJwt, errors, jwtVerify, type JWK } from 'jose';
import { findClient, type Client } from '../../db/clients.ts';
import type { Db } from '../../db/connection.ts';
import { keysOfParty } from '../../db/party-keys.ts';
import { readPublicKey } from '../../db/public-key.ts';
import { useAssertion } from '../../db/used-assertions.ts';

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Asymmetric, and the key says which of them. Never another one of the assertion's choice (RFC 8725). */
const algorithms = ['ES256', 'ES384', 'PS256', 'EdDSA'];

/** An assertion is made for one request. */
const longestSeconds = 300;
const toleranceSeconds = 5; // by which the client's clock may be ahead of ours
const longestJti = 256;

export interface AssertionContext {
  readonly db: Db;
  /** Our issuer, or the address of the token endpoint: what the assertion may be for. */
  readonly audiences: readonly string[];
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** Is told why an assertion of a client that exists was refused; whoever sent it is not. */
  readonly onRefused?: (client: Client, why: string) => void;
}

/** Whose it says it is, for limits; nothing of it is believed yet. */
export function claimedClient(assertion: string): string | undefined {
  try {
    const { sub, iss } = decodeJwt<{ readonly sub?: unknown; readonly iss?: unknown }>(assertion);
    return typeof sub === 'string' && sub === iss ? sub : undefined;
  } catch {
    return undefined;
  }
}

/** @returns undefined: it is not good, or has been used */
export async function clientByAssertion(
  { db, audiences, nowMs, onRefused = () => undefined }: AssertionContext,
  { assertion, clientId }: { readonly assertion: string; readonly clientId: string },
): Promise<Client | undefined> {
  const client = clientId.includes('\0') ? undefined : await findClient(db, clientId);
  const party = client && partyOf(client);
  if (client === undefined || party === undefined) return undefined;
  const keys = (await keysOfParty(db, party)).flatMap(({ keyId, jwk }) => {
    const read = readPublicKey(jwk);
    // its numbers alone: what it says of itself was looked at when it was entered, and libraries read that differently
    return read.ok ? [{ ...(read.value.key.export({ format: 'jwk' }) as JWK), kid: keyId }] : [];
  });
  try {
    const { payload } = await jwtVerify(assertion, createLocalJWKSet({ keys }), {
      algorithms,
      issuer: clientId,
      subject: clientId,
      audience: [...audiences],
      requiredClaims: ['exp', 'iat', 'jti'],
      maxTokenAge: longestSeconds,
      clockTolerance: toleranceSeconds,
      currentDate: new Date(nowMs),
    });
    const { exp = 0, jti = '', aud } = payload;
    const isFor = typeof aud === 'string' || aud?.length === 1; // for us, and for nobody else who could use it here
    const isShort = exp * 1_000 - nowMs <= (longestSeconds + toleranceSeconds) * 1_000 && exp * 1_000 > nowMs;
    const isOnce = jti !== '' && jti.length <= longestJti;
    const isGood = isFor && isShort && isOnce;
    if (isGood && (await useAssertion(db, { clientId, jti, endsAtMs: exp * 1_000 }))) return client;
    const why = isGood ? 'it was used before' : 'aud names others too, exp is too far away, or jti is empty';
    onRefused(client, why);
    return undefined;
  } catch (error) {
    if (!(error instanceof errors.JOSEError || error instanceof TypeError)) throw error; // a key that the algorithm is not for
    const claim = error instanceof errors.JWTClaimValidationFailed ? ` (${error.claim})` : '';
    onRefused(
      client,
      error instanceof errors.JOSEError ? `${error.code}${claim}` : 'the key is of another kind',
    );
    return undefined;
  }
}

/** Operators of the scheme are people: no party gives keys for them. */
function partyOf({ institutionId, clearingSystemId }: Client) {
  if (institutionId !== null) return { institutionId };
  return clearingSystemId === null ? undefined : { clearingSystemId };
}
