// Endpoints 12, 12b and 13, and the fees of one quote. A PSP gets ranked quotes that are valid for ten
// minutes. The steps are: read the request, load offers, price (core/quotes/quote.ts), store, answer.
import { randomUUID } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import { feesOfQuote, type AmountTooSmall } from '../../core/money/fee.ts';
import { isUuid, maxQuotesPerRequest, parseQuoteId, quoteRequestIdFrom } from '../../core/ids.ts';
import type { JsonValue } from '../../core/money/money.ts';
import {
  priceQuotes,
  priceQuotesWithoutFees,
  reachWithFees,
  reachWithoutFees,
  type FxpOffer,
  type QuoteRequest,
  type QuoteSnapshot,
  type Reach,
  type StoredQuote,
} from '../../core/quotes/quote.ts';
import { readQuoteRequest, type AskedQuotes } from '../../core/quotes/quote-request.ts';
import type { ReferenceData } from '../../core/scheme/reference.ts';
import type { Result } from '../../core/result.ts';
import { findQuote, openQuoteStore, type QuoteStore } from '../../db/quotes/quotes.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { feesAndAmountsSchema, renderFees } from './fees.ts';
import type { Caller } from '../http/caller.ts';
import {
  amount,
  corridorPath,
  countryCode,
  currencyCode,
  finInstId,
  finInstIdType,
} from '../http/input/parameters.ts';
import { isProblem, type Problem } from '../http/problems/problem.ts';
import { adjustedQuotesSchema, intermediaryAgentsSchema, quoteSetSchema } from './quote-schemas.ts';
import {
  renderAdjustedQuotes,
  renderIntermediaryAgents,
  renderQuoteSet,
  type IssuedQuotes,
} from './render-quote.ts';
import { json } from '../http/response.ts';
import type { Router } from '../http/route.ts';
import { quoteParameters, quoteRefused, refuse, type QuoteFields } from '../http/problems/told.ts';

const quotePath = corridorPath.extend({
  amountCurrency: currencyCode.openapi({
    description: 'The source currency if the sender fixed the amount to send, else the destination currency',
  }),
  amount,
});
const adjustedPath = z.object({
  srcCtry: countryCode,
  srcCcy: currencyCode,
  destCtry: countryCode.openapi({ example: 'TH' }),
  destCcy: currencyCode.openapi({ example: 'THB' }),
});

const quoteIdForm = z
  .string()
  .refine(isUuid, { error: 'must be a UUID, as in 0b5c8d2e-4a61-4d3f-9b7a-1c2d3e4f5a6b' })
  .openapi({ format: 'uuid' });

export function quoteRoutes(router: Router, deps: ApiDependencies): void {
  addQuotes(router, deps);
  addOneQuote(router, deps);
}

function addQuotes(router: Router, deps: ApiDependencies): void {
  const store = openQuoteStore(deps.db, deps.capture);
  router.add(
    {
      method: 'get',
      path: '/quotes/{sourceCountry}/{sourceCurrency}/{destinationCountry}/{destinationCurrency}/{amountCurrency}/{amount}',
      operationId: 'getQuotes',
      summary: 'Ranked quotes with fees (endpoint 12)',
      tag: 'Quotes',
      roles: ['psp', 'operator'],
      turns: 'quote',
      params: quotePath,
      query: z.object({ finInstIdType, finInstId }),
      problems: [...quoteProblems, 'not-own-institution'],
      answer: { ...rankedQuotes, schema: quoteSetSchema },
    },
    ({ params, query, caller }) =>
      answerQuotes(store, deps.reference.current(), withFees, caller, {
        sourceCountry: params.sourceCountry,
        sourceCurrency: params.sourceCurrency,
        destinationCountry: params.destinationCountry,
        destinationCurrency: params.destinationCurrency,
        amountCurrency: params.amountCurrency,
        amount: params.amount,
        psp: { type: query.finInstIdType, id: query.finInstId },
        onlyFor: ownOf(caller),
      }),
  );
  router.add(
    {
      method: 'get',
      path: '/api/v1/quotes/{srcCtry}/{srcCcy}/{destCtry}/{destCcy}/',
      operationId: 'getAdjustedQuotes',
      summary: 'Ranked quotes without fees (endpoint 12b)',
      tag: 'Quotes',
      roles: ['psp', 'operator'],
      turns: 'quote',
      params: adjustedPath,
      query: z.object({
        amt: amount,
        amtCcy: currencyCode,
        pspId: finInstId,
        pspIdType: finInstIdType.default('BICFI'),
      }),
      problems: [...quoteProblems, 'not-own-institution'],
      answer: { ...rankedQuotes, schema: adjustedQuotesSchema },
    },
    ({ params, query, caller }) =>
      answerQuotes(store, deps.reference.current(), withoutFees, caller, {
        sourceCountry: params.srcCtry,
        sourceCurrency: params.srcCcy,
        destinationCountry: params.destCtry,
        destinationCurrency: params.destCcy,
        amountCurrency: query.amtCcy,
        amount: query.amt,
        psp: { type: query.pspIdType, id: query.pspId },
        onlyFor: ownOf(caller),
      }),
  );
}

/** The routes that read one stored quote. */
function addOneQuote(router: Router, deps: ApiDependencies): void {
  const common = {
    method: 'get',
    tag: 'Quotes',
    roles: ['psp', 'operator'],
    turns: 'quote',
    params: z.object({ quoteId: quoteIdForm }),
  } as const;
  router.add(
    {
      ...common,
      path: '/quotes/{quoteId}/intermediary-agents',
      operationId: 'getIntermediaryAgents',
      summary: 'The intermediary agents of a quote (endpoint 13)',
      problems: ['unknown-quote'],
      answer: {
        description: 'Agent 1 is the source-side SAP, agent 2 the destination-side SAP',
        schema: intermediaryAgentsSchema,
      },
    },
    async ({ params, caller }) => {
      const quote = await readQuote(deps, caller, params.quoteId);
      return isProblem(quote) ? quote : json(renderIntermediaryAgents(deps.reference.current(), quote));
    },
  );
  router.add(
    {
      ...common,
      path: '/quotes/{quoteId}/fees-and-amounts',
      operationId: 'getFeesAndAmountsOfQuote',
      summary: 'Fees and amounts of one quote, of endpoint 12 or 12b',
      problems: ['unknown-quote', 'amount-too-small'],
      answer: {
        description: 'What the pacs.008 with this quote carries, and what the recipient is credited (FEE-8)',
        schema: feesAndAmountsSchema,
      },
    },
    async ({ params, caller }) => {
      const quote = await readQuote(deps, caller, params.quoteId);
      if (isProblem(quote)) return quote;
      const fees = feesOfQuote(quote);
      if (fees.ok) return json(renderFees(fees.value, quote));
      const { code, detail, ruleId } = fees.refusal;
      return refuse(code, { parameter: 'quoteId' }, detail, { ruleId });
    },
  );
}

const validMs = 600_000;

const rankedQuotes = {
  description: 'Quotes, best first',
  headers: {
    'Isthmus-Quotes-Expire': {
      description:
        'Until when a pacs.008 with one of these quotes must be accepted: 600 s from their issue, by the clock of the gateway (QUO-6)',
      example: '2026-01-05T04:10:00.000Z',
    },
  },
} as const;

/** The expiry is a header, because the specification has no field for it. */
function expiry(issuedAt: Date): Readonly<Record<string, string>> {
  return { 'isthmus-quotes-expire': new Date(issuedAt.getTime() + validMs).toISOString() };
}

const quoteProblems = [
  'unknown-country',
  'unknown-currency',
  'currency-not-of-country',
  'unknown-corridor',
  'unknown-psp',
  'psp-not-of-source-country',
  'amount-currency-not-of-corridor',
  'too-many-decimals',
  'amount-too-small',
] as const;

/** The differences between endpoints 12 and 12b. */
interface Pricing<Quote extends QuoteSnapshot> {
  /** The place of each part in the request, for error messages. */
  readonly fields: QuoteFields;
  readonly reach: (request: QuoteRequest) => Reach;
  readonly price: (
    request: QuoteRequest,
    offers: readonly FxpOffer[],
  ) => Result<readonly Quote[], AmountTooSmall>;
  readonly render: (issued: IssuedQuotes<Quote>) => JsonValue;
}

const withFees = {
  fields: quoteParameters,
  reach: reachWithFees,
  price: priceQuotes,
  render: renderQuoteSet,
};

const withoutFees = {
  fields: {
    sourceCountry: { parameter: 'srcCtry' },
    sourceCurrency: { parameter: 'srcCcy' },
    destinationCountry: { parameter: 'destCtry' },
    destinationCurrency: { parameter: 'destCcy' },
    amountCurrency: { parameter: 'amtCcy' },
    amount: { parameter: 'amt' },
    psp: { parameter: 'pspId' },
  },
  reach: reachWithoutFees,
  price: priceQuotesWithoutFees,
  render: renderAdjustedQuotes,
};

/** The institution that quotes are limited to, because a PSP may ask only for itself (QUO-1). */
const ownOf = (caller: Caller) => (caller.role === 'psp' ? caller : undefined);

async function answerQuotes<Quote extends QuoteSnapshot>(
  store: QuoteStore,
  data: ReferenceData,
  { fields, reach, price, render }: Pricing<Quote>,
  caller: Caller,
  asked: AskedQuotes,
): Promise<Response | Problem> {
  const request = readQuoteRequest(data, asked);
  if (!request.ok) return quoteRefused(request.refusal, { fields, caller });
  const { corridor, pspId } = request.value;
  const offers = await store.offers({ corridor: corridor.key, pspId, reach: reach(request.value) });
  const priced = price(request.value, offers);
  if (!priced.ok) return quoteRefused(priced.refusal, { fields, caller });
  const quoteRequestId = quoteRequestIdFrom(randomUUID());
  const { amountCurrency, amount } = asked;
  const quotes = priced.value.slice(0, maxQuotesPerRequest);
  const issue = { quoteRequestId, pspId, corridor: corridor.key, amountCurrency, amount, quotes };
  const issuedAt = await store.store(issue);
  const issued = { corridor, quoteRequestId, issuedAt, amountCurrency, amount, quotes };
  return json(render(issued), 200, expiry(issuedAt));
}

/** Reads a quote, if the caller may read it (QUO-9). */
async function readQuote(
  deps: ApiDependencies,
  caller: Caller,
  quoteIdText: string,
): Promise<StoredQuote | Problem> {
  const quoteId = parseQuoteId(quoteIdText);
  const quote = quoteId === undefined ? undefined : await findQuote(deps.db, quoteId);
  const isTheirs = caller.role !== 'psp' || caller.institutionId === quote?.pspId;
  if (quote === undefined || !isTheirs) {
    const detail = `There is no quote ${quoteIdText} that ${caller.clientId} may read; a PSP reads the quotes that it asked for itself.`;
    return refuse('unknown-quote', { parameter: 'quoteId' }, detail);
  }
  return quote;
}
