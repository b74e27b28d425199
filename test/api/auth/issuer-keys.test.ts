// Rotation of the built-in issuer's keys in every process. A withdrawn key ends the tokens that it signed (SEC-1,
// SEC-8).
import { sql } from 'kysely';
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startIssuerKeys } from '../../../api/keys/issuer-keys.ts';
import { openBuiltinIssuer } from '../../../api/auth/issuer.ts';
import { pino } from 'pino';
import { testDatabase } from '../../harness/database.ts';
import { rewritten } from '../../harness/rewritten.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let here: RunningApi;
let there: RunningApi;
beforeAll(async () => {
  here = await startApi(database.url);
  there = await startApi(database.url);
});
afterAll(async () => {
  await here.close();
  await there.close();
});

const soon = { timeout: 10_000, interval: 50 };

async function login(
  at: RunningApi,
  client = 'LOTUSGS0',
): Promise<{ token: string; kid: string | undefined }> {
  const { body } = await at.request<{ access_token: string }>('/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client,
      client_secret: `demo-${client}`,
    }),
  });
  return { token: body.access_token, kid: decodeProtectedHeader(body.access_token).kid };
}

const use = async (at: RunningApi, token: string) =>
  (await at.get('/countries', null, { authorization: `Bearer ${token}` })).status;

const published = async (at: RunningApi) =>
  (await at.request<{ keys: { kid: string }[] }>('/oauth/jwks')).body.keys.map(({ kid }) => kid);

async function rotate(withdraw: boolean): Promise<{ keyId: string; state: string }[]> {
  const { token } = await login(here, 'operator');
  const answer = await here.post<{ keyId: string; state: string }[]>(
    '/admin/issuer-keys',
    { because: 'a test', withdraw },
    null,
    { authorization: `Bearer ${token}` },
  );
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

describe('another key', () => {
  it('signs in every process within a second; what the one before signed counts', async () => {
    const old = await login(there);
    const [newest, before] = await rotate(false);
    expect([newest?.state, before?.state]).toEqual(['signs', 'followed']);
    for (const at of [here, there]) {
      await expect.poll(async () => (await login(at)).kid, soon).toBe(newest?.keyId);
      expect(await use(at, old.token)).toBe(200);
      expect((await published(at)).sort()).toEqual([newest?.keyId, before?.keyId].sort());
    }
  });

  it('is on record with who made it, and why', async () => {
    const { body } = await here.get<{ madeBy: string; because: string }[]>('/admin/issuer-keys', 'operator');
    expect(body[0]).toMatchObject({ madeBy: 'operator', because: 'a test' });
    expect(JSON.stringify(body)).not.toContain('"d"');
    const { rows } = await sql`select from audit_events where kind = 'issuer-key.made'`.execute(here.db);
    expect(rows.length).toBeGreaterThan(0);
  });
});

describe('a key that is withdrawn', () => {
  it('ends what it has signed, and those before it have, in every process within a second', async () => {
    const old = await login(here);
    await rotate(false);
    const last = await login(here);
    const [newest] = await rotate(true);
    for (const at of [here, there]) {
      for (const { token } of [old, last]) {
        await expect.poll(() => use(at, token), soon).toBe(401);
      }
      await expect.poll(() => published(at), soon).toEqual([newest?.keyId]);
    }
    expect(await use(there, (await login(there)).token)).toBe(200);
  });
});

it('on schedule: once it is old enough, one process makes the next', async () => {
  const issuers = await Promise.all(
    [here, there].map((api) =>
      openBuiltinIssuer(api.ownDb, {
        issuer: 'https://isthmus.test',
        audience: 'https://isthmus.test',
        clock: Date.now,
        reference: () => api,
      }),
    ),
  );
  const count = async () => (await sql`select from issuer_keys`.execute(here.db)).rows.length;
  const look = async () => {
    const logger = pino({ level: 'silent' });
    const stops = issuers.map((issuer) => startIssuerKeys(issuer, { afterDays: 90, logger }));
    await Promise.all(stops.map((stop) => stop()));
  };
  const before = await count();
  await look();
  expect(await count()).toBe(before);
  await sql`update issuer_keys set created_at = now() - interval '91 days' where retired_at is null`.execute(
    here.db,
  );
  await look();
  expect(await count()).toBe(before + 1);
  const { rows } = await sql`select made_by, because from issuer_keys where retired_at is null`.execute(
    here.db,
  );
  expect(rows).toEqual([{ made_by: 'isthmus', because: 'on schedule' }]);
});

it('a key that is over counts and is published no more within a minute, though nothing else has changed', async () => {
  const generation = {};
  const issuer = await openBuiltinIssuer(here.db, {
    issuer: 'https://isthmus.test',
    audience: 'https://isthmus.test',
    clock: Date.now,
    reference: () => generation,
  });
  const kids = async () => (await issuer.jwks()).keys.map(({ kid }) => kid);
  const [before] = await kids();
  await issuer.rotate({ by: 'isthmus', because: 'a test', withdraw: false });
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000);
  expect(await kids()).toContain(before); // for two hours
  await rewritten(
    here.db,
    sql`update issuer_keys set retired_at = retired_at - interval '3 hours' where key_id = ${before}`,
  );
  now.mockReturnValue(performance.now() + 61_000);
  expect(await kids()).not.toContain(before);
  now.mockRestore();
});
