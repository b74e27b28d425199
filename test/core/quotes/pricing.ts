// Prices in a corridor of which only the figures matter: tests give maxima, formulas and offers, and each FX provider
// that offers something can settle there.
import type { Corridor, SettlementPlace } from '../../../core/quotes/corridor.ts';
import type { AmountSide, CreditorAgentFeeFormula, SchemeFeeFormula } from '../../../core/money/fee.ts';
import * as quote from '../../../core/quotes/quote.ts';
import { institution, system } from '../scheme/small-world.ts';

export interface Asked {
  readonly amountSide: AmountSide;
  readonly amount: string;
  readonly sourceDecimalPlaces: number;
  readonly destinationDecimalPlaces: number;
}

export interface Limits {
  readonly sourceMaximum: string;
  readonly destinationMaximum: string;
}

export interface Formulas {
  readonly schemeFee: SchemeFeeFormula;
  readonly creditorAgentFee: CreditorAgentFeeFormula;
}

type Arguments = readonly [
  asked: Asked,
  offers: readonly quote.FxpOffer[],
  limits: Limits,
  formulas: Formulas,
];

export const priceQuotes = (...given: Arguments) => quote.priceQuotes(...inCorridor(given));
export const priceQuotesWithoutFees = (...given: Arguments) =>
  quote.priceQuotesWithoutFees(...inCorridor(given));

/** The agents and accounts by which every quote of these corridors is settled. */
export const settlement = {
  sourceSapId: 'SG-HARB',
  sourceAccountId: 'SOURCE',
  destinationSapId: 'TH-HARB',
  destinationAccountId: 'DESTINATION',
};

/** The request and the offers, as `core/quotes/quote.ts` takes them. */
export function inCorridor([asked, offers, limits, formulas]: Arguments): [
  quote.QuoteRequest,
  readonly quote.FxpOffer[],
] {
  const { amountSide, amount } = asked;
  const corridor: Corridor = {
    key: { sourceCountry: 'SG', sourceCurrency: 'SGD', destinationCountry: 'TH', destinationCurrency: 'THB' },
    source: placeOf('SG', 'SGD', { places: asked.sourceDecimalPlaces, maximum: limits.sourceMaximum }),
    destination: placeOf('TH', 'THB', {
      places: asked.destinationDecimalPlaces,
      maximum: limits.destinationMaximum,
    }),
    ...formulas,
    fxps: new Map(offers.map(({ fxpId }) => [fxpId, fxpOf(fxpId)])),
    isRated: true,
  };
  return [{ corridor, amountSide, amount }, offers];
}

const placeOf = (
  countryCode: string,
  currencyCode: string,
  figures: { places: number; maximum: string },
) => ({
  countryCode,
  currency: { currencyCode, currencyId: 1, name: '', symbol: '', decimalPlaces: figures.places },
  clearingSystem: system({
    clearingSystemId: countryCode === 'SG' ? 'SGDFAST' : 'THBPPAY',
    currencyCode,
    maxAmount: figures.maximum,
  }),
});

/** PSPs see the FX provider by the very id of its offers. */
const fxpOf = (id: string) => ({
  institution: institution({ institutionId: id, roles: ['fxp'] }),
  idType: 'BICFI',
  id,
  source: settlementAt(settlement.sourceSapId, settlement.sourceAccountId),
  destination: settlementAt(settlement.destinationSapId, settlement.destinationAccountId),
});

const settlementAt = (sapId: string, accountId: string): SettlementPlace => ({
  sap: institution({ institutionId: sapId, roles: ['sap'] }),
  sapBic: '',
  membership: undefined,
  accountId,
});
