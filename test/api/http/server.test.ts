// The service as an HTTP server: methods, slashes, CORS, headers, and whatever odd bytes come: never a 5xx (SEC-4).
import { connect } from 'node:net';
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

/** Bytes as they are, to the first answer's end. */
function raw(text: string): Promise<string> {
  const { hostname, port } = new URL(api.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.end(text, 'latin1'));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

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

  it('answers TRACE, CONNECT and unknown methods without a 5xx', async () => {
    for (const method of ['TRACE', 'PROPFIND', 'NONSENSE', 'get']) {
      const answer = await raw(`${method} /countries HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 (4\d\d|200)/);
    }
    expect(await raw('CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n')).not.toMatch(/^HTTP\/1\.1 5/);
  });
});

describe('addresses', () => {
  it('answers with and without a trailing slash', async () => {
    for (const path of ['/countries', '/countries/', '/countries/SG/', '/fin-insts/psp/']) {
      expect((await api.get(path)).status).toBe(200);
    }
  });

  it('refuses a parameter that is given twice: 400', async () => {
    const { status, body } = await api.get('/fin-insts/psp?limit=1&limit=2');
    expect([status, body.errors]).toEqual([400, [{ parameter: 'limit', detail: 'given more than once' }]]);
  });

  it('reads percent encoding once', async () => {
    expect((await api.get<Country>('/countries/S%47')).body.countryCode).toBe('SG');
    expect((await api.get('/countries/S%2547')).status).toBe(400);
  });

  it.each([
    '/countries/%00',
    '/countries/%',
    '/countries/%zz',
    '/countries/%C3%28',
    '/countries/..%2f',
    '/countries/S%2FG',
    '/fin-insts/psp?cursor=%00',
    '/fin-insts/psp?limit=%',
    '/fin-insts/any/BICFI/%F0%9F%92%A9',
    '/quotes/%00/intermediary-agents',
    '/address-types/%00/inputs',
  ])('%s answers 4xx', async (path) => {
    const { status } = await api.get(path);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });

  it('refuses overlong addresses and headers, broken request lines and a missing host in its own form', async () => {
    const long = await raw(`GET /countries/${'A'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`);
    expect(long).toMatch(/^HTTP\/1\.1 431 /);
    expect(long).toContain('application/problem+json');
    expect((await api.get(`/countries/${'A'.repeat(8_000)}`)).status).toBe(400);
    for (const text of [
      'garbage\r\n\r\n',
      'GET /countries HTTP/1.1\r\n\r\n',
      'GET * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
      'GET /countries HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n',
    ]) {
      expect(await raw(text)).toMatch(/^HTTP\/1\.1 4\d\d /);
    }
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

  it('never makes a 5xx of a body', async () => {
    const bodies = fc.oneof(
      fc.json(),
      fc.string({ unit: 'binary' }),
      fc.record(
        {
          sourceCountry: fc.oneof(part, fc.constant('SG')),
          sourceCurrency: fc.oneof(part, fc.constant('SGD')),
          destinationCountry: fc.oneof(part, fc.constant('TH')),
          destinationCurrency: fc.oneof(part, fc.constant('THB')),
          rate: fc.oneof(part, fc.constantFrom('25', '0.0000000001', '99999999999'), fc.double()),
        },
        { requiredKeys: [] },
      ),
      fc.record({
        unitCurrency: fc.oneof(part, fc.constant('SGD')),
        threshold: part,
        improvementBasisPoints: part,
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/rates/', '/api/v1/tier_improvements', '/improvements/psps/'),
        bodies,
        async (path, body) => {
          const answer = await api.post(path, body);
          expect(answer.status, answer.text).toBeLessThan(500);
        },
      ),
      { numRuns: 200 },
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
