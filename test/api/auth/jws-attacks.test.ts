// Attacks on JWS and JWT (RFC 8725, Wycheproof) against what a client logs in with (SEC-1): each assertion is built byte by byte,
// because libraries refuse to make such ones. The first describe shows that those built so are good but for what was done to them.
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

const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n; // of P-256
const edOrder = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n; // of Ed25519
const number = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
const bytesOf = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
/** A signature of two halves, changed. */
const halves = (change: (r: Buffer, s: Buffer) => readonly Buffer[]) => (content: Buffer) => {
  const made = signWith.ec(content);
  return Buffer.concat(change(made.subarray(0, 32), made.subarray(32)));
};
const publicPem = pairs.ec.publicKey.export({ type: 'spki', format: 'pem' }) as string;
const hmac = (key: string | Buffer) => (content: Buffer) =>
  createHmac('sha256', key).update(content).digest();
const twiceSpelled = (payload: object) => JSON.stringify(payload).replace('{', '{"s\\u0075b":"MERISGS0",');
const notRead = { header: { crit: ['unknown'], unknown: 1 } };

describe('an assertion that is refused', () => {
  const nothing = () => Buffer.alloc(0);
  it.each([
    ...['none', 'None', 'NONE', 'nOnE', '', 'null'].flatMap((alg): [string, Parts][] => [
      [`algorithm ${alg || '(empty)'}, without a signature`, { alg, by: nothing }],
      [`algorithm ${alg || '(empty)'}, with a good one`, { alg }],
    ]),
    ['no algorithm', { header: JSON.stringify({ kid: 'ec' }) }],
    ['an algorithm that is a list', { header: { alg: ['ES256'] } }],
    ['the public key as the secret, as PEM', { alg: 'HS256', by: hmac(publicPem) }],
    ['the public key as the secret, trimmed', { alg: 'HS256', by: hmac(publicPem.trim()) }],
    ['the public key as the secret, as JWK', { alg: 'HS256', by: hmac(JSON.stringify(jwkOf('ec'))) }],
    [
      'the public key as the secret, as DER',
      {
        alg: 'HS256',
        by: hmac(pairs.ec.publicKey.export({ type: 'spki', format: 'der' })),
      },
    ],
    [
      'a secret that somebody has entered as a key',
      { alg: 'HS256', kid: 'secret', by: hmac(Buffer.alloc(32, 'x')) },
    ],
    ['nothing as the secret', { alg: 'HS256', by: hmac('') }],
    [
      'an older padding of the same RSA key',
      {
        alg: 'RS256',
        kid: 'rsa',
        by: (content: Buffer) => sign('sha256', content, pairs.rsa.privateKey),
      },
    ],
    [
      'that padding under the name of the newer',
      {
        alg: 'PS256',
        kid: 'rsa',
        by: (content: Buffer) => sign('sha256', content, pairs.rsa.privateKey),
      },
    ],
    [
      'PSS with another salt',
      {
        alg: 'PS256',
        kid: 'rsa',
        by: (content: Buffer) =>
          sign('sha256', content, { key: pairs.rsa.privateKey, padding: 6, saltLength: 0 }),
      },
    ],
    [
      'PSS with another hash',
      {
        alg: 'PS256',
        kid: 'rsa',
        by: (content: Buffer) =>
          sign('sha1', content, { key: pairs.rsa.privateKey, padding: 6, saltLength: 32 }),
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
    ['the algorithm of another kind', { alg: 'EdDSA' }],
    ['the key id of another key', { kid: 'ed' }],
    ['a key id that is a path', { kid: '../../dev/null', by: hmac('') }],
    ['a key id that is SQL', { kid: "ec' or '1'='1" }],
    ['a key id that is no text', { header: { kid: { $ne: '' } } }],
    ['its own key', { header: { jwk: jwkOf('foreign') }, by: signWith.foreign }],
    [
      'its own key, and no id',
      {
        header: JSON.stringify({ alg: 'ES256', jwk: jwkOf('foreign') }),
        by: signWith.foreign,
      },
    ],
    [
      'a key that it has elsewhere',
      {
        header: { jku: 'http://127.0.0.1:9/keys', x5u: 'http://127.0.0.1:9/certificate' },
        by: signWith.foreign,
      },
    ],
    ['what must be understood, and is not', notRead],
    ['what must be understood: nothing', { header: { crit: [] } }],
    ['what must be understood, and is not there', { header: { crit: ['exp'] } }],
    [
      'a payload that is not encoded (RFC 7797)',
      {
        header: { b64: false, crit: ['b64'] },
        joined: (head: string, body: string, signature: string) =>
          `${head}.${Buffer.from(body, 'base64url').toString()}.${signature}`,
      },
    ],
    ['zeros (CVE-2022-21449)', { by: () => Buffer.alloc(64) }],
    ['r = 0', { by: halves((_r, s) => [Buffer.alloc(32), s]) }],
    ['s = 0', { by: halves((r) => [r, Buffer.alloc(32)]) }],
    ['r = s = n', { by: () => Buffer.concat([bytesOf(order), bytesOf(order)]) }],
    ['r = s = 1', { by: () => Buffer.concat([bytesOf(1n), bytesOf(1n)]) }],
    ['halves in the other order', { by: halves((r, s) => [s, r]) }],
    ['a byte less', { by: halves((r, s) => [r, s.subarray(0, 31)]) }],
    ['a byte more', { by: halves((r, s) => [r, s, Buffer.alloc(1)]) }],
    [
      'ASN.1, as other programs have it',
      { by: (content: Buffer) => sign('sha256', content, pairs.ec.privateKey) },
    ],
    [
      'Ed25519 with another s, which is equal by the order',
      {
        alg: 'EdDSA',
        kid: 'ed',
        by: (content: Buffer) => {
          const made = signWith.ed(content);
          const s = number(Buffer.from(made.subarray(32)).reverse()) + edOrder;
          return Buffer.concat([made.subarray(0, 32), bytesOf(s).reverse()]);
        },
      },
    ],
    ['nothing after the last dot', { by: nothing }],
    ['of two parts', { joined: (head: string, body: string) => `${head}.${body}` }],
    ['of four parts', { joined: (...parts: string[]) => [...parts, ''].join('.') }],
    [
      'of five parts, as if it were encrypted',
      { joined: (...parts: string[]) => [...parts, '', ''].join('.') },
    ],
    [
      'as JSON',
      {
        joined: (header: string, payload: string, signature: string) =>
          JSON.stringify({ payload, signatures: [{ protected: header, signature }] }),
      },
    ],
    [
      'with a header that is not protected',
      {
        joined: (header: string, payload: string, signature: string) =>
          JSON.stringify({ payload, protected: header, header: { alg: 'none' }, signature }),
      },
    ],
    ['a header that is a list', { header: '["ES256"]' }],
    ['a header that is null', { header: 'null' }],
    ['a header that is not UTF-8', { header: '\ud800{' }],
    ['a payload that is no object', { payload: '"LOTUSGS0"' }],
    ['a payload that is a list', { payload: '[]' }],
    ['no payload', { payload: '' }],
    ['a type that is a list', { header: { typ: ['JWT'] } }],
    ...['iss', 'sub', 'aud', 'exp', 'iat', 'jti'].map((member): [string, Parts] => [
      `${member} twice, of which others may read the first`,
      { payload: JSON.stringify(claims()).replace('{', `{"${member}":"MERISGS0",`) },
    ]),
    ['a member twice, which is spelled in two ways', { payload: twiceSpelled(claims()) }],
    ['an algorithm twice', { header: '{"alg":"none","alg":"ES256","kid":"ec"}' }],
    ['an end that is text', { payload: claims({ exp: String(now() + 60) }) }],
    [
      'an end that is no number',
      {
        payload: JSON.stringify(claims({ exp: 'X' })).replace('"X"', '1e999'),
      },
    ],
    ['an end before the beginning of time', { payload: claims({ exp: -1 }) }],
    ['a beginning that is text', { payload: claims({ iat: 'now' }) }],
    ['a jti that is a number', { payload: claims({ jti: 1 }) }],
    ['a jti that is a list', { payload: claims({ jti: [randomUUID()] }) }],
    ...[5, null, true, 0, {}, ['LOTUSGS0']].map((who): [string, Parts] => [
      `a client that is ${JSON.stringify(who)}`,
      { payload: claims({ iss: who, sub: who }) },
    ]),
    ['an issuer that is a list', { payload: claims({ iss: ['LOTUSGS0'] }) }],
    ['another issuer', { payload: claims({ iss: 'MERISGS0' }) }],
    ['another subject', { payload: claims({ sub: 'MERISGS0' }) }],
    ['an audience that is an object', { payload: claims({ aud: { 0: issuer } }) }],
    ['an audience that begins like us', { payload: claims({ aud: `${issuer}.bank.example` }) }],
  ] satisfies [string, Parts][])('%s', async (_what, parts) => {
    const { status, body } = await login(built(parts));
    expect([400, 401]).toContain(status);
    expect(body.error).toMatch(/^invalid_(request|client)$/);
  });

  it('though its signature is another one that is as good: an assertion counts once, and not its bytes', async () => {
    const payload = claims();
    const by = halves((r, s) => [r, bytesOf(order - number(s))]);
    expect((await login(built({ payload }))).status).toBe(200);
    expect((await login(built({ payload, by }))).status).toBe(401);
    expect((await login(built({ by }))).status).toBe(200); // it is good, but for that
  });
});
