// The HTTP server: methods, trailing slashes, CORS, headers. Odd input never leads to a 5xx (SEC-4).
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Country } from '../../../fixtures/bodies.ts';
import { rotateDeliveryKey } from '../../../db/keys/delivery-keys.ts';
import { testDatabase } from '../../harness/database.ts';
import { problemTexts } from '../../harness/problem-texts.ts';
import { startApi, type RunningApi } from './running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
  await rotateDeliveryKey(api.db, { by: 'isthmus', because: 'a test', withdraw: false }); // as a worker does first
});
afterAll(() => api.close());

describe('methods', () => {
  it.each([
    ['DELETE', '/countries', 'GET, HEAD, OPTIONS'],
    ['POST', '/quotes/SG/SGD/TH/THB/SGD/1', 'GET, HEAD, OPTIONS'],
    ['PUT', '/rates/', 'GET, HEAD, OPTIONS, POST'],
    ['GET', '/improvements/tiers/', 'OPTIONS, POST'],
    ['PATCH', '/api/v1/rates', 'GET, HEAD, OPTIONS, POST'],
  ])('%s %s answers 405 with Allow', async (method, path, allow) => {
    const { status, headers, body } = await api.request(path, { method });
    expect([status, headers.get('allow'), body.code]).toEqual([405, allow, 'method-not-allowed']);
  });

  it('answers 404 for what is not there, whatever the method', async () => {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      expect((await api.request('/nothing/here', { method })).status).toBe(404);
    }
  });

  it('answers HEAD like GET, without a body', async () => {
    const authorization = `Bearer ${await api.token('LOTUSGS0')}`;
    const head = await api.request('/countries/SG', { method: 'HEAD', headers: { authorization } });
    const get = await api.get('/countries/SG');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
  });
});

describe('addresses', () => {
  it('answers with and without a trailing slash', async () => {
    for (const path of ['/countries', '/countries/', '/countries/SG/', '/fin-insts/psp/']) {
      expect((await api.get(path)).status).toBe(200);
    }
  });

  it('reads percent encoding once', async () => {
    expect((await api.get<Country>('/countries/S%47')).body.countryCode).toBe('SG');
    expect((await api.get('/countries/S%2547')).status).toBe(400);
  });
});

describe('headers', () => {
  it('guards every answer', async () => {
    for (const answer of [
      await api.get('/countries'),
      await api.get('/nothing'),
      await api.get('/countries', null),
    ]) {
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    }
    expect(
      (await api.get('/quotes/SG/SGD/TH/THB/SGD/1000?finInstIdType=BICFI&finInstId=LOTUSGS0')).headers.get(
        'cache-control',
      ),
    ).toBe('no-store');
  });

  it('lets pages of the configured origins read, and no others (CORS)', async () => {
    const ours = { origin: 'https://pages.test' };
    const theirs = { origin: 'https://evil.test' };
    const allowed = (headers: Headers) => headers.get('access-control-allow-origin');
    expect(allowed((await api.get('/countries', 'LOTUSGS0', ours)).headers)).toBe('https://pages.test');
    expect(allowed((await api.get('/countries', 'LOTUSGS0', theirs)).headers)).toBeNull();
    expect(allowed((await api.get('/countries', null, ours)).headers)).toBe('https://pages.test'); // so that a page sees the 401
    const preflight = (headers: Record<string, string>) =>
      api.request('/rates/', {
        method: 'OPTIONS',
        headers: { ...headers, 'access-control-request-method': 'POST' },
      });
    const { status, headers } = await preflight(ours);
    expect([status, allowed(headers), headers.get('access-control-allow-methods')]).toEqual([
      204,
      'https://pages.test',
      'GET, HEAD, OPTIONS, POST',
    ]);
    expect(allowed((await preflight(theirs)).headers)).toBeNull();
  });
});

describe('odd input', () => {
  /** Parts of an address as people, fuzzers and attackers write them. */
  const part = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom(
      'SG',
      'SGD',
      'TH',
      'THB',
      'EUR',
      'psp',
      'any',
      'BICFI',
      'LOTUSGS0',
      '1000',
      '1e3',
      '+5',
      '١٢',
      '0'.repeat(40),
      '9'.repeat(40),
      '\u0000',
      '..',
      '%',
      '__proto__',
      'constructor',
      "' or 1=1 --",
    ),
  );
  const templates = () => Object.keys(api.document.paths).filter((path) => !path.startsWith('/health'));

  it('never makes a 5xx, nor an answer that is not in the document', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.array(part, { minLength: 12, maxLength: 12 }),
        fc.constantFrom('LOTUSGS0', 'MERISGS0', 'operator'),
        async (index, parts, client) => {
          const list = templates();
          const template = list[index % list.length] ?? '/countries';
          const rest = [...parts];
          // fetch itself resolves dot segments
          const next = () => encodeURIComponent(rest.pop() ?? 'x').replace(/^\.{1,2}$/, 'dots');
          const path = template.replaceAll(/\{[^}]+\}/g, () => next() || 'x');
          const names = (api.document.paths[template]?.['get']?.parameters ?? []).filter(
            (parameter) => parameter.in === 'query',
          );
          const query = names.map(({ name }) => `${name}=${next()}`).join('&');
          const answer = await api.get(`${path}?${query}`, client);
          expect(answer.status, `${path}?${query} ${answer.text}`).toBeLessThan(500);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('tells nothing of itself when it fails: 500 by a defect, no internals; it is not ready without the database', async () => {
    const cut = await startApi(database.url);
    await cut.ownDb.destroy();
    const answer = await cut.get(
      '/quotes/SG/SGD/TH/THB/SGD/1000?finInstIdType=BICFI&finInstId=LOTUSGS0',
      null,
      {
        authorization: `Bearer ${await api.token('LOTUSGS0')}`,
      },
    );
    expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
      500,
      'internal',
      problemTexts.internal.told,
    ]);
    expect(answer.text).not.toMatch(/select|stack|driver|127\.0\.0\.1|node_modules/i);
    expect((await cut.get('/health/ready', null)).status).toBe(503);
    expect((await cut.get('/health/live', null)).status).toBe(200);
    await cut.close();
  });
});
