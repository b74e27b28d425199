// Secrets are slow to try, known again without that, and nothing in memory or in the database is one (ADM-4).
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  createSecretCheck,
  makeSecret,
  saltedHashOf,
  secretHashPattern,
} from '../../../db/scheme/secrets.ts';

/** As the database has it. */
function kept(hash: string) {
  const { algorithm, salt, digest } = saltedHashOf(hash);
  return { algorithm, salt: Buffer.from(salt.slice(2), 'hex'), digest: Buffer.from(digest.slice(2), 'hex') };
}

async function ms(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

describe('a secret', async () => {
  const { secret, hash } = await makeSecret();

  it('has 256 bits, and is kept by scrypt', () => {
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(hash).toMatch(/^scrypt:[0-9a-f]{32}:[0-9a-f]{64}$/);
    expect(hash).toMatch(secretHashPattern);
    expect(hash).not.toContain(secret);
  });

  it('is found among several, and another is not', async () => {
    const check = createSecretCheck();
    const others = [kept((await makeSecret()).hash), kept(hash)];
    expect(await check.isOneOf(secret, others)).toBe(true);
    expect(await check.isOneOf(secret, others)).toBe(true); // known again
    expect(await check.isOneOf(`${secret}x`, others)).toBe(false);
    expect(await check.isOneOf('', others)).toBe(false);
    expect(await check.isOneOf(secret, [])).toBe(false);
    expect(await check.isOneOf(secret, [kept((await makeSecret()).hash)])).toBe(false);
  });

  it('once it is no longer kept it is unknown, whatever was known of it', async () => {
    const check = createSecretCheck();
    expect(await check.isOneOf(secret, [kept(hash)])).toBe(true);
    expect(await check.isOneOf(secret, [])).toBe(false);
  });

  it('right again it is quick; wrong, or of nobody, it is slow each time', async () => {
    const check = createSecretCheck();
    await check.isOneOf(secret, [kept(hash)]);
    const quick = Math.min(...(await repeated(() => check.isOneOf(secret, [kept(hash)]))));
    const wrong = Math.min(...(await repeated(() => check.isOneOf('a guess', [kept(hash)]))));
    const nobody = Math.min(...(await repeated(() => check.isOneOf('a guess', []))));
    expect(wrong).toBeGreaterThan(20 * quick);
    expect(nobody).toBeGreaterThan(20 * quick);
  });

  async function repeated(work: () => Promise<unknown>): Promise<readonly number[]> {
    const times: number[] = [];
    for (let nth = 0; nth < 5; nth += 1) times.push(await ms(work));
    return times;
  }

  it('of before, by SHA-256, goes on', async () => {
    const salt = Buffer.from('0123456789abcdef');
    const digest = createHash('sha256').update(salt).update('old').digest();
    const old = { algorithm: 'sha256', salt, digest };
    expect(await createSecretCheck().isOneOf('old', [old])).toBe(true);
    expect(await createSecretCheck().isOneOf('olds', [old])).toBe(false);
  });
});
