// Authenticates a client by a key of its party instead of a secret: `private_key_jwt` (RFC 7523, FAPI 2.0).
// There is no secret to lose, and an assertion is valid once. An unknown client causes the same work as a
// known one, so timing does not reveal which clients exist.
import { compactVerify, decodeJwt, errors, type CompactJWSHeaderParameters } from 'jose';
import { assert } from '../../core/assert.ts';
import { findRepeatedMembers } from '../../core/json.ts';
import { ok, refused, type Result } from '../../core/result.ts';
import { findClient, type Client, type LoggedIn } from '../../db/keys/clients.ts';
import type { Db } from '../../db/pool/connection.ts';
import { keysOfParty, type PartyKey } from '../../db/keys/party-keys.ts';
import { readPublicKey, type KeyKind, type PublicKey } from '../../db/keys/public-key.ts';
import { useAssertion } from '../../db/keys/used-assertions.ts';
import { faultOfAssertion, type AssertionClaims, type AssertionTerms } from './assertion-claims.ts';

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * Asymmetric algorithms only. The kind of key determines the algorithm; the assertion never does (RFC 8725).
 */
const kindOf: ReadonlyMap<unknown, KeyKind> = new Map([
  ['ES256', 'P-256'],
  ['ES384', 'P-384'],
  ['PS256', 'RSA'],
  ['EdDSA', 'Ed25519'],
]);
export const assertionAlgorithms: readonly string[] = [...kindOf.keys()].map(String);

export interface AssertionContext extends Omit<AssertionTerms, 'clientId'> {
  readonly db: Db;
  /**
   * Receives the reason why an assertion was refused. The sender does not learn it.
   * @param clientId null if there is no such client, because the claimed name may be any text
   */
  readonly onRefused?: (clientId: string | null, why: string) => void;
}

/** Returns the client id in the assertion, which is not verified. Use it only for rate limits. */
export function claimedClient(assertion: string): string | undefined {
  try {
    const { sub, iss } = decodeJwt<{ readonly sub?: unknown; readonly iss?: unknown }>(assertion);
    return typeof sub === 'string' && sub === iss ? sub : undefined;
  } catch {
    return undefined;
  }
}

/** A party without keys, used for unknown clients. */
const nobody = { institutionId: '' };

/** @returns undefined if the assertion is invalid or was used before */
export async function clientByAssertion(
  { db, onRefused = () => undefined, ...terms }: AssertionContext,
  { assertion, clientId }: { readonly assertion: string; readonly clientId: string },
): Promise<LoggedIn | undefined> {
  const client = clientId.includes('\0') ? undefined : await findClient(db, clientId);
  const party = client && partyOf(client);
  const keys = await keysOfParty(db, party ?? nobody);
  const read = await readAssertion(assertion, keys, { ...terms, clientId });
  if (client === undefined) onRefused(null, 'no such client');
  else if (party === undefined) onRefused(clientId, 'an operator of the scheme has no keys to log in by');
  else if (!read.ok) onRefused(clientId, read.refusal);
  else if (await useAssertion(db, { clientId, jti: read.value.jti, endsAtMs: read.value.exp * 1_000 }))
    return { ...client, credential: read.value.credential };
  else onRefused(clientId, 'it was used before');
  return undefined;
}

/**
 * The party that registers the client's keys. Undefined for operators of the scheme, who are people and
 * belong to no party.
 */
function partyOf({ institutionId, clearingSystemId }: Client) {
  if (institutionId !== null) return { institutionId };
  return clearingSystemId === null ? undefined : { clearingSystemId };
}

/** @returns the claims of the assertion, or the reason why it is invalid */
async function readAssertion(
  assertion: string,
  keys: readonly PartyKey[],
  terms: AssertionTerms,
): Promise<Result<AssertionClaims & Pick<PartyKey, 'credential'>, string>> {
  let named: NamedKey | undefined;
  try {
    const { payload, protectedHeader } = await compactVerify(
      assertion,
      (header) => (named = keyNamedBy(header, keys)).key.key,
      { algorithms: [...assertionAlgorithms] },
    );
    if (named?.fault !== undefined) return refused(named.fault);
    const [header, claims] = [textOf(assertion.split('.', 1)[0] ?? ''), Buffer.from(payload).toString()];
    const fault =
      protectedHeader.b64 === false
        ? 'its payload is not encoded'
        : (faultOfText(header) ?? faultOfText(claims));
    if (fault !== undefined) return refused(fault);
    const said = { header: protectedHeader, claims: JSON.parse(claims) as Readonly<Record<string, unknown>> };
    const why = faultOfAssertion(said, terms);
    const { credential = '' } = named ?? {};
    return why === undefined
      ? ok({ ...(said.claims as unknown as AssertionClaims), credential })
      : refused(why);
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    return refused(named?.fault ?? faultOfSignature(error, named));
  }
}

const textOf = (part: string) => Buffer.from(part, 'base64url').toString();

function faultOfSignature(error: errors.JOSEError, named: NamedKey | undefined): string {
  if (error instanceof errors.JOSEAlgNotAllowed)
    return `its alg is none of ${assertionAlgorithms.join(', ')}`;
  return error instanceof errors.JWSSignatureVerificationFailed
    ? `its signature is not by the key ${named?.keyId ?? ''}, or something in it was changed`
    : 'it is malformed, or requires an extension that is not supported (crit)';
}

/**
 * Requires one JSON object without repeated members, because parsers disagree about which of two equal
 * members they read.
 */
function faultOfText(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return 'its claims are no object';
  } catch {
    return 'its claims are no JSON';
  }
  return findRepeatedMembers(text, 1).length > 0 ? 'it has a member twice' : undefined;
}

interface NamedKey {
  readonly keyId: string;
  readonly credential: string;
  readonly key: PublicKey;
  /** Set if no key fits. `key` is then a dummy key, so that verification takes as long as with a real one. */
  readonly fault?: string;
}

/** Finds the key by its kid. Without a kid, uses the party's only key for the algorithm. */
function keyNamedBy({ kid, alg }: CompactJWSHeaderParameters, keys: readonly PartyKey[]): NamedKey {
  const kind = kindOf.get(alg) ?? 'Ed25519'; // jose has already refused other algorithms
  const fitting = keys.filter(({ keyId, jwk }) => (kid === undefined ? isOfKind(jwk, kind) : keyId === kid));
  const [key] = fitting;
  if (key === undefined || fitting.length > 1) {
    const fault =
      kid === undefined
        ? 'it names no key (kid), and its party has no key, or several, for its alg'
        : 'no key of its party that counts now has its kid';
    return nobodys(kind, fault);
  }
  const { keyId, jwk, credential } = key;
  const read = readPublicKey(jwk);
  if (!read.ok) return nobodys(kind, `the key ${keyId} does not count: it ${read.refusal}`);
  return read.value.kind === kind
    ? { keyId, credential, key: read.value }
    : nobodys(kind, `the key ${keyId} is of ${read.value.kind}, which its alg is not for`);
}

function isOfKind(jwk: PartyKey['jwk'], kind: KeyKind): boolean {
  const read = readPublicKey(jwk);
  return read.ok && read.value.kind === kind;
}

function nobodys(kind: KeyKind, fault: string): NamedKey {
  const read = readPublicKey(nobodysKeys[kind]);
  assert(read.ok, 'a key of nobody is a key');
  return { keyId: '', credential: '', key: read.value, fault };
}

const nobodysKeys = {
  Ed25519: { kty: 'OKP', crv: 'Ed25519', x: 'CMlbEkMns6YTk4zPEatxAXT2lydR4LZypUHeFXqkYuo' },
  'P-256': {
    kty: 'EC',
    crv: 'P-256',
    x: 'vkTSjujpqWCtjNXFe5P77sALgIUTsCeWXRORYovlOrk',
    y: 'ESb7SdBEsla5V_PaEE_nHEY6MUj3i4p8opG66c6nl00',
  },
  'P-384': {
    kty: 'EC',
    crv: 'P-384',
    x: 'DFfZZ7umqlJvYK5EyNPxAVN78DZa1UuPxwkNOSyCqD258f1BPl9suUCEmqvuN8La',
    y: 'F_jqip2A1dD23KFugH635U5J8PIuvWaodgM83g0U9j4e6tzcZQ3xtGTJI4ShoEa-',
  },
  RSA: {
    kty: 'RSA',
    n: 'rRHyXHFOZRt5TzLqLJnChSLW3OsYTFGwzHZ8M4cWWnXgSl2jwQkmbwF37dPFTNkA5YxTdu1dRZVI2YO0YK693xkiq3Qkdi9UidD9DYSg1QiScn0K081NOvb2RcNIOPYPy90AIEkwp2ZDXsbUu234KtHne20D6Clkx2_h2Op2v52crvIfajRsxFi1AYFXtoybC-_YRZAWmucyY0Lc8BBf6pMulOzYJaYPUdEelIDHSPdeTwWn-AZCoGe_kELuzV0vHN9eYtMyVNeUc-5gOiAviMxcIJaxwV9MX0viubf5X4TJ21pjAv-c4z4jw_xj49tOhI3vHE7LFvIrTI49QIMPaQ',
    e: 'AQAB',
  },
} as const satisfies Readonly<Record<KeyKind, Readonly<Record<string, string>>>>;
