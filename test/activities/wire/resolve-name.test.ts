// Names of receivers: resolved off the shared pool, in bounded time, remembered for a bounded time (CBK-3).
import { pbkdf2 } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { createNameResolver } from '../../../activities/wire/resolve-name.ts';
import { nameServer, type Zone } from './name-server.ts';

const zone: Zone = {
  'bank.example': { addresses: ['127.0.0.5', '127.0.0.6'], ttl: 300 },
  'short.example': { addresses: ['127.0.0.7'], ttl: 0 },
  'empty.example': { addresses: [], ttl: 300 },
  'silent.example': 'silent',
  'failing.example': 'failing',
};
const server = await nameServer(zone);
const folder = mkdtempSync(join(tmpdir(), 'hosts-'));
afterAll(() => rmSync(folder, { recursive: true }));
const hostsFile = join(folder, 'hosts');
writeFileSync(
  hostsFile,
  '# of a test\n\n::1  Party.example party # twice\n127.0.0.9\tparty.example\nno address\n',
);

/** A resolver whose clock the test moves. */
function resolver() {
  const clock = { ms: 0 };
  const { resolve } = createNameResolver({
    nameServers: [server.address],
    hostsFile,
    now: () => clock.ms,
  });
  return { resolve, clock };
}

describe('what a name comes to', () => {
  test('every address of the name, from the name server', async () => {
    expect(await resolver().resolve('Bank.Example')).toEqual(['127.0.0.5', '127.0.0.6']);
  });

  test('localhost is loopback, of both families, and nobody is asked', async () => {
    expect(await resolver().resolve('localhost')).toEqual(['127.0.0.1', '::1']);
    expect(server.asked('localhost')).toBe(0);
  });

  test('the hosts file goes before the name server', async () => {
    expect(await resolver().resolve('party.example')).toEqual(['127.0.0.9', '::1']);
    expect(server.asked('party.example')).toBe(0);
  });

  test.each([
    ['nowhere.example', 'name-unknown'],
    ['empty.example', 'name-unknown'],
    ['failing.example', 'name-failed'],
    ['silent.example', 'name-timeout'],
  ])('%s: %s, within 1.5 s', async (name, errorClass) => {
    const startedAt = performance.now();
    await expect(resolver().resolve(name)).rejects.toMatchObject({ errorClass });
    expect(performance.now() - startedAt).toBeLessThan(1_800);
  });

  test('several silent name servers take no longer than one', async () => {
    const { resolve } = createNameResolver({ nameServers: Array<string>(3).fill(server.address) });
    const startedAt = performance.now();
    await expect(resolve('silent.example')).rejects.toMatchObject({ errorClass: 'name-timeout' });
    expect(performance.now() - startedAt).toBeLessThan(1_800);
  });
});

describe('what is remembered', () => {
  test('an answer, for its time to live and 30 s at most', async () => {
    const { resolve, clock } = resolver();
    const before = server.asked('bank.example');
    await resolve('bank.example');
    clock.ms = 29_999;
    await resolve('bank.example');
    expect(server.asked('bank.example') - before).toBe(1);
    clock.ms = 30_000;
    await resolve('bank.example');
    expect(server.asked('bank.example') - before).toBe(2);
    await resolve('short.example');
    clock.ms += 1_000;
    await resolve('short.example');
    expect(server.asked('short.example')).toBe(2);
  });

  test('a failure, for 1 s: then the name is asked for again', async () => {
    const { resolve, clock } = resolver();
    const before = server.asked('gone.example');
    await expect(resolve('gone.example')).rejects.toThrow();
    await expect(resolve('gone.example')).rejects.toThrow();
    expect(server.asked('gone.example') - before).toBe(1);
    clock.ms = 1_000;
    zone['gone.example'] = { addresses: ['127.0.0.8'], ttl: 60 };
    expect(await resolve('gone.example')).toEqual(['127.0.0.8']);
  });

  test('fifty who ask at once ask once', async () => {
    const { resolve } = resolver();
    const before = server.asked('bank.example');
    await Promise.all(Array.from({ length: 50 }, () => resolve('bank.example')));
    expect(server.asked('bank.example') - before).toBe(1);
  });
});

test('a full thread pool delays no name', async () => {
  let freed = 0;
  const occupy = async () => {
    await promisify(pbkdf2)('password', 'salt', 500_000, 64, 'sha512');
    freed += 1;
  };
  const pool = Promise.all(Array.from({ length: 4 }, occupy)); // as many as it has threads
  expect(await resolver().resolve('bank.example')).toHaveLength(2);
  expect(freed).toBe(0);
  await pool;
});
