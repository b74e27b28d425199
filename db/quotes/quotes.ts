// Quotes in the database: the active rates from which they are made, one row for all quotes of a request, and
// the snapshot that binds a payment (QUO-7). core/quotes/quote.ts calculates the prices.
import { CompiledQuery } from 'kysely';
import { assert } from '../../core/assert.ts';
import { corridorName, type CorridorKey } from '../../core/quotes/corridor.ts';
import { quoteIdOf, quoteRequestOf, type QuoteId, type QuoteRequestId } from '../../core/ids.ts';
import type { FxpOffer, OfferedRate, QuoteSnapshot, Reach, StoredQuote } from '../../core/quotes/quote.ts';
import { keyOf } from '../../core/scheme/reference.ts';
import { batching, type Capture } from '../pool/batch.ts';
import type { Db } from '../pool/connection.ts';
import { prepared } from '../pool/statements.ts';
import type { Database } from '../tables.ts';

type QuoteRequestRow = Database['quote_requests'];

/** A corridor as the requesting PSP sees it, and the amounts that limit which rates can win there. */
export interface OffersWanted {
  readonly corridor: CorridorKey;
  readonly pspId: string | null;
  readonly reach: Reach;
}

interface OfferRow {
  n: number;
  fxp_id: string;
  rate_id: string;
  exchange_rate: string;
  threshold: string;
  tier_improvement_id: string | null;
  created: string;
  psp_improvement_id: string | null;
  improvement_basis_points: string | null;
}

// The query uses the four leading columns of index rates_active, once for each row of q, and the unique key
// of psp_improvements. `offset 0` keeps the planner from scanning all rates. QUO-3 takes the highest
// threshold that the source amount reaches. `Reach` in core/quotes/quote.ts explains why these bounds are
// correct. The lateral query drops rates that the source amount cannot reach. A tolerance of one unit on each
// side covers rounding. An improvement for a PSP only lowers the source amount. `sure` is the highest
// threshold that is reached in any case, so no rate below it can win. To compute `sure`, the query takes each
// rate slightly higher than the rounded improved rate can be. It ignores a rate that is too long for a
// message.
//
// `(select $1)` hides from the planner how many rows the arrays have. Otherwise it would expect a plan for the given
// values to be cheaper than a general plan, and would plan each call anew, which takes twice as long as the reading.
const readOffersSql = prepared(
  'read_offers',
  `
select q.n::int as n, r.fxp_id, r.rate_id, r.exchange_rate, r.threshold, r.tier_improvement_id,
  to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created,
  r.psp_improvement_id, r.improvement_basis_points
from unnest((select $1::text[]), $2::text[], $3::text[], $4::text[], $5::text[], $6::numeric[], $7::numeric[])
  with ordinality as q(source_country, source_currency, destination_country, destination_currency, psp_id,
    source_amount, destination_amount, n)
cross join lateral (
  select own.*, max(threshold) filter (
    where threshold * highest_rate <= q.destination_amount and highest_rate < 100000000000
  ) over (partition by fxp_id) as sure
  from (
    select a.fxp_id, a.rate_id, a.exchange_rate, a.threshold, a.tier_improvement_id, a.created_at,
      p.psp_improvement_id, p.improvement_basis_points,
      a.exchange_rate * (1 + coalesce(p.improvement_basis_points, 0) * 0.0001) * 1.0000000001 + 0.0000000001
        as highest_rate
    from rates a
      left join psp_improvements p on p.fxp_id = a.fxp_id and p.psp_id = q.psp_id
    where a.source_country = q.source_country and a.source_currency = q.source_currency
      and a.destination_country = q.destination_country and a.destination_currency = q.destination_currency
      and a.expired_at is null
      and a.threshold <= q.source_amount and (a.threshold - 1) * a.exchange_rate < q.destination_amount + 1
    offset 0) own) r
where r.threshold >= coalesce(r.sure, 0)`,
);

/**
 * Reads the active rates of each corridor that can win, grouped by FX provider. Does not cache them, so a new
 * rate shows at once. Does not check which FX providers can settle; the reference data of the corridor has
 * that.
 */
export async function readOffers(
  db: Db,
  wanted: readonly OffersWanted[],
): Promise<readonly (readonly FxpOffer[])[]> {
  // identical requests in a batch share their rows
  const distinct = new Map(wanted.map((one) => [keyOfWanted(one), one]));
  const column = (value: (one: OffersWanted) => string | null) => [...distinct.values()].map(value);
  const { rows } = await db.executeQuery<OfferRow>(
    CompiledQuery.raw(readOffersSql, [
      column((one) => one.corridor.sourceCountry),
      column((one) => one.corridor.sourceCurrency),
      column((one) => one.corridor.destinationCountry),
      column((one) => one.corridor.destinationCurrency),
      column((one) => one.pspId),
      column((one) => one.reach.sourceAmount),
      column((one) => one.reach.destinationAmount),
    ]),
  );
  const found = [...distinct.keys()].map((key) => ({ key, byFxp: new Map<string, OfferInTheMaking>() }));
  for (const row of rows) {
    const asked = found[row.n - 1];
    if (asked !== undefined) addRate(asked.byFxp, row);
  }
  const offers = new Map(found.map(({ key, byFxp }) => [key, [...byFxp.values()]]));
  return wanted.map((one) => offers.get(keyOfWanted(one)) ?? []);
}

function keyOfWanted({ corridor, pspId, reach }: OffersWanted): string {
  return keyOf(corridorName(corridor), pspId ?? '', reach.sourceAmount, reach.destinationAmount);
}

type OfferInTheMaking = FxpOffer & { readonly rates: OfferedRate[] };

function addRate(byFxp: Map<string, OfferInTheMaking>, row: OfferRow): void {
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

function offerOf(row: OfferRow): OfferInTheMaking {
  const { psp_improvement_id: pspImprovementId, improvement_basis_points: basisPoints } = row;
  return {
    fxpId: row.fxp_id,
    rates: [],
    pspImprovement:
      pspImprovementId === null || basisPoints === null ? null : { pspImprovementId, basisPoints },
  };
}

export interface NewQuoteRequest {
  readonly quoteRequestId: QuoteRequestId;
  readonly pspId: string;
  readonly corridor: CorridorKey;
  readonly amountCurrency: string;
  readonly amount: string;
  /** The quotes, best first. Quote k has the id `quoteIdOf(quoteRequestId, k)`. */
  readonly quotes: readonly QuoteSnapshot[];
}

// issued_at has millisecond precision, because the PSP sees milliseconds and the 600 s are counted from them.
const storeQuotesSql = prepared(
  'store_quotes',
  `
insert into quote_requests (quote_request_id, issued_at, psp_id, source_country, source_currency, destination_country,
  destination_currency, amount_currency, amount, fxp_ids, rate_ids, tier_improvement_ids, psp_improvement_ids,
  exchange_rates, source_amounts, source_capped, destination_amounts, destination_capped, scheme_fees,
  creditor_agent_fees, source_sap_ids, source_account_ids, destination_sap_ids, destination_account_ids)
select q.quote_request_id, date_trunc('milliseconds', now()), q.psp_id, q.source_country, q.source_currency,
  q.destination_country, q.destination_currency, q.amount_currency, q.amount, q.fxp_ids, q.rate_ids,
  q.tier_improvement_ids, q.psp_improvement_ids, q.exchange_rates, q.source_amounts, q.source_capped,
  q.destination_amounts, q.destination_capped, q.scheme_fees, q.creditor_agent_fees, q.source_sap_ids,
  q.source_account_ids, q.destination_sap_ids, q.destination_account_ids
from json_to_recordset($1::json) as q(quote_request_id uuid, psp_id text, source_country text, source_currency text,
  destination_country text, destination_currency text, amount_currency text, amount numeric, fxp_ids text[],
  rate_ids uuid[], tier_improvement_ids bigint[], psp_improvement_ids bigint[], exchange_rates numeric[],
  source_amounts numeric[], source_capped boolean[], destination_amounts numeric[], destination_capped boolean[],
  scheme_fees numeric[], creditor_agent_fees numeric[], source_sap_ids text[], source_account_ids text[],
  destination_sap_ids text[], destination_account_ids text[])
returning quote_request_id, issued_at`,
);

/** Stores the quotes of each request as one row. Returns each issuedDateTime, by the database clock (QUO-6). */
async function storeQuotes(db: Db, requests: readonly NewQuoteRequest[]): Promise<readonly Date[]> {
  const { rows } = await db.executeQuery<{ quote_request_id: string; issued_at: Date }>(
    CompiledQuery.raw(storeQuotesSql, [JSON.stringify(requests.map(rowOf))]), // decimals are strings in the JSON
  );
  const issued = new Map(rows.map((row) => [row.quote_request_id, row.issued_at]));
  return requests.map(({ quoteRequestId }) => {
    const issuedAt = issued.get(quoteRequestId);
    assert(issuedAt !== undefined, 'an insert returns its rows');
    return issuedAt;
  });
}

function rowOf(request: NewQuoteRequest): Omit<QuoteRequestRow, 'issued_at'> {
  const { corridor, quotes } = request;
  const column = <Value>(value: (quote: QuoteSnapshot) => Value): Value[] => quotes.map(value);
  return {
    quote_request_id: request.quoteRequestId,
    psp_id: request.pspId,
    source_country: corridor.sourceCountry,
    source_currency: corridor.sourceCurrency,
    destination_country: corridor.destinationCountry,
    destination_currency: corridor.destinationCurrency,
    amount_currency: request.amountCurrency,
    amount: request.amount,
    fxp_ids: column((quote) => quote.fxpId),
    rate_ids: column((quote) => quote.rateId),
    tier_improvement_ids: column((quote) => quote.tierImprovementId),
    psp_improvement_ids: column((quote) => quote.pspImprovementId),
    exchange_rates: column((quote) => quote.exchangeRate),
    source_amounts: column((quote) => quote.sourceInterbankSettlementAmount),
    source_capped: column((quote) => quote.sourceCappedToMaxAmount),
    destination_amounts: column((quote) => quote.destinationInterbankSettlementAmount),
    destination_capped: column((quote) => quote.destinationCappedToMaxAmount),
    scheme_fees: column((quote) => quote.networkSchemeFee),
    creditor_agent_fees: column((quote) => quote.creditorAgentFee),
    source_sap_ids: column((quote) => quote.sourceSapId),
    source_account_ids: column((quote) => quote.sourceAccountId),
    destination_sap_ids: column((quote) => quote.destinationSapId),
    destination_account_ids: column((quote) => quote.destinationAccountId),
  };
}

/** Database access for the quote endpoints. Simultaneous requests share statements. */
export interface QuoteStore {
  /** Reads the current rates of a corridor that can win, by FX provider, with their improvements for the PSP. */
  readonly offers: (wanted: OffersWanted) => Promise<readonly FxpOffer[]>;
  /** Stores the quotes of one request as one row. Returns their issuedDateTime, by the database clock. */
  readonly store: (request: NewQuoteRequest) => Promise<Date>;
}

/**
 * Limits of a batch. One statement of each kind runs at a time. Measured with 32 clients, a request costs a
 * fifth less CPU than with two at a time, because the batches are larger. A batch of 64 takes a few
 * milliseconds.
 */
const size = { concurrent: 1, items: 64 };

export function openQuoteStore(db: Db, capture?: Capture): QuoteStore {
  const limits = { ...size, capture };
  return {
    offers: batching((wanted: readonly OffersWanted[]) => readOffers(db, wanted), limits),
    store: batching((requests: readonly NewQuoteRequest[]) => storeQuotes(db, requests), limits),
  };
}

// The query uses the primary keys of quote_uses and of the partitions that the age condition leaves.
// fxp_ids[ordinal] is null beyond the last quote of the request.
const findQuoteSql = (age: string) => `
select psp_id as "pspId", fxp_ids[$2] as "fxpId", rate_ids[$2] as "rateId",
  tier_improvement_ids[$2] as "tierImprovementId", psp_improvement_ids[$2] as "pspImprovementId",
  source_country as "sourceCountry", source_currency as "sourceCurrency", destination_country as "destinationCountry",
  destination_currency as "destinationCurrency", trim_scale(exchange_rates[$2]) as "exchangeRate",
  trim_scale(source_amounts[$2]) as "sourceInterbankSettlementAmount", source_capped[$2] as "sourceCappedToMaxAmount",
  trim_scale(destination_amounts[$2]) as "destinationInterbankSettlementAmount",
  destination_capped[$2] as "destinationCappedToMaxAmount", trim_scale(scheme_fees[$2]) as "networkSchemeFee",
  trim_scale(creditor_agent_fees[$2]) as "creditorAgentFee", source_sap_ids[$2] as "sourceSapId",
  source_account_ids[$2] as "sourceAccountId", destination_sap_ids[$2] as "destinationSapId",
  destination_account_ids[$2] as "destinationAccountId",
  floor(extract(epoch from issued_at) * 1000)::float8 as "issuedAt",
  clock_timestamp() > issued_at + interval '600 seconds' as expired,
  (select uetr from quote_uses where quote_id = $3) as "heldBy"
from quote_requests
where quote_request_id = $1 and ${age} and fxp_ids[$2] is not null`;

/**
 * Partitions exist for a week ahead. Partitions of future days are empty, unless the database clock was set
 * back.
 */
const recently = { from: `now() - interval '2 days'`, to: `now() + interval '1 day'` };

const findRecentQuoteSql = prepared(
  'find_recent_quote',
  findQuoteSql(`issued_at >= ${recently.from} and issued_at < ${recently.to}`), // reads at most four day partitions
);
const findOtherQuoteSql = findQuoteSql(`(issued_at < ${recently.from} or issued_at >= ${recently.to})`);

/**
 * Finds a quote. A quote that can still be paid is in the partitions of the last two days. Only for an
 * unknown or old id does the query search all 62 days.
 */
export async function findQuote(db: Db, quoteId: QuoteId): Promise<StoredQuote | undefined> {
  const { requestId, ordinal } = quoteRequestOf(quoteId);
  if (ordinal === 0) return undefined;
  const canonical = quoteIdOf(requestId, ordinal);
  for (const text of [findRecentQuoteSql, findOtherQuoteSql]) {
    const { rows } = await db.executeQuery<Omit<StoredQuote, 'quoteId'>>(
      CompiledQuery.raw(text, [requestId, ordinal, canonical]),
    );
    if (rows[0] !== undefined) return { quoteId: canonical, ...rows[0] };
  }
  return undefined;
}
