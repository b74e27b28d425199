// What a party may enter as its public key (ADM-1, SEC-1), looked at when it is entered and again when it is used: one by
// which anybody could sign, or which is no key at all, would be noticed only when it is too late.
import { checkPrimeSync, createPublicKey, type KeyObject } from 'node:crypto';
import { ok, refused, type Result } from '../core/result.ts';

export type KeyKind = 'Ed25519' | 'P-256' | 'P-384' | 'RSA';

export interface PublicKey {
  readonly kind: KeyKind;
  readonly key: KeyObject;
}

/** Of each kind: `alg` of RFC 7518 and RFC 8037, where the JWK names one. */
const algorithms: Readonly<Record<KeyKind, readonly string[]>> = {
  Ed25519: ['EdDSA', 'Ed25519'],
  'P-256': ['ES256'],
  'P-384': ['ES384'],
  RSA: ['PS256', 'PS512'],
};

/** Bits: shorter ones can be factored before long (NIST SP 800-131A), longer ones only take time. */
const rsaBits = { least: 2_048, most: 8_192 } as const;
const leastExponent = 65_537n; // FIPS 186-5, A.1.1

/** @returns the key, or what is wrong with it, after "the key" */
export function readPublicKey(jwk: Readonly<Record<string, unknown>>): Result<PublicKey, string> {
  const kind = kindOf(jwk);
  if (kind === undefined) return refused('must be of Ed25519, P-256, P-384 or RSA (RFC 7518, RFC 8037)');
  const { use = 'sig', key_ops: operations = ['verify'], alg = algorithms[kind][0] } = jwk;
  if (use !== 'sig') return refused('must be for signatures, and its use says otherwise');
  if (!Array.isArray(operations) || !operations.includes('verify'))
    return refused('must be for verifying, and its key_ops say otherwise');
  if (!algorithms[kind].includes(String(alg)))
    return refused(`must be for ${algorithms[kind].join(' or ')}, and its alg says otherwise`);
  let key: KeyObject;
  try {
    key = createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return refused('must be a key: its members are missing, or do not fit together (RFC 7518)');
  }
  const weakness = weaknessOf(kind, key, jwk);
  return weakness === undefined ? ok({ kind, key }) : refused(weakness);
}

function kindOf({ kty, crv }: Readonly<Record<string, unknown>>): KeyKind | undefined {
  if (kty === 'RSA') return 'RSA';
  if (kty === 'OKP') return crv === 'Ed25519' ? crv : undefined;
  return kty === 'EC' && (crv === 'P-256' || crv === 'P-384') ? crv : undefined;
}

function weaknessOf(
  kind: KeyKind,
  { asymmetricKeyDetails: details }: KeyObject,
  { x, n }: Readonly<Record<string, unknown>>,
): string | undefined {
  if (kind === 'Ed25519') {
    return isOfSmallOrder(Buffer.from(String(x), 'base64url'))
      ? 'must not be a point of small order: anybody could sign by it'
      : undefined;
  }
  if (kind !== 'RSA') return undefined;
  const { modulusLength = 0, publicExponent = 0n } = details ?? {};
  if (modulusLength < rsaBits.least || modulusLength > rsaBits.most)
    return `must have ${rsaBits.least} to ${rsaBits.most} bits, and has ${modulusLength}`;
  if (publicExponent < leastExponent || publicExponent % 2n === 0n)
    return `must have an odd exponent of ${leastExponent} or more`;
  return isProduct(String(n))
    ? undefined
    : 'must be the product of two large primes: of this one everybody knows the private part';
}

/** That are products, as far as can be told: looking takes milliseconds, and a key is looked at with every signature. */
const products = new Set<string>();
const mostProducts = 10_000;

/** @param encoded a modulus, in base64url */
function isProduct(encoded: string): boolean {
  if (products.has(encoded)) return true;
  const modulus = BigInt(`0x${Buffer.from(encoded, 'base64url').toString('hex')}`);
  if (hasSmallFactor(modulus) || checkPrimeSync(modulus)) return false;
  if (products.size >= mostProducts) products.clear();
  products.add(encoded);
  return true;
}

const smallFactors = 10_000n;

function hasSmallFactor(modulus: bigint): boolean {
  if (modulus % 2n === 0n) return true;
  for (let factor = 3n; factor < smallFactors; factor += 2n) if (modulus % factor === 0n) return true;
  return false;
}

const prime = 2n ** 255n - 19n; // RFC 8032, 5.1
/** y of the two pairs of points of order 8; the others are those of order 1, 2 and 4. */
const ofOrderEight = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;
const ofSmallOrder = new Set([0n, 1n, prime - 1n, ofOrderEight, prime - ofOrderEight]);

/** Whether eight times the point is nothing: then a signature of zeros is good for one message in eight, or for all. */
function isOfSmallOrder(encoded: Buffer): boolean {
  const littleEndian = Buffer.from(encoded).reverse();
  const y = BigInt(`0x${littleEndian.toString('hex') || '0'}`) & (2n ** 255n - 1n); // the highest bit is the sign of x
  return ofSmallOrder.has(y % prime);
}
