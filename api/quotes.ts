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
  type AdjustedQuote,
  type FxpOffer,
  type PricedQuote,
  type QuoteRequest,
} from '../core/quote.ts';
import { findInstitution, type Institution, type ReferenceData } from '../core/reference.ts';
import { findQuote, readOffers, storeQuotes } from '../db/quotes.ts';
import type { ApiDependencies } from './app.ts';
import type { Caller } from './caller.ts';
import {
  amountSideOf,
  findRatedCorridor,
  type Corridor,
  type CorridorFxp,
  type SettlementPlace,
} from './corridor.ts';
import { amount, corridorPath, countryCode, currencyCode, finInstId, finInstIdType } from './parameters.ts';
import { problem, type Problem } from './problem.ts';
import {
  adjustedQuotesSchema,
  intermediaryAgentsSchema,
  quoteSetExample,
  quoteSetSchema,
} from './quote-schemas.ts';
import { json } from './response.ts';
import type { Router } from './route.ts';

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

export function quoteRoutes(router: Router, deps: ApiDependencies): void {
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
      answer: { description: 'Quotes, best first', schema: quoteSetSchema, example: quoteSetExample },
    },
    ({ params, query, caller }) => getQuotes(deps, caller, { ...params, ...query }),
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
      answer: { description: 'Quotes, best first', schema: adjustedQuotesSchema },
    },
    ({ params, query, caller }) =>
      getAdjustedQuotes(deps, caller, {
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
        quoteId: z.string().refine(isUuid, { error: 'must be a UUID' }).openapi({ format: 'uuid' }),
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

interface Asked {
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

async function getQuotes(deps: ApiDependencies, caller: Caller, asked: Asked): Promise<Response | Problem> {
  const question = understand(deps.reference.current(), caller, asked);
  if ('kind' in question) return question;
  const { corridor, psp, request } = question;
  const outcome = priceQuotes(request, await offersOf(deps, question), limitsOf(corridor), corridor);
  if (outcome.kind === 'rejected')
    return problem(outcome.code, { detail: outcome.detail, ruleId: outcome.ruleId });
  const quotes = outcome.quotes.slice(0, maxQuotesPerRequest);
  const { quoteRequestId, issuedAt } = await store(deps, { corridor, psp, asked, quotes });
  const issuedDateTime = issuedAt.toISOString();
  return json({
    quoteRequestId,
    ...corridor.key,
    amountCurrency: asked.amountCurrency,
    amount: jsonNumber(plainDecimal(asked.amount)),
    quotes: quotes.map((quote, index) => ({
      quoteId: quoteIdOf(quoteRequestId, index + 1),
      issuedDateTime,
      ...renderQuote(quote, corridor),
    })),
  });
}

async function getAdjustedQuotes(
  deps: ApiDependencies,
  caller: Caller,
  asked: Asked,
): Promise<Response | Problem> {
  const question = understand(deps.reference.current(), caller, asked);
  if ('kind' in question) return question;
  const { corridor, psp, request } = question;
  const outcome = priceQuotesWithoutFees(
    request,
    await offersOf(deps, question),
    limitsOf(corridor),
    corridor,
  );
  if (outcome.kind === 'rejected')
    return problem(outcome.code, { detail: outcome.detail, ruleId: outcome.ruleId });
  const quotes = outcome.quotes.slice(0, maxQuotesPerRequest);
  const { quoteRequestId } = await store(deps, { corridor, psp, asked, quotes });
  return json(
    quotes.map((quote, index) => ({
      QuoteId: quoteIdOf(quoteRequestId, index + 1),
      ...renderAdjustedQuote(quote, corridor),
    })),
  );
}

/** Looks everything up, in the order in which refusals are told: address, PSP and permission, amount. */
function understand(data: ReferenceData, caller: Caller, asked: Asked): Question | Problem {
  const corridor = findRatedCorridor(data, asked);
  if ('kind' in corridor) return corridor;
  const psp = askingPsp(data, caller, asked);
  if ('kind' in psp) return psp;
  const { source, destination } = corridor;
  const side = amountSideOf(corridor, asked.amountCurrency);
  if (side === undefined) return problem('amount-currency-not-of-corridor');
  const { decimalPlaces } = (side === 'source' ? source : destination).currency;
  if (!fitsDecimalPlaces(asked.amount, decimalPlaces)) return problem('too-many-decimals');
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
function askingPsp(data: ReferenceData, caller: Caller, asked: Asked): Institution | Problem {
  const institution = findInstitution(data, asked.finInstIdType, asked.finInstId);
  if (institution === undefined) return problem('unknown-psp');
  if (caller.role === 'psp' && caller.institutionId !== institution.institutionId) {
    return problem('not-own-institution');
  }
  return institution.countryCode === asked.sourceCountry && institution.roles.includes('psp')
    ? institution
    : problem('psp-not-of-source-country');
}

/** The offers of the FX providers that can settle; ties are broken by the id that PSPs see (QUO-2). */
async function offersOf(deps: ApiDependencies, { corridor, psp }: Question): Promise<FxpOffer[]> {
  const offers = await readOffers(deps.db, corridor.key, psp.institutionId);
  return offers.flatMap((offer) => {
    const fxp = corridor.fxps.get(offer.fxpId);
    return fxp === undefined ? [] : [{ ...offer, fxpId: fxp.id }];
  });
}

const limitsOf = ({ source, destination }: Corridor) => ({
  sourceMaximum: source.clearingSystem.maxAmount,
  destinationMaximum: destination.clearingSystem.maxAmount,
});

async function store(
  deps: ApiDependencies,
  { corridor, psp, asked, quotes }: Stored,
): Promise<{ quoteRequestId: QuoteRequestId; issuedAt: Date }> {
  const quoteRequestId = quoteRequestIdFrom(randomUUID());
  const issuedAt = await storeQuotes(deps.db, {
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

function fxpOf(corridor: Corridor, quote: { fxpId: string }): CorridorFxp {
  const fxp = corridor.fxpsByShownId.get(quote.fxpId);
  if (fxp === undefined) throw new Error('every offer is of an FX provider of the corridor');
  return fxp;
}

function renderQuote(quote: PricedQuote, corridor: Corridor): JsonObject {
  const fxp = fxpOf(corridor, quote);
  const sourceCurrency = corridor.key.sourceCurrency;
  const destinationCurrency = corridor.key.destinationCurrency;
  return {
    fxpfinInstIdType: fxp.idType,
    fxpfinInstId: fxp.id,
    exchangeRate: jsonNumber(quote.exchangeRate),
    debtorAgent: {
      interbankSettlementAmount: {
        currency: sourceCurrency,
        amount: jsonNumber(quote.sourceInterbankSettlementAmount),
        cappedToMaxAmount: quote.sourceCappedToMaxAmount,
      },
      networkSchemeFee: { amount: jsonNumber(quote.networkSchemeFee), currency: sourceCurrency },
    },
    intermediaryAgent1: renderAgent(fxp.source),
    intermediaryAgent1Account: { id: fxp.source.accountId },
    intermediaryAgent2: renderAgent(fxp.destination),
    intermediaryAgent2Account: { id: fxp.destination.accountId },
    creditorAgent: {
      interbankSettlementAmount: {
        currency: destinationCurrency,
        amount: jsonNumber(quote.destinationInterbankSettlementAmount),
        cappedToMaxAmount: quote.destinationCappedToMaxAmount,
      },
      chargesInformation: {
        amount: { amount: jsonNumber(quote.creditorAgentFee), currency: destinationCurrency },
      },
      creditorAccountAmount: jsonNumber(quote.creditorAccountAmount),
    },
  };
}

function renderAgent({ sap, sapBic, clearingSystemId, memberId }: SettlementPlace): JsonObject {
  return {
    finInstId: {
      name: sap.name,
      BICFI: sapBic,
      LEI: sap.lei,
      clearingSystemMemberId: { clearingSystemId, memberId },
      other: { id: sap.otherIds[0] ?? null },
    },
  };
}

function renderAdjustedQuote(quote: AdjustedQuote, corridor: Corridor): JsonObject {
  const fxp = fxpOf(corridor, quote);
  return {
    FXPFinInstIdType: fxp.idType,
    FXPFinInstId: fxp.id,
    Rate: jsonNumber(quote.exchangeRate),
    SourceUPSId: corridor.source.clearingSystem.clearingSystemId,
    DestinationUPSId: corridor.destination.clearingSystem.clearingSystemId,
    AdjustedSourceAmount: jsonNumber(quote.sourceInterbankSettlementAmount),
    AdjustedDestinationAmount: jsonNumber(quote.destinationInterbankSettlementAmount),
    AdjustedReason: quote.adjustedReason ?? undefined,
  };
}

async function getIntermediaryAgents(
  deps: ApiDependencies,
  caller: Caller,
  quoteIdText: string,
): Promise<Response | Problem> {
  const quoteId = parseQuoteId(quoteIdText);
  const quote = quoteId === undefined ? undefined : await findQuote(deps.db, quoteId);
  if (quote === undefined) return problem('unknown-quote');
  if (caller.role === 'psp' && caller.institutionId !== quote.pspId) return problem('unknown-quote'); // QUO-9
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
