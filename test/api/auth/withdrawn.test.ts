// A verified token stops counting in time (SEC-8, ADM-4): at its end, when the client, role, institution or key is
// withdrawn, and after 60 s without verification.
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const soon = { timeout: 10_000, interval: 20 };

describe('with the built-in issuer', () => {
  let api: RunningApi;
  let other: RunningApi;
  beforeAll(async () => {
    api = await startApi(database.url);
    other = await startApi(database.url);
  });
  afterAll(async () => {
    await api.close();
    await other.close();
  });

  const statusesOf = async (token: string) => {
    const asked = [api, other].map((one) => one.get('/countries', null, bearer(token)));
    return (await Promise.all(asked)).map(({ status }) => status);
  };
  const counted = [200, 200];
  const refused = [401, 401];

  it('a client that is deleted counts no more within a second, in every process', async () => {
    const token = await api.token('BANYSGS0');
    expect(await statusesOf(token)).toEqual(counted);
    await api.db.deleteFrom('clients').where('client_id', '=', 'BANYSGS0').execute();
    await expect.poll(() => statusesOf(token), soon).toEqual(refused);
  });

  it.each([
    ['another role', { role: 'operator', institution_id: null }],
    ['another institution', { role: 'psp', institution_id: 'MY-BANY' }],
  ])('a client that is given %s loses the old one within a second', async (_, change) => {
    const token = await freshToken('LOTUMYS0');
    expect(await statusesOf(token)).toEqual(counted);
    const update = (values: { role: string; institution_id: string | null }) =>
      api.db.updateTable('clients').set(values).where('client_id', '=', 'LOTUMYS0').execute();
    await update(change);
    await expect.poll(() => statusesOf(token), soon).toEqual(refused);
    await update({ role: 'psp', institution_id: 'MY-LOTU' });
    await expect.poll(() => statusesOf(token), soon).toEqual(counted);
  });

  it('what was got by a secret that is ended counts no more within a second; by another of the same client it does', async () => {
    const secrets = ['leaked', 'next'].map((name) => ({
      client_id: 'BANYMYS0',
      secret_id: name,
      salt: Buffer.alloc(0),
      algorithm: 'sha256',
      digest: createHash('sha256').update(name).digest(),
    }));
    await api.db.insertInto('client_secrets').values(secrets).execute();
    const [leaked, next] = await Promise.all([
      freshToken('BANYMYS0', api, 'leaked'),
      freshToken('BANYMYS0', api, 'next'),
    ]);
    expect([await statusesOf(leaked), await statusesOf(next)]).toEqual([counted, counted]);
    await api.db
      .updateTable('client_secrets')
      .set({ ends_at: new Date() })
      .where('secret_id', '=', 'leaked')
      .execute();
    await expect.poll(() => statusesOf(leaked), soon).toEqual(refused);
    expect(await statusesOf(next)).toEqual(counted);
    await api.db.deleteFrom('client_secrets').where('secret_id', '=', 'next').execute();
    await expect.poll(() => statusesOf(next), soon).toEqual(refused);
  });

  it('a role that an institution no longer has counts no more within a second', async () => {
    const token = await api.token('MERISGS0');
    expect(await statusesOf(token)).toEqual(counted);
    const role = { institution_id: 'SG-MERI', role: 'fxp' } as const;
    await api.db
      .deleteFrom('institution_roles')
      .where('institution_id', '=', role.institution_id)
      .where('role', '=', role.role)
      .execute();
    await expect.poll(() => statusesOf(token), soon).toEqual(refused);
    await api.db.insertInto('institution_roles').values(role).execute();
    await expect.poll(() => statusesOf(token), soon).toEqual(counted);
  });

  it('a key that is retired still verifies, the next one signs in every process; a key that is deleted counts no more', async () => {
    const old = await freshToken('LOTUSGS0');
    const kidOf = (token: string) =>
      (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid;
    const oldKid = kidOf(old);
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = await exportJWK(privateKey);
    const newKid = await calculateJwkThumbprint(jwk);
    await api.db.transaction().execute(async (trx) => {
      await trx.updateTable('issuer_keys').set({ retired_at: new Date() }).execute();
      await trx
        .insertInto('issuer_keys')
        .values({ key_id: newKid, private_jwk: JSON.stringify(jwk) })
        .execute();
    });
    await expect.poll(async () => kidOf(await freshToken('LOTUSGS0')), soon).toBe(newKid);
    expect(await statusesOf(await freshToken('LOTUSGS0'))).toEqual(counted); // the other process may not know the key yet
    await expect.poll(async () => kidOf(await freshToken('LOTUSGS0', other)), soon).toBe(newKid);
    expect(await statusesOf(old)).toEqual(counted);
    await api.db.deleteFrom('issuer_keys').where('key_id', '=', oldKid).execute();
    await expect.poll(() => statusesOf(old), soon).toEqual(refused);
    const { keys } = (await api.request<{ keys: JWK[] }>('/oauth/jwks')).body;
    expect(keys.map(({ kid }) => kid)).toEqual([newKid]);
  });

  /** Not one that the test's API gave before. */
  async function freshToken(client: string, from = api, secret = `demo-${client}`): Promise<string> {
    const form = { grant_type: 'client_credentials', client_id: client, client_secret: secret };
    const answer = await from.request<{ access_token: string }>('/oauth/token', {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    return answer.body.access_token;
  }
});

describe('with an external issuer', () => {
  const issuer = 'https://issuer.test';
  const start = Date.parse('2026-06-01T12:00:00Z');
  let api: RunningApi;
  let issuerServer: Server;
  let published: JWK[];
  let answering = true;
  const keys = new Map<string, { readonly privateKey: CryptoKey; readonly jwk: JWK }>();

  beforeAll(async () => {
    for (const kid of ['one', 'two']) {
      const { privateKey, publicKey } = await generateKeyPair('ES256');
      keys.set(kid, { privateKey, jwk: { ...(await exportJWK(publicKey)), kid } });
    }
    published = [...keys.values()].map(({ jwk }) => jwk);
    issuerServer = createServer((_, response) => {
      response.statusCode = answering ? 200 : 500;
      response.end(JSON.stringify({ keys: published }));
    }).listen(0, '127.0.0.1');
    await new Promise((listening) => issuerServer.once('listening', listening));
    const jwksUrl = `http://127.0.0.1:${(issuerServer.address() as AddressInfo).port}/keys`;
    const auth = { kind: 'jwt', issuer, audience: 'isthmus', jwksUrl } as const;
    api = await startApi(database.url, { config: { auth }, clock: () => Date.now() });
    vi.useFakeTimers({ toFake: ['Date'], now: start });
  });
  afterEach(() => {
    answering = true;
    vi.setSystemTime(Date.now() + 120_000); // nothing is left of the test before
  });
  afterAll(async () => {
    vi.useRealTimers();
    await api.close();
    issuerServer.close();
  });

  /** Seconds from now; a lifetime of five minutes unless it is said. */
  function sign(at: { readonly iat?: number; readonly exp?: number; readonly kid?: string } = {}) {
    const { iat = 0, exp = 300, kid = 'one' } = at;
    const now = Date.now() / 1_000;
    const claims = { iss: issuer, aud: 'isthmus', sub: 'c', client_id: 'c', jti: '1', roles: ['operator'] };
    return new SignJWT({ ...claims, iat: now + iat, exp: now + exp })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
      .sign(keys.get(kid)?.privateKey ?? new Uint8Array());
  }
  const statusOf = async (token: string, authorization = `Bearer ${token}`) =>
    (await api.get('/countries', null, { authorization })).status;
  const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

  it('a key that is gone from the key set counts no more after 60 s, used or not', async () => {
    const used = await sign({ kid: 'two' });
    const unused = await sign({ kid: 'two' });
    const staying = await sign({ kid: 'one' });
    const all = async () => [await statusOf(used), await statusOf(staying)];
    expect(await all()).toEqual([200, 200]);
    const everything = published;
    published = published.filter(({ kid }) => kid !== 'two');
    for (let second = 0; second < 60; second += 10) {
      await statusOf(used);
      await statusOf(staying);
      pass(10_000);
    }
    expect(await all()).toEqual([401, 200]);
    expect(await statusOf(unused)).toBe(401);
    published = everything;
  });

  it('a new key counts within seconds', async () => {
    const everything = published;
    published = published.filter(({ kid }) => kid === 'one');
    expect(await statusOf(await sign())).toBe(200);
    published = everything;
    pass(6_000);
    expect(await statusOf(await sign({ kid: 'two' }))).toBe(200);
  });

  it('a token counts up to its end and not a moment longer, remembered or not', async () => {
    const [remembered, once] = [await sign({ exp: 20 }), await sign({ exp: 20 })];
    expect(await statusOf(remembered)).toBe(200);
    pass(19_999);
    expect(await statusOf(remembered)).toBe(200);
    const after: number[] = [];
    for (let ms = 0; ms <= 6_000; ms += 500) {
      pass(ms === 0 ? 1 : 500);
      after.push(await statusOf(remembered), await statusOf(once));
    }
    expect(new Set(after)).toEqual(new Set([401]));
  });

  it.each([
    ['lives for an hour', { iat: 0, exp: 3_600 }, 200],
    ['comes from a clock that is 4 s ahead', { iat: 4, exp: 3_604 }, 200],
    ['lives for two hours', { iat: 0, exp: 7_200 }, 401],
    ['was given in the future', { iat: 60, exp: 600 }, 401],
  ])('a token that %s: %j answers %i', async (_, times, status) => {
    const token = await sign(times);
    expect([await statusOf(token), await statusOf(token)]).toEqual([status, status]);
  });
});
