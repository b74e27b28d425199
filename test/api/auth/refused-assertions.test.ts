// A refused assertion reveals neither the reason nor whether the client exists. Operators read the reason in the log
// (SEC-1, SEC-3).
import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import type { KyselyPlugin } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { clientByAssertion } from '../../../api/auth/client-assertion.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const issuer = 'https://isthmus.test';
const database = await testDatabase();
let api: RunningApi;
let key: CryptoKey;
interface Line {
  readonly requestId: string;
  readonly client: string | null;
  readonly why: string;
}
const log: string[] = [];
const linesOfLog = () => log.map((line) => JSON.parse(line) as Line);
const logger = pino({ level: 'warn' }, { write: (line: string) => void log.push(line) });

beforeAll(async () => {
  api = await startApi(database.url, { logger });
  const pair = await generateKeyPair('ES256');
  key = pair.privateKey;
  const jwk = await exportJWK(pair.publicKey);
  for (const [keyId, publicJwk] of [
    ['lotus', jwk],
    ['lotus-before', { ...jwk, d: 'AQAB' }], // as if it had been entered before anybody looked
    ['lotus-ed', await exportJWK((await generateKeyPair('EdDSA')).publicKey)],
  ] as const) {
    const row = { key_id: keyId, institution_id: 'SG-LOTU', public_jwk: JSON.stringify(publicJwk) };
    await api.db
      .insertInto('public_keys')
      .values({ ...row, valid_from: new Date(Date.now() - 86_400_000) })
      .execute();
  }
});
beforeEach(() => {
  log.length = 0;
});
afterAll(() => api.close());

const seconds = () => Math.floor(Date.now() / 1_000);

interface Made {
  readonly client?: string;
  readonly header?: object;
  readonly claims?: Record<string, unknown>;
}

function made({ client = 'LOTUSGS0', header = {}, claims = {} }: Made): Promise<string> {
  const now = seconds();
  const usual = { iss: client, sub: client, aud: issuer, iat: now, exp: now + 60, jti: randomUUID() };
  return new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'lotus', ...header })
    .sign(key);
}

/** As a client makes them (SEC-3). */
const ofThisLogin = '5c1a8c0e-2f0a-4f5e-9b57-7a2f6f1c9d11';
const login = (assertion: string, requestId = '0af7651916cd43dd8448eb211c80319c') =>
  api.request('/oauth/token', {
    method: 'POST',
    headers: { 'x-request-id': requestId },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    }),
  });

const changed = async () => {
  const [head = '', body = '', signature = ''] = (await made({})).split('.');
  return `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
};
const twice = async () => {
  const first = await made({});
  expect((await login(first)).status).toBe(200);
  return first;
};
const unsigned = async () => {
  const [, body = ''] = (await made({})).split('.');
  return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`;
};

describe('the log says in words why, each reason apart', () => {
  it.each<[string, RegExp, () => Promise<string>]>([
    [
      'no such key',
      /^no key of its party that counts now has its kid$/,
      () => made({ header: { kid: 'x' } }),
    ],
    [
      'a key that does not count',
      /lotus-before does not count: it has the member d/,
      () => made({ header: { kid: 'lotus-before' } }),
    ],
    ['another signature', /^its signature is not by the key lotus, or/, changed],
    ['none', /^its alg is none of ES256, ES384, PS256, EdDSA$/, unsigned],
    [
      'another kind of JWT',
      /^its typ is that of another kind of JWT$/,
      () => made({ header: { typ: 'at+jwt' } }),
    ],
    ['for others', /^aud is neither our issuer nor/, () => made({ claims: { aud: 'https://bank.example' } })],
    ['no end', /^exp is missing, or no number$/, () => made({ claims: { exp: undefined } })],
    ['no beginning', /^iat is missing, or no number$/, () => made({ claims: { iat: undefined } })],
    ['no jti', /^jti is missing, or no text$/, () => made({ claims: { jti: undefined } })],
    ['used', /^it was used before$/, twice],
    ['a person', /^an operator of the scheme has no keys/, () => made({ client: 'operator' })],
  ])('%s: %s', async (_what, why, make) => {
    const { status } = await login(await make(), ofThisLogin);
    expect(status).toBe(401);
    expect(linesOfLog()).toEqual([
      expect.objectContaining({ requestId: ofThisLogin, why: expect.stringMatching(why) as string }),
    ]);
  });
});

it('all get the same answer, and of whom there is not the log keeps no name (SEC-3)', async () => {
  const name = 'Mrs Tan Siew Lian';
  const answers = [
    await login(await made({ client: name })),
    await login(await made({ header: { kid: 'x' } })),
    await login(await made({ claims: { jti: '' } })),
    await login(await made({ client: 'a\0b' })),
  ];
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  const [unknown, known, , odd] = linesOfLog();
  expect(unknown).toMatchObject({ client: null, why: 'no such client' });
  expect(known).toMatchObject({ client: 'LOTUSGS0' });
  expect(odd).toMatchObject({ client: null, why: 'no such client' });
  expect(log.join('')).not.toContain('Tan');
});

describe('an assertion of nobody costs as much as one of a client: its time tells nothing', () => {
  const verify = vi.spyOn(globalThis.crypto.subtle, 'verify');
  afterAll(() => verify.mockRestore());

  /** Queries and verifications. */
  async function costOf(client: string, header: object): Promise<readonly [number, number]> {
    let queries = 0;
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => {
        queries += 1;
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    };
    const assertion = await made({ client, header, claims: { jti: '' } });
    verify.mockClear();
    const context = { db: api.db.withPlugin(counting), audiences: [issuer], nowMs: Date.now() };
    expect(await clientByAssertion(context, { assertion, clientId: client })).toBeUndefined();
    return [queries, verify.mock.calls.length];
  }

  it.each([
    ['by a key of theirs', { kid: 'lotus' }],
    ['by a key of nobody', { kid: 'x' }],
    ['by a key of theirs that does not count', { kid: 'lotus-before' }],
    ['by a key of theirs that is of another kind', { kid: 'lotus-ed' }],
    ['by no key', { kid: undefined }],
  ])('%s', async (_what, header) => {
    for (const client of ['LOTUSGS0', 'MERISGS0', 'operator', 'NOBODY00'])
      expect([client, await costOf(client, header)]).toEqual([client, [2, 1]]);
  });
});
