// Endpoints 14 to 16, and their agreement with quotes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FeesAndAmounts, OrProblem } from '../../../fixtures/bodies.ts';
import { testDatabase } from '../../harness/database.ts';
import { problemTexts } from '../../harness/problem-texts.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
});
afterAll(() => api.close());

const fees = (path: string) => api.get<OrProblem<FeesAndAmounts>>(`/fees-and-amounts/${path}`);

describe('fees and amounts (endpoint 14)', () => {
  const figures = {
    debtorAgent: {
      interbankSettlementAmount: { amount: 1000, currency: 'SGD' },
      networkSchemeFee: { amount: 1.5, currency: 'SGD' },
    },
    creditorAgent: {
      interbankSettlementAmount: { amount: 25000, currency: 'THB' },
      chargesAmount: { amount: 100, currency: 'THB' },
      creditorAccountAmount: 24900,
    },
  };

  it('gives the specification’s figures from either side', async () => {
    expect((await fees('SG/SGD/TH/THB/SGD/1000/25')).body).toEqual(figures);
    expect((await fees('SG/SGD/TH/THB/THB/24900/25')).body).toEqual(figures);
  });

  it('caps nothing (FEE-6) and keeps every digit (MON-4)', async () => {
    const { text, body } = await fees('SG/SGD/TH/THB/SGD/123456789012345.67/10');
    expect(text).toContain('{"amount":123456789012345.67,"currency":"SGD"}');
    expect(text).toContain('{"amount":1234567890123456.7,"currency":"THB"}');
    expect(body.creditorAgent.interbankSettlementAmount.currency).toBe('THB');
  });

  it('refuses what no message can carry: more than 18 digits on either side (FEE-6)', async () => {
    expect((await fees('SG/SGD/TH/THB/SGD/1000000000000000/10')).status).toBe(200);
    const source = await fees('SG/SGD/TH/THB/SGD/100000000000000000/10');
    expect([source.status, source.body.code]).toEqual([422, 'amount-too-large']);
    const destination = await fees('SG/SGD/TH/THB/THB/999999999999999999/0.1');
    expect([destination.status, destination.body.code]).toEqual([422, 'amount-too-large']);
  });

  it.each([
    ['XX/SGD/TH/THB/SGD/1000/25', 404, 'unknown-country'],
    ['SG/SGD/TH/SGD/SGD/1000/25', 404, 'currency-not-of-country'],
    ['SG/SGD/SG/SGD/SGD/1000/1', 404, 'unknown-corridor'],
    ['SG/SGD/TH/THB/EUR/1000/25', 422, 'amount-currency-not-of-corridor'],
    ['SG/SGD/TH/THB/SGD/1000.001/25', 422, 'too-many-decimals'],
    ['JP/JPY/TH/THB/JPY/1000.5/0.2', 422, 'too-many-decimals'],
    ['SG/SGD/TH/THB/SGD/0/25', 422, 'amount-too-small'],
    ['SG/SGD/TH/THB/SGD/1/25', 422, 'amount-too-small'],
    ['SG/SGD/TH/THB/SGD/1000/0', 400, 'invalid-request'],
    ['SG/SGD/TH/THB/SGD/1000/0.00', 400, 'invalid-request'],
    ['SG/SGD/TH/THB/SGD/1000/1e2', 400, 'invalid-request'],
    ['SG/SGD/TH/THB/SGD/1000/123456789012', 400, 'invalid-request'],
    ['SG/SGD/TH/THB/SGD/1000/0.12345678901', 400, 'invalid-request'],
    ['SG/SGD/TH/THB/SGD/1000/-25', 400, 'invalid-request'],
  ])('%s answers %i %s', async (path, status, code) => {
    const answer = await fees(path);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});

describe('fee formulas (endpoints 15 and 16)', () => {
  it('gives the scheme fee with its nominal part as given and its ratio as a number', async () => {
    const { text } = await api.get('/fee-formulas/network-scheme-fee/SG/SGD');
    expect(text).toBe(
      '{"countryCode":"SG","currency":"SGD","nominalFeeAmount":"0.50","percentageFeeAsRatio":0.001}',
    );
  });

  it('gives the creditor agent fee', async () => {
    const { text } = await api.get('/fee-formulas/creditor-agent-fee/TH/THB');
    expect(text).toBe(
      '{"countryCode":"TH","nominalFee":{"amount":"75.00","currency":"THB"},"percentageFee":0.1}',
    );
  });

  it.each(['network-scheme-fee', 'creditor-agent-fee'])(
    '%s: 404 for what is unknown, 400 for what is no code',
    async (kind) => {
      expect((await api.get(`/fee-formulas/${kind}/XX/SGD`)).body.code).toBe('unknown-country');
      expect((await api.get(`/fee-formulas/${kind}/SG/XXX`)).body.code).toBe('unknown-currency');
      expect((await api.get(`/fee-formulas/${kind}/SG/THB`)).body.code).toBe('currency-not-of-country');
      expect((await api.get(`/fee-formulas/${kind}/1/SGD`)).status).toBe(400);
    },
  );

  it('a formula that is not on record is 404, and says so', async () => {
    await api.db.deleteFrom('creditor_agent_fee_formulas').where('country_code', '=', 'PH').execute();
    await expect
      .poll(async () => (await api.get('/fee-formulas/creditor-agent-fee/PH/PHP')).body)
      .toMatchObject({
        code: 'unknown-fee-formula',
        detail: problemTexts['unknown-fee-formula'].told,
      });
  });
});
