// Endpoints 4 and 5: currencies. The scheme defines `decimalPlaces`, which may differ from ISO 4217.
import { z } from '@hono/zod-openapi';
import type { JsonObject } from '../../core/money/money.ts';
import type { Currency, ReferenceData } from '../../core/scheme/reference.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { currencyCode } from '../http/input/parameters.ts';
import { referenceAnswer, referenceRoute } from '../http/reference-answer.ts';
import type { Router } from '../http/route.ts';
import { unknownCurrency } from '../http/problems/told.ts';
import { component } from '../http/component.ts';

const currencySchema = component('Currency', {
  currencyId: z.int().openapi({ description: 'ISO 4217 numeric', example: 702 }),
  currencyCode: z.string().openapi({ example: 'SGD' }),
  name: z.string(),
  symbol: z.string(),
  decimalPlaces: z.int().openapi({ example: 2 }),
  countries: z
    .array(z.string())
    .openapi({ description: 'Codes of the countries that use it', example: ['SG'] }),
});
const currencyListSchema = component('Currencies', { currencies: z.array(currencySchema) });

export function currencyRoutes(router: Router, deps: ApiDependencies): void {
  const common = referenceRoute(deps.reference.current);
  router.add(
    {
      ...common,
      path: '/currencies',
      operationId: 'listCurrencies',
      summary: 'All currencies (endpoint 4)',
      answer: { description: 'Currencies', schema: currencyListSchema },
    },
    ({ context }) => {
      const data = deps.reference.current();
      const value = {
        currencies: [...data.currencies.values()].map((currency) => fieldsOf(data, currency)),
      };
      return referenceAnswer(context, data, value);
    },
  );
  router.add(
    {
      ...common,
      path: '/currencies/{currencyCode}',
      operationId: 'getCurrency',
      summary: 'One currency (endpoint 5)',
      params: z.object({ currencyCode }),
      problems: ['unknown-currency'],
      answer: { description: 'The currency', schema: currencySchema },
    },
    ({ params, context }) => {
      const data = deps.reference.current();
      const currency = data.currencies.get(params.currencyCode);
      if (currency === undefined) return unknownCurrency({ parameter: 'currencyCode' }, params.currencyCode);
      return referenceAnswer(context, data, fieldsOf(data, currency));
    },
  );
}

function fieldsOf(data: ReferenceData, currency: Currency): JsonObject {
  const countries = new Set<string>();
  for (const system of data.clearingSystems.values()) {
    if (system.currencyCode !== currency.currencyCode) continue;
    for (const country of system.countryCodes) countries.add(country);
  }
  return {
    currencyId: currency.currencyId,
    currencyCode: currency.currencyCode,
    name: currency.name,
    symbol: currency.symbol,
    decimalPlaces: currency.decimalPlaces,
    countries: [...countries].sort(),
  };
}
