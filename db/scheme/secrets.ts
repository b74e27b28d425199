// Secrets of clients: made here, shown once, and kept as a salted hash that is slow to try. A secret of ours has 256
// bits, and nobody can guess one; one that an operator has brought along may have fewer. Of one of ours a tag is kept too, by
// which a wrong one is refused at once: otherwise whoever sends guesses keeps others waiting for their logins.
import { createHash, createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

const secretBytes = 32;
const saltBytes = 16;

/**
 * As a document has it: `scrypt:<salt>:<digest>`, hexadecimal, and `:<tag>` behind it if the secret was made here. `sha256:` is
 * quick to try: for demo secrets.
 */
export const secretHashPattern =
  /^(?:scrypt:(?:[0-9a-f]{2}){16,64}:[0-9a-f]{64}(?::[0-9a-f]{8})?|sha256:(?:[0-9a-f]{2}){0,64}:[0-9a-f]{64})$/;

/** RFC 7914; 16 MiB and some 40 ms of a processor for each try. */
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

const mostAtOnce = 2; // of the four threads that a process shares with its files and names
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

/** 32 bits of a quick digest: they leave 224 bits to be guessed, and of 4 billion wrong ones let one be tried slowly. */
const tagBytes = 4;
const tagOf = (salt: Buffer, secret: string): Buffer =>
  createHash('sha256').update('tag of a secret\0').update(salt).update(secret).digest().subarray(0, tagBytes);

/** A new one, and what is kept of it. */
export async function makeSecret(): Promise<{ readonly secret: string; readonly hash: string }> {
  const secret = randomBytes(secretBytes).toString('base64url');
  const salt = randomBytes(saltBytes);
  const digest = await derived(salt, secret);
  const kept = [salt, digest, tagOf(salt, secret)].map((bytes) => bytes.toString('hex'));
  return { secret, hash: `scrypt:${kept.join(':')}` };
}

/** Columns of `client_secrets`, as Postgres reads bytes from text. */
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

/** What is kept of a secret. */
export interface KeptSecret {
  readonly algorithm: string;
  readonly salt: Buffer;
  readonly digest: Buffer;
  /** Null: the secret was not made here. */
  readonly tag: Buffer | null;
}

/**
 * Whether a secret is one of those that are kept of a client. What was found right is known again without its slow hash, as
 * long as the same hash is kept. Only a keyed hash of it is in memory, whose key is there too, and nowhere else.
 */
export interface SecretCheck {
  /**
   * @param kept of one client; empty: there is none, which is as quick to see as a wrong secret
   * @returns the one that it is; undefined: none; else what tries it slowly, because it can be seen in no other way
   */
  judge<Kept extends KeptSecret>(
    secret: string,
    kept: readonly Kept[],
  ): Kept | undefined | (() => Promise<Kept | undefined>);
}

const nameOf = ({ algorithm, salt, digest }: KeptSecret) =>
  `${algorithm}:${salt.toString('hex')}:${digest.toString('hex')}`;

const mostKnown = 10_000;

/** @param derive scrypt; counted in tests */
export function createSecretCheck(derive: typeof derived = derived): SecretCheck {
  const key = randomBytes(32);
  const known = new Map<string, Buffer>(); // by what is kept
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
