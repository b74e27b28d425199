// Renders quotes as JSON with the fields of the specification. Decimals keep every digit.
import { assert } from '../../core/assert.ts';
import type { Corridor, CorridorFxp, SettlementPlace } from '../../core/quotes/corridor.ts';
import { quoteIdOf, type QuoteId, type QuoteRequestId } from '../../core/ids.ts';
import {
  jsonNumber,
  plainDecimal,
  renderedJson,
  type JsonNumber,
  type JsonObject,
} from '../../core/money/money.ts';
import type { AdjustedQuote, PricedQuote, QuoteSnapshot, StoredQuote } from '../../core/quotes/quote.ts';
import type { ReferenceData } from '../../core/scheme/reference.ts';

/** The quotes of one request, as stored. */
export interface IssuedQuotes<Quote extends QuoteSnapshot> {
  readonly corridor: Corridor;
  readonly quoteRequestId: QuoteRequestId;
  readonly issuedAt: Date;
  readonly amountCurrency: string;
  readonly amount: string;
  /** The best quote is first. */
  readonly quotes: readonly Quote[];
}

/** Renders the answer of endpoint 12. */
export function renderQuoteSet(issued: IssuedQuotes<PricedQuote>): JsonObject {
  const { corridor, quoteRequestId, quotes } = issued;
  const { key } = corridor;
  const issuedDateTime = issued.issuedAt.toISOString();
  return {
    quoteRequestId,
    sourceCountry: key.sourceCountry,
    sourceCurrency: key.sourceCurrency,
    destinationCountry: key.destinationCountry,
    destinationCurrency: key.destinationCurrency,
    amountCurrency: issued.amountCurrency,
    amount: jsonNumber(plainDecimal(issued.amount)),
    quotes: quotes.map((quote, index) =>
      renderQuote(quoteIdOf(quoteRequestId, index + 1), issuedDateTime, quote, corridor),
    ),
  };
}

/** Renders the answer of endpoint 12b (QUO-5). */
export function renderAdjustedQuotes(issued: IssuedQuotes<AdjustedQuote>): readonly JsonObject[] {
  const { corridor, quoteRequestId, quotes } = issued;
  return quotes.map((quote, index) => {
    const fxp = fxpOf(corridor, quote);
    return {
      QuoteId: quoteIdOf(quoteRequestId, index + 1),
      FXPFinInstIdType: fxp.idType,
      FXPFinInstId: fxp.id,
      Rate: jsonNumber(quote.exchangeRate),
      SourceUPSId: corridor.source.clearingSystem.clearingSystemId,
      DestinationUPSId: corridor.destination.clearingSystem.clearingSystemId,
      AdjustedSourceAmount: jsonNumber(quote.sourceInterbankSettlementAmount),
      AdjustedDestinationAmount: jsonNumber(quote.destinationInterbankSettlementAmount),
      AdjustedReason: quote.adjustedReason ?? undefined,
    };
  });
}

/**
 * Renders the answer of endpoint 13: the settlement access providers of a stored quote, with their current
 * reference data.
 */
export function renderIntermediaryAgents(data: ReferenceData, quote: StoredQuote): JsonObject {
  return {
    intermediaryAgent1: {
      ...sapOf(data, quote.sourceSapId, {
        countryCode: quote.sourceCountry,
        currencyCode: quote.sourceCurrency,
      }),
      account: { otherId: quote.sourceAccountId },
    },
    intermediaryAgent2: {
      ...sapOf(data, quote.destinationSapId, {
        countryCode: quote.destinationCountry,
        currencyCode: quote.destinationCurrency,
      }),
      account: { otherId: quote.destinationAccountId },
    },
  };
}

function sapOf(
  data: ReferenceData,
  sapId: string,
  place: { readonly countryCode: string; readonly currencyCode: string },
): JsonObject {
  const sap = data.institutions.get(sapId);
  assert(sap !== undefined, 'the SAP of a quote is an institution');
  const otherId = sap.otherIds.length === 0 ? null : sap.otherIds;
  return { name: sap.name, ...place, finInstId: { BICFI: sap.bics, LEI: sap.lei, otherId } };
}

function fxpOf(corridor: Corridor, { fxpId }: QuoteSnapshot): CorridorFxp {
  const fxp = corridor.fxps.get(fxpId);
  assert(fxp !== undefined, 'every quote is of an FX provider of its corridor');
  return fxp;
}

function renderQuote(
  quoteId: QuoteId,
  issuedDateTime: string,
  quote: PricedQuote,
  corridor: Corridor,
): JsonObject {
  const fxp = fxpOf(corridor, quote);
  const { sourceCurrency, destinationCurrency } = corridor.key;
  const [source, destination] = [renderPlace(fxp.source), renderPlace(fxp.destination)];
  return {
    quoteId,
    issuedDateTime,
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
    intermediaryAgent1: source.agent,
    intermediaryAgent1Account: source.account,
    intermediaryAgent2: destination.agent,
    intermediaryAgent2Account: destination.account,
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

interface RenderedPlace {
  readonly agent: JsonNumber;
  readonly account: JsonNumber;
}

/** Rendered places by place of the snapshot. They are cached, because they are the same in every quote. */
const renderedPlaces = new WeakMap<SettlementPlace, RenderedPlace>();

function renderPlace(place: SettlementPlace): RenderedPlace {
  const known = renderedPlaces.get(place);
  if (known !== undefined) return known;
  const { sap, sapBic, membership, accountId } = place;
  const rendered = {
    agent: renderedJson({
      finInstId: {
        name: sap.name,
        BICFI: sapBic,
        LEI: sap.lei,
        clearingSystemMemberId: {
          clearingSystemId: membership?.clearingSystemId ?? null,
          memberId: membership?.memberId ?? null,
        },
        other: { id: sap.otherIds[0] ?? null },
      },
    }),
    account: renderedJson({ id: accountId }),
  };
  renderedPlaces.set(place, rendered);
  return rendered;
}
