// Recomputes the stored quotes from rates, improvements, maxima and fees by the rules QUO-2 to QUO-5 and
// FEE-1 to FEE-5. rates.ts checks the rates themselves.
import type { Exchange } from '../evidence.ts';
import { canSettle, corridorOf, termsOf } from '../corridors.ts';
import { amount, type Amount } from '../decimals.ts';
import { openImprovements, type Improvements } from '../improvements.ts';
import { isTooSmall, priceOf, type Asked, type Offered, type Priced, type Terms } from '../pricing.ts';
import { parseExactly } from '../read-evidence.ts';
import { instant, rowsOf, type QuoteRequestRow, type RateRow } from '../rows.ts';
import type { Report } from '../verdict.ts';
import { grouped, type World } from '../world.ts';
import { judgeQuoted, mayBePaused } from './pauses.ts';
import { judgeRates } from './rates.ts';

/**
 * Longest time from reading the rates to storing the quotes, because a process may have been frozen in
 * between. It applies only if no HTTP exchange shows the request.
 */
const unsureMs = 60_000;

export function judgeQuotes(world: World, report: Report): void {
  const { tables } = world.evidence;
  const improvements = openImprovements(world.evidence);
  const rates = grouped(rowsOf(tables, 'rates'), corridorOf);
  const answered = answeredOf(world.evidence.exchanges);
  const posts = postsOf(world);
  report.examined('R:QUO-3', 'stored requests for quotes', world.quoteRequests.length);
  for (const request of world.quoteRequests) {
    judgeRequest(report, {
      world,
      request,
      improvements,
      rates: rates.get(corridorOf(request)) ?? [],
      exchange: answered.get(request.quote_request_id),
      posts,
    });
  }
  judgeRates(world, report, improvements);
}

/** Returns the HTTP exchange of each stored quote request, keyed by request id. */
function answeredOf(exchanges: readonly Exchange[]): ReadonlyMap<string, Exchange> {
  const quotes = exchanges.filter(
    ({ method, path, status }) =>
      method === 'GET' && status === 200 && /^\/(api\/v1\/)?quotes\/[A-Z]{2}\//.test(path),
  );
  return new Map(
    quotes.flatMap((exchange) => {
      const body = parseExactly(exchange.responseBody ?? '');
      const [first] = Array.isArray(body) ? (body as { QuoteId: string }[]) : [];
      const id = Array.isArray(body) ? first?.QuoteId : (body as { quoteRequestId?: string }).quoteRequestId;
      return id === undefined ? [] : [[`${id.slice(0, -2)}00`, exchange] as const];
    }),
  );
}

interface Request {
  readonly world: World;
  readonly request: QuoteRequestRow;
  readonly improvements: Improvements;
  /** Rates of the request's corridor, including expired ones. */
  readonly rates: readonly RateRow[];
  readonly exchange: Exchange | undefined;
  /** Times at which FX providers posted new rates, keyed by FX provider. */
  readonly posts: ReadonlyMap<string, readonly Span[]>;
}

/** Returns one stored quote under the field names of a computed price. */
function toldBy(request: QuoteRequestRow, index: number): Readonly<Record<string, string>> {
  return {
    rateId: request.rate_ids[index] ?? '',
    rate: request.exchange_rates[index] ?? '',
    source: request.source_amounts[index] ?? '',
    destination: request.destination_amounts[index] ?? '',
    isSourceCapped: String(request.source_capped[index]),
    isDestinationCapped: String(request.destination_capped[index]),
    schemeFee: request.scheme_fees[index] ?? '',
    creditorAgentFee: request.creditor_agent_fees[index] ?? '',
  };
}

function judgeRequest(report: Report, asked: Request): void {
  const { world, request, exchange } = asked;
  const terms = termsOf(world.reference, request);
  // The load made this quote older so that it expires (QUO-6). Its rates do not match its time.
  if (terms === undefined || exchange?.purpose === 'quote-to-expire') return;
  const side = request.amount_currency === request.source_currency ? 'source' : 'destination';
  const isAdjusted = exchange?.path.startsWith('/api/v1/');
  const variants = isAdjusted === undefined ? [true, false] : [!isAdjusted];
  const offers = offersOf(asked);
  const told = request.fxp_ids.map((fxp, index) => ({ fxp, told: toldBy(request, index) }));
  const shown = [
    `asked ${request.issued_at} by ${request.psp_id}: ${corridorOf(request)} ${request.amount_currency} ${request.amount}`,
  ];
  for (const { fxp, told: one } of told) {
    const known = offers.get(fxp);
    if (known?.isSure !== true) continue;
    const due = variants.map((withFees) =>
      priceAt({ side, amount: amount(request.amount), withFees }, { terms, known, asked, fxp }),
    );
    if (due.some((price) => price !== undefined && isSame(price, one))) continue;
    const computed = due.map((price) => (price === undefined ? 'none' : render(price)));
    report.breach(
      'R:QUO-3',
      `A quote of ${fxp} is not what its rates, the maxima and the fees come to.`,
      request.quote_request_id,
      [...shown, `told ${JSON.stringify(one)}`, ...computed],
    );
  }
  for (const [fxp, known] of offers) {
    if (!known.isSure || request.fxp_ids.includes(fxp)) continue;
    if (mayBePaused(world, fxp, readFrom(asked), instant(request.issued_at))) continue;
    const isLeftOut = variants.some((withFees) => {
      const price = priceAt({ side, amount: amount(request.amount), withFees }, { terms, known, asked, fxp });
      return price === undefined || isTooSmall(price, withFees);
    });
    if (isLeftOut) continue;
    report.breach('R:QUO-2', `The quote of ${fxp} was left out.`, request.quote_request_id, shown);
  }
  judgeQuoted(world, report, { request, sentAt: exchange && instant(exchange.sentAt) });
}

interface Known {
  readonly offers: readonly Offered[];
  /** False if a rate may have changed while the gateway made the quotes. */
  readonly isSure: boolean;
}

/** The earliest time at which the gateway may have read the rates. */
function readFrom({ request, exchange }: Request): number {
  return exchange === undefined ? instant(request.issued_at) - unsureMs : instant(exchange.sentAt);
}

/** Returns the times at which FX providers posted new rates, keyed by institution id. */
function postsOf({ evidence, reference }: World): ReadonlyMap<string, readonly Span[]> {
  const posts = evidence.exchanges.filter(
    ({ method, path }) => method === 'POST' && path === '/api/v1/rates',
  );
  const spans = posts.map(({ client, sentAt, endedAt, status }) => ({
    fxp: reference.findByBic(client)?.id ?? '',
    from: instant(sentAt),
    to: instant(endedAt) + (status === undefined ? unansweredMs : 0),
  }));
  return grouped(spans, ({ fxp }) => fxp);
}

/** The gateway may still process a request this long after its sender has given up. */
const unansweredMs = 30_000;

interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the rates that were active at the time of the request, for each FX provider that can settle in both
 * currencies.
 */
function offersOf(asked: Request): ReadonlyMap<string, Known> {
  const { world, request, rates } = asked;
  const at = instant(request.issued_at);
  const isOffered = (fxp: string) =>
    canSettle(world.reference, fxp, request.source_country, request.source_currency) &&
    canSettle(world.reference, fxp, request.destination_country, request.destination_currency);
  const byFxp = grouped(rates, (row) => row.fxp_id);
  const from = readFrom(asked);
  const isNear = (time: number | undefined) => time !== undefined && time > from && time < at + 1_000;
  return new Map(
    [...byFxp].flatMap(([fxp, own]) => {
      const active = own.filter(
        (row) => instant(row.created_at) <= at && (instant(row.expired_at) ?? Infinity) > at,
      );
      if (active.length === 0 || !isOffered(fxp)) return [];
      const isChanged = own.some((row) => isNear(instant(row.created_at)) || isNear(instant(row.expired_at)));
      const isPosting = (asked.posts.get(fxp) ?? []).some((post) => post.from <= at && post.to >= from);
      const isSure = !isChanged && !isPosting;
      const offers = active.map((row) => ({
        rateId: row.rate_id,
        threshold: amount(row.threshold),
        rate: amount(row.exchange_rate),
      }));
      return [[fxp, { offers, isSure }] as const];
    }),
  );
}

interface Pricing {
  readonly terms: Terms;
  readonly known: Known;
  readonly asked: Request;
  readonly fxp: string;
}

function priceAt(wanted: Asked, { terms, known, asked, fxp }: Pricing): Priced | undefined {
  return priceOf(wanted, known.offers, asked.improvements.ofPsp(fxp, asked.request.psp_id), terms);
}

function isSame(price: Priced, told: Readonly<Record<string, string>>): boolean {
  const numbers = ['rate', 'source', 'destination', 'schemeFee', 'creditorAgentFee'] as const;
  return (
    price.rateId === told['rateId'] &&
    String(price.isSourceCapped) === told['isSourceCapped'] &&
    String(price.isDestinationCapped) === told['isDestinationCapped'] &&
    numbers.every((name) => price[name].eq(amount(told[name])))
  );
}

function render(price: Priced): string {
  return JSON.stringify(price, (_, value: unknown) =>
    typeof value === 'object' && value !== null && 'toFixed' in value ? (value as Amount).toFixed() : value,
  );
}
