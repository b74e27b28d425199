// Quotes that PSPs only compare, without paying. Also requests that the rules refuse: for another PSP, about another's
// quote, by an FX provider (QUO-1, QUO-9, FX-9).
import type { AdjustedQuote } from '../../../fixtures/bodies.ts';
import type { Terms } from '../../../fixtures/instruction.ts';
import { feeOn } from '../decimal.ts';
import { draftPayment, write, type Draft } from '../draft.ts';
import { askQuotes, choose, drawAmount, drawCorridor, pay, insist } from '../paying.ts';
import { drawRate, pspsOf, worth, type End } from '../scheme.ts';
import { StoryEnded, type Story, type Tools } from '../tools.ts';

type Asked = ReturnType<typeof drawAmount>;

/** Endpoint 12b: rates and amounts without fees. @throws StoryEnded if there is no quote */
async function askAdjusted(
  tools: Tools,
  { draft, asked, api }: { draft: Draft; asked: Asked; api: number },
): Promise<AdjustedQuote> {
  const { corridor, debtorPsp: client } = draft;
  const { source, destination } = corridor;
  const path = `/api/v1/quotes/${source.country}/${source.currency}/${destination.country}/${destination.currency}/?amt=${asked.amount}&amtCcy=${asked.currency}&pspId=${client}`;
  const expected = { verdict: 'answered', rule: 'QUO-5' } as const;
  const question = { api, client, method: 'GET', path, purpose: 'quote-adjusted', expected } as const;
  const answer = await insist(tools, question, { purpose: 'quote-adjusted', expected, forMs: 30_000 });
  const [best] = answer.status === 200 ? (JSON.parse(answer.text) as AdjustedQuote[]) : [];
  if (best === undefined) throw new StoryEnded(`no adjusted quote: HTTP ${answer.status}`);
  return best;
}

/** A payment with a quote without fees (QUO-5). Its sender computes the creditor agent fee by the formula (FEE-2). */
const adjusted: Story = {
  name: 'payment-adjusted',
  weight: 4,
  play: async (tools) => {
    const { random, canaries } = tools;
    const corridor = drawCorridor(random);
    const { source, destination } = corridor;
    const draft = draftPayment(random, canaries, { corridor });
    const asked = drawAmount(random, corridor);
    const api = random.integer(0, 7);
    const quote = await askAdjusted(tools, { draft, asked, api });
    const credited = String(quote.AdjustedDestinationAmount);
    const terms: Terms = {
      rate: String(quote.Rate),
      source: { currency: source.currency, amount: String(quote.AdjustedSourceAmount) },
      fee: {
        currency: destination.currency,
        amount: feeOn(credited, destination.creditorAgentFee, destination.places),
      },
      quoteId: quote.QuoteId,
    };
    await tools.ready(source.system);
    await pay(tools, draft, write(draft, terms, tools.now()), { api: api + 1 });
  },
};

/** Quotes that a PSP requests and reads, but does not use. */
const left: Story = {
  name: 'quotes-left',
  weight: 4,
  play: async (tools) => {
    const { random } = tools;
    const corridor = drawCorridor(random);
    const asked = drawAmount(random, corridor);
    const [api, choice, other] = [random.integer(0, 7), random.integer(0, 99), random.integer(0, 1)];
    const psps = pspsOf(corridor.source.country);
    const [psp = '', neighbour = ''] = [psps[other], psps[1 - other]];
    const quote = choose(await askQuotes(tools, { corridor, psp, asked, api }), choice);
    const question = {
      api: api + 1,
      method: 'GET',
      path: `/quotes/${quote.quoteId}/intermediary-agents`,
    } as const;
    await tools.send({ ...question, client: psp, purpose: 'quote-agents', expected: answered('QUO-9') });
    const refused = (status: number) => ({ verdict: 'refused', status }) as const;
    await tools.send({ ...question, client: neighbour, purpose: 'quote-of-others', expected: refused(404) });
    await tools.send({ ...question, client: 'ORBIDES0', purpose: 'quote-by-an-fxp', expected: refused(403) });
  },
};

const answered = (rule: string) => ({ verdict: 'answered', rule }) as const;

const noPayment = '/payments/00000000-0000-4000-8000-000000000000';
const ratesOf = (query: string) => `/rates/?${query}`;
const fromSingapore = 'sourceCountry=SG&sourceCurrency=SGD&destinationCountry=TH&destinationCurrency=THB';
const forLotus = (asked: string) => `/quotes/SG/SGD/${asked}?finInstIdType=BICFI&finInstId=LOTUSGS0`;
const forBanyan = (asked: string) => forLotus(asked).replace('LOTU', 'BANY');

/** Requests that must be refused, each with its path and client. */
const refusals = (
  [
    ['for-another-psp', 403, forBanyan('TH/THB/SGD/1000')],
    ['by-an-fxp', 403, forLotus('TH/THB/SGD/1000'), 'MERISGS0'],
    ['many-decimals', 422, forLotus('TH/THB/SGD/1000.001')],
    ['decimals-of-the-source', 422, forLotus('JP/JPY/JPY/1000.5')],
    ['exponent', 400, forLotus('TH/THB/SGD/1e3')],
    ['unknown-country', 404, forLotus('XX/THB/SGD/1000')],
    ['rates-by-an-fxp', 403, ratesOf(fromSingapore), 'MERISGS0'],
    ['unknown-payment', 404, noPayment, 'HARBJPS0'],
    ['payment-by-an-fxp', 403, noPayment, 'MERISGS0'],
  ] as const
).map(([name, status, path, client = 'LOTUSGS0']): Story => ({
  name: `question/${name}`,
  weight: 0.1,
  play: async (tools) => {
    const [api, expected] = [tools.random.integer(0, 7), { verdict: 'refused', status } as const];
    await tools.send({ api, client, method: 'GET', path, purpose: `question/${name}`, expected });
  },
}));

const placeOf = ({ country, currency }: End) => `${country}/${currency}`;

/**
 * The scheme data that a PSP reads to compute payments: formulas, maxima, decimals, the rates on offer (FX-9). It also
 * asks what a payment costs at a given rate; for a tiny amount the answer may be 422 (FEE-5, FEE-6).
 */
const read: Story = {
  name: 'scheme-data',
  weight: 5,
  play: async (tools) => {
    const { random } = tools;
    const { source, destination } = drawCorridor(random);
    const [asked, rate] = [
      drawAmount(random, { source, destination }),
      drawRate(random, { source, destination }),
    ];
    const [api, client] = [random.integer(0, 7), random.pick(pspsOf(source.country))];
    const little = worth(`0.${random.integer(1, 9)}${random.integer(1, 9)}`, source);
    const costs = `/fees-and-amounts/${placeOf(source)}/${placeOf(destination)}`;
    const between = `sourceCountry=${source.country}&sourceCurrency=${source.currency}&destinationCountry=${destination.country}&destinationCurrency=${destination.currency}`;
    const paths: readonly (readonly [path: string, rule?: string])[] = [
      [`/fee-formulas/network-scheme-fee/${placeOf(source)}`, 'FEE-1'],
      [`/fee-formulas/creditor-agent-fee/${placeOf(destination)}`, 'FEE-2'],
      [`/countries/${destination.country}/currencies/${destination.currency}/max-amounts`, 'PAY-6'],
      [`/currencies/${destination.currency}`, 'MON-2'],
      [ratesOf(between), 'FX-9'],
      [`${costs}/${asked.currency}/${asked.amount}/${rate}`, 'FEE-6'],
      [`${costs}/${source.currency}/${little}/${rate}`],
    ];
    for (const [path, rule] of paths) {
      const expected = rule === undefined ? {} : { expected: answered(rule) };
      await tools.send({ api, client, method: 'GET', path, purpose: 'scheme-data', ...expected });
    }
  },
};

export const quoteStories: readonly Story[] = [adjusted, left, read, ...refusals];
