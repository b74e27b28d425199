// Moduli of RSA by which everybody can sign, or many can (SEC-1): as far as a few milliseconds tell. Nobody can tell all
// of them: a factor of 100 bits that somebody else knows looks like none.
import { checkPrimeSync } from 'node:crypto';

/** @returns why it may not be used, after "the key"; undefined: as far as can be told, it is the product of two large primes */
export function weaknessOfModulus(modulus: bigint): string | undefined {
  if (hasSmallFactor(modulus) || hasSmoothFactor(modulus) || checkPrimeSync(modulus))
    return 'must be the product of two large primes: of this one everybody can work out the private part';
  if (hasNearFactors(modulus))
    return 'must be the product of two primes that are far apart: of this one everybody can work out the private part';
  return isOfRoca(modulus)
    ? 'must not be of the kind that some chips have made (ROCA, CVE-2017-15361): its private part can be worked out'
    : undefined;
}

/** The product of all primes below 2^16; made once, in 13 ms, by halves: one after the other took ten times as long. */
let smallPrimes: bigint | undefined;

function hasSmallFactor(modulus: bigint): boolean {
  smallPrimes ??= product(primesBelow(65_536));
  return gcd(modulus, smallPrimes % modulus) !== 1n;
}

const smooth = 200n;

/** Pollard's p - 1: a prime is found at once, however long it is, where p - 1 has small factors only. */
function hasSmoothFactor(modulus: bigint): boolean {
  let exponent = 1n;
  for (let factor = 2n; factor <= smooth; factor += 1n) exponent *= factor / gcd(factor, exponent);
  return gcd(modulus, power(2n, exponent, modulus) - 1n) !== 1n;
}

const fermatSteps = 100; // random primes take more than anybody has

/** Fermat: modulus = a² - b², and a is next to its root where its factors are near each other, or the same. */
function hasNearFactors(modulus: bigint): boolean {
  let a = rootOf(modulus);
  if (a * a < modulus) a += 1n;
  for (let step = 0; step < fermatSteps; step += 1, a += 1n) if (isSquare(a * a - modulus)) return true;
  return false;
}

/** Primes up to 167, as in the fingerprint that was published; one modulus in a hundred million bears it by chance. */
const marks = primesBelow(168)
  .slice(1)
  .map((prime) => ({ prime, powers: powersOf(65_537n, prime) }));

/** Nemec et al., The Return of Coppersmith's Attack, 2017: modulo small primes, nothing but powers of 65537. */
function isOfRoca(modulus: bigint): boolean {
  return marks.every(({ prime, powers }) => powers.has(modulus % prime));
}

function powersOf(base: bigint, prime: bigint): ReadonlySet<bigint> {
  const powers = new Set<bigint>();
  for (let value = 1n; !powers.has(value); value = (value * base) % prime) powers.add(value);
  return powers;
}

function primesBelow(limit: number): readonly bigint[] {
  const isComposite = new Uint8Array(limit);
  const primes: bigint[] = [];
  for (let candidate = 2; candidate < limit; candidate += 1) {
    if (isComposite[candidate] === 1) continue;
    primes.push(BigInt(candidate));
    for (let multiple = candidate ** 2; multiple < limit; multiple += candidate) isComposite[multiple] = 1;
  }
  return primes;
}

function product(factors: readonly bigint[]): bigint {
  if (factors.length < 2) return factors[0] ?? 1n;
  const half = factors.length >> 1;
  return product(factors.slice(0, half)) * product(factors.slice(half));
}

function gcd(one: bigint, other: bigint): bigint {
  while (other !== 0n) [one, other] = [other, one % other];
  return one;
}

export function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus;
    if (bit === '1') result = (result * base) % modulus;
  }
  return result;
}

function isSquare(value: bigint): boolean {
  if (![0n, 1n, 4n, 9n].includes(value & 15n)) return false; // quickly for most
  return rootOf(value) ** 2n === value;
}

/** The largest whole number whose square is not larger (Newton). */
function rootOf(value: bigint): bigint {
  if (value === 0n) return 0n;
  let root = 1n << BigInt(value.toString(16).length * 2); // not below it
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
