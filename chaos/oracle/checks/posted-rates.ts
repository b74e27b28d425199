// What FX providers posted, and what became of it: stored as it was posted, once (FX-4, FX-10), answered as it is
// stored (FX-5), and nothing of anybody else's touched by it.
import { corridorOf } from '../corridors.ts';
import { amount, same } from '../decimals.ts';
import type { Exchange } from '../evidence.ts';
import { parseExactly } from '../read-evidence.ts';
import { clock, instant, rowsOf, type RateRow } from '../rows.ts';
import type { Report } from '../verdict.ts';
import { grouped, type World } from '../world.ts';

/** A post that its sender may have made; the rate that it carries. */
interface Post {
  readonly exchange: Exchange;
  readonly fxp: string;
  readonly corridor: string;
  readonly rate: string;
  /** The same post again, under its key. */
  readonly isRepeat: boolean;
}

interface Answered {
  readonly quote: Line & { readonly tierRates: readonly Line[] };
  readonly marketRate: { readonly exchangeRate: string };
}

interface Line {
  readonly rateId: string;
  readonly exchangeRate: string;
  readonly threshold: string;
}

export function judgePostedRates(world: World, report: Report): void {
  const rates = rowsOf(world.evidence.tables, 'rates');
  const posts = world.evidence.exchanges.flatMap((exchange) => postOf(world, exchange));
  const answered = posts.filter(({ exchange }) => exchange.status === 200);
  report.examined('R:FX-5', 'answers to rates that were posted', answered.length);
  const byId = new Map(rates.map((row) => [row.rate_id, row]));
  for (const post of answered) judgeAnswer(report, post, { byId, rates });
  judgeKeys(report, answered);
  // what the seed brought is older than all that anybody asked
  const startedAt = Math.min(...world.evidence.exchanges.map(({ sentAt }) => instant(sentAt)));
  const posted = rates.filter((row) => isBase(row) && instant(row.created_at) >= startedAt);
  judgeOrigins(report, posted, posts);
  judgeSuccession(report, rates, startedAt);
}

const isBase = ({ threshold }: RateRow) => same(threshold, '0');

function postOf({ reference }: World, exchange: Exchange): readonly Post[] {
  const { method, path, client, requestBody = '', status = 0 } = exchange;
  if (method !== 'POST' || !['/api/v1/rates', '/rates/'].includes(path)) return [];
  const fxp = reference.findById('BICFI', client)?.id;
  const isRefused = status >= 400 && status < 500;
  if (fxp === undefined || isRefused) return [];
  const body = JSON.parse(requestBody) as Readonly<Record<string, string>>;
  const corridor = corridorOf({
    source_country: body['sourceCountry'] ?? '',
    source_currency: body['sourceCurrency'] ?? '',
    destination_country: body['destinationCountry'] ?? '',
    destination_currency: body['destinationCurrency'] ?? '',
  });
  return [{ exchange, fxp, corridor, rate: body['rate'] ?? '', isRepeat: exchange.purpose === 'rate-again' }];
}

interface Stored {
  readonly byId: ReadonlyMap<string, RateRow>;
  readonly rates: readonly RateRow[];
}

/** FX-4, FX-5: the new base rate and its tiers, as they are stored; the best rate of the corridor. */
function judgeAnswer(report: Report, { exchange, fxp, corridor, rate }: Post, { byId, rates }: Stored): void {
  const { quote, marketRate } = parseExactly(exchange.responseBody ?? '') as Answered;
  const base = byId.get(quote.rateId);
  const shown = [`${exchange.client} posted ${rate} for ${corridor} ${exchange.sentAt}`, base];
  if (base === undefined) {
    report.breach('I-10', 'A rate was answered 200, and is not stored (FX-4).', quote.rateId, shown);
    return;
  }
  const isAsPosted =
    base.fxp_id === fxp && corridorOf(base) === corridor && isBase(base) && same(base.exchange_rate, rate);
  if (!isAsPosted) report.breach('R:FX-4', 'A rate is not stored as it was posted.', quote.rateId, shown);
  const wrong = [quote, ...quote.tierRates].filter((line) => {
    const row = byId.get(line.rateId);
    const isOwn = row?.fxp_id === fxp && corridorOf(row) === corridor && row.created_at === base.created_at;
    return !isOwn || !same(row.exchange_rate, line.exchangeRate) || !same(row.threshold, line.threshold);
  });
  const set = rates.filter(
    (row) => row.fxp_id === fxp && corridorOf(row) === corridor && row.created_at === base.created_at,
  );
  if (wrong.length > 0 || set.length !== quote.tierRates.length + 1)
    report.breach('R:FX-5', 'The rate that was answered is not the one that is stored.', quote.rateId, [
      ...shown,
      ...wrong,
    ]);
  const market = rates.filter((row) => corridorOf(row) === corridor && isBase(row));
  const isMarket =
    amount(marketRate.exchangeRate).gte(amount(rate)) &&
    market.some((row) => same(row.exchange_rate, marketRate.exchangeRate));
  if (!isMarket)
    report.breach('R:FX-5', 'The market rate that was answered is nobody’s, or not the best.', quote.rateId, [
      ...shown,
      marketRate,
    ]);
}

/** FX-10: the same post again is answered in the same words. */
function judgeKeys(report: Report, answered: readonly Post[]): void {
  const sorted = [...answered].sort(
    (one, other) => instant(one.exchange.endedAt) - instant(other.exchange.endedAt),
  );
  const latest = new Map<string, string>();
  let repeats = 0;
  for (const { exchange, isRepeat } of sorted) {
    const key = `${exchange.client} ${exchange.requestBody ?? ''}`;
    const before = latest.get(key);
    if (isRepeat && before !== undefined) {
      repeats += 1;
      if (before !== exchange.responseBody)
        report.breach('R:FX-10', 'The same post under the same key got another answer.', exchange.client, [
          before,
          exchange.responseBody,
        ]);
    }
    latest.set(key, exchange.responseBody ?? '');
  }
  report.examined('R:FX-10', 'posts that were made again', repeats);
}

/** FX-2, FX-10: each base rate was posted, and no post made two of them. */
function judgeOrigins(report: Report, posted: readonly RateRow[], posts: readonly Post[]): void {
  const keyOfRow = (row: RateRow) =>
    `${row.fxp_id} ${corridorOf(row)} ${amount(row.exchange_rate).toFixed()}`;
  const keyOfPost = ({ fxp, corridor, rate }: Post) => `${fxp} ${corridor} ${amount(rate).toFixed()}`;
  const made = grouped(posts, keyOfPost);
  for (const [key, rows] of grouped(posted, keyOfRow)) {
    const own = made.get(key) ?? [];
    const times = own.filter(({ isRepeat }) => !isRepeat).length;
    if (own.length === 0)
      report.breach('R:FX-2', 'A base rate is stored that nobody posted.', rows[0]?.rate_id ?? '', rows);
    else if (rows.length > Math.max(times, 1))
      report.breach('R:FX-10', 'One post of a rate was stored more than once.', rows[0]?.rate_id ?? '', rows);
  }
}

/** FX-4, FX-6: a rate ends when another of the same FX provider and corridor takes its place, and each tier goes on. */
function judgeSuccession(report: Report, rates: readonly RateRow[], startedAt: number): void {
  for (const [key, own] of grouped(rates, (row) => `${row.fxp_id} ${corridorOf(row)}`)) {
    const born = grouped(own, (row) => row.created_at);
    for (const row of own) {
      const { expired_at: expiredAt } = row;
      if (expiredAt === null || instant(expiredAt) < startedAt) continue;
      const heirs = born.get(expiredAt) ?? [];
      if (heirs.length === 0)
        report.breach('R:FX-4', 'A rate was ended, and none took its place.', row.rate_id, [row]);
      else if (!heirs.some((one) => same(one.threshold, row.threshold)))
        report.breach('R:FX-4', 'A tier has no rate after a new base rate was posted.', key, [
          row,
          `ended ${clock(instant(expiredAt))}`,
          ...heirs,
        ]);
    }
  }
}
