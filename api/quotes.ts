// Endpoints 12, 12b and 13: a PSP asks what its money buys, and gets ranked quotes that stay good for ten minutes (QUO-6).
// The order is: corridor, PSP, amount, rates, price, store, answer. It must not compute: core/quote.ts prices.
import { randomUUID } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import {
  isUuid,
  maxQuotesPerRequest,
  parseQuoteId,
  quoteIdOf,
  quoteRequestIdFrom,
  type QuoteRequestId,
} from '../core/ids.ts';
import { fitsDecimalPlaces, jsonNumber, plainDecimal, type JsonObject } from '../core/money.ts';
import {
  priceQuotes,
  priceQuotesWithoutFees,
  type FxpOffer,
  type PricedQuote,
  type QuoteRequest,
} from '../core/quote.ts';
import { findInstitution, type Institution, type ReferenceData } from '../core/reference.ts';
import { findQuote, openQuoteStore, type QuoteStore } from '../db/quotes.ts';
import type { ApiDependencies } from './dependencies.ts';
import type { Caller } from './caller.ts';
import { amountSideOf, findRatedCorridor, type Corridor } from './corridor.ts';
import { amount, corridorPath, countryCode, currencyCode, finInstId, finInstIdType } from './parameters.ts';
import { problem, type Problem } from './problem.ts';
import {
  adjustedQuotesSchema,
  intermediaryAgentsSchema,
  quoteSetExample,
  quoteSetSchema,
} from './quote-schemas.ts';
import { fxpOf, renderAdjustedQuote, renderQuote } from './render-quote.ts';
import { json } from './response.ts';
import type { Router } from './route.ts';
import {
  amountCurrencyNotOfCorridor,
  amountRefused,
  corridorParameters,
  pspNotOfCountry,
  refuse,
  tooManyDecimals,
  unknownPsp,
  type CorridorFields,
  type Field,
} from './told.ts';

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
  const store = openQuoteStore(deps.db);
  router.add(
    {
      method: 'get',
      path: '/quotes/{sourceCountry}/{sourceCurrency}/{destinationCountry}/{destinationCurrency}/{amountCurrency}/{amount}',
      operationId: 'getQuotes',
      summary: 'Ranked quotes with fees (endpoint 12)',
      tag: 'Quotes',
      roles: ['psp', 'operator'],
      params: quotePath,
      query: z.object({ finInstIdType, finInstId }),
      problems: [...quoteProblems, 'not-own-institution'],
      answer: { ...rankedQuotes, schema: quoteSetSchema, example: quoteSetExample },
    },
    ({ params, query, caller }) =>
      getQuotes(store, deps.reference.current(), { caller, fields, ...params, ...query }),
  );
  router.add(
    {
      method: 'get',
      path: '/api/v1/quotes/{srcCtry}/{srcCcy}/{destCtry}/{destCcy}/',
      operationId: 'getAdjustedQuotes',
      summary: 'Ranked quotes without fees (endpoint 12b)',
      tag: 'Quotes',
      roles: ['psp', 'operator'],
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
      getAdjustedQuotes(store, deps.reference.current(), {
        caller,
        fields: adjustedFields,
        sourceCountry: params.srcCtry,
        sourceCurrency: params.srcCcy,
        destinationCountry: params.destCtry,
        destinationCurrency: params.destCcy,
        amountCurrency: query.amtCcy,
        amount: query.amt,
        finInstIdType: query.pspIdType,
        finInstId: query.pspId,
      }),
  );
  router.add(
    {
      method: 'get',
      path: '/quotes/{quoteId}/intermediary-agents',
      operationId: 'getIntermediaryAgents',
      summary: 'The intermediary agents of a quote (endpoint 13)',
      tag: 'Quotes',
      roles: ['psp', 'operator'],
      params: z.object({
        quoteId: quoteIdForm,
      }),
      problems: ['unknown-quote'],
      answer: {
        description: 'Agent 1 is the source-side SAP, agent 2 the destination-side SAP',
        schema: intermediaryAgentsSchema,
      },
    },
    ({ params, caller }) => getIntermediaryAgents(deps, caller, params.quoteId),
  );
}

const validMs = 600_000; // QUO-6

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

/** The specification's fields have no place for it. */
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

/** Where each part of the question stands: the two endpoints name them differently. */
interface AskedFields extends CorridorFields {
  readonly amountCurrency: Field;
  readonly amount: Field;
  readonly psp: Field;
}

const fields: AskedFields = {
  ...corridorParameters,
  amountCurrency: { parameter: 'amountCurrency' },
  amount: { parameter: 'amount' },
  psp: { parameter: 'finInstId' },
};

const adjustedFields: AskedFields = {
  sourceCountry: { parameter: 'srcCtry' },
  sourceCurrency: { parameter: 'srcCcy' },
  destinationCountry: { parameter: 'destCtry' },
  destinationCurrency: { parameter: 'destCcy' },
  amountCurrency: { parameter: 'amtCcy' },
  amount: { parameter: 'amt' },
  psp: { parameter: 'pspId' },
};

interface Asked {
  readonly caller: Caller;
  readonly fields: AskedFields;
  readonly sourceCountry: string;
  readonly sourceCurrency: string;
  readonly destinationCountry: string;
  readonly destinationCurrency: string;
  readonly amountCurrency: string;
  readonly amount: string;
  readonly finInstIdType: (typeof finInstIdType)['_output'];
  readonly finInstId: string;
}

/** What was asked for, with everything looked up. */
interface Question {
  readonly corridor: Corridor;
  readonly psp: Institution;
  readonly request: QuoteRequest;
}

async function getQuotes(store: QuoteStore, data: ReferenceData, asked: Asked): Promise<Response | Problem> {
  const question = understand(data, asked);
  if ('kind' in question) return question;
  const { corridor, psp, request } = question;
  const outcome = priceQuotes(request, await offersOf(store, question), limitsOf(corridor), corridor);
  if (outcome.kind === 'rejected') return amountRefused(asked.fields.amount, outcome);
  const quotes = outcome.quotes.slice(0, maxQuotesPerRequest);
  const { quoteRequestId, issuedAt } = await keep(store, { corridor, psp, asked, quotes });
  const issuedDateTime = issuedAt.toISOString();
  const set = {
    quoteRequestId,
    ...corridor.key,
    amountCurrency: asked.amountCurrency,
    amount: jsonNumber(plainDecimal(asked.amount)),
    quotes: quotes.map((quote, index) => ({
      quoteId: quoteIdOf(quoteRequestId, index + 1),
      issuedDateTime,
      ...renderQuote(quote, corridor),
    })),
  };
  return json(set, 200, expiry(issuedAt));
}

async function getAdjustedQuotes(
  store: QuoteStore,
  data: ReferenceData,
  asked: Asked,
): Promise<Response | Problem> {
  const question = understand(data, asked);
  if ('kind' in question) return question;
  const { corridor, psp, request } = question;
  const outcome = priceQuotesWithoutFees(
    request,
    await offersOf(store, question),
    limitsOf(corridor),
    corridor,
  );
  if (outcome.kind === 'rejected') return amountRefused(asked.fields.amount, outcome);
  const quotes = outcome.quotes.slice(0, maxQuotesPerRequest);
  const { quoteRequestId, issuedAt } = await keep(store, { corridor, psp, asked, quotes });
  const set = quotes.map((quote, index) => ({
    QuoteId: quoteIdOf(quoteRequestId, index + 1),
    ...renderAdjustedQuote(quote, corridor),
  }));
  return json(set, 200, expiry(issuedAt));
}

/** Looks everything up, in the order in which refusals are told: address, PSP and permission, amount. */
function understand(data: ReferenceData, asked: Asked): Question | Problem {
  const corridor = findRatedCorridor(data, asked, asked.fields);
  if ('kind' in corridor) return corridor;
  const psp = askingPsp(data, asked);
  if ('kind' in psp) return psp;
  const { source, destination } = corridor;
  const side = amountSideOf(corridor, asked.amountCurrency);
  if (side === undefined) {
    return amountCurrencyNotOfCorridor(asked.fields.amountCurrency, asked.amountCurrency, corridor.key);
  }
  const { currency } = side === 'source' ? source : destination;
  if (!fitsDecimalPlaces(asked.amount, currency.decimalPlaces)) {
    return tooManyDecimals(asked.fields.amount, asked.amount, currency);
  }
  return {
    corridor,
    psp,
    request: {
      amountSide: side,
      amount: asked.amount,
      sourceDecimalPlaces: source.currency.decimalPlaces,
      destinationDecimalPlaces: destination.currency.decimalPlaces,
    },
  };
}

/** The requesting PSP: known, the caller's own, and of the source country (QUO-1). */
function askingPsp(data: ReferenceData, asked: Asked): Institution | Problem {
  const { caller } = asked;
  const institution = findInstitution(data, asked.finInstIdType, asked.finInstId);
  const named = { type: asked.finInstIdType, id: asked.finInstId };
  if (institution === undefined) return unknownPsp(asked.fields.psp, named, asked.sourceCountry);
  if (caller.role === 'psp' && caller.institutionId !== institution.institutionId) {
    const detail = `A PSP may ask for itself only; ${caller.clientId} asks for ${named.type} ${named.id}. The role operator may ask for any.`;
    return problem('not-own-institution', { detail });
  }
  return institution.countryCode === asked.sourceCountry && institution.roles.includes('psp')
    ? institution
    : pspNotOfCountry(asked.fields.psp, named, asked.sourceCountry);
}

/** The offers of the FX providers that can settle; ties are broken by the id that PSPs see (QUO-2). */
async function offersOf(store: QuoteStore, { corridor, psp }: Question): Promise<FxpOffer[]> {
  const offers = await store.offers({ corridor: corridor.key, pspId: psp.institutionId });
  return offers.flatMap((offer) => {
    const fxp = corridor.fxps.get(offer.fxpId);
    return fxp === undefined ? [] : [{ ...offer, fxpId: fxp.id }];
  });
}

const limitsOf = ({ source, destination }: Corridor) => ({
  sourceMaximum: source.clearingSystem.maxAmount,
  destinationMaximum: destination.clearingSystem.maxAmount,
});

/** QUO-7: the snapshot that a payment will be bound to. */
async function keep(
  store: QuoteStore,
  { corridor, psp, asked, quotes }: Stored,
): Promise<{ quoteRequestId: QuoteRequestId; issuedAt: Date }> {
  const quoteRequestId = quoteRequestIdFrom(randomUUID());
  const issuedAt = await store.store({
    quoteRequestId,
    pspId: psp.institutionId,
    corridor: corridor.key,
    amountCurrency: asked.amountCurrency,
    amount: asked.amount,
    quotes: quotes.map((priced) => {
      const { institution, source, destination } = fxpOf(corridor, priced);
      return {
        priced,
        fxpId: institution.institutionId,
        sourceSapId: source.sap.institutionId,
        sourceAccountId: source.accountId,
        destinationSapId: destination.sap.institutionId,
        destinationAccountId: destination.accountId,
      };
    }),
  });
  return { quoteRequestId, issuedAt };
}

interface Stored {
  readonly corridor: Corridor;
  readonly psp: Institution;
  readonly asked: Asked;
  readonly quotes: readonly Omit<PricedQuote, 'creditorAccountAmount'>[];
}

async function getIntermediaryAgents(
  deps: ApiDependencies,
  caller: Caller,
  quoteIdText: string,
): Promise<Response | Problem> {
  const quoteId = parseQuoteId(quoteIdText);
  const quote = quoteId === undefined ? undefined : await findQuote(deps.db, quoteId);
  const isTheirs = caller.role !== 'psp' || caller.institutionId === quote?.pspId; // QUO-9
  if (quote === undefined || !isTheirs) {
    const detail = `There is no quote ${quoteIdText} that ${caller.clientId} may see.`;
    return refuse('unknown-quote', { parameter: 'quoteId' }, detail);
  }
  const data = deps.reference.current();
  const agent = (sapId: string, countryCodeOf: string, currency: string, account: string): JsonObject => {
    const sap = data.institutions.get(sapId);
    if (sap === undefined) throw new Error('the SAP of a quote is an institution');
    return {
      name: sap.name,
      countryCode: countryCodeOf,
      currencyCode: currency,
      finInstId: { BICFI: sap.bics, LEI: sap.lei, otherId: sap.otherIds.length === 0 ? null : sap.otherIds },
      account: { otherId: account },
    };
  };
  return json({
    intermediaryAgent1: agent(
      quote.sourceSapId,
      quote.sourceCountry,
      quote.sourceCurrency,
      quote.sourceAccountId,
    ),
    intermediaryAgent2: agent(
      quote.destinationSapId,
      quote.destinationCountry,
      quote.destinationCurrency,
      quote.destinationAccountId,
    ),
  });
}
