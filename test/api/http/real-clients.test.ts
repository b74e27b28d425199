// Request forms of clients in use: media types (MSG-2), idempotency keys (FX-10), times in a query, and where the
// token endpoint is found (RFC 8414).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { validateRoutes } from '../../../api/payments/dry-run.ts';
import { createLibxml2Engine } from '../../../xml/libxml2.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from './running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url, { modules: [validateRoutes(createLibxml2Engine())] });
});
afterAll(() => api.close());

const rate = {
  sourceCountry: 'SG',
  sourceCurrency: 'SGD',
  destinationCountry: 'TH',
  destinationCurrency: 'THB',
  rate: '24.9',
};

async function statuses(type: (of: string) => string, encoding?: string) {
  const headers = (of: string) => ({
    'content-type': type(of),
    ...(encoding !== undefined && { 'content-encoding': encoding }),
  });
  const authorization = `Bearer ${await api.token('SGDFAST')}`;
  const message = await api.request('/iso20022/validate', {
    method: 'POST',
    headers: { authorization, ...headers('application/xml') },
    body: '<no-message/>',
  });
  const json = await api.request('/rates/', {
    method: 'POST',
    headers: { authorization: `Bearer ${await api.token('MERISGS0')}`, ...headers('application/json') },
    body: JSON.stringify(rate),
  });
  const form = await api.request('/oauth/token', {
    method: 'POST',
    headers: headers('application/x-www-form-urlencoded'),
    body: 'grant_type=client_credentials&client_id=LOTUSGS0&client_secret=demo-LOTUSGS0',
  });
  return [message.status === 415, json.status === 415, form.status !== 200];
}

describe('the media type of a message, a JSON body and a form alike (MSG-2)', () => {
  it.each([
    ['an empty parameter', (of: string) => `${of};`],
    ['empty parameters', (of: string) => `${of} ; ;; `],
    ['unknown parameters', (of: string) => `${of}; version=1;q="a;\\"b"`],
    ['a tab before the parameter', (of: string) => `${of}\t;\tcharset=utf-8`],
    ['quotes and capitals', (of: string) => `${of.toUpperCase()};Charset="UTF-8"`],
    ['a charset behind another parameter', (of: string) => `${of}; a=b; charset=utf-8`],
  ])('is taken with %s', async (_, type) => {
    expect(await statuses(type)).toEqual([false, false, false]);
  });

  it.each([
    ['another charset', (of: string) => `${of}; charset=iso-8859-1`],
    ['another charset beside ours', (of: string) => `${of}; charset=utf-8; CHARSET=utf-16`],
    ['a charset in another parameter', (of: string) => `${of}; a="; charset=utf-8"; charset=utf-16`],
    ['what is no parameter', (of: string) => `${of}; charset`],
    ['an open quote', (of: string) => `${of}; a="b`],
  ])('is refused with %s, where a body is read as UTF-8', async (_, type) => {
    expect((await statuses(type)).slice(0, 2)).toEqual([true, true]);
  });
});

it('a key in quotes is the same as the bare one (FX-10)', async () => {
  const post = (key: string, body: object) =>
    api.post<object>('/rates/', body, 'MERISGS0', { 'idempotency-key': key });
  for (const [index, [bare, inQuotes]] of [
    ['one', '"one"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['k'.repeat(255), `"${'k'.repeat(255)}"`],
  ].entries()) {
    const body = { ...rate, rate: `24.${index + 1}` };
    const first = await post(bare ?? '', body);
    expect(first.status).toBe(200);
    expect((await post(inQuotes ?? '', body)).text).toBe(first.text);
    expect((await post(inQuotes ?? '', { ...body, rate: '23' })).status).toBe(422);
  }
  for (const key of ['""', `"${'k'.repeat(256)}"`]) expect((await post(key, rate)).status).toBe(400);
});

it('a plus sign of a time zone need not be encoded in a query', async () => {
  const asked = (from: string) => api.get(`/payments?from=${from}&to=2026-01-06T00:00:00Z`, 'operator');
  for (const from of [
    '2026-01-05T08:00:00+08:00',
    '2026-01-05T08:00:00%2B08:00',
    '2026-01-05T08:00:00%2b08:00',
  ]) {
    expect([from, (await asked(from)).status]).toEqual([from, 200]);
  }
  for (const from of ['2026-01-05+08:00:00Z', '2026-01-05T08:00:00++08:00', '2026-01-05T08:00:00+0800']) {
    expect([from, (await asked(from)).status]).toEqual([from, 400]);
  }
});

it('the token endpoint and the keys are found by the address of the issuer (RFC 8414)', async () => {
  const { status, body } = await api.request<Record<string, unknown>>(
    '/.well-known/oauth-authorization-server',
  );
  expect(status).toBe(200);
  expect(body).toMatchObject({
    issuer: 'https://isthmus.test',
    token_endpoint: 'https://isthmus.test/oauth/token',
    jwks_uri: 'https://isthmus.test/oauth/jwks',
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
  });
});
