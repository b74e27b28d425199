// Rejections of valid messages, one row each: times, agents, quote, own exchange, limits.
import { sql } from 'kysely';
import { expect } from 'vitest';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { quoteRequestOf, type QuoteId } from '../../core/ids.ts';
import type { TestGateway } from '../harness/gateway.ts';
import type { QuoteOnOffer } from '../../fixtures/bodies.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { instruction, ownExchange } from '../../fixtures/instruction.ts';
import { cut } from '../harness/patches.ts';
import { submitXml, type Trip } from '../harness/payer.ts';
import { charges, creditorAgent, debtorAgent, tx, type Row } from './rejected-form.ts';

const iso = (epochMs: number) => new Date(epochMs).toISOString();

/** Own exchange at 25, from Lotus's account in Thailand. The fee formula is 75 + 0.1 %. */
const atOwnRate = (amount: string, fee: string) => instruction(ownExchange({ amount, fee }));

export const times: readonly Row[] = [
  {
    title: 'a payment accepted an hour ago is too old (TIM-4)',
    code: 'TM01',
    told: `TIM-4 ${tx('AddtlDtTm/AccptncDtTm')}`,
    change: () => ({ acceptanceDateTime: iso(Date.now() - 3_600_000) }),
  },
  {
    title: 'a payment accepted more than 10 s in the future is refused (TIM-4)',
    code: 'TM01',
    told: `TIM-4 ${tx('AddtlDtTm/AccptncDtTm')}`,
    change: () => ({ acceptanceDateTime: iso(Date.now() + 15_000) }),
  },
  {
    title: 'a HIGH payment that is past its deadline is refused, not started (TIM-1)',
    code: 'TM01',
    told: `TIM-1 ${tx('AddtlDtTm/AccptncDtTm')}`,
    change: () => ({ priority: 'HIGH', acceptanceDateTime: iso(Date.now() - 20_001) }),
  },
];

export const agents: readonly Row[] = [
  {
    title: 'a creditor agent that nobody knows is refused (PAY-6)',
    code: 'RC07',
    told: `PAY-6 ${tx('CdtrAgt')}`,
    change: (_, valid) => creditorAgent(valid, { bicfi: 'NONETHS0' }),
  },
  {
    title: 'a creditor agent that is known but not onboarded is refused (PAY-6)',
    code: 'AGNT',
    told: `PAY-6 ${tx('CdtrAgt')}`,
    change: (_, valid) => creditorAgent(valid, { bicfi: 'FERNTHS0' }),
  },
  {
    title: "a debtor agent of another operator's system is refused (PAY-6)",
    code: 'AGNT',
    told: `PAY-6 ${tx('DbtrAgt')}`,
    change: (_, valid) => debtorAgent(valid, { bicfi: 'LOTUMYS0' }),
  },
  {
    title: 'a debtor agent that is not onboarded is refused (PAY-6)',
    code: 'AGNT',
    told: `PAY-6 ${tx('DbtrAgt')}`,
    change: (_, valid) => debtorAgent(valid, { bicfi: 'FERNSGS0' }),
  },
];

const hongKong: Trip = { destination: 'HK', destinationCurrency: 'HKD', amount: '100' };

export const quotes: readonly Row[] = [
  {
    title: 'a quote that does not exist is refused (PAY-4)',
    code: 'AB04',
    told: `PAY-4 ${tx('AgrdRate/QtId')}`,
    change: (_, { agreedRate }) => ({
      agreedRate: { ...agreedRate, quoteId: '00000000-0000-4000-8000-000000000001' },
    }),
  },
  {
    title: 'a quote of another PSP is refused (PAY-4)',
    code: 'AGNT',
    told: `PAY-4 ${tx('AgrdRate/QtId')}`,
    change: (_, valid) => debtorAgent(valid, { bicfi: 'BANYSGS0' }),
  },
  {
    title: 'a quote older than 600 s is expired (PAY-4, QUO-6)',
    code: 'AB04',
    told: `PAY-4 ${tx('AgrdRate/QtId')}: quote expired`,
    before: (gateway, quote) => age(gateway, quote, 601),
  },
  {
    title: 'a quote in use is refused (PAY-4, QUO-8)',
    code: 'AB04',
    told: `PAY-4 ${tx('AgrdRate/QtId')}: quote already used`,
    before: async (gateway, quote) => {
      const first = await submitXml(gateway, buildPacs008(instruction(quote, { ending: endingIn.silent })));
      expect(first.report?.status).toBe('ACTC');
    },
  },
  {
    title: "a rate that is not the quote's is refused (PAY-4)",
    code: 'AB04',
    told: `PAY-4 ${tx('AgrdRate/PreAgrdXchgRate')}`,
    change: (_, { agreedRate }) => ({ agreedRate: { ...agreedRate, preAgreedExchangeRate: '25.0000001' } }),
  },
  {
    title: "an amount that is not the quote's is refused (PAY-4)",
    code: 'AM09',
    told: `PAY-4 ${tx('IntrBkSttlmAmt')}`,
    change: () => ({ interbankSettlementAmount: { currency: 'SGD', amount: '1000.01' } }),
  },
  {
    title: "a destination currency that is not the quote's is refused (PAY-4)",
    code: 'CURR',
    told: `PAY-4 ${tx('AgrdRate/QtdCcy')}`,
    trip: hongKong,
    change: (_, valid) => ({
      charges: [valid.charges[0], { ...valid.charges[1], currency: 'CNY', agent: { bicfi: 'LOTUHKS0' } }],
      creditorAgent: { bicfi: 'LOTUHKS0' },
      agreedRate: { ...valid.agreedRate, quotedCurrency: 'CNY' },
    }),
  },
  {
    title: 'a quote for another country of the same currency is refused (PAY-4)',
    code: 'AB04',
    told: `PAY-4 ${tx('CdtrAgt')}`,
    trip: { destination: 'DE', destinationCurrency: 'EUR' },
    change: (_, valid) => creditorAgent(valid, { bicfi: 'LOTUFRS0' }),
  },
  {
    title: "an intermediary agent 1 that is not the quote's is refused (PAY-4)",
    code: 'RC11',
    told: `PAY-4 ${tx('IntrmyAgt1')}:`,
    change: () => ({ intermediaryAgent1: { bicfi: 'HARBMYS0' } }),
  },
  {
    title: "an intermediary agent 2 that is not the quote's is refused (PAY-4)",
    code: 'RC11',
    told: `PAY-4 ${tx('IntrmyAgt2')}:`,
    change: () => ({ intermediaryAgent2: { bicfi: 'HARBSGS0' } }),
  },
  {
    title: "a creditor agent fee that is not the quote's is refused (PAY-4)",
    code: 'AM09',
    told: `PAY-4 ${tx('ChrgsInf[2]/Amt')}`,
    change: (_, valid) => charges(valid, 1, { amount: '99.99' }),
  },
];

export const ownExchanges: readonly Row[] = [
  {
    title: 'without a quote, an account must be named at intermediary agent 2 (PAY-5)',
    code: 'RC11',
    told: `PAY-5 ${tx('IntrmyAgt2Acct')}`,
    change: () => atOwnRate('1000', '100'),
    edit: cut(/<IntrmyAgt2Acct>.*<\/IntrmyAgt2Acct>/),
  },
  {
    title: "without a quote, an FX provider's account is not the debtor agent's own (PAY-5)",
    code: 'RC11',
    told: `PAY-5 ${tx('IntrmyAgt2Acct')}`,
    change: () => ({
      ...atOwnRate('1000', '100'),
      intermediaryAgent2Account: { otherId: 'MERI-TH-THB' },
    }),
  },
  {
    title: 'without a quote, the creditor agent fee follows its formula: 75 + 0.1 % of 25,000 is 100 (PAY-5)',
    code: 'AM09',
    told: `PAY-5 ${tx('ChrgsInf[2]/Amt')}`,
    change: () => atOwnRate('1000', '99.99'),
  },
  {
    title:
      'without a quote, the source amount leads to the instructed amount: 24,979.98 THB / 25 is 999.20 (FEE-7)',
    code: 'AM09',
    told: `FEE-7 ${tx('IntrBkSttlmAmt')}`,
    change: () => ({
      ...atOwnRate('1000', '99.98'),
      instructedAmount: { currency: 'THB', amount: '24880' },
    }),
  },
  {
    title: 'a destination amount above the maximum is refused: 80,001 SGD are 2,000,025 THB (PAY-6)',
    code: 'AM02',
    told: `PAY-6 ${tx('IntrBkSttlmAmt')}`,
    change: () => atOwnRate('80001', '2075.03'),
  },
  {
    title: 'a creditor agent fee that leaves nothing is refused: 1 SGD is 25 THB (FEE-5)',
    code: 'AM06',
    told: `FEE-5 ${tx('IntrBkSttlmAmt')}`,
    change: () => atOwnRate('1', '75.03'),
  },
];

/** Makes a quote older, in the row of its request. */
async function age(gateway: TestGateway, quote: QuoteOnOffer, seconds: number): Promise<void> {
  const { requestId } = quoteRequestOf(quote.quoteId as QuoteId);
  const { numUpdatedRows } = await gateway.db
    .updateTable('quote_requests')
    .set({ issued_at: sql<Date>`issued_at - ${seconds} * interval '1 second'` })
    .where('quote_request_id', '=', requestId)
    .executeTakeFirst();
  expect(Number(numUpdatedRows)).toBe(1);
}
