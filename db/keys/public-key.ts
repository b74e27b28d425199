// Checks a party's public key when an operator enters it, and again when it is used. Otherwise a malformed
// key, or one for which anybody can forge signatures, would be noticed too late.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { ok, refused, type Result } from '../../core/result.ts';
import { privateMember } from '../../core/scheme/documents.ts';

export type KeyKind = 'Ed25519' | 'P-256' | 'P-384' | 'RSA';

export interface PublicKey {
  readonly kind: KeyKind;
  readonly key: KeyObject;
}

/** The `alg` values of RFC 7518 and RFC 8037 that a JWK of each kind may name. */
const algorithms: Readonly<Record<KeyKind, readonly string[]>> = {
  Ed25519: ['EdDSA', 'Ed25519'],
  'P-256': ['ES256'],
  'P-384': ['ES384'],
  RSA: ['PS256', 'PS512'],
};

/**
 * The members of each kind of key, with their length in bytes. A number has only one accepted encoding, so
 * that every library reads the number that is checked here.
 */
const members: Readonly<Record<KeyKind, Readonly<Record<string, number | undefined>>>> = {
  Ed25519: { x: 32 }, // RFC 8037, 2
  'P-256': { x: 32, y: 32 }, // RFC 7518, 6.2.1
  'P-384': { x: 48, y: 48 },
  RSA: { n: undefined, e: undefined }, // without a leading zero (RFC 7518, 6.3.1)
};

/**
 * Accepted length of an RSA modulus, in bits. Shorter ones may soon be factored (NIST SP 800-131A). Longer
 * ones only cost time.
 */
const rsaBits = { least: 2_048, most: 8_192 } as const;
/**
 * The only accepted RSA exponent, 65537. FIPS 186-5 (A.1.1) allows larger ones, but some exponents make a
 * signature easy to forge.
 */
const onlyExponent = 'AQAB';

/** @returns the key; if it is refused, the fault, worded to follow "the key" */
export function readPublicKey(jwk: Readonly<Record<string, unknown>>): Result<PublicKey, string> {
  const kind = kindOf(jwk);
  if (kind === undefined) return refused('must be of Ed25519, P-256, P-384 or RSA (RFC 7518, RFC 8037)');
  const secret = privateMember(jwk);
  if (secret !== undefined) return refused(secret);
  const { use = 'sig', key_ops: operations = ['verify'], alg = algorithms[kind][0] } = jwk;
  if (use !== 'sig') return refused('must be for signatures, and its use says otherwise');
  if (!Array.isArray(operations) || !operations.includes('verify'))
    return refused('must be for verifying, and its key_ops say otherwise');
  if (typeof alg !== 'string' || !algorithms[kind].includes(alg))
    return refused(`must be for ${algorithms[kind].join(' or ')}, and its alg says otherwise`);
  const misspelled = misspelling(kind, jwk);
  if (misspelled !== undefined) return refused(misspelled);
  let key: KeyObject;
  try {
    key = createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return refused('must be a key: its members do not fit together (RFC 7518)');
  }
  const weakness = weaknessOf(kind, key, jwk);
  return weakness === undefined ? ok({ kind, key }) : refused(weakness);
}

function kindOf({ kty, crv }: Readonly<Record<string, unknown>>): KeyKind | undefined {
  if (kty === 'RSA') return 'RSA';
  if (kty === 'OKP') return crv === 'Ed25519' ? crv : undefined;
  return kty === 'EC' && (crv === 'P-256' || crv === 'P-384') ? crv : undefined;
}

function misspelling(kind: KeyKind, jwk: Readonly<Record<string, unknown>>): string | undefined {
  for (const [member, length] of Object.entries(members[kind])) {
    const text = jwk[member];
    const bytes = Buffer.from(typeof text === 'string' ? text : '', 'base64url');
    const isWhole = length === undefined ? bytes.length > 0 && bytes[0] !== 0 : bytes.length === length;
    if (!isWhole || bytes.toString('base64url') !== text) {
      const wanted = length === undefined ? 'without leading zeros' : `of ${length} bytes`;
      return `must be a key: its ${member} must be base64url without padding, ${wanted} (RFC 7518, RFC 8037)`;
    }
  }
  return undefined;
}

function weaknessOf(
  kind: KeyKind,
  { asymmetricKeyDetails: details }: KeyObject,
  { x, e }: Readonly<Record<string, unknown>>,
): string | undefined {
  if (kind === 'Ed25519') return weaknessOfPoint(Buffer.from(String(x), 'base64url'));
  if (kind !== 'RSA') return undefined; // OpenSSL checks that the point is on the curve
  const { modulusLength = 0 } = details ?? {};
  if (modulusLength < rsaBits.least || modulusLength > rsaBits.most)
    return `must have ${rsaBits.least} to ${rsaBits.most} bits, and has ${modulusLength}`;
  return e === onlyExponent ? undefined : 'must have the exponent 65537 (AQAB), and no other';
}

const prime = 2n ** 255n - 19n; // prime of the field of Ed25519 (RFC 8032, 5.1)
/**
 * The y coordinate of a point of order 8. The points of order 1, 2 and 4 have the y coordinates 1, -1 and 0.
 */
const ofOrderEight = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;
const ofSmallOrder = new Set([0n, 1n, prime - 1n, ofOrderEight, prime - ofOrderEight]);

/**
 * Returns the weakness of an Ed25519 key, if any. OpenSSL accepts any 32 bytes, but for a point of small order
 * anybody can sign.
 */
function weaknessOfPoint(bytes: Buffer): string | undefined {
  const littleEndian = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  const y = littleEndian & (2n ** 255n - 1n); // the highest bit is the sign of x
  if (y >= prime) return 'must be a key: its x is no point of Ed25519 (RFC 8032, 5.1.3)';
  // eight times such a point is the identity, so a signature of zeros is valid for one message in eight, or
  // for all
  return ofSmallOrder.has(y) ? 'must not be a point of small order: anybody could sign by it' : undefined;
}
