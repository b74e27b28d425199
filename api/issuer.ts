// The built-in token issuer (SEC-1): signs access tokens for the clients in the database. For the embedded default; production
// names an external issuer.
import { randomUUID } from 'node:crypto';
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  importJWK,
  SignJWT,
  type JSONWebKeySet,
  type JWK,
  type JWTVerifyGetKey,
} from 'jose';
import type { Db } from '../db/connection.ts';
import { offerIssuerKey, readIssuerKeys, type IssuerKey } from '../db/issuer.ts';
import { builtinAlgorithm } from './auth.ts';
import type { CallerClaims } from './caller.ts';

export interface BuiltinIssuer {
  /** Public keys, for verifiers. */
  readonly jwks: JSONWebKeySet;
  readonly verificationKey: JWTVerifyGetKey;
  /** An access token (RFC 9068) for the client. */
  issue(claims: CallerClaims): Promise<string>;
}

export const tokenLifetimeSeconds = 3_600;

export interface IssuerSettings {
  readonly issuer: string;
  readonly audience: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Opens the issuer with the key in the database; the first process ever makes it. */
export async function openBuiltinIssuer(db: Db, settings: IssuerSettings): Promise<BuiltinIssuer> {
  let keys = await readIssuerKeys(db);
  if (!keys.some((key) => key.active)) {
    await offerIssuerKey(db, await makeKey());
    keys = await readIssuerKeys(db);
  }
  const active = keys.find((key) => key.active);
  if (active === undefined) throw new Error('the built-in issuer has no active key');
  const signingKey = await importJWK(active.privateJwk as JWK, builtinAlgorithm);
  const jwks = { keys: keys.map(publicPart) };
  return {
    jwks,
    verificationKey: createLocalJWKSet(jwks),
    issue: (claims) => {
      const now = Math.floor(settings.clock() / 1_000);
      return new SignJWT({
        client_id: claims.clientId,
        roles: [claims.role],
        ...(claims.institutionId === undefined ? {} : { institution_id: claims.institutionId }),
        ...(claims.clearingSystemId === undefined ? {} : { clearing_system_id: claims.clearingSystemId }),
      })
        .setProtectedHeader({ alg: builtinAlgorithm, typ: 'at+jwt', kid: active.keyId })
        .setIssuer(settings.issuer)
        .setAudience(settings.audience)
        .setSubject(claims.clientId)
        .setIssuedAt(now)
        .setExpirationTime(now + tokenLifetimeSeconds)
        .setJti(randomUUID())
        .sign(signingKey);
    },
  };
}

async function makeKey(): Promise<Pick<IssuerKey, 'keyId' | 'privateJwk'>> {
  const { privateKey } = await generateKeyPair(builtinAlgorithm, { extractable: true });
  const privateJwk = await exportJWK(privateKey);
  return { keyId: await calculateJwkThumbprint(privateJwk), privateJwk: { ...privateJwk } };
}

/** Only what is public is named, so that nothing else can slip out. */
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
