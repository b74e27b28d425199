// Names of receivers are resolved outside the shared thread pool, within bounded time, and cached for bounded time
// (CBK-3).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createNameResolver } from '../../../activities/wire/resolve-name.ts';
import { nameServer, type Zone } from './name-server.ts';

const zone: Zone = {
  'bank.example': { addresses: ['127.0.0.5', '127.0.0.6'], ttl: 300 },
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
  ])('%s: %s, soon', async (name, errorClass) => {
    const startedAt = performance.now();
    await expect(resolver().resolve(name)).rejects.toMatchObject({ errorClass });
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });
});

describe('what is remembered', () => {
  test('an answer, for its time to live, 1 s at least and 30 s at most', async () => {
    const { resolve, clock } = resolver();
    const [old, now] = [['127.0.0.5'], ['127.0.0.6']];
    zone['moved.example'] = { addresses: old, ttl: 300 };
    zone['short.example'] = { addresses: old, ttl: 0 };
    expect(await resolve('moved.example')).toEqual(old);
    expect(await resolve('short.example')).toEqual(old);
    zone['moved.example'] = { addresses: now, ttl: 300 };
    zone['short.example'] = { addresses: now, ttl: 0 };
    clock.ms = 999;
    expect(await resolve('short.example')).toEqual(old);
    clock.ms = 1_000;
    expect(await resolve('short.example')).toEqual(now);
    clock.ms = 29_999;
    expect(await resolve('moved.example')).toEqual(old);
    clock.ms = 30_000;
    expect(await resolve('moved.example')).toEqual(now);
  });
});
