// The scheme as its members know it: corridors, PSPs and FX providers. The source is the demo's reference
// data (db/seed), read from files.
import { demoFxpBics } from '../../cli/demo/scheme.ts';
import clearingSystems from '../../db/seed/clearing-systems.json' with { type: 'json' };
import currencies from '../../db/seed/currencies.json' with { type: 'json' };
import feeFormulas from '../../db/seed/fee-formulas.json' with { type: 'json' };
import { dividedBy, times } from './decimal.ts';
import type { Random } from './random.ts';

/** A country with one of its currencies. Two ends form a corridor. */
export interface End {
  readonly country: string;
  readonly currency: string;
  /** Id of its clearing system, which is also the client id of its operator. */
  readonly system: string;
  /** Decimal places of the currency. */
  readonly places: number;
  /** Units of the currency for one Singapore dollar. */
  readonly perDollar: string;
  readonly creditorAgentFee: { readonly nominal: string; readonly percent: string };
}

export interface Corridor {
  readonly source: End;
  readonly destination: End;
}

const perDollar: Readonly<Record<string, string>> = {
  SGD: '1',
  MYR: '3.2915',
  THB: '25.000025',
  PHP: '44.2138',
  INR: '66.0742',
  IDR: '12458.3',
  HKD: '6.0517',
  CNY: '5.5412',
  EUR: '0.68321',
  JPY: '114.863',
};

const found = <T>(value: T | undefined, what: string): T => {
  if (value === undefined) throw new Error(`the seed data have no ${what}`);
  return value;
};

export const ends: readonly End[] = clearingSystems.flatMap(
  ({ clearingSystemId: system, currencyCode: currency, countryCodes }) =>
    countryCodes.map((country): End => {
      const of = (one: { countryCode: string; currencyCode: string }) =>
        one.countryCode === country && one.currencyCode === currency;
      const fee = found(feeFormulas.find(of), `fee of ${country}`).creditorAgentFee;
      return {
        country,
        currency,
        system,
        places: found(
          currencies.find((one) => one.currencyCode === currency),
          currency,
        ).decimalPlaces,
        perDollar: found(perDollar[currency], `rate of ${currency}`),
        creditorAgentFee: { nominal: fee.nominalFeeAmount, percent: fee.percentageFee },
      };
    }),
);

/** @throws Error if the seed data have no such country */
export const endOf = (country: string): End =>
  found(
    ends.find((one) => one.country === country),
    country,
  );

/** Every ordered pair of different countries and currencies. */
export const corridors: readonly Corridor[] = ends.flatMap((source) =>
  ends
    .filter((one) => one.country !== source.country && one.currency !== source.currency)
    .map((destination) => ({ source, destination })),
);

/** Returns the BICs of a country's onboarded PSPs. They are also client ids. */
export function pspsOf(country: string): readonly string[] {
  const local = [`LOTU${country}S0`, `BANY${country}S0`];
  return country === 'JP' ? [...local, 'HARBJPS0'] : local; // this PSP is its own SAP
}

export const fxps = demoFxpBics;

/** Whether an FX provider has rates for a corridor. */
export function isRated(fxp: string, { source, destination }: Corridor): boolean {
  const [from, to] = [source.country, destination.country];
  const lacksSap = fxp === 'POLAJPS0' && [from, to].includes('PH');
  return !lacksSap && !(fxp === 'ZENIHKS0' && from === 'IN' && to === 'ID');
}

/** Converts an amount of Singapore dollars to the currency of `end`. */
export const worth = (dollars: string, { perDollar, places }: End) => times(dollars, perDollar, places);

/** Draws a rate within half a per cent of the mid rate, with at most 11 digits, as MON-1 requires. */
export function drawRate(random: Random, { source, destination }: Corridor): string {
  const mid = dividedBy(destination.perDollar, source.perDollar, 10);
  const [whole = ''] = mid.split('.');
  const factor = String(random.integer(99_500, 100_500)).padStart(6, '0'); // the factor times 100,000
  return times(mid, `${factor.slice(0, 1)}.${factor.slice(1)}`, 10 - whole.length);
}
