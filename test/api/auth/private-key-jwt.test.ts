// A client that logs in with a signed assertion instead of a secret (RFC 7523, SEC-1): signed by its own party's
// key, addressed to us alone, and used once.
import { createHash, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const issuer = 'https://isthmus.test';
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

const database = await testDatabase();
let api: RunningApi;
let other: RunningApi; // another process
const keys: Record<string, CryptoKey> = {};

type Owner = { readonly institution_id: string } | { readonly operator_id: string };

/** Enters a public key, and keeps the private one. */
async function enter(
  keyId: string,
  owner: Owner,
  { alg = 'ES256', until = null as Date | null } = {},
): Promise<void> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  keys[keyId] = privateKey;
  await api.db
    .insertInto('public_keys')
    .values({
      key_id: keyId,
      ...owner,
      public_jwk: JSON.stringify(await exportJWK(publicKey)),
      valid_from: new Date(Date.now() - 86_400_000),
      valid_until: until,
    })
    .execute();
}

beforeAll(async () => {
  api = await startApi(database.url);
  other = await startApi(database.url);
  await enter('lotus', { institution_id: 'SG-LOTU' });
  await enter('lotus-ed', { institution_id: 'SG-LOTU' }, { alg: 'EdDSA' });
  await enter('lotus-ended', { institution_id: 'SG-LOTU' }, { until: new Date(Date.now() - 1_000) });
  await enter('meri', { institution_id: 'SG-MERI' });
  const { rows } = await sql<{ id: string }>`
    select operator_id as id from clearing_systems where clearing_system_id = 'SGDFAST'`.execute(api.db);
  await enter('fast', { operator_id: rows[0]?.id ?? '' });
});
afterAll(async () => {
  await api.close();
  await other.close();
});

interface Made {
  readonly client?: string;
  readonly key?: string;
  readonly alg?: string;
  readonly header?: object;
  readonly claims?: Record<string, unknown>;
}

const now = () => Math.floor(Date.now() / 1_000);

const claimsOf = ({ client = 'LOTUSGS0', claims = {} }: Made): JWTPayload => ({
  iss: client,
  sub: client,
  aud: issuer,
  iat: now(),
  exp: now() + 60,
  jti: randomUUID(),
  ...claims,
});

const made = (one: Made = {}) =>
  new SignJWT(claimsOf(one))
    .setProtectedHeader({ alg: one.alg ?? 'ES256', kid: one.key ?? 'lotus', ...one.header })
    .sign(keys[one.key ?? 'lotus'] as CryptoKey);

const login = (assertion: string, more: Record<string, string> = {}, at = api) =>
  at.request<{ access_token?: string; error?: string }>('/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_assertion_type: assertionType,
      client_assertion: assertion,
      ...more,
    }),
  });

describe('an assertion that is good', () => {
  it.each([
    ['for the address of the token endpoint', { claims: { aud: `${issuer}/oauth/token` } }],
    ['by another of its keys, in another way', { key: 'lotus-ed', alg: 'EdDSA' }],
    ['of the operator of a payment system', { client: 'SGDFAST', key: 'fast' }],
    ['of an FX provider', { client: 'MERISGS0', key: 'meri' }],
    ['of the type of RFC 7523bis', { header: { typ: 'client-authentication+jwt' } }],
  ] satisfies [string, Made][])('%s: a token of that client', async (_what, one) => {
    const { status, body } = await login(await made(one));
    expect(status).toBe(200);
    const used = await api.get('/countries', null, { authorization: `Bearer ${body.access_token ?? ''}` });
    expect(used.status).toBe(200);
  });

  it('with the client id beside it', async () => {
    expect((await login(await made(), { client_id: 'LOTUSGS0' })).status).toBe(200);
  });
});

describe('an assertion that is refused', () => {
  it.each([
    ['by a key of another party', async () => made({ key: 'meri' })],
    ['by a key that has ended', async () => made({ key: 'lotus-ended' })],
    ['of a client of which there is none', async () => made({ client: 'NOBODY' })],
    ['of an operator of the scheme, who is a person', async () => made({ client: 'operator' })],
    ['for us and for somebody else', async () => made({ claims: { aud: [issuer, 'https://bank.example'] } })],
    ['for nobody', async () => made({ claims: { aud: undefined } })],
    ['that has ended', async () => made({ claims: { iat: now() - 120, exp: now() - 10 } })],
    ['that is good for an hour', async () => made({ claims: { exp: now() + 3_600 } })],
    ['of an hour ago, with an end in a minute', async () => made({ claims: { iat: now() - 3_600 } })],
    ['from the future', async () => made({ claims: { iat: now() + 120, exp: now() + 180 } })],
    ['before its time', async () => made({ claims: { nbf: now() + 60 } })],
    ...['at+jwt', 'application/at+jwt', ''].map((typ): [string, () => Promise<string>] => [
      `that was made for something else: of the type ${typ || '(empty)'}`,
      async () => made({ header: { typ } }),
    ]),
    ['with a jti without end', async () => made({ claims: { jti: 'x'.repeat(257) } })],
    [
      'whose content was changed',
      async () => {
        const [head = '', , signature = ''] = (await made()).split('.');
        const body = Buffer.from(JSON.stringify(claimsOf({ claims: { exp: now() + 200 } }))).toString(
          'base64url',
        );
        return `${head}.${body}.${signature}`;
      },
    ],
    [
      'whose signature is empty',
      async () => {
        const [head = '', body = ''] = (await made()).split('.');
        return `${head}.${body}.`;
      },
    ],
  ])('%s', async (_what, make) => {
    const { status, body } = await login(await make());
    expect([400, 401]).toContain(status);
    expect(body).not.toHaveProperty('access_token');
  });

  it('the second time, at whichever api', async () => {
    const assertion = await made();
    expect((await login(assertion)).status).toBe(200);
    expect((await login(assertion)).status).toBe(401);
    expect((await login(assertion, {}, other)).status).toBe(401);
  });

  it('but for one of twenty at once', async () => {
    const assertion = await made();
    const statuses = await Promise.all(
      Array.from(
        { length: 20 },
        async (_none, nth) => (await login(assertion, {}, nth % 2 === 0 ? api : other)).status,
      ),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it('what was used is known by a digest, and until it would have ended', async () => {
    const jti = randomUUID();
    expect((await login(await made({ claims: { jti } }))).status).toBe(200);
    const { rows } = await sql<{ digest: string; ends: Date }>`
      select encode(jti_sha256, 'hex') as digest, ends_at as ends from used_assertions
      where client_id = 'LOTUSGS0' order by ends_at desc limit 100`.execute(api.db);
    const digest = createHash('sha256').update(jti).digest('hex');
    expect(rows.map((row) => row.digest)).toContain(digest);
    await sql`update used_assertions set ends_at = now() - interval '2 hours'`.execute(api.db);
    await login(await made());
    const left = await sql`select from used_assertions`.execute(api.db);
    expect(left.rows).toHaveLength(1);
  });

  it.each([
    ['with a secret beside it', { client_secret: 'demo-LOTUSGS0', client_id: 'LOTUSGS0' }],
    ['with the id of another client beside it', { client_id: 'MERISGS0' }],
    [
      'of another type',
      { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' },
    ],
    ['which is no JWT', { client_assertion: 'no.jwt' }],
  ])('%s: 400', async (_what, more) => {
    const { status, body } = await login(await made(), more);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });
});

it('a key that is taken away counts no more at once', async () => {
  await enter('soon-gone', { institution_id: 'SG-LOTU' });
  const { body, status } = await login(await made({ key: 'soon-gone' }));
  expect(status).toBe(200);
  const { access_token: token = '' } = body as { access_token?: string };
  const use = async () => (await api.get('/countries', null, { authorization: `Bearer ${token}` })).status;
  expect(await use()).toBe(200);
  await api.db.deleteFrom('public_keys').where('key_id', '=', 'soon-gone').execute();
  expect((await login(await made({ key: 'soon-gone' }))).status).toBe(401);
  await expect.poll(use, { timeout: 10_000 }).toBe(401); // what was got by it, too (SEC-8)
});
