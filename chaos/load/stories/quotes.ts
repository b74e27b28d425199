// Quotes that are asked and not paid with, by PSPs that compare; and questions that the rules refuse: for another PSP,
// about another's quote, by an FX provider (QUO-1, QUO-9, FX-9).
import type { AdjustedQuote } from '../../../fixtures/bodies.ts';
import type { Terms } from '../../../fixtures/instruction.ts';
import { feeOn } from '../decimal.ts';
import { draftPayment, write, type Draft } from '../draft.ts';
import { insist } from '../patience.ts';
import { askQuotes, choose, drawAmount, drawCorridor, pay } from '../paying.ts';
import { drawRate } from '../rate.ts';
import { pspsOf, worth, type End } from '../scheme.ts';
import { StoryEnded, type Story, type Tools } from '../tools.ts';

type Asked = ReturnType<typeof drawAmount>;

/** Endpoint 12b: rates and amounts without fees. @throws StoryEnded when there is none */
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

/**
 * A payment with a quote that knows no fees (QUO-5): its sender computes the creditor agent fee by the formula (FEE-2).
 */
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

/** Asked, looked at, and left. */
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
const stranger = 'HARBJPS0';

/** Questions that are refused, each by its path and who asks. */
const refusals = [
  {
    name: 'for-another-psp',
    status: 403,
    path: '/quotes/SG/SGD/TH/THB/SGD/1000?finInstIdType=BICFI&finInstId=BANYSGS0',
  },
  {
    name: 'by-an-fxp',
    status: 403,
    client: 'MERISGS0',
    path: '/quotes/SG/SGD/TH/THB/SGD/1000?finInstIdType=BICFI&finInstId=LOTUSGS0',
  },
  {
    name: 'many-decimals',
    status: 422,
    path: '/quotes/SG/SGD/TH/THB/SGD/1000.001?finInstIdType=BICFI&finInstId=LOTUSGS0',
  },
  {
    name: 'decimals-of-the-source',
    status: 422,
    path: '/quotes/SG/SGD/JP/JPY/JPY/1000.5?finInstIdType=BICFI&finInstId=LOTUSGS0',
  },
  {
    name: 'exponent',
    status: 400,
    path: '/quotes/SG/SGD/TH/THB/SGD/1e3?finInstIdType=BICFI&finInstId=LOTUSGS0',
  },
  {
    name: 'too-small',
    status: 422,
    path: '/quotes/SG/SGD/TH/THB/SGD/0.01?finInstIdType=BICFI&finInstId=LOTUSGS0',
  },
  {
    name: 'unknown-country',
    status: 404,
    path: '/quotes/SG/SGD/XX/THB/SGD/1000?finInstIdType=BICFI&finInstId=LOTUSGS0',
  },
  {
    name: 'rates-by-an-fxp',
    status: 403,
    client: 'MERISGS0',
    path: '/rates/?sourceCountry=SG&sourceCurrency=SGD&destinationCountry=TH&destinationCurrency=THB',
  },
  {
    name: 'unknown-payment',
    status: 404,
    client: stranger,
    path: '/payments/00000000-0000-4000-8000-000000000000',
  },
  {
    name: 'payment-by-an-fxp',
    status: 403,
    client: 'MERISGS0',
    path: '/payments/00000000-0000-4000-8000-000000000000',
  },
].map(({ name, status, client = 'LOTUSGS0', path }): Story => ({
  name: `question/${name}`,
  weight: 0.1,
  play: async (tools) => {
    const expected = { verdict: 'refused', status } as const;
    await tools.send({
      api: tools.random.integer(0, 7),
      client,
      method: 'GET',
      path,
      purpose: `question/${name}`,
      expected,
    });
  },
}));

/** Endpoint 14: what a payment costs at a rate of the asker's own; small amounts may be eaten up by the fee (FEE-5). */
const fees: Story = {
  name: 'fees-and-amounts',
  weight: 2,
  play: async (tools) => {
    const { random } = tools;
    const { source, destination } = drawCorridor(random);
    const { currency, amount } = drawAmount(random, { source, destination });
    const rate = drawRate(random, { source, destination });
    const [api, client] = [random.integer(0, 7), random.pick(pspsOf(source.country))];
    const path = `/fees-and-amounts/${source.country}/${source.currency}/${destination.country}/${destination.currency}/${currency}/${amount}/${rate}`;
    const expected = answered('FEE-6');
    await tools.send({ api, client, method: 'GET', path, purpose: 'fees-and-amounts', expected });
  },
};

/** So little that the fee may take all of it: then there is no answer but 422 (FEE-5). */
const fewFees: Story = {
  name: 'fees-of-little',
  weight: 2.5,
  play: async (tools) => {
    const { random } = tools;
    const { source, destination } = drawCorridor(random);
    const rate = drawRate(random, { source, destination });
    const end = random.pick([source, destination]);
    const amount = worth(`${random.integer(0, 1)}.${random.integer(0, 9)}${random.integer(1, 9)}`, end);
    const [api, client] = [random.integer(0, 7), random.pick(pspsOf(source.country))];
    const path = `/fees-and-amounts/${source.country}/${source.currency}/${destination.country}/${destination.currency}/${end.currency}/${amount}/${rate}`;
    await tools.send({ api, client, method: 'GET', path, purpose: 'fees-of-little' });
  },
};

/** What a PSP reads of the scheme, and computes payments by. */
const schemeData: Story = {
  name: 'scheme-data',
  weight: 1,
  play: async (tools) => {
    const { random } = tools;
    const { source, destination } = drawCorridor(random);
    const [api, client] = [random.integer(0, 7), random.pick(pspsOf(source.country))];
    const placeOf = ({ country, currency }: End) => `${country}/${currency}`;
    const paths = [
      [`/fee-formulas/network-scheme-fee/${placeOf(source)}`, 'FEE-1'],
      [`/fee-formulas/creditor-agent-fee/${placeOf(destination)}`, 'FEE-2'],
      [`/countries/${destination.country}/currencies/${destination.currency}/max-amounts`, 'PAY-6'],
      [`/currencies/${destination.currency}`, 'MON-2'],
    ] as const;
    for (const [path, rule] of paths)
      await tools.send({
        api,
        client,
        method: 'GET',
        path,
        purpose: 'scheme-data',
        expected: answered(rule),
      });
  },
};

export const quoteStories: readonly Story[] = [adjusted, left, fees, fewFees, schemeData, ...refusals];
