// Quotes in the database: the active rates that they are made of, the one row that holds a request's quotes (QUO-10), and
// the snapshot that a payment is bound to (QUO-7). It must not price anything: core/quote.ts does.
import { CompiledQuery } from 'kysely';
import { quoteIdOf, quoteRequestOf, type QuoteId, type QuoteRequestId } from '../core/ids.ts';
import type { OfferedRate, PricedQuote } from '../core/quote.ts';
import { plainDecimal } from '../core/money.ts';
import type { Db } from './connection.ts';

export interface CorridorColumns {
  readonly sourceCountry: string;
  readonly sourceCurrency: string;
  readonly destinationCountry: string;
  readonly destinationCurrency: string;
}

/** What one FXP offers the requesting PSP: its active rates, and its improvement for that PSP (FX-7). */
export interface FxpRates {
  readonly fxpId: string;
  readonly rates: OfferedRate[];
  readonly pspImprovement: { readonly pspImprovementId: string; readonly basisPoints: string } | null;
}

interface OfferRow {
  fxp_id: string;
  rate_id: string;
  exchange_rate: string;
  threshold: string;
  tier_improvement_id: string | null;
  created: string;
  psp_improvement_id: string | null;
  improvement_basis_points: string | null;
}

// Index rates_active (its four leading columns, index only); psp_improvements by its unique key.
const readOffersSql = `
select r.fxp_id, r.rate_id, r.exchange_rate, r.threshold, r.tier_improvement_id,
  to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created,
  p.psp_improvement_id, p.improvement_basis_points
from rates r
left join psp_improvements p on p.fxp_id = r.fxp_id and p.psp_id = $5
where r.source_country = $1 and r.source_currency = $2
  and r.destination_country = $3 and r.destination_currency = $4
  and r.expired_at is null`;

/** The active rates of a corridor by FXP, read at this moment: a new rate shows at once (FX-4). */
export async function readOffers(db: Db, corridor: CorridorColumns, pspId: string): Promise<FxpRates[]> {
  const { sourceCountry, sourceCurrency, destinationCountry, destinationCurrency } = corridor;
  const parameters = [sourceCountry, sourceCurrency, destinationCountry, destinationCurrency, pspId];
  const { rows } = await db.executeQuery<OfferRow>(CompiledQuery.raw(readOffersSql, parameters));
  const byFxp = new Map<string, FxpRates>();
  for (const row of rows) {
    let offer = byFxp.get(row.fxp_id);
    if (offer === undefined) byFxp.set(row.fxp_id, (offer = offerOf(row)));
    offer.rates.push({
      rateId: row.rate_id,
      tierImprovementId: row.tier_improvement_id,
      threshold: row.threshold,
      exchangeRate: row.exchange_rate,
      createdDateTime: row.created,
    });
  }
  return [...byFxp.values()];
}

function offerOf(row: OfferRow): FxpRates {
  const { psp_improvement_id: pspImprovementId, improvement_basis_points: basisPoints } = row;
  return {
    fxpId: row.fxp_id,
    rates: [],
    pspImprovement:
      pspImprovementId === null || basisPoints === null ? null : { pspImprovementId, basisPoints },
  };
}

/** A priced quote with the agents and accounts that it is settled by. */
export interface NewQuote {
  readonly priced: Omit<PricedQuote, 'creditorAccountAmount'>;
  /** internalId of the FXP. */
  readonly fxpId: string;
  readonly sourceSapId: string;
  readonly sourceAccountId: string;
  readonly destinationSapId: string;
  readonly destinationAccountId: string;
}

export interface NewQuoteRequest {
  readonly quoteRequestId: QuoteRequestId;
  readonly pspId: string;
  readonly corridor: CorridorColumns;
  readonly amountCurrency: string;
  readonly amount: string;
  /** Best first: quote k has the id `quoteIdOf(quoteRequestId, k)`. */
  readonly quotes: readonly NewQuote[];
}

// Milliseconds, for that is what the PSP is shown, and 600 s are counted from there (QUO-6).
const storeQuotesSql = `
insert into quote_requests (quote_request_id, issued_at, psp_id, source_country, source_currency, destination_country,
  destination_currency, amount_currency, amount, fxp_ids, rate_ids, tier_improvement_ids, psp_improvement_ids,
  exchange_rates, source_amounts, source_capped, destination_amounts, destination_capped, scheme_fees,
  creditor_agent_fees, source_sap_ids, source_account_ids, destination_sap_ids, destination_account_ids)
values ($1, date_trunc('milliseconds', now()), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
  $18, $19, $20, $21, $22, $23)
returning issued_at`;

/** Stores the quotes of one request as one row; answers their issuedDateTime, by the database clock (QUO-6). */
export async function storeQuotes(db: Db, request: NewQuoteRequest): Promise<Date> {
  const { corridor, quotes } = request;
  const column = <Value>(value: (quote: NewQuote) => Value): Value[] => quotes.map(value);
  const { rows } = await db.executeQuery<{ issued_at: Date }>(
    CompiledQuery.raw(storeQuotesSql, [
      request.quoteRequestId,
      request.pspId,
      corridor.sourceCountry,
      corridor.sourceCurrency,
      corridor.destinationCountry,
      corridor.destinationCurrency,
      request.amountCurrency,
      request.amount,
      column((quote) => quote.fxpId),
      column((quote) => quote.priced.rateId),
      column((quote) => quote.priced.tierImprovementId),
      column((quote) => quote.priced.pspImprovementId),
      column((quote) => quote.priced.exchangeRate),
      column((quote) => quote.priced.sourceInterbankSettlementAmount),
      column((quote) => quote.priced.sourceCappedToMaxAmount),
      column((quote) => quote.priced.destinationInterbankSettlementAmount),
      column((quote) => quote.priced.destinationCappedToMaxAmount),
      column((quote) => quote.priced.networkSchemeFee),
      column((quote) => quote.priced.creditorAgentFee),
      column((quote) => quote.sourceSapId),
      column((quote) => quote.sourceAccountId),
      column((quote) => quote.destinationSapId),
      column((quote) => quote.destinationAccountId),
    ]),
  );
  const [row] = rows;
  if (row === undefined) throw new Error('an insert returns its row');
  return row.issued_at;
}

/** The stored snapshot of a quote (QUO-7); amounts are decimal text without trailing zeros. */
export interface StoredQuote {
  readonly quoteId: QuoteId;
  readonly pspId: string;
  readonly fxpId: string;
  readonly rateId: string;
  readonly tierImprovementId: string | null;
  readonly pspImprovementId: string | null;
  readonly sourceCountry: string;
  readonly sourceCurrency: string;
  readonly destinationCountry: string;
  readonly destinationCurrency: string;
  readonly exchangeRate: string;
  readonly sourceAmount: string;
  readonly destinationAmount: string;
  readonly schemeFee: string;
  readonly creditorAgentFee: string;
  readonly sourceSapId: string;
  readonly sourceAccountId: string;
  readonly destinationSapId: string;
  readonly destinationAccountId: string;
  /** Epoch milliseconds. */
  readonly issuedAt: number;
  /** More than 600 s old by the database clock, at this moment (QUO-6). */
  readonly expired: boolean;
}

interface QuoteRow {
  psp_id: string;
  fxp_id: string;
  rate_id: string;
  tier_improvement_id: string | null;
  psp_improvement_id: string | null;
  source_country: string;
  source_currency: string;
  destination_country: string;
  destination_currency: string;
  exchange_rate: string;
  source_amount: string;
  destination_amount: string;
  scheme_fee: string;
  creditor_agent_fee: string;
  source_sap_id: string;
  source_account_id: string;
  destination_sap_id: string;
  destination_account_id: string;
  issued_at: Date;
  expired: boolean;
}

// The primary key of each partition that the second condition leaves; fxp_ids[ordinal] is null beyond the last quote.
const findQuoteSql = (age: string) => `
select psp_id, fxp_ids[$2] as fxp_id, rate_ids[$2] as rate_id, tier_improvement_ids[$2] as tier_improvement_id,
  psp_improvement_ids[$2] as psp_improvement_id, source_country, source_currency, destination_country,
  destination_currency, exchange_rates[$2] as exchange_rate, source_amounts[$2] as source_amount,
  destination_amounts[$2] as destination_amount, scheme_fees[$2] as scheme_fee,
  creditor_agent_fees[$2] as creditor_agent_fee, source_sap_ids[$2] as source_sap_id,
  source_account_ids[$2] as source_account_id, destination_sap_ids[$2] as destination_sap_id,
  destination_account_ids[$2] as destination_account_id, issued_at,
  clock_timestamp() > issued_at + interval '600 seconds' as expired
from quote_requests
where quote_request_id = $1 and ${age} and fxp_ids[$2] is not null`;

const findRecentQuoteSql = findQuoteSql(`issued_at >= now() - interval '2 days'`); // at most three partitions
const findOlderQuoteSql = findQuoteSql(`issued_at < now() - interval '2 days'`);

/**
 * The quote, or undefined when there is none. Quotes that can still be paid are found in the partitions of the last two
 * days; only an unknown or old id costs a look into all 62.
 */
export async function findQuote(db: Db, quoteId: QuoteId): Promise<StoredQuote | undefined> {
  const { requestId, ordinal } = quoteRequestOf(quoteId);
  if (ordinal === 0) return undefined;
  for (const text of [findRecentQuoteSql, findOlderQuoteSql]) {
    const { rows } = await db.executeQuery<QuoteRow>(CompiledQuery.raw(text, [requestId, ordinal]));
    if (rows[0] !== undefined) return toStoredQuote(quoteIdOf(requestId, ordinal), rows[0]);
  }
  return undefined;
}

function toStoredQuote(quoteId: QuoteId, row: QuoteRow): StoredQuote {
  return {
    quoteId,
    pspId: row.psp_id,
    fxpId: row.fxp_id,
    rateId: row.rate_id,
    tierImprovementId: row.tier_improvement_id,
    pspImprovementId: row.psp_improvement_id,
    sourceCountry: row.source_country,
    sourceCurrency: row.source_currency,
    destinationCountry: row.destination_country,
    destinationCurrency: row.destination_currency,
    exchangeRate: plainDecimal(row.exchange_rate),
    sourceAmount: plainDecimal(row.source_amount),
    destinationAmount: plainDecimal(row.destination_amount),
    schemeFee: plainDecimal(row.scheme_fee),
    creditorAgentFee: plainDecimal(row.creditor_agent_fee),
    sourceSapId: row.source_sap_id,
    sourceAccountId: row.source_account_id,
    destinationSapId: row.destination_sap_id,
    destinationAccountId: row.destination_account_id,
    issuedAt: row.issued_at.getTime(),
    expired: row.expired,
  };
}
