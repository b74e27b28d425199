// What is told twice in one request is never chosen from: a member of a JSON body, a parameter of a form or of an
// address (SEC-4). Two readers might choose differently, and one of the two values may be a rate.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TokenRefusal } from '../../../fixtures/bodies.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from './running-api.ts';

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
    ['with the same value', rate.replace('}', ',"rate":"25"}'), ['/rate']],
    ['spelled with an escape', rate.replace('}', String.raw`,"r\u0061te":"26"}`), ['/rate']],
    ['spelled with escapes both times', rate.replace('"rate"', String.raw`"\u0072ate"`).replace('}', String.raw`,"rat\u0065":"26"}`), ['/rate']], // prettier-ignore
    ['apart by white space', rate.replace('}', ' ,\n\t"rate" : "26" }'), ['/rate']],
    ['thrice', rate.replace('}', ',"rate":"26","rate":"27"}'), ['/rate']],
    [
      'beside another one',
      rate.replace('}', ',"sourceCountry":"SG","rate":"27"}'),
      ['/sourceCountry', '/rate'],
    ],
    ['within another', rate.replace('}', ',"x":{"a":1,"b":[{"c":1},{"c":2,"c":3}]}}'), ['/x/b/1/c']],
    ['with signs of a pointer in its name', rate.replace('}', ',"a/b~c":1,"a/b~c":2}'), ['/a~1b~0c']],
    ['with no name', rate.replace('}', ',"":1,"":2}'), ['/']],
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

  it('is told without repeating more than was sent, however deep it stands', async () => {
    const deep = `${'{"a":['.repeat(5_000)}{"b":1,"b":2}${']}'.repeat(5_000)}`;
    const many = `{${Array.from({ length: 3_000 }, (_, n) => `"m${n}":1,"m${n}":1`).join(',')}}`;
    for (const body of [deep, many]) {
      const answer = await api.post('/rates/', body);
      expect(answer.status).toBe(400);
      expect(answer.text.length).toBeLessThan(10_000);
    }
  });

  it('but not one that stands in two places, or as a value', async () => {
    const body = '{"a":{"a":"a"},"b":[{"a":1},{"a":1}],"c":"\\"a\\":1,\\"a\\":1"}';
    const { status, body: refusal } = await api.post('/rates/', body);
    const pointers = (refusal.errors ?? []).map(({ pointer = '' }) => pointer);
    expect([status, pointers.filter((one) => /^\/[abc]/.test(one)).sort()]).toEqual([
      400,
      ['/a', '/b', '/c'],
    ]); // unknown
    expect(refusal.errors).not.toContainEqual(
      expect.objectContaining({ detail: expect.stringMatching('once') as string }),
    );
  });
});

describe('a parameter that stands twice', () => {
  it.each([
    '/fin-insts/psp?limit=1&limit=1',
    '/fin-insts/psp?limit=1&limit=2',
    '/fin-insts/psp?l%69mit=1&limit=2',
    '/fin-insts/psp?limit=1&cursor=&limit=2',
    '/fin-insts/psp?limit&limit=2',
  ])('in an address is refused: %s', async (path) => {
    const { status, body } = await api.get(path);
    expect([status, body.errors?.[0]]).toEqual([400, { parameter: 'limit', detail: 'given more than once' }]);
  });

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

  it.each([[{}], [{ 'content-type': 'text/plain' }]])(
    'of a token, nothing at all, %j, is told what to send',
    async (headers) => {
      const [status, error, description] = await ask('', headers);
      expect([status, error]).toEqual([400, 'invalid_request']);
      expect(description).toContain('grant_type=client_credentials');
    },
  );

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

  it('in two places of a token request is refused: two clients, or a secret in the address', async () => {
    const basic = (id: string) => ({
      authorization: `Basic ${Buffer.from(`${id}:demo-${id}`).toString('base64')}`,
    });
    const grant = 'grant_type=client_credentials';
    expect((await ask(`${grant}&client_id=LOTUSGS0`, basic('LOTUSGS0')))[0]).toBe(200);
    expect(await ask(`${grant}&client_id=BANYSGS0`, basic('LOTUSGS0'))).toEqual([
      400,
      'invalid_request',
      expect.stringContaining('client_id'),
    ]);
    expect(await ask(grant, {}, '/oauth/token?client_id=LOTUSGS0&client_secret=demo-LOTUSGS0')).toEqual([
      400,
      'invalid_request',
      expect.stringContaining('URL'),
    ]);
  });

  it('a form that is not read is refused for its own reason', async () => {
    expect(await ask(form, { 'content-type': 'application/json' })).toEqual([400, 'invalid_request', expect.stringContaining('application/x-www-form-urlencoded')]); // prettier-ignore
    expect(await ask(form, { 'content-encoding': 'gzip' })).toEqual([400, 'invalid_request', expect.stringContaining('Content-Encoding')]); // prettier-ignore
    expect(await ask(`${form}&a=${'b'.repeat(17_000)}`)).toEqual([400, 'invalid_request', expect.stringContaining('16 KiB')]); // prettier-ignore
  });
});
