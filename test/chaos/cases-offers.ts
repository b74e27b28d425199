// Answers of quotes, rates, improvements and fees that say something else than what is stored or due, in one member
// (FX-5 to FX-7, FEE-1 to FEE-5, QUO-5 to QUO-7).
import type { Exchange } from '../../chaos/oracle/evidence.ts';
import { moved, row, rows, type Case, type Draft, type DraftRow } from './altered.ts';

type Found = Draft['exchanges'][number];

const begins = (path: string) => (exchange: Exchange) => exchange.path.startsWith(path);
const adjusted = begins('/api/v1/quotes/');
const quotes = begins('/quotes/SG/SGD/TH/THB/THB/24900');
const rate = begins('/api/v1/rates');
const tier = begins('/api/v1/tier_improvements');
const psp = begins('/api/v1/psp_improvements');
const fees = begins('/fees-and-amounts/');

function answer(draft: Draft, fits: (exchange: Exchange) => boolean): Found {
  const found = draft.exchanges.find((one) => fits(one) && one.status === 200);
  if (found === undefined) throw new Error('the clean run has no such answer');
  return found;
}

/** Something that an answer says, otherwise; the first time, or wherever it stands. */
function retell(
  draft: Draft,
  fits: (exchange: Exchange) => boolean,
  said: string | RegExp,
  says: string,
): void {
  const exchange = answer(draft, fits);
  const before = exchange.responseBody ?? '';
  exchange.responseBody = before.replace(said, says);
  if (exchange.responseBody === before) throw new Error(`nothing to change in ${before}`);
}

/** One member of an answer says something else. */
const retold = (
  title: string,
  id: string,
  fits: (exchange: Exchange) => boolean,
  said: string | RegExp,
  says: string,
): Case => ({ title, id, alter: (draft) => retell(draft, fits, said, says) });

/** The rate of the tier that the clean run registers, in a corridor of which nobody asks. */
function renewed(draft: Draft): DraftRow {
  return row(draft, 'rates', { threshold: '750', destination_country: 'MY' });
}

const improvementCases: readonly Case[] = [
  {
    title: 'a tier improvement waits for the next base rate',
    id: 'R:FX-6',
    alter: (draft) => {
      const waiting = renewed(draft);
      draft.tables['rates'] = rows(draft, 'rates').filter((one) => one !== waiting);
    },
  },
  {
    title: 'the rates of a tier improvement come a second later',
    id: 'R:FX-6',
    alter: (draft) => {
      const late = renewed(draft);
      late['created_at'] = moved(String(late['created_at']), 1_000);
    },
  },
  {
    title: 'an older rate of a tier stays active after its improvement',
    id: 'R:FX-6',
    also: ['R:FX-4'],
    alter: (draft) => {
      const own = renewed(draft);
      const { fxp_id: fxp, source_country: source } = own;
      const base = row(draft, 'rates', {
        fxp_id: fxp,
        source_country: source,
        destination_country: 'MY',
        threshold: '0',
      });
      rows(draft, 'rates').push({
        ...own,
        rate_id: '00000000-0000-4000-8000-000000000001',
        exchange_rate: base['exchange_rate'],
        created_at: base['created_at'],
      });
    },
  },
  {
    title: 'a tier improvement is stored otherwise than it was posted',
    id: 'R:FX-6',
    alter: (draft) => {
      row(draft, 'tier_improvements', { threshold: '750' })['improvement_basis_points'] = '8';
    },
  },
  {
    title: 'an improvement for a PSP is stored otherwise than it was posted',
    id: 'R:FX-7',
    alter: (draft) => {
      row(draft, 'psp_improvements', { psp_id: 'SG-LOTU' })['improvement_basis_points'] = '4';
    },
  },
  retold('a tier improvement is answered with other basis points', 'R:FX-6', tier, '"7.5"', '"75"'),
  retold('a tier improvement is answered as that of another', 'R:FX-6', tier, 'MERISGS0', 'ZENIHKS0'),
  retold(
    'a tier improvement is answered with a time of before it',
    'R:FX-6',
    tier,
    /"updatedDateTime":"2/,
    '"updatedDateTime":"1',
  ),
  retold('an improvement for a PSP is answered as for another', 'R:FX-7', psp, 'LOTUSGS0', 'BANYSGS0'),
  retold('an improvement for a PSP is answered with another id', 'R:FX-7', psp, /Id":"\d+"/, 'Id":"1"'),
];

const rateCases: readonly Case[] = [
  {
    title: 'the market rate that is told has ended long ago',
    id: 'R:FX-5',
    alter: (draft) => {
      const base = row(draft, 'rates', { exchange_rate: '25.1234567' });
      const createdAt = String(base['created_at']);
      rows(draft, 'rates').push({
        ...base,
        fxp_id: 'HK-ZENI',
        rate_id: '00000000-0000-4000-8000-000000000001',
        exchange_rate: '26',
        created_at: moved(createdAt, -7_200_000),
        expired_at: moved(createdAt, -3_600_000),
      });
      retell(draft, rate, /"marketRate":\{"exchangeRate":[\d.]+/, '"marketRate":{"exchangeRate":26');
    },
  },
  {
    title: 'a better rate of another is no market rate',
    id: 'R:FX-5',
    also: ['R:QUO-2', 'R:QUO-3'],
    alter: (draft) => {
      const own = row(draft, 'rates', { exchange_rate: '25.1234567' });
      const others = rows(draft, 'rates').find(
        (one) =>
          one['fxp_id'] === 'HK-ZENI' &&
          one['source_country'] === 'SG' &&
          one['destination_country'] === 'TH',
      );
      const createdAt = moved(String(own['created_at']), -60_000);
      Object.assign(others ?? {}, { exchange_rate: '26', created_at: createdAt });
    },
  },
  retold(
    'the market rate that is told is not the best',
    'R:FX-5',
    rate,
    /"marketRate":\{"exchangeRate":[\d.]+/,
    '"marketRate":{"exchangeRate":24.98002498',
  ),
  retold('a rate is answered for another corridor', 'R:FX-5', rate, '"TH"', '"MY"'),
  retold('a rate is not answered as accepted', 'R:FX-5', rate, '"accepted"', '"received"'),
  retold(
    'a tier of a new rate is answered with another time',
    'R:FX-5',
    rate,
    /(tierRates.*?createdDateTime":")2/,
    '$11',
  ),
];

const feeCases: readonly Case[] = [
  {
    title: 'a quote is given whose amount the fee eats up',
    id: 'R:FEE-5',
    also: ['R:QUO-3', 'R:QUO-7'],
    alter: (draft) => {
      const request = row(draft, 'quote_requests', { amount: '24900' });
      (request['creditor_agent_fees'] as unknown[])[0] = '25000';
    },
  },
  {
    title: 'fees are answered for an amount of which nothing is left',
    id: 'R:FEE-5',
    alter: (draft) => {
      const exchange = answer(draft, fees);
      exchange.path = '/fees-and-amounts/SG/SGD/TH/THB/SGD/0.01/25.5';
      exchange.responseBody = JSON.stringify({
        debtorAgent: {
          interbankSettlementAmount: { amount: 0.01, currency: 'SGD' },
          networkSchemeFee: { amount: 0.5, currency: 'SGD' },
        },
        creditorAgent: {
          interbankSettlementAmount: { amount: 0.26, currency: 'THB' },
          chargesAmount: { amount: 75, currency: 'THB' },
          creditorAccountAmount: -74.74,
        },
      });
    },
  },
  {
    title: 'an amount of which something is left is called too small',
    id: 'R:FEE-5',
    alter: (draft) => {
      const refused = { status: 422, responseBody: '{"status":422,"code":"amount-too-small"}' };
      Object.assign(answer(draft, fees), refused);
    },
  },
  retold(
    'the scheme fee is told in the other currency',
    'R:FEE-3',
    fees,
    /("networkSchemeFee":\{"amount":[\d.]+,"currency":)"SGD"/,
    '$1"THB"',
  ),
  retold(
    'the charges are told in the other currency',
    'R:FEE-3',
    fees,
    /("chargesAmount":\{"amount":[\d.]+,"currency":)"THB"/,
    '$1"SGD"',
  ),
];

/** Members of endpoint 12, each with what it says otherwise. */
const members: readonly (readonly [member: string, said: string | RegExp, says: string])[] = [
  ['corridor', '"destinationCountry":"TH"', '"destinationCountry":"MY"'],
  ['amount currency', '"amountCurrency":"THB"', '"amountCurrency":"SGD"'],
  ['amount', '"amount":24900', '"amount":24901'],
  ['time of issue', /"issuedDateTime":"2/, '"issuedDateTime":"1'],
  ['kind of FX provider id', '"fxpfinInstIdType":"BICFI"', '"fxpfinInstIdType":"LEI"'],
  ['FX provider', '"fxpfinInstId":"ZENIHKS0"', '"fxpfinInstId":"MERISGS0"'],
  ['currency of the scheme fee', /("networkSchemeFee":\{"amount":[\d.]+,"currency":)"SGD"/, '$1"THB"'],
  [
    'currency of the charges',
    /("chargesInformation":\{"amount":\{"amount":[\d.]+,"currency":)"THB"/,
    '$1"SGD"',
  ],
  ['name of an agent', 'Harbour Settlement Thailand', 'Harbour Settlement'],
  ['LEI of an agent', '"LEI":null', '"LEI":"999900LOTUSGS0000022"'],
  ['payment system of an agent', '"clearingSystemId":"THBPPAY"', '"clearingSystemId":"SGDFAST"'],
  ['member id of an agent', 'HARBTH01', 'HARBSG01'],
  ['other id of an agent', '"other":{"id":null}', '"other":{"id":"1"}'],
];

const quoteMemberCases: readonly Case[] = members.map(([member, said, says]) =>
  retold(`a quote says otherwise: ${member}`, 'R:QUO-7', quotes, said, says),
);

const adjustedCases: readonly Case[] = [
  retold(
    'every quote without fees is of the best FX provider',
    'R:QUO-5',
    adjusted,
    /ZENIHKS0|ORBIDES0|POLAJPS0/g,
    'MERISGS0',
  ),
  retold(
    'a quote without fees names its FX provider by another kind of id',
    'R:QUO-5',
    adjusted,
    '"FXPFinInstIdType":"BICFI"',
    '"FXPFinInstIdType":"LEI"',
  ),
  retold(
    'a quote without fees names its payment systems the other way round',
    'R:QUO-5',
    adjusted,
    '"SourceUPSId":"SGDFAST","DestinationUPSId":"THBPPAY"',
    '"SourceUPSId":"THBPPAY","DestinationUPSId":"SGDFAST"',
  ),
  retold(
    'a quote without fees names one maximum of two',
    'R:QUO-5',
    adjusted,
    'SourceAndDestinationMaximumExceeded',
    'SourceMaximumExceeded',
  ),
  retold('the last quote without fees is left out', 'R:QUO-5', adjusted, /,\{[^{]*\}\]$/, ']'),
  {
    title: 'no quote without fees is answered, though there are some',
    id: 'R:QUO-5',
    alter: (draft) => {
      answer(draft, adjusted).responseBody = '[]';
    },
  },
];

const snapshotCases: readonly Case[] = [
  {
    title: 'another amount is stored than was asked',
    id: 'R:QUO-7',
    alter: (draft) => {
      const exchange = answer(draft, quotes);
      exchange.path = exchange.path.replace('24900', '24901');
    },
  },
  {
    title: 'a quote is stored without its tier',
    id: 'R:QUO-7',
    alter: (draft) => {
      const request = row(draft, 'quote_requests', { amount: '900000' });
      (request['tier_improvement_ids'] as unknown[])[0] = null;
    },
  },
  {
    title: 'a quote is stored without the improvement for its PSP',
    id: 'R:QUO-7',
    alter: (draft) => {
      const request = row(draft, 'quote_requests', { amount: '123.45' });
      (request['psp_improvement_ids'] as unknown[])[0] = null;
    },
  },
  {
    title: 'quotes are told to expire after seven minutes',
    id: 'R:QUO-6',
    alter: (draft) => {
      const exchange = answer(draft, quotes);
      const request = row(draft, 'quote_requests', { amount: '24900' });
      const told = moved(String(request['issued_at']), 420_000);
      exchange.headers = { ...exchange.headers, 'isthmus-quotes-expire': told };
    },
  },
];

export const offerCases: readonly Case[] = [
  ...improvementCases,
  ...rateCases,
  ...feeCases,
  ...quoteMemberCases,
  ...adjustedCases,
  ...snapshotCases,
];
