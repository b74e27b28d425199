// Endpoints 1 to 11 as a client sees them. Each answer is also held against the OpenAPI document (conformance.ts).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referenceFiles } from '../../../docs/reference/generate.ts';
import type {
  AddressType,
  AddressTypeWithInputs,
  Country,
  Currency,
  Institution,
} from '../../../fixtures/bodies.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
});
afterAll(() => api.close());

describe('countries (endpoints 1 to 3)', () => {
  it('lists all ten with countryId, currencies and what a pacs.008 must contain (REF-1)', async () => {
    const { status, body } = await api.get<{ countries: Country[] }>('/countries');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['countries']);
    expect(body.countries.map((country) => country.countryCode).sort()).toEqual([
      'DE',
      'FR',
      'HK',
      'ID',
      'IN',
      'JP',
      'MY',
      'PH',
      'SG',
      'TH',
    ]);
    expect(body.countries.find((country) => country.countryCode === 'MY')).toEqual({
      countryId: 458,
      countryCode: 'MY',
      name: 'Malaysia',
      currencies: [{ currencyCode: 'MYR', maxAmount: '10000000.00' }],
      requiredMessageElements: { pacs008: ['purposeCode'] },
    });
  });

  it('names the numeric code id in the single answer, and lists both currencies of Hong Kong (REF-1)', async () => {
    const { body } = await api.get('/countries/HK');
    expect(body).toEqual({
      id: 344,
      countryCode: 'HK',
      name: 'Hong Kong',
      currencies: [
        { currencyCode: 'CNY', maxAmount: '20000' },
        { currencyCode: 'HKD', maxAmount: '10000' },
      ],
      requiredMessageElements: { pacs008: ['purposeCode'] },
    });
  });

  it('gives the maximum of each payment system as text', async () => {
    const { body } = await api.get('/countries/HK/currencies/CNY/max-amounts');
    expect(body).toEqual([{ clearingSystemId: 'CNYFPS', maxAmount: '20000' }]);
  });

  it.each([
    ['/countries/XX', 404, 'unknown-country'],
    ['/countries/sg', 400, 'invalid-request'],
    ['/countries/SG/currencies/XXX/max-amounts', 404, 'unknown-currency'],
    ['/countries/SG/currencies/THB/max-amounts', 404, 'currency-not-of-country'],
  ])('%s answers %i %s (REF-3)', async (path, status, code) => {
    const answer = await api.get(path);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
  });
});

describe('currencies (endpoints 4 and 5)', () => {
  it('lists the currencies with the decimals of the scheme (MON-2)', async () => {
    const { body } = await api.get<{ currencies: Currency[] }>('/currencies');
    const decimals = Object.fromEntries(
      body.currencies.map((currency) => [currency.currencyCode, currency.decimalPlaces]),
    );
    expect(decimals).toEqual({
      CNY: 2, EUR: 2, HKD: 2, IDR: 0, INR: 2, JPY: 0, MYR: 2, PHP: 2, SGD: 2, THB: 2,
    }); // prettier-ignore
  });

  it('names every country of a shared currency', async () => {
    const { body } = await api.get<Currency>('/currencies/EUR');
    expect(body.countries).toEqual(['DE', 'FR']);
  });
});

describe('address types (endpoints 6 to 8)', () => {
  it('gives each type with its inputs, the same as types and inputs asked for in sequence', async () => {
    for (const country of ['SG', 'PH', 'DE', 'JP']) {
      const together = (
        await api.get<AddressTypeWithInputs[]>(`/countries/${country}/address-types-and-inputs`)
      ).body;
      const types = (await api.get<AddressType[]>(`/countries/${country}/address-types`)).body;
      expect(together.map((type) => ({ ...type, inputs: undefined }))).toEqual(types);
      for (const type of together) {
        expect(type.countries).toContain(country);
        const inputs = (await api.get(`/address-types/${type.addressTypeId}/inputs`)).body;
        expect(inputs).toEqual(type.inputs);
      }
    }
  });

  it('asks for the BIC too where a proxy of the Philippines is used, and fills CdtrAcct (REF-5)', async () => {
    const { body } = await api.get<AddressTypeWithInputs[]>('/countries/PH/address-types-and-inputs');
    const mobile = body.find((type) => type.addressTypeCode === 'MBNO');
    const names = mobile?.inputs.map((input) => input.attributes.name);
    expect(names).toEqual(['accountOrProxyId', 'finInstId', 'addressTypeCode']);
    expect(mobile?.inputs[0]?.iso20022XPath.pacs008).toContain('/CdtrAcct/');
    const hidden = mobile?.inputs[2];
    expect(hidden).not.toHaveProperty('label');
    expect(hidden?.attributes).toEqual({
      name: 'addressTypeCode',
      type: 'hidden',
      required: true,
      value: 'MBNO',
    });
  });

  it('answers 404 for an unknown country or type', async () => {
    expect((await api.get('/countries/XX/address-types')).body.code).toBe('unknown-country');
    expect((await api.get('/countries/XX/address-types-and-inputs')).body.code).toBe('unknown-country');
    expect((await api.get('/address-types/nothing/inputs')).body.code).toBe('unknown-address-type');
  });
});

describe('institutions (endpoints 9 to 11)', () => {
  /** Follows the Link headers to the end. */
  async function allPages(path: string, between: () => Promise<void> = () => Promise.resolve()) {
    const found: Institution[] = [];
    let next: string | undefined = path;
    while (next !== undefined) {
      const { body, headers } = await api.get<{ finInsts: Institution[] }>(next);
      expect(Object.keys(body)).toEqual(['finInsts']); // REF-2
      found.push(...body.finInsts);
      const link = /^<https:\/\/isthmus\.test(\/[^>]+)>; rel="next"$/.exec(headers.get('link') ?? '');
      next = link?.[1];
      await between();
    }
    return found;
  }

  it.each([
    ['psp', 31],
    ['fxp', 4],
    ['sap', 10],
    ['any', 44],
  ])('pages through all of role %s, each once (REF-2)', async (role, count) => {
    const paged = await allPages(`/fin-insts/${role}?limit=7`);
    expect(paged).toHaveLength(count);
    expect(new Set(paged.map(({ name }) => name)).size).toBe(count);
    expect(paged).toEqual(await allPages(`/fin-insts/${role}`));
  });

  it('tells those that take part in payments from those that do not (MSG-13)', async () => {
    const namesIn = async (path: string) =>
      (await api.get<Institution[]>(path)).body.map(({ finInstId }) => finInstId.BICFI[0]);
    const list = '/countries/TH/fin-insts';
    expect(await namesIn(`${list}/psp`)).toContain('FERNTHS0');
    expect(await namesIn(`${list}/psp?onboarded=true`)).not.toContain('FERNTHS0');
    expect(await namesIn(`${list}/psp?onboarded=false`)).toEqual(['FERNTHS0']);
    expect(await namesIn(`${list}?onboarded=false`)).toEqual(['FERNTHS0']);
    const taking = await allPages('/fin-insts/psp?onboarded=true&limit=7');
    const others = await allPages('/fin-insts/psp?onboarded=false&limit=7');
    expect([taking.length, others.length]).toEqual([21, 10]);
    expect((await api.get('/fin-insts/psp?onboarded=yes')).status).toBe(400);
  });

  it('neither loses nor repeats an institution when others are added between pages (REF-2)', async () => {
    const before = await allPages('/fin-insts/any?limit=500');
    let added = 0;
    const paged = await allPages('/fin-insts/any?limit=10', async () => {
      const id = `AA-NEW${String((added += 1))}`; // goes before every page
      await api.db
        .insertInto('institutions')
        .values({
          institution_id: id,
          name: id,
          country_code: 'SG',
          onboarded: false,
          supports_acmt023: false,
        })
        .execute();
      await expect.poll(async () => (await api.get(`/fin-insts/any/internalId/${id}`)).status).toBe(200);
    });
    expect(added).toBeGreaterThan(2);
    expect(paged.filter(({ name }) => !name.startsWith('AA-'))).toEqual(before);
    await api.db.deleteFrom('institutions').where('institution_id', 'like', 'AA-%').execute();
  });

  it.each([
    '/fin-insts/bank',
    '/fin-insts/psp?limit=501',
    '/fin-insts/psp?cursor=abc',
    '/fin-insts/psp?cursor=U0ctTE9UVQ',
    '/fin-insts/any/BIC/LOTUSGS0',
  ])('%s answers 400 (REF-2, REF-3)', async (path) => {
    const { status, body } = await api.get(path);
    expect(status).toBe(400);
    expect(body.errors?.[0]?.parameter).toEqual(expect.any(String));
  });

  it('refuses the cursor of another list (REF-3)', async () => {
    const { headers } = await api.get('/fin-insts/psp?limit=1');
    const cursor = /cursor=([^>&]+)/.exec(headers.get('link') ?? '')?.[1] ?? '';
    expect((await api.get(`/fin-insts/psp?cursor=${cursor}`)).status).toBe(200);
    expect((await api.get(`/fin-insts/any?cursor=${cursor}`)).body.code).toBe('invalid-cursor');
  });

  it('lists a country in both spellings, those not onboarded too (REF-3)', async () => {
    const all = (await api.get<Institution[]>('/countries/MY/fin-insts')).body;
    expect((await api.get('/countries/MY/fin-insts/any')).body).toEqual(all);
    expect(all.map((one) => one.name).sort()).toEqual([
      'Banyan Bank Malaysia',
      'Fern Credit Union Malaysia',
      'Harbour Settlement Malaysia',
      'Lotus Bank Malaysia',
    ]);
    expect((await api.get('/countries/MY/fin-insts/fxp')).body).toEqual([]);
    expect((await api.get('/countries/XX/fin-insts')).status).toBe(404);
  });

  it('finds an institution by each kind of identifier, BIC8 and XXX alike (REF-4)', async () => {
    const lotus = (await api.get<Institution>('/fin-insts/any/BICFI/LOTUSGS0')).body;
    expect(lotus).toMatchObject({
      countryCode: 'SG',
      roles: ['psp'],
      finInstId: { BICFI: ['LOTUSGS0'], otherId: null },
    });
    for (const path of ['BICFI/LOTUSGS0XXX', `LEI/${lotus.finInstId.LEI}`, 'internalId/SG-LOTU']) {
      expect((await api.get(`/fin-insts/any/${path}`)).body).toEqual(lotus);
    }
    const german = (await api.get<Institution>('/fin-insts/any/BICFI/LOTUDES0BER')).body;
    expect(german.finInstId.BICFI).toEqual(['LOTUDES0', 'LOTUDES0BER']);
    expect((await api.get('/fin-insts/any/otherId/MYFERN001')).body).toMatchObject({
      name: 'Fern Credit Union Malaysia',
      finInstId: { BICFI: [], LEI: null, otherId: ['MYFERN001'] },
    });
  });

  it('answers 404 for identifiers that are nobody’s', async () => {
    for (const path of ['BICFI/NOBODY00', 'BICFI/LOTUSGS0BER', 'LEI/00000000000000000000', 'otherId/x']) {
      expect((await api.get(`/fin-insts/any/${path}`)).body.code).toBe('unknown-institution');
    }
  });
});

describe('asking again', () => {
  it('answers 304 to the ETag that it gave, and the new answer when the data changed (REF-6)', async () => {
    const first = await api.get('/countries/TH');
    const etag = first.headers.get('etag') ?? '';
    expect((await api.get<Country>('/countries/TH', 'LOTUSGS0', { 'if-none-match': etag })).status).toBe(304);
    expect(
      (await api.get('/countries/TH', 'LOTUSGS0', { 'if-none-match': `"other", W/${etag}` })).status,
    ).toBe(304);
    expect((await api.get('/countries/TH', 'LOTUSGS0', { 'if-none-match': '"other"' })).status).toBe(200);
    await api.db.updateTable('countries').set({ name: 'Siam' }).where('country_code', '=', 'TH').execute();
    const changed = () => api.get<Country>('/countries/TH', 'LOTUSGS0', { 'if-none-match': etag });
    await expect.poll(async () => (await changed()).status, { timeout: 10_000 }).toBe(200); // REF-6: 1 s
    expect((await changed()).body.name).toBe('Siam');
  });
});

describe('what the documentation gives as an example exists (MSG-13)', () => {
  const shown = [...(referenceFiles()['api.md'] ?? '').matchAll(/^- Example: `GET (.*)`$/gm)]
    .map(([, path = '']) => path)
    .filter((path) => /^\/(?!rates|payments|reconciliation)/.test(path));

  it.each(shown)('GET %s', async (path) => {
    const client = path.startsWith('/admin/') ? 'operator' : 'LOTUSGS0';
    expect((await api.get(path, client)).status).toBe(200);
  });
});
