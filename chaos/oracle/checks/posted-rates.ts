// What FX providers posted, and what became of it: stored as it was posted, once (FX-4, FX-10), answered as it is
// stored (FX-5), and nothing of anybody else's touched by it.
import { faultsOf, isShownTime } from '../compared.ts';
import { corridorOf, type Corridor } from '../corridors.ts';
import { amount, same } from '../decimals.ts';
import type { Exchange } from '../evidence.ts';
import { openImprovements } from '../improvements.ts';
import { parseExactly } from '../read-evidence.ts';
import { clock, instant, rowsOf, type RateRow } from '../rows.ts';
import type { Report } from '../verdict.ts';
import { isPaused, mayBePaused } from './pauses.ts';
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
  readonly status: string;
  readonly quote: Line & Shown & { readonly tierRates: readonly Line[] };
  readonly marketRate: { readonly exchangeRate: string | null };
}

interface Line {
  readonly rateId: string;
  readonly exchangeRate: string;
  readonly threshold: string;
  readonly createdDateTime: string;
}

interface Shown {
  readonly sourceCountry: string;
  readonly sourceCurrency: string;
  readonly destinationCountry: string;
  readonly destinationCurrency: string;
}

export function judgePostedRates(world: World, report: Report): void {
  const rates = rowsOf(world.evidence.tables, 'rates');
  const posts = world.evidence.exchanges.flatMap((exchange) => postOf(world, exchange));
  const answered = posts.filter(({ exchange }) => exchange.status === 200);
  report.examined('R:FX-5', 'answers to rates that were posted', answered.length);
  const byId = new Map(rates.map((row) => [row.rate_id, row]));
  for (const post of answered) {
    const { quote, marketRate, status } = parseExactly(post.exchange.responseBody ?? '') as Answered;
    const base = judgeAnswer(report, post, { quote, status, byId, rates });
    if (base !== undefined) judgeMarket(world, report, { post, base, told: marketRate.exchangeRate, rates });
  }
  judgeKeys(report, answered);
  // what the seed brought is older than all that anybody asked
  const startedAt = Math.min(...world.evidence.exchanges.map(({ sentAt }) => instant(sentAt)));
  const posted = rates.filter((row) => isBase(row) && instant(row.created_at) >= startedAt);
  judgeOrigins(report, posted, posts);
  judgeSuccession(report, rates, { startedAt, mayHaveEnded: mayHaveEndedIn(world) });
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

interface Stored extends Pick<Answered, 'quote' | 'status'> {
  readonly byId: ReadonlyMap<string, RateRow>;
  readonly rates: readonly RateRow[];
}

/** FX-4, FX-5: the new base rate and its tiers, as they are stored. @returns the base rate, if there is one */
function judgeAnswer(
  report: Report,
  { exchange, fxp, corridor, rate }: Post,
  { quote, status, byId, rates }: Stored,
): RateRow | undefined {
  const base = byId.get(quote.rateId);
  const shown = [`${exchange.client} posted ${rate} for ${corridor} ${exchange.sentAt}`, base];
  if (base === undefined) {
    report.breach('I-10', 'A rate was answered 200, and is not stored (FX-4).', quote.rateId, shown);
    return undefined;
  }
  const isAsPosted =
    base.fxp_id === fxp && corridorOf(base) === corridor && isBase(base) && same(base.exchange_rate, rate);
  if (!isAsPosted) report.breach('R:FX-4', 'A rate is not stored as it was posted.', quote.rateId, shown);
  const wrong = [quote, ...quote.tierRates].filter((line) => {
    const row = byId.get(line.rateId);
    const isOwn = row?.fxp_id === fxp && corridorOf(row) === corridor && row.created_at === base.created_at;
    if (!isOwn || !isShownTime(line.createdDateTime, row.created_at)) return true;
    return !same(row.exchange_rate, line.exchangeRate) || !same(row.threshold, line.threshold);
  });
  const head = faultsOf([
    ['status', status, 'accepted'],
    ['corridor', corridorOf(columnsOf(quote)), corridor],
  ]);
  const set = rates.filter(
    (row) => row.fxp_id === fxp && corridorOf(row) === corridor && row.created_at === base.created_at,
  );
  if (head.length + wrong.length > 0 || set.length !== quote.tierRates.length + 1)
    report.breach('R:FX-5', 'The rate that was answered is not the one that is stored.', quote.rateId, [
      ...shown,
      ...head,
      ...wrong,
    ]);
  return base;
}

const columnsOf = (shown: Shown): Corridor => ({
  source_country: shown.sourceCountry,
  source_currency: shown.sourceCurrency,
  destination_country: shown.destinationCountry,
  destination_currency: shown.destinationCurrency,
});

/** What a transaction may take from its moment to its end; and so where something of ours was broken. */
const openMs = 10_000;
const openLongMs = 120_000;

interface Market {
  readonly post: Post;
  readonly base: RateRow;
  readonly told: string | null;
  readonly rates: readonly RateRow[];
}

/**
 * FX-5: the best of the base rates that were active while the post was made, the new one included. Of its own FX
 * provider there is no other; rates of others that began or ended at about that time may count or not. So may rates of
 * an FX provider that was paused or resumed at about that time; while it is paused, they do not count.
 */
function judgeMarket(world: World, report: Report, { post, base, told, rates }: Market): void {
  const { quiet } = world;
  const [from, to] = [instant(base.created_at), instant(post.exchange.endedAt)];
  const isBroken = quiet.isOursBroken(from - openLongMs, to, openLongMs);
  const marginMs = isBroken ? openLongMs : openMs;
  const others = rates.filter(
    (row) => row.fxp_id !== base.fxp_id && corridorOf(row) === corridorOf(base) && isBase(row),
  );
  const endOf = (row: RateRow) => instant(row.expired_at) ?? Infinity;
  const made = { from: from - marginMs, to };
  const possible = [
    base,
    ...others.filter((row) => instant(row.created_at) <= to && endOf(row) >= from - marginMs),
  ].filter((row) => !isPaused(world, row.fxp_id, made));
  const sure = possible.filter(
    (row) =>
      (row === base || (instant(row.created_at) < from - marginMs && endOf(row) > to)) &&
      !mayBePaused(world, row.fxp_id, made),
  );
  const isActive = told === null || possible.some((row) => same(row.exchange_rate, told));
  const better = sure.filter((row) => told === null || amount(row.exchange_rate).gt(amount(told)));
  if (isActive && better.length === 0) return;
  report.breach('R:FX-5', 'The market rate that was answered is not the best active one.', base.rate_id, [
    `told ${String(told)} for ${post.corridor} from ${clock(from)} to ${clock(to)}`,
    isActive ? 'active' : 'no rate that was active is this one',
    ...better,
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

/** FX-6: a tier of 0 basis points has no rate. */
function mayHaveEndedIn({ evidence, reference }: World): (row: RateRow) => boolean {
  const improvements = openImprovements(evidence, reference);
  return (row) =>
    !isBase(row) &&
    improvements
      .ofTier(row.fxp_id, row.source_currency, amount(row.threshold), (instant(row.expired_at) ?? 0) + 1)
      .some((points) => points.isZero());
}

interface Succession {
  readonly startedAt: number;
  readonly mayHaveEnded: (row: RateRow) => boolean;
}

/** FX-4, FX-6: a rate ends when another of the same FX provider and corridor takes its place, and each tier goes on. */
function judgeSuccession(
  report: Report,
  rates: readonly RateRow[],
  { startedAt, mayHaveEnded }: Succession,
): void {
  for (const [key, own] of grouped(rates, (row) => `${row.fxp_id} ${corridorOf(row)}`)) {
    const born = grouped(own, (row) => row.created_at);
    for (const row of own) {
      const { expired_at: expiredAt } = row;
      if (expiredAt === null || instant(expiredAt) < startedAt || mayHaveEnded(row)) continue;
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
