// Attacks on JWS and JWT (RFC 8725, Wycheproof) against client assertions (SEC-1). The test builds each assertion
// byte by byte, because libraries refuse to. The first describe shows that an assertion built this way is accepted
// without the attack.
import {
  createHmac,
  generateKeyPairSync,
  randomUUID,
  sign,
  type JsonWebKey,
  type KeyObject,
  type SignKeyObjectInput,
} from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const issuer = 'https://isthmus.test';
const database = await testDatabase();
let api: RunningApi;

const pairs = {
  ec: generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
  ed: generateKeyPairSync('ed25519'),
  rsa: generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  weak: generateKeyPairSync('rsa', { modulusLength: 1_024 }),
  foreign: generateKeyPairSync('ec', { namedCurve: 'prime256v1' }), // of nobody
} satisfies Record<string, { readonly publicKey: KeyObject; readonly privateKey: KeyObject }>;
type KeyName = keyof typeof pairs;
/** y = 1: by the mathematics, a signature of zeros is good for every text. */
const smallOrder = Buffer.from(`01${'00'.repeat(31)}`, 'hex');

const jwkOf = (name: KeyName) => pairs[name].publicKey.export({ format: 'jwk' });

async function enter(keyId: string, jwk: JsonWebKey): Promise<void> {
  const row = {
    key_id: keyId,
    institution_id: 'SG-LOTU',
    public_jwk: JSON.stringify(jwk),
    valid_from: new Date(Date.now() - 86_400_000),
  };
  await api.db.insertInto('public_keys').values(row).execute();
}

beforeAll(async () => {
  api = await startApi(database.url);
  for (const name of ['ec', 'ed', 'rsa', 'weak'] as const) await enter(name, jwkOf(name));
  // What a key says of itself is read differently by whoever reads it.
  await enter('chatty', {
    ...jwkOf('ed'),
    key_ops: ['verify', 'sign'],
    ext: 'no',
    alg: 'Ed25519',
  });
  // No form takes them; as if they had been entered before there was one.
  await enter('small-order', { kty: 'OKP', crv: 'Ed25519', x: smallOrder.toString('base64url') });
  await enter('secret', { kty: 'oct', k: Buffer.alloc(32, 'x').toString('base64url') });
});
afterAll(() => api.close());

const base64url = (bytes: string | Uint8Array) => Buffer.from(bytes).toString('base64url');
const now = () => Math.floor(Date.now() / 1_000);
const claims = (changes: Readonly<Record<string, unknown>> = {}) => ({
  iss: 'LOTUSGS0',
  sub: 'LOTUSGS0',
  aud: issuer,
  iat: now(),
  exp: now() + 60,
  jti: randomUUID(),
  ...changes,
});

const p1363 = (key: KeyObject): SignKeyObjectInput => ({ key, dsaEncoding: 'ieee-p1363' });
const signWith: Readonly<Record<KeyName, (content: Buffer) => Buffer>> = {
  ec: (content) => sign('sha256', content, p1363(pairs.ec.privateKey)),
  foreign: (content) => sign('sha256', content, p1363(pairs.foreign.privateKey)),
  ed: (content) => sign(null, content, pairs.ed.privateKey),
  rsa: (content) => sign('sha256', content, { key: pairs.rsa.privateKey, padding: 6, saltLength: 32 }), // PSS
  weak: (content) => sign('sha256', content, { key: pairs.weak.privateKey, padding: 6, saltLength: 32 }),
};

interface Parts {
  /** Text of the header, or what is in it beside algorithm and key id. */
  readonly header?: string | Readonly<Record<string, unknown>>;
  readonly payload?: string | Readonly<Record<string, unknown>>;
  readonly alg?: string;
  readonly kid?: string;
  readonly by?: (content: Buffer) => Buffer;
  /** Of the three parts. */
  readonly joined?: (header: string, payload: string, signature: string) => string;
}

function built({
  header = {},
  payload = claims(),
  alg = 'ES256',
  kid = 'ec',
  by = signWith.ec,
  joined,
}: Parts): string {
  const head = base64url(typeof header === 'string' ? header : JSON.stringify({ alg, kid, ...header }));
  const body = base64url(typeof payload === 'string' ? payload : JSON.stringify(payload));
  const signature = base64url(by(Buffer.from(`${head}.${body}`)));
  return joined === undefined ? `${head}.${body}.${signature}` : joined(head, body, signature);
}

const login = (assertion: string) =>
  api.request<{ access_token?: string; error?: string }>('/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    }),
  });

describe('an assertion built here is good', () => {
  it.each([
    ['ES256', { alg: 'ES256', kid: 'ec', by: signWith.ec }],
    ['EdDSA', { alg: 'EdDSA', kid: 'ed', by: signWith.ed }],
    ['PS256', { alg: 'PS256', kid: 'rsa', by: signWith.rsa }],
    ['EdDSA, by a key that says much of itself', { alg: 'EdDSA', kid: 'chatty', by: signWith.ed }],
    [
      'with members that nobody must understand',
      { header: { typ: 'JWT', jku: 'https://bank.example/keys' } },
    ],
    ['with the key of its own beside it', { header: { jwk: jwkOf('ec') } }],
  ] satisfies [string, Parts][])('%s', async (_what, parts) => {
    expect((await login(built(parts))).status).toBe(200);
  });
});

const publicPem = pairs.ec.publicKey.export({ type: 'spki', format: 'pem' }) as string;
const hmac = (key: string | Buffer) => (content: Buffer) =>
  createHmac('sha256', key).update(content).digest();
const notRead = { header: { crit: ['unknown'], unknown: 1 } };

describe('an assertion that is refused', () => {
  const nothing = () => Buffer.alloc(0);
  it.each([
    ['the public key as the secret, as PEM', { alg: 'HS256', by: hmac(publicPem) }],
    [
      'a secret that somebody has entered as a key',
      { alg: 'HS256', kid: 'secret', by: hmac(Buffer.alloc(32, 'x')) },
    ],
    [
      'an older padding of the same RSA key',
      {
        alg: 'RS256',
        kid: 'rsa',
        by: (content: Buffer) => sign('sha256', content, pairs.rsa.privateKey),
      },
    ],
    ['an RSA key of 1024 bits', { alg: 'PS256', kid: 'weak', by: signWith.weak }],
    [
      'a key of small order, by which everybody signs',
      {
        alg: 'EdDSA',
        kid: 'small-order',
        by: () => Buffer.concat([smallOrder, Buffer.alloc(32)]),
      },
    ],
    ['the algorithm of another curve', { alg: 'ES384' }],
    ['a key id that is SQL', { kid: "ec' or '1'='1" }],
    ['its own key', { header: { jwk: jwkOf('foreign') }, by: signWith.foreign }],
    ['what must be understood, and is not', notRead],
    ['zeros (CVE-2022-21449)', { by: () => Buffer.alloc(64) }],
    [
      'ASN.1, as other programs have it',
      { by: (content: Buffer) => sign('sha256', content, pairs.ec.privateKey) },
    ],
    ['nothing after the last dot', { by: nothing }],
    ['of two parts', { joined: (head: string, body: string) => `${head}.${body}` }],
    [
      'as JSON',
      {
        joined: (header: string, payload: string, signature: string) =>
          JSON.stringify({ payload, signatures: [{ protected: header, signature }] }),
      },
    ],
    ['a header that is a list', { header: '["ES256"]' }],
    ['a payload that is no object', { payload: '"LOTUSGS0"' }],
    ...['iss', 'sub', 'aud', 'exp', 'iat', 'jti'].map((member): [string, Parts] => [
      `${member} twice, of which others may read the first`,
      { payload: JSON.stringify(claims()).replace('{', `{"${member}":"MERISGS0",`) },
    ]),
    ['an algorithm twice', { header: '{"alg":"none","alg":"ES256","kid":"ec"}' }],
    ['an end that is text', { payload: claims({ exp: String(now() + 60) }) }],
    ['a jti that is a number', { payload: claims({ jti: 1 }) }],
    ...[5, null, true, 0, {}, ['LOTUSGS0']].map((who): [string, Parts] => [
      `a client that is ${JSON.stringify(who)}`,
      { payload: claims({ iss: who, sub: who }) },
    ]),
    ['an audience that is an object', { payload: claims({ aud: { 0: issuer } }) }],
  ] satisfies [string, Parts][])('%s', async (_what, parts) => {
    const { status, body } = await login(built(parts));
    expect([400, 401]).toContain(status);
    expect(body.error).toMatch(/^invalid_(request|client)$/);
  });
});
