// What a priced quote looks like on the wire: the specification's fields, decimals digit for digit (MON-4). It must not compute.
import { jsonNumber, type JsonObject } from '../core/money.ts';
import type { AdjustedQuote, PricedQuote } from '../core/quote.ts';
import type { Corridor, CorridorFxp } from './corridor.ts';

/** The FX provider of a quote, by the id that it is priced under. */
export function fxpOf(corridor: Corridor, quote: { fxpId: string }): CorridorFxp {
  const fxp = corridor.fxpsByShownId.get(quote.fxpId);
  if (fxp === undefined) throw new Error('every offer is of an FX provider of the corridor');
  return fxp;
}

/** A quote of endpoint 12 without its id and time. */
export function renderQuote(quote: PricedQuote, corridor: Corridor): JsonObject {
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
    intermediaryAgent1: fxp.source.agent,
    intermediaryAgent1Account: fxp.source.account,
    intermediaryAgent2: fxp.destination.agent,
    intermediaryAgent2Account: fxp.destination.account,
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

/** A quote of endpoint 12b without its id (QUO-5). */
export function renderAdjustedQuote(quote: AdjustedQuote, corridor: Corridor): JsonObject {
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
