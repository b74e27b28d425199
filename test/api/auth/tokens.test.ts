// Tokens: what the built-in issuer grants and refuses, which tokens the api accepts, and AUTH=none.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JWK,
} from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseApiConfig } from '../../../core/settings/config.ts';
import { assertNoDemoClients } from '../../../db/keys/clients.ts';
import type { TokenRefusal } from '../../../fixtures/bodies.ts';
import { testDatabase } from '../../harness/database.ts';
import { problemTexts } from '../../harness/problem-texts.ts';
import { exchange, problemOf } from '../http/raw-http.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();

describe('the built-in issuer', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi(database.url);
  });
  afterAll(() => api.close());

  const ask = (
    form: Record<string, string> | readonly [string, string][],
    headers: Record<string, string> = {},
  ) =>
    api.request<TokenRefusal>('/oauth/token', { method: 'POST', body: new URLSearchParams(form), headers });
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  });

  it('gives a token to a client that names its secret, in the form or by HTTP Basic (RFC 6749)', async () => {
    const grant = { grant_type: 'client_credentials' };
    const inForm = await ask({ ...grant, client_id: 'LOTUSGS0', client_secret: 'demo-LOTUSGS0' });
    expect(inForm.status).toBe(200);
    expect(inForm.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    expect(inForm.headers.get('cache-control')).toBe('no-store');
    expect((await ask(grant, basic('SGDFAST', 'demo-SGDFAST'))).status).toBe(200);
  });

  it('writes an RFC 9068 token that its published keys verify', async () => {
    const token = await api.token('MERISGS0');
    const header = decodeProtectedHeader(token);
    const payload = decodeJwt(token);
    expect(header).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
    expect(payload).toMatchObject({
      iss: 'https://isthmus.test',
      aud: 'https://isthmus.test',
      sub: 'MERISGS0',
      client_id: 'MERISGS0',
      roles: ['fxp'],
      institution_id: 'SG-MERI',
    });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
    const { keys } = (await api.request<{ keys: JWK[] }>('/oauth/jwks')).body;
    expect(keys.map(({ kid }) => kid)).toContain(header.kid);
    for (const key of keys) expect(key).not.toHaveProperty('d');
  });

  it('refuses a wrong secret and an unknown client alike: 401 invalid_client', async () => {
    const grant = { grant_type: 'client_credentials' };
    const answers = [
      await ask({ ...grant, client_id: 'LOTUSGS0', client_secret: 'wrong' }),
      await ask({ ...grant, client_id: 'NOBODY', client_secret: 'wrong' }),
      await ask({ ...grant, client_id: 'a\u0000b', client_secret: 'wrong' }),
      await ask(grant),
    ];
    for (const { status, text, headers } of answers) {
      expect([status, text]).toEqual([401, answers[0]?.text]);
      expect(headers.get('www-authenticate')).toContain('Basic');
    }
    expect(answers[0]?.body.error).toBe('invalid_client');
  });

  it('has no client for institutions that are not onboarded, nor for pure SAPs', async () => {
    for (const id of ['FERNSGS0', 'HARBSGS0']) {
      const answer = await ask({
        grant_type: 'client_credentials',
        client_id: id,
        client_secret: `demo-${id}`,
      });
      expect(answer.status).toBe(401);
    }
  });

  it('refuses what is no token request: 400', async () => {
    const code = async (answer: Promise<{ body: { error: string }; status: number }>) => {
      const { body, status } = await answer;
      return [status, body.error];
    };
    expect(await code(ask({ grant_type: 'password' }))).toEqual([400, 'unsupported_grant_type']);
    expect(await code(ask({}))).toEqual([400, 'invalid_request']);
    expect(await code(ask([['grant_type', 'client_credentials'], ['grant_type', 'client_credentials']]))).toEqual([400, 'invalid_request']); // prettier-ignore
    expect(
      await code(api.post<TokenRefusal>('/oauth/token', { grant_type: 'client_credentials' }, null)),
    ).toEqual([400, 'invalid_request']);
    const both = { grant_type: 'client_credentials', client_id: 'LOTUSGS0', client_secret: 'demo-LOTUSGS0' };
    expect(await code(ask(both, basic('LOTUSGS0', 'demo-LOTUSGS0')))).toEqual([400, 'invalid_request']);
  });

  it.each([
    ['our address', 'Host: isthmus.test\r\n', 200],
    ['this machine', 'Host: localhost:8080\r\n', 200],
    ['a name that was made to lead here', 'Host: evil.example\r\n', 400],
    ['a page of another origin', 'Host: isthmus.test\r\nOrigin: https://evil.example\r\n', 400],
    ['a page of a configured origin', 'Host: isthmus.test\r\nOrigin: https://pages.test\r\n', 200],
  ])(
    'gives demo clients, whose secrets every page knows, a token: asked for by %s',
    async (_, headers, status) => {
      const body = 'grant_type=client_credentials&client_id=LOTUSGS0&client_secret=demo-LOTUSGS0';
      const type = 'Content-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n';
      const length = `Content-Length: ${body.length}\r\n`;
      const [answer] = await exchange(
        api.url,
        `POST /oauth/token HTTP/1.1\r\n${headers}${type}${length}\r\n${body}`,
      );
      expect(answer?.status).toBe(status);
      if (status === 400) expect(JSON.parse(answer?.body ?? '')).toMatchObject({ error: 'invalid_request' });
    },
  );

  it('says how to authenticate: 401 with WWW-Authenticate', async () => {
    const none = await api.get('/countries', null);
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="isthmus"']);
    for (const authorization of [
      'Bearer x',
      'Bearer',
      'Basic abc',
      'Bearer a b',
      `Bearer ${'x'.repeat(9_000)}`,
    ]) {
      const { status, headers } = await api.get('/countries', null, { authorization });
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toContain('error="invalid_token"');
    }
  });
});

describe('tokens of an external issuer, AUTH=jwt (ADM-4)', () => {
  const issuer = 'https://issuer.test';
  let api: RunningApi;
  let keys: Server;
  let privateKey: CryptoKey;
  let weakKey: CryptoKey;
  const now = Date.parse('2026-06-01T12:00:00Z');

  beforeAll(async () => {
    const pair = await generateKeyPair('RS256');
    const weak = await generateKeyPair('RS384');
    privateKey = pair.privateKey;
    weakKey = weak.privateKey;
    const published = [
      { ...(await exportJWK(pair.publicKey)), kid: 'one' },
      { ...(await exportJWK(weak.publicKey)), kid: 'weak' },
    ];
    keys = createServer((_, response) => response.end(JSON.stringify({ keys: published }))).listen(
      0,
      '127.0.0.1',
    );
    await new Promise((listening) => keys.once('listening', listening));
    const jwksUrl = `http://127.0.0.1:${(keys.address() as AddressInfo).port}/keys`;
    const auth = { kind: 'jwt', issuer, audience: 'isthmus', jwksUrl } as const;
    api = await startApi(database.url, { config: { auth }, clock: () => now });
  });
  afterAll(async () => {
    await api.close();
    keys.close();
  });

  interface Changes {
    /** undefined leaves a claim out. */
    readonly claims?: Readonly<Record<string, unknown>>;
    readonly typ?: string;
    readonly alg?: string;
    readonly key?: CryptoKey | Uint8Array<ArrayBuffer>;
    readonly kid?: string;
  }

  function sign({ claims = {}, typ = 'at+jwt', alg = 'RS256', key = privateKey, kid = 'one' }: Changes = {}) {
    const seconds = now / 1_000;
    const payload = {
      iss: issuer,
      aud: 'isthmus',
      sub: 'client',
      client_id: 'client',
      iat: seconds,
      exp: seconds + 60,
      jti: '1',
      roles: ['psp'],
      institution_id: 'SG-LOTU',
      ...claims,
    };
    return new SignJWT(payload).setProtectedHeader({ alg, typ, kid }).sign(key);
  }

  const status = async (changes: Changes) =>
    (await api.get('/countries', null, { authorization: `Bearer ${await sign(changes)}` })).status;

  it('accepts what is signed for us, by internalId or BIC', async () => {
    expect(await status({})).toBe(200);
    expect(await status({ claims: { institution_id: 'LOTUSGS0' } })).toBe(200);
    expect(await status({ claims: { roles: ['ipso'], clearing_system_id: 'SGDFAST' } })).toBe(200);
    expect(await status({ claims: { roles: ['something-else', 'operator'] } })).toBe(200);
  });

  it.each<[string, Changes]>([
    ['that has expired', { claims: { exp: 1_700_000_000 } }],
    ['without expiry', { claims: { exp: undefined } }],
    ['signed with an algorithm that is not on our list', { alg: 'RS384', kid: 'weak', get key() { return weakKey; } }], // prettier-ignore
    ['signed with a shared secret', { alg: 'HS256', key: new TextEncoder().encode('x'.repeat(32)) }],
    ['bound to a certificate that is not presented (RFC 8705)', { claims: { cnf: { 'x5t#S256': 'abc' } } }],
    ['bound in a way that we cannot check', { claims: { cnf: { jkt: 'abc' } } }],
  ])('refuses a token %s', async (_, changes) => {
    expect(await status(changes)).toBe(401);
  });

  it('refuses an unsigned token, and one whose payload was changed', async () => {
    const [header, payload, signature] = (await sign()).split('.');
    const changed = Buffer.from(JSON.stringify({ roles: ['operator'] })).toString('base64url');
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');
    for (const token of [`${header ?? ''}.${changed}.${signature ?? ''}`, `${none}.${payload ?? ''}.`]) {
      expect((await api.get('/countries', null, { authorization: `Bearer ${token}` })).status).toBe(401);
    }
  });

  it('takes a token in its one spelling only, so that it is remembered once (SEC-8)', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const token = await sign();
    const [header = '', payload = '', signature = ''] = token.split('.');
    /**
     * Other spellings of the same bytes: bits that no byte has, padding, the other alphabet, what decoders pass over.
     */
    const others = (part: string) => [
      ...Array.from(alphabet, (last) => part.slice(0, -1) + last),
      ...['=', '==', '\u00A0', '+', '/', '~', 'A'].map((more) => part + more),
      part.replaceAll('-', '+').replaceAll('_', '/'),
      part.replace(/^./, '$&='),
    ];
    const spellings = [
      ...others(signature).map((other) => `${header}.${payload}.${other}`),
      ...others(payload).map((other) => `${header}.${other}.${signature}`),
      ...others(header).map((other) => `${other}.${payload}.${signature}`),
      `${token}.`,
      `${token}=`,
    ];
    const taken: string[] = [];
    for (const spelling of spellings) {
      const { status } = await api.get('/countries', null, { authorization: `Bearer ${spelling}` });
      if (status !== 401 && spelling !== token) taken.push(spelling.slice(token.length - 4));
    }
    expect(taken).toEqual([]);
    expect((await api.get('/countries', null, { authorization: `bearer   ${token}` })).status).toBe(200);
  });

  it('has no token endpoint of its own', async () => {
    expect((await api.request('/oauth/token', { method: 'POST' })).status).toBe(404);
  });
});

describe('AUTH=none', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi(database.url, { config: { auth: { kind: 'none' } } });
  });
  afterAll(() => api.close());

  it('answers everybody, and lets a caller name any PSP', async () => {
    const path = '/quotes/SG/SGD/TH/THB/SGD/1000?finInstIdType=BICFI&finInstId=BANYSGS0';
    expect((await api.get(path, null)).status).toBe(200);
  });

  it('wants an FX provider to say who it is', async () => {
    const rate = {
      sourceCountry: 'SG',
      sourceCurrency: 'SGD',
      destinationCountry: 'TH',
      destinationCurrency: 'THB',
      rate: '25',
    };
    const { body } = await api.post('/rates/', rate, null);
    expect([body.code, body.detail]).toEqual(['fxp-not-named', problemTexts['fxp-not-named'].told]);
    const answer = await api.post('/rates/', rate, null, { authorization: 'Bearer MERISGS0' });
    expect(answer.status).toBe(200);
  });

  it('believes who a caller says it is, with that role’s limits', async () => {
    expect((await api.get('/api/v1/rates', null, { authorization: 'Bearer LOTUSGS0' })).status).toBe(403);
  });

  const ask = async (host: string, headers = '') => {
    const answers = await exchange(
      api.url,
      `GET /countries HTTP/1.1\r\nHost: ${host}\r\n${headers}Connection: close\r\n\r\n`,
    );
    return answers;
  };

  it.each(['127.0.0.1', '127.0.0.1:8080', 'localhost', 'LOCALHOST:8080', '[::1]:8080', '127.9.9.9'])(
    'is there for %s',
    async (host) => {
      expect((await ask(host))[0]?.status).toBe(200);
    },
  );

  it.each([
    'evil.example',
    'evil.example:8080',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '192.0.2.1',
    'localhost.',
    '0.0.0.0',
  ])('is not there for a name that was made to lead here: %s', async (host) => {
    expect(problemOf(await ask(host))).toMatchObject({ status: 403, code: 'forbidden', ruleId: 'SEC-1' });
  });

  it.each([
    ['of another origin', 'Origin: https://evil.example\r\n'],
    ['that hides its origin', 'Origin: null\r\n'],
    ['on another port of this machine', 'Origin: http://127.0.0.1:9999\r\n'],
    ['of another origin that sends none', 'Sec-Fetch-Site: cross-site\r\n'],
    ['of a neighbour', 'Sec-Fetch-Site: same-site\r\n'],
  ])('is not there for a page %s', async (_, headers) => {
    expect(problemOf(await ask('127.0.0.1:8080', headers))).toMatchObject({ status: 403, code: 'forbidden' });
  });

  it.each([
    ['our own', 'Origin: http://127.0.0.1:8080\r\nSec-Fetch-Site: same-origin\r\n'],
    ['one of the configured origins', 'Origin: https://pages.test\r\nSec-Fetch-Site: cross-site\r\n'],
    ['the address bar', 'Sec-Fetch-Site: none\r\n'],
  ])('is there for a page: %s', async (_, headers) => {
    expect((await ask('127.0.0.1:8080', headers))[0]?.status).toBe(200);
  });

  it('does not start on an address that others can reach (SEC-1)', () => {
    const env = { DATABASE_URL: 'postgres://x/y', TEMPORAL_ADDRESS: 'x:1', AUTH: 'none', HOST: '0.0.0.0' };
    expect(() => parseApiConfig(env)).toThrow('loopback');
    expect(parseApiConfig({ ...env, HOST: '127.0.0.1' }).auth).toEqual({ kind: 'none' });
  });
});

describe('demo clients', () => {
  it('stop every start but that of the embedded default', async () => {
    const api = await startApi(database.url);
    try {
      await expect(assertNoDemoClients(api.db)).rejects.toThrow('Demo clients');
      await api.db.deleteFrom('clients').where('demo', '=', true).execute();
      await expect(assertNoDemoClients(api.db)).resolves.toBeUndefined();
    } finally {
      await api.close();
    }
  });
});
