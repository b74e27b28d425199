// Endpoints 1 to 3: countries, their currencies and their maximum amounts.
import { z } from '@hono/zod-openapi';
import { findPlace } from '../../core/quotes/corridor.ts';
import { exact, type JsonObject } from '../../core/money/money.ts';
import { clearingSystemsOf, type Country, type ReferenceData } from '../../core/scheme/reference.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { countryCode, currencyCode } from '../http/input/parameters.ts';
import { referenceAnswer, referenceRoute } from '../http/reference-answer.ts';
import type { Router } from '../http/route.ts';
import { placeRefused, unknownCountry } from '../http/problems/told.ts';
import { component } from '../http/component.ts';

const decimalText = z.string().openapi({ description: 'Decimal, scale as given', example: '200000' });
const countryFields = {
  countryCode: z.string().openapi({ example: 'SG' }),
  name: z.string().openapi({ example: 'Singapore' }),
  currencies: z.array(z.strictObject({ currencyCode: z.string(), maxAmount: decimalText })),
  requiredMessageElements: z
    .strictObject({ pacs008: z.array(z.string()) })
    .openapi({ description: 'purposeCode, categoryPurposeCode', example: { pacs008: ['purposeCode'] } }),
};
const id = z.int().openapi({ description: 'ISO 3166 numeric', example: 702 });
export const countrySchema = component('Country', { id, ...countryFields });
const countryListSchema = component('Countries', {
  countries: z.array(component('CountryListItem', { countryId: id, ...countryFields })),
});
const maxAmountsSchema = z
  .array(component('MaxAmount', { clearingSystemId: z.string(), maxAmount: decimalText }))
  .openapi('MaxAmounts');

export function countryRoutes(router: Router, deps: ApiDependencies): void {
  const common = referenceRoute(deps.reference.current);
  router.add(
    {
      ...common,
      path: '/countries',
      operationId: 'listCountries',
      summary: 'All countries (endpoint 1)',
      answer: { description: 'Countries', schema: countryListSchema },
    },
    ({ context }) => {
      const data = deps.reference.current();
      const value = {
        countries: [...data.countries.values()].map((country) => ({
          countryId: country.countryId,
          ...fieldsOf(data, country),
        })),
      };
      return referenceAnswer(context, data, value);
    },
  );
  router.add(
    {
      ...common,
      path: '/countries/{countryCode}',
      operationId: 'getCountry',
      summary: 'One country (endpoint 2)',
      params: z.object({ countryCode }),
      problems: ['unknown-country'],
      answer: { description: 'The country', schema: countrySchema },
    },
    ({ params, context }) => {
      const data = deps.reference.current();
      const country = data.countries.get(params.countryCode);
      if (country === undefined) return unknownCountry({ parameter: 'countryCode' }, params.countryCode);
      // the list of countries calls this member `countryId` (REF-1)
      const value = { id: country.countryId, ...fieldsOf(data, country) };
      return referenceAnswer(context, data, value);
    },
  );
  router.add(
    {
      ...common,
      path: '/countries/{countryCode}/currencies/{currencyCode}/max-amounts',
      operationId: 'getMaxAmounts',
      summary: 'Largest payment of each payment system of a country in a currency (endpoint 3)',
      params: z.object({ countryCode, currencyCode }),
      problems: ['unknown-country', 'unknown-currency', 'currency-not-of-country'],
      answer: { description: 'One entry per payment system', schema: maxAmountsSchema },
    },
    ({ params, context }) => {
      const data = deps.reference.current();
      const place = findPlace(data, params);
      if (!place.ok) return placeRefused(place.refusal);
      const value = clearingSystemsOf(data, params.countryCode, params.currencyCode).map(
        ({ clearingSystemId, maxAmount }) => ({ clearingSystemId, maxAmount }),
      );
      return referenceAnswer(context, data, value);
    },
  );
}

function fieldsOf(data: ReferenceData, country: Country): JsonObject {
  return {
    countryCode: country.countryCode,
    name: country.name,
    currencies: currenciesOf(data, country.countryCode),
    requiredMessageElements: { pacs008: country.requiredPacs008Elements },
  };
}

/**
 * For each currency, returns the lowest maximum of its payment systems, because each of them accepts that
 * amount.
 */
function currenciesOf(data: ReferenceData, code: string): JsonObject[] {
  const lowest = new Map<string, string>();
  for (const system of data.clearingSystems.values()) {
    if (!system.countryCodes.includes(code)) continue;
    const known = lowest.get(system.currencyCode);
    if (known === undefined || exact(system.maxAmount).lt(exact(known))) {
      lowest.set(system.currencyCode, system.maxAmount);
    }
  }
  return [...lowest]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, maxAmount]) => ({ currencyCode: currency, maxAmount }));
}
