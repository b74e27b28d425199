// Makes the secrets of clients, and hashes them with a salt and a slow hash for storage. A secret is shown
// once. A secret made here has 256 random bits and cannot be guessed. One that an operator imported may have
// fewer. For a secret made here, a short tag is stored too, so that a wrong guess is rejected without the
// slow hash. Otherwise somebody who sends guesses would delay the logins of others.
import { createHash, createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

const secretBytes = 32;
const saltBytes = 16;

/**
 * A hash in a document: `scrypt:<salt>:<digest>` in hexadecimal, followed by `:<tag>` if the secret was made here.
 * `sha256:` is a fast hash for demo secrets.
 */
export const secretHashPattern =
  /^(?:scrypt:(?:[0-9a-f]{2}){16,64}:[0-9a-f]{64}(?::[0-9a-f]{8})?|sha256:(?:[0-9a-f]{2}){0,64}:[0-9a-f]{64})$/;

/** Parameters of scrypt (RFC 7914). Each hash takes 16 MiB and about 40 ms of a processor. */
const cost = { N: 16_384, r: 8, p: 1 } as const;
const digestBytes = 32;

const sha256 = (salt: Buffer, secret: string): Buffer =>
  createHash('sha256').update(salt).update(secret).digest();

const derived = (salt: Buffer, secret: string): Promise<Buffer> =>
  inTurn(
    () =>
      new Promise((resolve, reject) => {
        scrypt(secret, salt, digestBytes, cost, (error, digest) => {
          if (error === null) resolve(digest);
          else reject(error);
        });
      }),
  );

const mostAtOnce = 2; // slow hashes at a time, of the four threads of libuv; file access and name lookups need threads too
const waiting: (() => void)[] = [];
let atOnce = 0;

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (atOnce >= mostAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  atOnce += 1;
  try {
    return await work();
  } finally {
    atOnce -= 1;
    waiting.shift()?.();
  }
}

/** Bytes of a tag, a fast hash of the secret. An attacker who knows the tag still has to guess 224 bits. */
const tagBytes = 4;
const tagOf = (salt: Buffer, secret: string): Buffer =>
  createHash('sha256').update('tag of a secret\0').update(salt).update(secret).digest().subarray(0, tagBytes);

export async function makeSecret(): Promise<{ readonly secret: string; readonly hash: string }> {
  const secret = randomBytes(secretBytes).toString('base64url');
  const salt = randomBytes(saltBytes);
  const digest = await derived(salt, secret);
  const kept = [salt, digest, tagOf(salt, secret)].map((bytes) => bytes.toString('hex'));
  return { secret, hash: `scrypt:${kept.join(':')}` };
}

/** Values for the columns of `client_secrets`. Bytes are in the text format of Postgres. */
export function saltedHashOf(hash: string): {
  readonly algorithm: string;
  readonly salt: string;
  readonly digest: string;
  readonly tag: string | null;
} {
  const [algorithm = '', salt = '', digest = '', tag] = hash.split(':');
  return {
    algorithm,
    salt: `\\x${salt}`,
    digest: `\\x${digest}`,
    tag: tag === undefined ? null : `\\x${tag}`,
  };
}

export interface KeptSecret {
  readonly algorithm: string;
  readonly salt: Buffer;
  readonly digest: Buffer;
  /** Null: the secret was not made here. */
  readonly tag: Buffer | null;
}

/**
 * Checks a secret against the stored secrets of a client. A secret that was right before is recognised
 * without the slow hash, as long as the same hash is stored. To recognise it, memory holds an HMAC of the
 * secret, with a random key that is never stored.
 */
export interface SecretCheck {
  /**
   * @param kept the stored secrets of one client; empty if the client does not exist. An empty list takes as
   *   long as a wrong secret.
   * @returns the matching stored secret; undefined if none can match; otherwise a function that tries the
   *   slow hash
   */
  judge<Kept extends KeptSecret>(
    secret: string,
    kept: readonly Kept[],
  ): Kept | undefined | (() => Promise<Kept | undefined>);
}

const nameOf = ({ algorithm, salt, digest }: KeptSecret) =>
  `${algorithm}:${salt.toString('hex')}:${digest.toString('hex')}`;

const mostKnown = 10_000;

/** @param derive the slow hash, scrypt; tests pass a function that counts its calls */
export function createSecretCheck(derive: typeof derived = derived): SecretCheck {
  const key = randomBytes(32);
  const known = new Map<string, Buffer>(); // HMAC of the right secret, by stored hash
  const keyed = (secret: string) => createHmac('sha256', key).update(secret).digest();

  function isKnown(secret: string, kept: KeptSecret): boolean {
    const before = known.get(nameOf(kept));
    return before !== undefined && timingSafeEqual(before, keyed(secret));
  }

  async function isIt(secret: string, kept: KeptSecret): Promise<boolean> {
    if (!isSame(await derive(kept.salt, secret), kept.digest)) return false;
    if (known.size >= mostKnown) known.clear();
    known.set(nameOf(kept), keyed(secret));
    return true;
  }

  return {
    judge(secret, kept) {
      const quick = kept.filter(({ algorithm }) => algorithm === 'sha256');
      const slow = kept.filter(({ algorithm }) => algorithm === 'scrypt');
      const seen =
        slow.find((one) => isKnown(secret, one)) ??
        quick.find(({ salt, digest }) => isSame(sha256(salt, secret), digest));
      const toTry = slow.filter(({ salt, tag }) => tag === null || isSame(tagOf(salt, secret), tag));
      if (seen !== undefined || toTry.length === 0) return seen;
      return async () => {
        const areIt = await Promise.all(toTry.map((one) => isIt(secret, one)));
        return toTry.find((_, index) => areIt[index]);
      };
    },
  };
}

const isSame = (one: Buffer, other: Buffer) => one.length === other.length && timingSafeEqual(one, other);
