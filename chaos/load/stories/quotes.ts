// Payments with a quote that contains no fees (QUO-5), and posts of new rates by FX providers, so that quotes
// change.
import type { AdjustedQuote } from '../../../fixtures/bodies.ts';
import type { Terms } from '../../../fixtures/instruction.ts';
import { feeOn } from '../decimal.ts';
import { draftPayment, write, type Draft } from '../draft.ts';
import { drawAmount, drawCorridor, insist, pay, type Asked } from '../paying.ts';
import { corridors, drawRate, fxps, isRated } from '../scheme.ts';
import type { Request } from '../sender.ts';
import { StoryEnded, type Story, type Tools } from '../tools.ts';

/**
 * Asks for a quote at endpoint 12b, which gives rates and amounts without fees.
 * @throws StoryEnded if there is no quote
 */
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

/** Pays with a quote without fees. The sender computes the creditor agent fee by the formula (FEE-2). */
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
    await pay(tools, draft, write(draft, terms, Date.now()), { api: api + 1 });
  },
};

/**
 * Posts a new rate. With an idempotency key, the FX provider may repeat the post, and it counts once (FX-10).
 * Without a key, the FX provider does not repeat an unanswered post.
 */
const newRate: Story = {
  name: 'rate',
  weight: 4,
  play: async (tools) => {
    const { random } = tools;
    const client = random.pick(fxps);
    const corridor = random.pick(corridors.filter((one) => isRated(client, one)));
    const { source, destination } = corridor;
    const body = JSON.stringify({
      sourceCountry: source.country,
      sourceCurrency: source.currency,
      destinationCountry: destination.country,
      destinationCurrency: destination.currency,
      rate: drawRate(random, corridor),
    });
    const [api, key, hasKey] = [random.integer(0, 7), random.uuid(), random.chance(60)];
    const expected = { verdict: 'answered', rule: 'FX-4' } as const;
    const to = { method: 'POST', path: '/api/v1/rates', contentType: 'application/json' } as const;
    const request: Request = { api, client, ...to, body, purpose: 'rate', expected };
    if (!hasKey) {
      await tools.send(request);
      return;
    }
    const keyed = { ...request, headers: { 'idempotency-key': key } };
    await insist(tools, keyed, { purpose: 'rate-again', expected });
    await tools.send({ ...keyed, api: api + 1, purpose: 'rate-again' });
  },
};

export const quoteStories: readonly Story[] = [adjusted, newRate];
