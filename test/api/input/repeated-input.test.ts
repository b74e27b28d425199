// Repeated JSON members and parameters are refused, because two readers might choose different values (SEC-4).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TokenRefusal } from '../../../fixtures/bodies.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
});
afterAll(() => api.close());

const corridor = {
  sourceCountry: 'SG',
  sourceCurrency: 'SGD',
  destinationCountry: 'TH',
  destinationCurrency: 'THB',
};
const rate = JSON.stringify({ ...corridor, rate: '25' });
const ratesOf = async () =>
  (
    await api.db
      .selectFrom('rates')
      .select(({ fn }) => fn.countAll<string>().as('n'))
      .executeTakeFirstOrThrow()
  ).n;

describe('a member that stands twice in a JSON body', () => {
  it.each<[string, string, readonly string[]]>([
    ['with another value', rate.replace('}', ',"rate":"26"}'), ['/rate']],
    ['spelled with an escape', rate.replace('}', String.raw`,"r\u0061te":"26"}`), ['/rate']],
    [
      'beside another one',
      rate.replace('}', ',"sourceCountry":"SG","rate":"27"}'),
      ['/sourceCountry', '/rate'],
    ],
    ['within another', rate.replace('}', ',"x":{"a":1,"b":[{"c":1},{"c":2,"c":3}]}}'), ['/x/b/1/c']],
    ['with signs of a pointer in its name', rate.replace('}', ',"a/b~c":1,"a/b~c":2}'), ['/a~1b~0c']],
    ['with the name of the prototype', rate.replace('}', ',"__proto__":1,"__proto__":2}'), ['/__proto__']],
  ])('is refused and pointed to: %s', async (_, body, pointers) => {
    const before = await ratesOf();
    const answer = await api.post('/rates/', body);
    const { errors = [] } = answer.body;
    expect([answer.status, errors.map(({ pointer }) => pointer)]).toEqual([400, pointers]);
    for (const { detail } of errors) expect(detail).toMatch(/^occurs more than once/);
    expect(await ratesOf()).toBe(before);
  });

  it('is refused on every route that takes JSON', async () => {
    const routes = Object.entries(api.document.paths).flatMap(([path, { post }]) =>
      post?.requestBody?.content['application/json'] === undefined
        ? []
        : [{ path, roles: post['x-roles'] ?? [] }],
    );
    expect(routes.length).toBeGreaterThanOrEqual(6);
    for (const { path, roles } of routes) {
      const client = roles.includes('fxp') ? 'MERISGS0' : 'operator';
      const address = path
        .replace('{alertId}', '1')
        .replace('{changeId}', '6f1f3a52-9d0c-4f7e-8a43-2f4b7a1c9e01')
        .replace('{uetr}', '6f1f3a52-9d0c-4f7e-8a43-2f4b7a1c9e01');
      const { status, body } = await api.post(address, '{"a":1,"a":1}', client);
      expect([path, status, body.errors]).toEqual([
        path,
        400,
        [{ pointer: '/a', detail: expect.stringMatching(/^occurs more than once/) as string }],
      ]);
    }
  });
});

describe('a parameter that stands twice', () => {
  it.each(['/fin-insts/psp?limit=1&limit=1', '/fin-insts/psp?l%69mit=1&limit=2'])(
    'in an address is refused: %s',
    async (path) => {
      const { status, body } = await api.get(path);
      expect([status, body.errors?.[0]]).toEqual([
        400,
        { parameter: 'limit', detail: 'given more than once' },
      ]);
    },
  );

  const form = 'grant_type=client_credentials&client_id=LOTUSGS0&client_secret=demo-LOTUSGS0';
  const ask = async (body: string, headers: Record<string, string> = {}, path = '/oauth/token') => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await api.request<TokenRefusal>(path, {
      method: 'POST',
      body,
      headers: { ...type, ...headers },
    });
    return [answer.status, answer.body.error, answer.body.error_description] as const;
  };

  it.each([
    ['grant_type', `${form}&grant_type=client_credentials`],
    ['client_secret', `${form}&client_secret=wrong`],
    ['client_id', `${form}&client%5Fid=BANYSGS0`],
    ['scope', `${form}&scope=a&scope=b`],
  ])('in a form is refused by name: %s (RFC 6749, 3.2)', async (name, body) => {
    expect(await ask(body)).toEqual([
      400,
      'invalid_request',
      `The parameter ${name} is given more than once.`,
    ]);
  });
});
