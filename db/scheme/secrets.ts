// Secrets of clients (ADM-4): made here, shown once, and kept as a salted hash that is slow to try. A secret of ours has 256
// bits, and nobody can guess one; one that an operator has brought along may have fewer.
import { createHash, createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

const secretBytes = 32;
const saltBytes = 16;

type Algorithm = 'scrypt' | 'sha256';

/** As a document has it: `scrypt:<salt>:<digest>`, hexadecimal; `sha256:` where it was made before. */
export const secretHashPattern =
  /^(?:scrypt:(?:[0-9a-f]{2}){16,64}|sha256:(?:[0-9a-f]{2}){0,64}):[0-9a-f]{64}$/;

/** RFC 7914; 16 MiB and some 40 ms of a processor for each try. */
const cost = { N: 16_384, r: 8, p: 1 } as const;
const digestBytes = 32;

const digestOf: Readonly<Record<Algorithm, (salt: Buffer, secret: string) => Promise<Buffer>>> = {
  sha256: (salt, secret) => Promise.resolve(createHash('sha256').update(salt).update(secret).digest()),
  scrypt: (salt, secret) =>
    inTurn(
      () =>
        new Promise((resolve, reject) => {
          scrypt(secret, salt, digestBytes, cost, (error, digest) => {
            if (error === null) resolve(digest);
            else reject(error);
          });
        }),
    ),
};

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

/** A new one, and what is kept of it. */
export async function makeSecret(): Promise<{ readonly secret: string; readonly hash: string }> {
  const secret = randomBytes(secretBytes).toString('base64url');
  const salt = randomBytes(saltBytes);
  const digest = await digestOf.scrypt(salt, secret);
  return { secret, hash: `scrypt:${salt.toString('hex')}:${digest.toString('hex')}` };
}

/** Columns of `client_secrets`, as Postgres reads bytes from text. */
export function saltedHashOf(hash: string): {
  readonly algorithm: string;
  readonly salt: string;
  readonly digest: string;
} {
  const [algorithm = '', salt = '', digest = ''] = hash.split(':');
  return { algorithm, salt: `\\x${salt}`, digest: `\\x${digest}` };
}

/** What is kept of a secret. */
export interface KeptSecret {
  readonly algorithm: string;
  readonly salt: Buffer;
  readonly digest: Buffer;
}

/**
 * Whether a secret is one of those that are kept. What was found right is known again without its slow hash, as long as
 * the same hash is kept; what is wrong is as slow each time. Only a keyed hash of it is in memory, whose key is there too,
 * and nowhere else.
 */
export interface SecretCheck {
  /** Whether it was found right before, and is kept still: that costs nothing. */
  remembers(secret: string, kept: readonly KeptSecret[]): boolean;
  /** @param kept of one client; empty: there is none, which takes as long as a wrong secret */
  isOneOf(secret: string, kept: readonly KeptSecret[]): Promise<boolean>;
}

const nameOf = ({ algorithm, salt, digest }: KeptSecret) =>
  `${algorithm}:${salt.toString('hex')}:${digest.toString('hex')}`;

const mostKnown = 10_000;

export function createSecretCheck(): SecretCheck {
  const key = randomBytes(32);
  const known = new Map<string, Buffer>(); // by what is kept
  const keyed = (secret: string) => createHmac('sha256', key).update(secret).digest();

  function isKnown(secret: string, kept: KeptSecret): boolean {
    const before = known.get(nameOf(kept));
    return before !== undefined && timingSafeEqual(before, keyed(secret));
  }

  async function isIt(secret: string, kept: KeptSecret): Promise<boolean> {
    if (isKnown(secret, kept)) return true;
    const digest = await digestOf[kept.algorithm === 'scrypt' ? 'scrypt' : 'sha256'](kept.salt, secret);
    const isRight = kept.digest.length === digest.length && timingSafeEqual(digest, kept.digest);
    if (isRight) {
      if (known.size >= mostKnown) known.clear();
      known.set(nameOf(kept), keyed(secret));
    }
    return isRight;
  }

  return {
    remembers: (secret, kept) => kept.some((one) => isKnown(secret, one)),
    async isOneOf(secret, kept) {
      const found = await Promise.all(kept.map((one) => isIt(secret, one)));
      if (found.includes(true)) return true;
      // what is wrong takes as long where there is no secret, or only one of before
      if (!kept.some(({ algorithm }) => algorithm === 'scrypt')) await digestOf.scrypt(key, secret);
      return false;
    },
  };
}
