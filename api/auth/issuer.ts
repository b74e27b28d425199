// The built-in token issuer signs access tokens for the clients in the database. It is for the embedded demo;
// production uses an external issuer.
import { randomUUID } from 'node:crypto';
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  errors,
  exportJWK,
  generateKeyPair,
  importJWK,
  SignJWT,
  type CryptoKey,
  type JSONWebKeySet,
  type JWK,
  type JWTVerifyGetKey,
} from 'jose';
import { readClients, type ClientWithCredentials } from '../../db/keys/clients.ts';
import type { Db } from '../../db/pool/connection.ts';
import type { Rotation } from '../../db/keys/delivery-keys.ts';
import { offerIssuerKey, readIssuerKeys, rotateIssuerKey, type IssuerKey } from '../../db/keys/issuer.ts';
import type { CallerClaims } from './claims.ts';

export interface BuiltinIssuer {
  /** Public keys, for verifiers. */
  jwks(): Promise<JSONWebKeySet>;
  readonly verificationKey: JWTVerifyGetKey;
  /** Rotates the signing key. Every process uses the new key within a second. */
  rotate(rotation: Rotation): Promise<boolean>;
  /**
   * Whether the client still exists with the same role, institution and payment system. Its secret or key
   * must also still be valid (ADM-4).
   */
  stands(claims: CallerClaims): Promise<boolean>;
  /**
   * Issues an access token (RFC 9068) for the client.
   * @param thumbprint of the certificate that the token is bound to (RFC 8705); undefined: the token is not
   * bound
   */
  issue(claims: CallerClaims, thumbprint?: string): Promise<string>;
}

export const builtinAlgorithm = 'ES256';
/** Seconds: the maximum lifetime of a token (SEC-8), and the lifetime of tokens from this issuer. */
export const maxTokenLifetimeSeconds = 3_600;

export interface IssuerSettings {
  readonly issuer: string;
  readonly audience: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /**
   * The current reference data. It is a new object within a second of every change, including changes of
   * clients and keys.
   */
  readonly reference: () => object;
}

/**
 * Opens the issuer with the keys in the database. If no key is active, the first process to notice creates
 * one.
 */
export async function openBuiltinIssuer(db: Db, settings: IssuerSettings): Promise<BuiltinIssuer> {
  const register = newest(settings.reference, () => readRegister(db));
  await register.current();
  return {
    jwks: async () => (await register.current()).jwks,
    rotate: async (rotation) => rotateIssuerKey(db, await makeKey(), rotation),
    verificationKey: async (...header) => {
      try {
        return await (await register.current()).verificationKey(...header);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        // another process may have signed with a new key that this process has not read yet
        return (await register.again()).verificationKey(...header);
      }
    },
    // the snapshot may lack a new client, so ask the database before refusing
    stands: async (claims) =>
      isClient((await register.current()).clients.get(claims.clientId), claims) ||
      isClient((await readClients(db, claims.clientId))[0], claims),
    issue: async (claims, thumbprint) => {
      const { signingKey, signingKeyId } = await register.current();
      const now = Math.floor(settings.clock() / 1_000);
      return new SignJWT({
        client_id: claims.clientId,
        roles: [claims.role],
        ...(claims.institutionId === undefined ? {} : { institution_id: claims.institutionId }),
        ...(claims.clearingSystemId === undefined ? {} : { clearing_system_id: claims.clearingSystemId }),
        ...(claims.credential === undefined ? {} : { credential_id: claims.credential }),
        ...(thumbprint === undefined ? {} : { cnf: { 'x5t#S256': thumbprint } }),
      })
        .setProtectedHeader({ alg: builtinAlgorithm, typ: 'at+jwt', kid: signingKeyId })
        .setIssuer(settings.issuer)
        .setAudience(settings.audience)
        .setSubject(claims.clientId)
        .setIssuedAt(now)
        .setExpirationTime(now + maxTokenLifetimeSeconds)
        .setJti(randomUUID())
        .sign(signingKey);
    },
  };
}

/** A snapshot of the clients and keys in the database. */
interface Register {
  readonly clients: ReadonlyMap<string, ClientWithCredentials>;
  readonly jwks: JSONWebKeySet;
  readonly verificationKey: JWTVerifyGetKey;
  readonly signingKey: CryptoKey | Uint8Array;
  readonly signingKeyId: string;
}

const strangeKey = "the active key was not sealed by Isthmus, so it may be a stranger's";

async function readRegister(db: Db): Promise<Register> {
  const clients = await readClients(db);
  let keys = await readIssuerKeys(db);
  if (!keys.some((key) => key.active)) {
    await offerIssuerKey(db, await makeKey());
    keys = await readIssuerKeys(db);
    if (!keys.some((key) => key.active)) {
      // Isthmus did not seal the active key in the database, so replace it
      await rotateIssuerKey(db, await makeKey(), { by: 'isthmus', because: strangeKey, withdraw: false });
      keys = await readIssuerKeys(db);
    }
  }
  const active = keys.find((key) => key.active);
  if (active === undefined) throw new Error('the built-in issuer has no active key');
  const jwks = { keys: keys.map(publicPart) };
  return {
    clients: new Map(clients.map((client) => [client.clientId, client])),
    jwks,
    verificationKey: createLocalJWKSet(jwks),
    signingKey: await importJWK(active.privateJwk as JWK, builtinAlgorithm),
    signingKeyId: active.keyId,
  };
}

function isClient(client: ClientWithCredentials | undefined, claims: CallerClaims): boolean {
  return (
    client?.role === claims.role &&
    client.institutionId === (claims.institutionId ?? null) &&
    client.clearingSystemId === (claims.clearingSystemId ?? null) &&
    (claims.credential === undefined || client.credentials.includes(claims.credential))
  );
}

interface Newest<Value> {
  /**
   * Returns the cached value. Reads again if the generation has changed or the value is stale. Concurrent
   * callers share one read, and failures are not cached.
   */
  current(): Promise<Value>;
  /** Reads again within the same generation, at most once a second. */
  again(): Promise<Value>;
}

/** Limits the age of cached keys, because a key can expire without a change of the reference data. */
const freshMs = 25_000; // together with the 30 s for which a verified token is cached, this meets SEC-8

function newest<Value>(generationOf: () => object, read: () => Promise<Value>): Newest<Value> {
  let known:
    { readonly generation: object; readonly sinceMs: number; readonly value: Promise<Value> } | undefined;
  let againAtMs = Number.NEGATIVE_INFINITY;
  function readNow(generation: object): Promise<Value> {
    const reading = { generation, sinceMs: performance.now(), value: read() };
    known = reading;
    reading.value.catch(() => {
      if (known === reading) known = undefined;
    });
    return reading.value;
  }
  function current(): Promise<Value> {
    const generation = generationOf();
    const isFresh = known !== undefined && performance.now() - known.sinceMs < freshMs;
    return isFresh && known?.generation === generation ? known.value : readNow(generation);
  }
  return {
    current,
    again() {
      const nowMs = performance.now();
      if (nowMs - againAtMs < 1_000) return current();
      againAtMs = nowMs;
      return readNow(generationOf());
    },
  };
}

async function makeKey(): Promise<Pick<IssuerKey, 'keyId' | 'privateJwk'>> {
  const { privateKey } = await generateKeyPair(builtinAlgorithm, { extractable: true });
  const privateJwk = await exportJWK(privateKey);
  return { keyId: await calculateJwkThumbprint(privateJwk), privateJwk: { ...privateJwk } };
}

/** Lists the public members explicitly, so that no private member can leak. */
function publicPart({ keyId, privateJwk }: IssuerKey): JWK {
  const { kty, crv, x, y } = privateJwk as JWK;
  return {
    ...(kty === undefined ? {} : { kty }),
    ...(crv === undefined ? {} : { crv }),
    ...(x === undefined ? {} : { x }),
    ...(y === undefined ? {} : { y }),
    kid: keyId,
    use: 'sig',
    alg: builtinAlgorithm,
  };
}
