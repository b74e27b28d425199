// Endpoints 14 to 16: fees and amounts at a given rate, and the two fee formulas. These endpoints apply no
// maximum amount.
import { z } from '@hono/zod-openapi';
import { findCorridor, findPlace, fixAmount, type CorridorKey } from '../../core/quotes/corridor.ts';
import { feesAndAmounts, type FeesAndAmounts } from '../../core/money/fee.ts';
import { jsonNumber, plainDecimal, type JsonObject } from '../../core/money/money.ts';
import { keyOf, type ReferenceData } from '../../core/scheme/reference.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { amount, corridorPath, countryCode, currencyCode, rate } from '../http/input/parameters.ts';
import { problem, type Problem } from '../http/problems/problem.ts';
import { referenceAnswer } from '../http/reference-answer.ts';
import { json } from '../http/response.ts';
import type { Router } from '../http/route.ts';
import { amountRefused, corridorRefused, placeRefused } from '../http/problems/told.ts';
import { component } from '../http/component.ts';

const decimal = z.number().openapi({ description: 'Exact decimal' });
const money = z.strictObject({ amount: decimal, currency: z.string() });
export const feesAndAmountsSchema = component('FeesAndAmounts', {
  debtorAgent: z.strictObject({ interbankSettlementAmount: money, networkSchemeFee: money }),
  creditorAgent: z.strictObject({
    interbankSettlementAmount: money,
    chargesAmount: money,
    creditorAccountAmount: decimal,
  }),
});
const schemeFeeSchema = component('SchemeFeeFormula', {
  countryCode: z.string(),
  currency: z.string(),
  nominalFeeAmount: z.string().openapi({ description: 'Decimal, scale as given' }),
  percentageFeeAsRatio: decimal,
});
const creditorAgentFeeSchema = component('CreditorAgentFeeFormula', {
  countryCode: z.string(),
  nominalFee: z.strictObject({
    amount: z.string().openapi({ description: 'Decimal, scale as given' }),
    currency: z.string(),
  }),
  percentageFee: decimal,
});

const feesPath = corridorPath.extend({ amountCurrency: currencyCode, amount, exchangeRate: rate });

export function feeRoutes(router: Router, deps: ApiDependencies): void {
  addFeesAndAmounts(router, deps);
  addFormulas(router, deps);
}

const shared = { method: 'get', tag: 'Fees', roles: 'any' } as const;

function addFeesAndAmounts(router: Router, deps: ApiDependencies): void {
  router.add(
    {
      ...shared,
      path: '/fees-and-amounts/{sourceCountry}/{sourceCurrency}/{destinationCountry}/{destinationCurrency}/{amountCurrency}/{amount}/{exchangeRate}',
      operationId: 'getFeesAndAmounts',
      summary: 'Fees and amounts at a given rate (endpoint 14)',
      turns: 'none',
      params: feesPath,
      problems: [
        'unknown-country',
        'unknown-currency',
        'currency-not-of-country',
        'unknown-corridor',
        'amount-currency-not-of-corridor',
        'too-many-decimals',
        'amount-too-small',
        'amount-too-large',
      ],
      answer: {
        description: 'What the pacs.008 carries',
        schema: feesAndAmountsSchema,
      },
    },
    ({ params }) => getFeesAndAmounts(deps.reference.current(), params),
  );
}

function addFormulas(router: Router, deps: ApiDependencies): void {
  const common = { ...shared, madeFrom: deps.reference.current };
  const formula = {
    params: z.object({ countryCode, currencyCode }),
    problems: [
      'unknown-country',
      'unknown-currency',
      'currency-not-of-country',
      'unknown-fee-formula',
    ] as const,
  };
  router.add(
    {
      ...common,
      ...formula,
      path: '/fee-formulas/network-scheme-fee/{countryCode}/{currencyCode}',
      operationId: 'getSchemeFeeFormula',
      summary: 'Network scheme fee formula of a source country and currency (endpoint 15)',
      answer: { description: 'The formula, source currency', schema: schemeFeeSchema },
    },
    ({ params, context }) => {
      const data = deps.reference.current();
      const place = findPlace(data, params);
      if (!place.ok) return placeRefused(place.refusal);
      const stored = data.schemeFeeFormulas.get(keyOf(params.countryCode, params.currencyCode));
      if (stored === undefined) return noFormula(params);
      const value = {
        countryCode: params.countryCode,
        currency: params.currencyCode,
        nominalFeeAmount: stored.nominalFeeAmount,
        percentageFeeAsRatio: jsonNumber(plainDecimal(stored.percentageFeeAsRatio)),
      };
      return referenceAnswer(context, data, value);
    },
  );
  router.add(
    {
      ...common,
      ...formula,
      path: '/fee-formulas/creditor-agent-fee/{countryCode}/{currencyCode}',
      operationId: 'getCreditorAgentFeeFormula',
      summary: 'Creditor agent fee formula of a destination country and currency (endpoint 16)',
      answer: { description: 'The formula, destination currency', schema: creditorAgentFeeSchema },
    },
    ({ params, context }) => {
      const data = deps.reference.current();
      const place = findPlace(data, params);
      if (!place.ok) return placeRefused(place.refusal);
      const stored = data.creditorAgentFeeFormulas.get(keyOf(params.countryCode, params.currencyCode));
      if (stored === undefined) return noFormula(params);
      const value = {
        countryCode: params.countryCode,
        nominalFee: { amount: stored.nominalFee, currency: params.currencyCode },
        percentageFee: jsonNumber(plainDecimal(stored.percentageFee)),
      };
      return referenceAnswer(context, data, value);
    },
  );
}

function noFormula({
  countryCode,
  currencyCode,
}: {
  readonly countryCode: string;
  readonly currencyCode: string;
}): Problem {
  const detail = `There is no fee formula for ${countryCode} and ${currencyCode}; an operator of the scheme can enter one.`;
  return problem('unknown-fee-formula', { detail });
}

function getFeesAndAmounts(data: ReferenceData, asked: z.output<typeof feesPath>): Response | Problem {
  const found = findCorridor(data, asked);
  if (!found.ok) return corridorRefused(found.refusal);
  const corridor = found.value;
  const fixed = fixAmount(corridor, asked);
  if (!fixed.ok) return amountRefused(fixed.refusal);
  const outcome = feesAndAmounts({
    amountSide: fixed.value.amountSide,
    amount: fixed.value.amount,
    exchangeRate: asked.exchangeRate,
    sourceDecimalPlaces: corridor.source.currency.decimalPlaces,
    destinationDecimalPlaces: corridor.destination.currency.decimalPlaces,
    schemeFee: corridor.schemeFee,
    creditorAgentFee: corridor.creditorAgentFee,
  });
  return outcome.ok ? json(renderFees(outcome.value, corridor.key)) : amountRefused(outcome.refusal);
}

/** Renders the answer of endpoint 14, which is also used for the fees of a quote. */
export function renderFees(
  fees: FeesAndAmounts,
  key: Pick<CorridorKey, 'sourceCurrency' | 'destinationCurrency'>,
): JsonObject {
  const inSource = (text: string) => ({ amount: jsonNumber(text), currency: key.sourceCurrency });
  const inDestination = (text: string) => ({ amount: jsonNumber(text), currency: key.destinationCurrency });
  return {
    debtorAgent: {
      interbankSettlementAmount: inSource(fees.sourceInterbankSettlementAmount),
      networkSchemeFee: inSource(fees.networkSchemeFee),
    },
    creditorAgent: {
      interbankSettlementAmount: inDestination(fees.destinationInterbankSettlementAmount),
      chargesAmount: inDestination(fees.creditorAgentFee),
      creditorAccountAmount: jsonNumber(fees.creditorAccountAmount),
    },
  };
}
