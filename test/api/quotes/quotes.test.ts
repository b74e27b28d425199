// Endpoints 12, 12b and 13: the specification's figures, the order of refusals, snapshots and their lifetime.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from 'kysely';
import { parseQuoteId } from '../../../core/ids.ts';
import type { AdjustedQuote, OrProblem, QuoteSet } from '../../../fixtures/bodies.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
});
afterAll(() => api.close());

const lotus = 'finInstIdType=BICFI&finInstId=LOTUSGS0';
const quotes = (path: string, query = lotus, client: string | null = 'LOTUSGS0') =>
  api.get<OrProblem<QuoteSet>>(`/quotes/${path}?${query}`, client);

describe('quotes (endpoint 12)', () => {
  it('gives the specification’s figures: 1,000 SGD make 25,000 THB, fee 100, credited 24,900, scheme fee 1.50', async () => {
    const { status, body } = await quotes('SG/SGD/TH/THB/SGD/1000');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      sourceCountry: 'SG',
      sourceCurrency: 'SGD',
      destinationCountry: 'TH',
      destinationCurrency: 'THB',
      amountCurrency: 'SGD',
      amount: 1000,
    });
    expect(body.quotes).toHaveLength(4);
    const { quoteId, issuedDateTime, ...best } = body.quotes[0]!;
    expect(best).toEqual({
      fxpfinInstIdType: 'BICFI',
      fxpfinInstId: 'MERISGS0',
      exchangeRate: 25,
      debtorAgent: {
        interbankSettlementAmount: { currency: 'SGD', amount: 1000, cappedToMaxAmount: false },
        networkSchemeFee: { amount: 1.5, currency: 'SGD' },
      },
      intermediaryAgent1: {
        finInstId: {
          name: 'Harbour Settlement Singapore',
          BICFI: 'HARBSGS0',
          LEI: null,
          clearingSystemMemberId: { clearingSystemId: 'SGDFAST', memberId: 'HARBSG01' },
          other: { id: null },
        },
      },
      intermediaryAgent1Account: { id: 'MERI-SG-SGD' },
      intermediaryAgent2: {
        finInstId: {
          name: 'Harbour Settlement Thailand',
          BICFI: 'HARBTHS0',
          LEI: null,
          clearingSystemMemberId: { clearingSystemId: 'THBPPAY', memberId: 'HARBTH01' },
          other: { id: null },
        },
      },
      intermediaryAgent2Account: { id: 'MERI-TH-THB' },
      creditorAgent: {
        interbankSettlementAmount: { currency: 'THB', amount: 25000, cappedToMaxAmount: false },
        chargesInformation: { amount: { amount: 100, currency: 'THB' } },
        creditorAccountAmount: 24900,
      },
    });
    expect(parseQuoteId(quoteId)).toBe(quoteId);
    expect(issuedDateTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('breaks a tie by the older rate, then by the FX provider’s id (QUO-2)', async () => {
    const corridor = {
      sourceCountry: 'JP',
      sourceCurrency: 'JPY',
      destinationCountry: 'MY',
      destinationCurrency: 'MYR',
    };
    for (const fxp of ['ZENIHKS0', 'POLAJPS0', 'ORBIDES0'])
      await api.post('/rates/', { ...corridor, rate: '0.5' }, fxp);
    const order = async () =>
      (
        await quotes('JP/JPY/MY/MYR/JPY/500', 'finInstIdType=BICFI&finInstId=LOTUJPS0', 'LOTUJPS0')
      ).body.quotes
        .filter((quote) => quote.exchangeRate === 0.5)
        .map((quote) => quote.fxpfinInstId);
    expect(await order()).toEqual(['ZENIHKS0', 'POLAJPS0', 'ORBIDES0']);
    await api.db
      .updateTable('rates')
      .set({ created_at: new Date('2026-01-01T00:00:00Z') })
      .where('source_currency', '=', 'JPY')
      .where('destination_currency', '=', 'MYR')
      .where('expired_at', 'is', null)
      .execute();
    expect(await order()).toEqual(['ORBIDES0', 'POLAJPS0', 'ZENIHKS0']);
  });

  it('applies the PSP improvement after the tier: 25 x 1.0005 (FX-8)', async () => {
    const { body } = await quotes(
      'SG/SGD/TH/THB/SGD/1000',
      'finInstIdType=BICFI&finInstId=BANYSGS0',
      'BANYSGS0',
    );
    expect(body.quotes[0]!).toMatchObject({ fxpfinInstId: 'MERISGS0', exchangeRate: 25.0125 });
    expect(body.quotes[0]!.creditorAgent.interbankSettlementAmount.amount).toBe(25012.5);
  });

  it('credits exactly what was asked when the destination amount is given (FEE-4)', async () => {
    const { body } = await quotes('SG/SGD/TH/THB/THB/24900');
    for (const quote of body.quotes) expect(quote.creditorAgent.creditorAccountAmount).toBe(24900);
    expect(body.quotes[0]!.debtorAgent.interbankSettlementAmount.amount).toBe(1000);
  });

  it('caps to the largest pair within both maxima and says which side was exceeded (QUO-4)', async () => {
    const { body } = await quotes('SG/SGD/TH/THB/SGD/150000');
    const { debtorAgent, creditorAgent } = body.quotes[0]!;
    expect(debtorAgent.interbankSettlementAmount).toEqual({
      currency: 'SGD',
      amount: 79681.6,
      cappedToMaxAmount: false,
    });
    expect(creditorAgent.interbankSettlementAmount).toEqual({
      currency: 'THB',
      amount: 2000000,
      cappedToMaxAmount: true,
    });
    expect(creditorAgent.chargesInformation.amount.amount).toBe(2075);
  });

  it('leaves out an FX provider without a validated SAP (FX-3)', async () => {
    const { body } = await quotes('SG/SGD/PH/PHP/SGD/100');
    expect(body.quotes.map((quote) => quote.fxpfinInstId)).not.toContain('POLAJPS0');
    expect(body.quotes).toHaveLength(3);
  });

  it('writes every digit of what was asked (MON-4)', async () => {
    const { text } = await quotes('SG/SGD/TH/THB/SGD/123456789012345.67');
    expect(text).toContain('"amount":123456789012345.67,');
  });

  it('lets an operator ask for any PSP, and every identifier of a PSP do (QUO-1)', async () => {
    expect((await quotes('SG/SGD/TH/THB/SGD/1000', lotus, 'operator')).status).toBe(200);
    expect(
      (await quotes('SG/SGD/TH/THB/SGD/1000', 'finInstIdType=internalId&finInstId=SG-LOTU')).status,
    ).toBe(200);
    expect((await quotes('SG/SGD/TH/THB/SGD/1000', 'finInstIdType=BICFI&finInstId=LOTUSGS0XXX')).status).toBe(
      200,
    );
  });

  const amountRefusals = ['1e3', '-5', '%D9%A1%D9%A2', '1.123456'];
  it.each(amountRefusals)('refuses the amount %s as no amount: 400 (MON-1)', async (amount) => {
    const { status, body } = await quotes(`SG/SGD/TH/THB/SGD/${amount}`);
    expect(status).toBe(400);
    expect(body.errors?.map((fault) => fault.parameter)).toEqual(['amount']);
  });

  it.each([
    ['XX/SGD/TH/THB/SGD/1000', lotus, 404, 'unknown-country'],
    ['SG/XXX/TH/THB/SGD/1000', lotus, 404, 'unknown-currency'],
    ['SG/THB/TH/THB/SGD/1000', lotus, 404, 'currency-not-of-country'],
    ['SG/SGD/SG/SGD/SGD/1000', lotus, 404, 'unknown-corridor'],
    ['SG/SGD/TH/THB/EUR/1000', lotus, 422, 'amount-currency-not-of-corridor'],
    ['SG/SGD/TH/THB/SGD/1.001', lotus, 422, 'too-many-decimals'],
    ['SG/SGD/TH/THB/SGD/1', lotus, 422, 'amount-too-small'],
    ['SG/SGD/TH/THB/SGD/1000', 'finInstIdType=BICFI&finInstId=NOBODY00', 422, 'unknown-psp'],
    ['SG/SGD/TH/THB/SGD/1000', 'finInstIdType=BICFI&finInstId=BANYSGS0', 403, 'not-own-institution'],
    ['MY/MYR/TH/THB/MYR/1000', lotus, 422, 'psp-not-of-source-country'],
  ])('%s?%s answers %i %s', async (path, query, status, code) => {
    const answer = await quotes(path, query);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('refuses FX providers and operators of payment systems (FX-9)', async () => {
    for (const client of ['MERISGS0', 'SGDFAST']) {
      expect((await quotes('SG/SGD/TH/THB/SGD/1000', lotus, client)).status).toBe(403);
    }
  });

  it('stores one row per request, whatever it holds (QUO-10)', async () => {
    const count = async () =>
      (await sql<{ n: number }>`select count(*)::int as n from quote_requests`.execute(api.db)).rows[0]?.n ??
      0;
    const before = await count();
    await Promise.all(Array.from({ length: 10 }, () => quotes('SG/SGD/TH/THB/SGD/1000')));
    expect(await count()).toBe(before + 10);
  });
});

describe('quotes with the /api/v1 prefix (endpoint 12b)', () => {
  const adjusted = (query: string, path = 'SG/SGD/TH/THB/') =>
    api.get<OrProblem<AdjustedQuote[]>>(`/api/v1/quotes/${path}?${query}`);

  it('is a plain array with the Adjusted elements; no reason when nothing was capped (QUO-5)', async () => {
    const { body } = await adjusted('amt=1000&amtCcy=SGD&pspId=LOTUSGS0');
    const { QuoteId, ...best } = body[0]!;
    expect(parseQuoteId(QuoteId)).toBe(QuoteId);
    expect(best).toEqual({
      FXPFinInstIdType: 'BICFI',
      FXPFinInstId: 'MERISGS0',
      Rate: 25,
      SourceUPSId: 'SGDFAST',
      DestinationUPSId: 'THBPPAY',
      AdjustedSourceAmount: 1000,
      AdjustedDestinationAmount: 25000,
    });
    expect((await adjusted('amt=1000&amtCcy=SGD&pspId=LOTUSGS0', 'SG/SGD/TH/THB')).status).toBe(200);
  });

  it('knows no fees: 25,000 THB need 1,000 SGD (QUO-5)', async () => {
    const { body } = await adjusted('amt=25000&amtCcy=THB&pspId=LOTUSGS0&pspIdType=BICFI');
    expect(body[0]).toMatchObject({ AdjustedSourceAmount: 1000, AdjustedDestinationAmount: 25000 });
  });

  it.each([
    ['150000', 'SGD', 'DestinationMaximumExceeded'],
    ['300000', 'SGD', 'SourceAndDestinationMaximumExceeded'],
  ])('says why %s %s was adjusted: %s (QUO-5)', async (amount, currency, reason) => {
    const { body } = await adjusted(`amt=${amount}&amtCcy=${currency}&pspId=LOTUSGS0`);
    for (const quote of body) expect(quote.AdjustedReason).toBe(reason);
  });

  it('says SourceMaximumExceeded where the source binds alone', async () => {
    const { body } = await api.get<AdjustedQuote[]>(
      '/api/v1/quotes/HK/HKD/MY/MYR/?amt=20000&amtCcy=HKD&pspId=LOTUHKS0',
      'LOTUHKS0',
    );
    expect(body[0]).toMatchObject({ AdjustedSourceAmount: 10000, AdjustedReason: 'SourceMaximumExceeded' });
  });

  it('leaves out zero amounts only: 1 SGD is quoted although fees would eat it (FEE-5)', async () => {
    expect((await adjusted('amt=1&amtCcy=SGD&pspId=LOTUSGS0')).body).toHaveLength(4);
    expect((await adjusted('amt=0&amtCcy=SGD&pspId=LOTUSGS0')).body.code).toBe('amount-too-small');
  });

  it('refuses like endpoint 12', async () => {
    expect((await adjusted('amt=1000&amtCcy=SGD')).body.errors).toEqual([
      { parameter: 'pspId', detail: expect.stringMatching(/^missing; must be/) as string },
    ]);
    expect((await adjusted('amt=1e3&amtCcy=SGD&pspId=LOTUSGS0')).status).toBe(400);
    expect((await adjusted('amt=1000&amtCcy=SGD&pspId=BANYSGS0')).status).toBe(403);
    expect((await adjusted('amt=1000&amtCcy=SGD&pspId=LOTUSGS0', 'SG/SGD/XX/THB/')).status).toBe(404);
  });
});

describe('intermediary agents (endpoint 13)', () => {
  async function quoteId(): Promise<string> {
    return (await quotes('SG/SGD/TH/THB/SGD/1000')).body.quotes[0]!.quoteId;
  }

  it('names both SAPs and the FX provider’s accounts there', async () => {
    const { body } = await api.get(`/quotes/${await quoteId()}/intermediary-agents`);
    expect(body).toEqual({
      intermediaryAgent1: {
        name: 'Harbour Settlement Singapore',
        countryCode: 'SG',
        currencyCode: 'SGD',
        finInstId: { BICFI: ['HARBSGS0'], LEI: null, otherId: null },
        account: { otherId: 'MERI-SG-SGD' },
      },
      intermediaryAgent2: {
        name: 'Harbour Settlement Thailand',
        countryCode: 'TH',
        currencyCode: 'THB',
        finInstId: { BICFI: ['HARBTHS0'], LEI: null, otherId: null },
        account: { otherId: 'MERI-TH-THB' },
      },
    });
  });

  it('is for the PSP that asked and for operators; another PSP sees 404, an FX provider 403 (QUO-9)', async () => {
    const path = `/quotes/${await quoteId()}/intermediary-agents`;
    const status = async (client: string | null) => (await api.get(path, client)).status;
    expect(await status('LOTUSGS0')).toBe(200);
    expect(await status('operator')).toBe(200);
    expect(await status('BANYSGS0')).toBe(404);
    expect(await status('MERISGS0')).toBe(403);
    expect(await status('SGDFAST')).toBe(403);
    expect(await status(null)).toBe(401);
  });

  it('answers 404 for a UUID that names no quote, and 400 for what is no UUID (REF-3)', async () => {
    const known = await quoteId();
    const request = `${known.slice(0, -2)}00`;
    const beyond = `${known.slice(0, -2)}ff`;
    for (const id of [
      request,
      beyond,
      '6b0c6f5e-1d3a-1c55-9f6e-2f6c4b1f9a01',
      '6b0c6f5e-1d3a-4c55-9f6e-2f6c4b1f9a01',
    ]) {
      expect((await api.get(`/quotes/${id}/intermediary-agents`)).body.code).toBe('unknown-quote');
    }
    expect((await api.get('/quotes/1/intermediary-agents')).status).toBe(400);
  });
});

describe('fees and amounts of one quote (FEE-8)', () => {
  it('are those of the quote, in the shape of endpoint 14', async () => {
    const quote = (await quotes('SG/SGD/TH/THB/SGD/1000')).body.quotes[0]!;
    const { body } = await api.get(`/quotes/${quote.quoteId}/fees-and-amounts`);
    expect(body).toEqual({
      debtorAgent: {
        interbankSettlementAmount: { amount: 1000, currency: 'SGD' },
        networkSchemeFee: { amount: 1.5, currency: 'SGD' },
      },
      creditorAgent: {
        interbankSettlementAmount: { amount: 25000, currency: 'THB' },
        chargesAmount: { amount: 100, currency: 'THB' },
        creditorAccountAmount: 24900,
      },
    });
  });

  it('tell what arrives by a quote of endpoint 12b, which knows no fees: 25,000 THB less 100', async () => {
    const asked = await api.get('/api/v1/quotes/SG/SGD/TH/THB/?amt=25000&amtCcy=THB&pspId=LOTUSGS0');
    const [{ QuoteId }] = asked.body as unknown as [{ readonly QuoteId: string }];
    const { body } = await api.get(`/quotes/${QuoteId}/fees-and-amounts`);
    expect(body).toMatchObject({
      debtorAgent: { interbankSettlementAmount: { amount: 1000, currency: 'SGD' } },
      creditorAgent: { chargesAmount: { amount: 100 }, creditorAccountAmount: 24900 },
    });
  });

  it('of a quote of endpoint 12b that leaves nothing to credit are refused (FEE-5)', async () => {
    const asked = await api.get('/api/v1/quotes/SG/SGD/TH/THB/?amt=50&amtCcy=THB&pspId=LOTUSGS0');
    const [{ QuoteId }] = asked.body as unknown as [{ readonly QuoteId: string }];
    const answer = await api.get(`/quotes/${QuoteId}/fees-and-amounts`);
    expect([answer.status, answer.body.code]).toEqual([422, 'amount-too-small']);
  });

  it('are for the PSP that asked and for operators (QUO-9)', async () => {
    const { quoteId } = (await quotes('SG/SGD/TH/THB/SGD/1000')).body.quotes[0]!;
    const clients = ['LOTUSGS0', 'operator', 'BANYSGS0', 'MERISGS0', 'SGDFAST'];
    const statuses = clients.map(
      async (one) => (await api.get(`/quotes/${quoteId}/fees-and-amounts`, one)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 200, 404, 403, 403]);
  });
});
