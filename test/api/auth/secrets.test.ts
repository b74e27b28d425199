// Client secrets: slow to guess, quick to recognise again, and kept nowhere in clear (ADM-4). A wrong secret for a
// client costs as little as one for an unknown client (SEC-7).
import { createHash, scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  createSecretCheck,
  makeSecret,
  saltedHashOf,
  secretHashPattern,
} from '../../../db/scheme/secrets.ts';

const bytes = (column: string) => Buffer.from(column.slice(2), 'hex');

/** As the database has it. */
function kept(hash: string) {
  const { algorithm, salt, digest, tag } = saltedHashOf(hash);
  return { algorithm, salt: bytes(salt), digest: bytes(digest), tag: tag === null ? null : bytes(tag) };
}

/** How often something slow was done meanwhile. */
function counted() {
  let derivations = 0;
  const check = createSecretCheck((salt, secret) => {
    derivations += 1;
    return Promise.resolve(scryptSync(secret, salt, 32, { N: 16_384, r: 8, p: 1 }));
  });
  const isOneOf = async (secret: string, all: Parameters<typeof check.judge>[1]) => {
    const verdict = check.judge(secret, all);
    return (typeof verdict === 'function' ? await verdict() : verdict) !== undefined;
  };
  return { isOneOf, derivations: () => derivations };
}

describe('a secret', async () => {
  const { secret, hash } = await makeSecret();

  it('has 256 bits, and is kept by scrypt, with a tag of 32 bits', () => {
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(hash).toMatch(/^scrypt:[0-9a-f]{32}:[0-9a-f]{64}:[0-9a-f]{8}$/);
    expect(hash).toMatch(secretHashPattern);
    expect(hash).not.toContain(secret);
  });

  it('is found among several, and another is not', async () => {
    const { isOneOf } = counted();
    const others = [kept((await makeSecret()).hash), kept(hash)];
    expect(await isOneOf(secret, others)).toBe(true);
    expect(await isOneOf(secret, others)).toBe(true); // known again
    expect(await isOneOf(`${secret}x`, others)).toBe(false);
    expect(await isOneOf('', others)).toBe(false);
    expect(await isOneOf(secret, [])).toBe(false);
    expect(await isOneOf(secret, [kept((await makeSecret()).hash)])).toBe(false);
  });

  it('once it is no longer kept it is unknown, whatever was known of it', async () => {
    const { isOneOf } = counted();
    expect(await isOneOf(secret, [kept(hash)])).toBe(true);
    expect(await isOneOf(secret, [])).toBe(false);
  });

  it('is tried slowly once, and a wrong one never: of one secret, of two, of quick ones and of nobody alike', async () => {
    const { isOneOf, derivations } = counted();
    const quick = { algorithm: 'sha256', salt: Buffer.alloc(0), digest: Buffer.alloc(32), tag: null };
    const another = kept((await makeSecret()).hash);
    for (const all of [[], [kept(hash)], [kept(hash), another], [quick], [quick, another]]) {
      expect(await isOneOf('a guess', all)).toBe(false);
    }
    expect(derivations()).toBe(0);
    for (let nth = 0; nth < 3; nth += 1)
      expect(await isOneOf(secret, [another, kept(hash), quick])).toBe(true);
    expect(derivations()).toBe(1);
  });

  it('with the tag of another is not taken', async () => {
    const { isOneOf, derivations } = counted();
    const tag = kept((await makeSecret()).hash).tag;
    expect(await isOneOf(secret, [{ ...kept(hash), tag }])).toBe(false);
    expect(derivations()).toBe(0);
  });

  it('by SHA-256, as those of the demo, is taken', async () => {
    const { isOneOf } = counted();
    const salt = Buffer.from('0123456789abcdef');
    const digest = createHash('sha256').update(salt).update('demo').digest();
    const quick = { algorithm: 'sha256', salt, digest, tag: null };
    expect(await isOneOf('demo', [quick])).toBe(true);
    expect(await isOneOf('demos', [quick])).toBe(false);
  });
});
