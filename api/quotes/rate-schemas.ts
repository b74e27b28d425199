// The schemas of the answers of endpoints 17 to 19 and of the lists of rates.
import { z } from '@hono/zod-openapi';
import { finInstIdTypes } from '../../core/ids.ts';
import { component } from '../http/component.ts';

const decimal = z.number().openapi({ description: 'Exact decimal' });
const uuid = z.string().openapi({ format: 'uuid' });
const dateTime = z.string().openapi({ format: 'date-time' });
const identifierType = z.enum(finInstIdTypes);
const fxp = { fxpfinInstIdType: identifierType, fxpfinInstId: z.string() };
const corridor = {
  sourceCountry: z.string(),
  sourceCurrency: z.string(),
  destinationCountry: z.string(),
  destinationCurrency: z.string(),
};
const values = {
  exchangeRate: decimal,
  threshold: z.number().openapi({ description: 'Smallest source amount, inclusive; 0 for the base rate' }),
  createdDateTime: dateTime,
};
const tierRateSchema = component('TierRate', { rateId: uuid, ...values });

export const rateAcceptedSchema = component('RateAccepted', {
  status: z.literal('accepted'),
  quote: z
    .strictObject({ rateId: uuid, ...corridor, ...values, tierRates: z.array(tierRateSchema) })
    .openapi({ description: 'The new rate as source PSPs now see it' }),
  marketRate: z.strictObject({ exchangeRate: decimal.nullable() }).openapi({
    description:
      'Best base rate that PSPs are quoted in the corridor now, all FX providers; null if they are quoted none',
  }),
  shown: z
    .literal(false)
    .optional()
    .openapi({ description: 'Only present if PSPs do not see the rate: it is stored, but not quoted' }),
  notShownBecause: z.string().optional().openapi({ description: 'Why PSPs do not see the rate' }),
});

export const ratesSchema = component('Rates', {
  rates: z.array(component('Rate', { rateId: uuid, ...fxp, ...corridor, ...values })),
});

const improvementBasisPoints = z.string().openapi({ description: 'Basis points, decimal', example: '10' });

export const tierImprovementSchema = component('TierImprovement', {
  tierImprovementId: z.string(),
  ...fxp,
  unitCurrency: z.string(),
  threshold: z.string().openapi({ description: 'Decimal, source currency', example: '1000' }),
  improvementBasisPoints,
  updatedDateTime: dateTime,
});

export const pspImprovementSchema = component('PspImprovement', {
  pspImprovementId: z.string(),
  ...fxp,
  pspIdType: identifierType,
  pspId: z.string(),
  improvementBasisPoints,
  updatedDateTime: dateTime,
});

export const improvementsSchema = component('Improvements', {
  tiers: z.array(tierImprovementSchema),
  psps: z.array(pspImprovementSchema),
});

export const standingsSchema = component('RateStandings', {
  standings: z.array(
    component('RateStanding', {
      ...corridor,
      exchangeRate: decimal.openapi({ description: 'The calling FX provider’s base rate' }),
      marketRate: decimal.nullable().openapi({
        description:
          'Best base rate that PSPs are quoted now, all FX providers; null if they are quoted none',
      }),
      isBest: z.boolean().openapi({ description: 'Whether PSPs are quoted no better base rate' }),
    }),
  ),
});
