// The schemas of the answers of endpoints 12, 12b and 13, as in the specification's tables.
import { z } from '@hono/zod-openapi';
import { finInstIdTypes } from '../../core/ids.ts';
import { component } from '../http/component.ts';

const decimal = z.number().openapi({ description: 'Exact decimal' });
const uuid = z.string().openapi({ format: 'uuid' });
const identifierType = z.enum(finInstIdTypes);
const money = z.strictObject({ amount: decimal, currency: z.string() });
const cappableMoney = z.strictObject({
  currency: z.string(),
  amount: decimal,
  cappedToMaxAmount: z.boolean().openapi({
    description:
      "Whether what was asked for exceeds this side's maximum (QUO-4); it may be true on both sides. Where it is true " +
      'on either, the amounts of both are the largest pair that neither maximum forbids, and less than was asked for',
  }),
});

const intermediaryAgent = component('QuoteIntermediaryAgent', {
  finInstId: z.strictObject({
    name: z.string(),
    BICFI: z.string(),
    LEI: z.string().nullable(),
    clearingSystemMemberId: z.strictObject({
      clearingSystemId: z.string().nullable(),
      memberId: z.string().nullable(),
    }),
    other: z.strictObject({ id: z.string().nullable() }),
  }),
});
const account = component('QuoteIntermediaryAgentAccount', { id: z.string() });

const quoteSchema = component('Quote', {
  quoteId: uuid,
  issuedDateTime: z.string().openapi({ format: 'date-time' }),
  fxpfinInstIdType: identifierType,
  fxpfinInstId: z.string(),
  exchangeRate: decimal,
  debtorAgent: z.strictObject({ interbankSettlementAmount: cappableMoney, networkSchemeFee: money }),
  intermediaryAgent1: intermediaryAgent,
  intermediaryAgent1Account: account,
  intermediaryAgent2: intermediaryAgent,
  intermediaryAgent2Account: account,
  creditorAgent: z.strictObject({
    interbankSettlementAmount: cappableMoney,
    chargesInformation: z.strictObject({ amount: money }),
    creditorAccountAmount: decimal,
  }),
});

export const quoteSetSchema = component('QuoteSet', {
  quoteRequestId: uuid,
  sourceCountry: z.string(),
  sourceCurrency: z.string(),
  destinationCountry: z.string(),
  destinationCurrency: z.string(),
  amountCurrency: z.string(),
  amount: decimal,
  quotes: z.array(quoteSchema),
});

export const adjustedQuotesSchema = z
  .array(
    component('AdjustedQuote', {
      QuoteId: uuid,
      FXPFinInstIdType: identifierType,
      FXPFinInstId: z.string(),
      Rate: decimal,
      SourceUPSId: z.string(),
      DestinationUPSId: z.string(),
      AdjustedSourceAmount: decimal,
      AdjustedDestinationAmount: decimal,
      AdjustedReason: z
        .enum(['SourceMaximumExceeded', 'DestinationMaximumExceeded', 'SourceAndDestinationMaximumExceeded'])
        .optional()
        .openapi({ description: 'On capped quotes only' }),
    }),
  )
  .openapi('AdjustedQuotes');

const agentOfQuote = component('IntermediaryAgent', {
  name: z.string(),
  countryCode: z.string(),
  currencyCode: z.string(),
  finInstId: z.strictObject({
    BICFI: z.array(z.string()),
    LEI: z.string().nullable(),
    otherId: z.array(z.string()).nullable(),
  }),
  account: z.strictObject({ otherId: z.string() }),
});

export const intermediaryAgentsSchema = component('IntermediaryAgents', {
  intermediaryAgent1: agentOfQuote,
  intermediaryAgent2: agentOfQuote,
});
