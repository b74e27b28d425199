// What a refusal says: which value is wrong, what is expected, and what to do (SEC-4).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { validateRoutes } from '../../../api/payments/dry-run.ts';
import { testDatabase } from '../../harness/database.ts';
import { libxml2 } from '../../xml/fixtures.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url, { modules: [validateRoutes(libxml2)] });
});
afterAll(() => api.close());

const corridor = '/quotes/SG/SGD/TH/THB';
const asLotus = 'finInstIdType=BICFI&finInstId=LOTUSGS0';
const rate = {
  sourceCountry: 'SG',
  sourceCurrency: 'SGD',
  destinationCountry: 'TH',
  destinationCurrency: 'THB',
  rate: '25',
};

interface Fault {
  readonly parameter?: string;
  readonly pointer?: string;
  readonly detail: string;
}

/** `parameter: detail` of each fault, or `/pointer: detail`. */
const faultsOf = (body: { errors?: readonly Fault[] }) =>
  (body.errors ?? []).map(({ parameter, pointer, detail }) => `${parameter ?? pointer ?? ''}: ${detail}`);

describe('400: which field, what it must be, what stands there', () => {
  it.each([
    ['/countries/sg', 'countryCode: must be two capital letters (ISO 3166 alpha-2), as in SG; not "sg"'],
    [`${corridor}/SGD/1,000?${asLotus}`, /^amount: must be a plain decimal: .* as in 1000; not "1,000"$/],
    [`${corridor}/SGD/1000?finInstId=A`, /^finInstIdType: missing; must be one of: BICFI, LEI, otherId/],
    ['/fin-insts/psp?limit=0', 'limit: must be a whole number from 1 to 500; not "0"'],
  ])('GET %s', async (path, told) => {
    const { status, body } = await api.get(path);
    expect(status).toBe(400);
    expect(faultsOf(body)[0]).toEqual(typeof told === 'string' ? told : expect.stringMatching(told));
    expect(body.detail).toContain(
      faultsOf(body)[0]
        ?.replace(/: (?=missing)/, ' is ')
        .replace(/^(\w+): /, '$1 '),
    );
  });

  it('what is not harmless is not repeated', async () => {
    for (const given of ['<script>', 'x'.repeat(60), 'Somchai Jaidee', 'é\u0000']) {
      const { text } = await api.get(`/countries/${encodeURIComponent(given)}`);
      expect(text).not.toContain(given);
    }
  });

  it('several faults: the first in the sentence, all in the list', async () => {
    const { body } = await api.get('/rates/');
    expect(body.detail).toBe(
      'The query parameter sourceCountry is missing; must be two capital letters (ISO 3166 alpha-2), as in SG. And 3 more: see errors.',
    );
    expect(faultsOf(body)).toHaveLength(4);
  });

  it.each<[string, unknown, RegExp]>([
    ['a list', [], /^: must be an object, not an array$/],
    [
      'a number',
      { ...rate, rate: 25 },
      /^\/rate: must be a string, not a number; a plain decimal above zero, .*as in 25$/,
    ],
    [
      'a member too few',
      { ...rate, rate: undefined },
      /^\/rate: missing; must be a plain decimal above zero/,
    ],
  ])('POST of a rate with %s', async (_, sent, told) => {
    const { status, body } = await api.post('/api/v1/rates', sent);
    expect(status).toBe(400);
    expect(faultsOf(body)[0]).toMatch(told);
  });

  it('an improvement: every fault of it at once', async () => {
    const sent = { unitCurrency: 'SGD', threshold: '0', improvementBasisPoints: '-1' };
    const { body } = await api.post('/api/v1/tier_improvements', sent);
    expect(faultsOf(body)).toEqual([
      '/threshold: must be above zero; not "0"',
      '/improvementBasisPoints: must be a plain decimal from 0 to 10000, as in 10; not "-1"',
    ]);
  });

  it('an Idempotency-Key says its form', async () => {
    const { body } = await api.post('/api/v1/rates', rate, 'MERISGS0', { 'idempotency-key': 'a b' });
    expect(faultsOf(body)[0]).toMatch(/^Idempotency-Key: must be 1 to 255 printable ASCII characters/);
  });
});

describe('401: where to get a token', () => {
  it.each([{}, { authorization: 'Basic abc' }, { authorization: 'Bearer abc' }])('%j', async (headers) => {
    const { status, body } = await api.get('/countries', null, headers);
    expect([status, body.detail]).toEqual([
      401,
      expect.stringMatching(/POST \/oauth\/token .*client credentials/),
    ]);
  });
});

describe('403: which role may, and which yours is', () => {
  it.each([
    [
      `${corridor}/SGD/1000?${asLotus}`,
      'MERISGS0',
      /requires the role psp or operator \(of the scheme\); MERISGS0 has the role fxp \(FX provider\)\.$/,
    ],
    ['/api/v1/rates', 'LOTUSGS0', /requires the role fxp \(FX provider\); LOTUSGS0 has the role psp\.$/],
    [
      `${corridor}/SGD/1000?finInstIdType=BICFI&finInstId=BANYSGS0`,
      'LOTUSGS0',
      /LOTUSGS0 asked for BICFI BANYSGS0.*operator/,
    ],
  ])('GET %s as %s', async (path, client, told) => {
    const { status, body } = await api.get(path, client);
    expect([status, body.detail]).toEqual([403, expect.stringMatching(told)]);
  });
});

describe('404: which thing is unknown, and where to look', () => {
  it.each<[string, string, string | null, RegExp]>([
    ['/countries/XX', 'unknown-country', 'countryCode', /country XX.*GET \/countries/],
    ['/countries/SG/currencies/THB/max-amounts', 'currency-not-of-country', 'currencyCode', /SG.*THB.*SGD/],
    ['/fees-and-amounts/SG/SGD/SG/SGD/SGD/1000/1', 'unknown-corridor', null, /SG SGD to SG SGD/],
    [
      '/quotes/0b5c8d2e-4a61-4d3f-9b7a-1c2d3e4f5a6b/intermediary-agents',
      'unknown-quote',
      'quoteId',
      /0b5c8d2e.*LOTUSGS0/,
    ],
    ['/nowhere', 'not-found', null, /GET \/nowhere.*\/reference/],
  ])('GET %s', async (path, code, parameter, told) => {
    const { status, body } = await api.get(path);
    expect([status, body.code, body.detail]).toEqual([404, code, expect.stringMatching(told)]);
    expect(body.errors?.[0]?.parameter ?? null).toBe(parameter);
  });
});

it('405: what the address takes instead', async () => {
  const answer = await api.request('/countries', { method: 'DELETE' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  expect(answer.body.detail).toBe('This address accepts the methods GET, HEAD, OPTIONS, not DELETE.');
});

it('413 and 415: how much, and what to send', async () => {
  const large = await api.post('/api/v1/rates', `"${'x'.repeat(70_000)}"`);
  expect([large.status, large.body.detail]).toEqual([413, expect.stringMatching(/64 KiB/)]);
  const plain = await api.post('/api/v1/rates', '{}', 'MERISGS0', { 'content-type': 'text/plain' });
  expect([plain.status, plain.body.detail]).toEqual([
    415,
    expect.stringMatching(/Content-Type: application\/json.*not "text\/plain"/),
  ]);
  const json = await api.post('/iso20022/validate', '{}', 'SGDFAST');
  expect([json.status, json.body.detail]).toEqual([
    415,
    expect.stringMatching(/application\/xml or text\/xml.*not "application\/json"/),
  ]);
});

describe('422: what does not fit, and what to do', () => {
  it.each([
    [`${corridor}/USD/1000?${asLotus}`, 'amountCurrency', /USD is neither SGD nor THB/],
    [`${corridor}/SGD/10.001?${asLotus}`, 'amount', /10\.001 has 3 decimals, SGD has 2/],
    [
      `${corridor}/SGD/1?${asLotus}`,
      'amount',
      /creditor agent fee nothing is left to pay: .* 24\.98 .* fee .* 75\.02\. .*larger amount/,
    ],
    ['/fees-and-amounts/SG/SGD/TH/THB/SGD/1/25', 'amount', /: .* 25 .* fee .* 75\.03\. .*larger amount/],
  ])('GET %s', async (path, parameter, told) => {
    const { status, body } = await api.get(path);
    expect([status, body.detail]).toEqual([422, expect.stringMatching(told)]);
    expect(body.errors?.map((one: Fault) => one.parameter)).toEqual([parameter]);
  });

  it('a PSP of another country (QUO-1)', async () => {
    const { body } = await api.get(`${corridor}/SGD/1?finInstIdType=BICFI&finInstId=LOTUTHS0`, 'operator');
    expect(body.detail).toMatch(/BICFI LOTUTHS0 is not a PSP of SG.*\/countries\/SG\/fin-insts\/psp/);
  });

  it.each<[string, object, string, RegExp]>([
    ['/api/v1/rates', { ...rate, destinationCountry: 'XX' }, '/destinationCountry', /country XX/],
    [
      '/api/v1/tier_improvements',
      { unitCurrency: 'XXX', threshold: '1', improvementBasisPoints: '1' },
      '/unitCurrency',
      /currency XXX/,
    ],
    [
      '/api/v1/psp_improvements',
      { pspIdType: 'BICFI', pspId: 'NOBODY00', improvementBasisPoints: '1' },
      '/pspId',
      /BICFI NOBODY00/,
    ],
  ])('POST %s %j', async (path, sent, pointer, told) => {
    const { status, body } = await api.post(path, sent);
    expect([status, body.detail]).toEqual([422, expect.stringMatching(told)]);
    expect(body.errors?.map((one: Fault) => one.pointer)).toEqual([pointer]);
  });
});
