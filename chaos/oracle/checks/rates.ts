// Checks the rates on which quotes are based. Each posted rate is stored once (FX-2, FX-4, FX-10). At most
// one rate of an FX provider, corridor and threshold is active at a time, and it ends when another replaces
// it (FX-4). A tier rate is the base rate with its improvement (FX-6, FX-8).
import { corridorOf } from '../corridors.ts';
import { amount, improved, same } from '../decimals.ts';
import type { Improvements } from '../improvements.ts';
import { parseExactly } from '../read-evidence.ts';
import { clock, instant, rowsOf, type RateRow } from '../rows.ts';
import type { Report } from '../verdict.ts';
import { grouped, type World } from '../world.ts';

export function judgeRates(world: World, report: Report, improvements: Improvements): void {
  const rates = rowsOf(world.evidence.tables, 'rates');
  report.examined('R:FX-4', 'rates', rates.length);
  // Rates of the seed data are older than the first request.
  const startedAt = Math.min(...world.evidence.exchanges.map(({ sentAt }) => instant(sentAt)));
  judgePosts(world, report, { rates, startedAt });
  for (const [corridor, own] of grouped(rates, (row) => `${row.fxp_id} ${corridorOf(row)}`)) {
    for (const row of own) {
      judgeOverlap(report, corridor, row, own);
      if (!isBase(row)) judgeTier(report, corridor, row, { own, improvements });
    }
    judgeSuccession(report, own, startedAt);
  }
}

const isBase = ({ threshold }: RateRow) => same(threshold, '0');
const endOf = ({ expired_at: at }: RateRow) => instant(at) ?? Infinity;

/**
 * Checks that each answered post is stored unchanged, that each base rate comes from a post, and that no post
 * made two rates.
 */
function judgePosts(
  { evidence, reference }: World,
  report: Report,
  { rates, startedAt }: { readonly rates: readonly RateRow[]; readonly startedAt: number },
): void {
  const posts = evidence.exchanges.flatMap(({ method, path, client, requestBody = '{}', ...exchange }) => {
    if (method !== 'POST' || path !== '/api/v1/rates') return [];
    const { status = 0, responseBody = '', purpose } = exchange;
    const fxp = reference.findByBic(client)?.id;
    if (fxp === undefined || (status >= 400 && status < 500)) return [];
    const body = JSON.parse(requestBody) as Readonly<Record<string, string>>;
    const places = ['sourceCountry', 'sourceCurrency', 'destinationCountry', 'destinationCurrency'];
    const key = `${fxp} ${places.map((name) => body[name] ?? '').join(' ')} ${amount(body['rate']).toFixed()}`;
    return [{ key, isRepeat: purpose === 'rate-again', ...(status === 200 ? { responseBody } : {}) }];
  });
  const keyOf = (row: RateRow) => `${row.fxp_id} ${corridorOf(row)} ${amount(row.exchange_rate).toFixed()}`;
  const byId = new Map(rates.map((row) => [row.rate_id, row]));
  for (const { key, responseBody } of posts) {
    if (responseBody === undefined) continue;
    const { rateId } = (parseExactly(responseBody) as { readonly quote: { readonly rateId: string } }).quote;
    const row = byId.get(rateId);
    if (row === undefined)
      report.breach('I-10', 'A rate was answered 200, and is not stored (FX-4).', rateId, [key]);
    else if (!isBase(row) || keyOf(row) !== key)
      report.breach('R:FX-4', 'A rate is not stored as it was posted.', rateId, [key, row]);
  }
  const made = grouped(posts, ({ key }) => key);
  const stored = rates.filter((row) => isBase(row) && instant(row.created_at) >= startedAt);
  for (const [key, rows] of grouped(stored, keyOf)) {
    const own = made.get(key) ?? [];
    const times = own.filter(({ isRepeat }) => !isRepeat).length;
    const id = rows[0]?.rate_id ?? '';
    if (own.length === 0) report.breach('R:FX-2', 'A base rate is stored that nobody posted.', id, rows);
    else if (rows.length > Math.max(times, 1))
      report.breach('R:FX-10', 'One post of a rate was stored more than once.', id, rows);
  }
}

function judgeOverlap(report: Report, corridor: string, row: RateRow, own: readonly RateRow[]): void {
  const createdAt = instant(row.created_at);
  const overlapping = own.find(
    (one) =>
      one !== row &&
      same(one.threshold, row.threshold) &&
      instant(one.created_at) >= createdAt &&
      instant(one.created_at) < endOf(row),
  );
  if (overlapping === undefined) return;
  const statement = 'Two rates of one FX provider, corridor and threshold are active at once.';
  report.breach('R:FX-4', statement, corridor, [row, overlapping]);
}

function judgeTier(
  report: Report,
  corridor: string,
  row: RateRow,
  { own, improvements }: { readonly own: readonly RateRow[]; readonly improvements: Improvements },
): void {
  const createdAt = instant(row.created_at);
  const base = own.find(
    (one) => isBase(one) && instant(one.created_at) <= createdAt && endOf(one) > createdAt,
  );
  const basisPoints = improvements.ofTier(row.fxp_id, row.source_currency, amount(row.threshold));
  const due = improved(amount(base?.exchange_rate), basisPoints);
  if (base !== undefined && due.eq(amount(row.exchange_rate))) return;
  report.breach('R:FX-8', 'The rate of a tier is not its base rate, improved.', corridor, [
    row,
    base,
    due.toFixed(),
  ]);
}

/**
 * Checks that a rate ends only when another rate of the same FX provider, corridor and threshold replaces it.
 */
function judgeSuccession(report: Report, own: readonly RateRow[], startedAt: number): void {
  const born = grouped(own, (row) => row.created_at);
  for (const row of own) {
    const endedAt = endOf(row);
    if (row.expired_at === null || endedAt < startedAt) continue;
    const heirs = born.get(row.expired_at) ?? [];
    if (heirs.some((one) => same(one.threshold, row.threshold))) continue;
    const statement = 'A rate was ended, and none of its threshold took its place.';
    report.breach('R:FX-4', statement, row.rate_id, [row, `ended ${clock(endedAt)}`, ...heirs]);
  }
}
