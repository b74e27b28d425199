// GET /rates/ and GET /api/v1/rates: the current rates of a corridor for who compares them, each FX provider's own for
// itself, as they are stored, best first, and nobody else's (FX-9).
import { isShownTime } from '../compared.ts';
import { corridorOf, sapOf } from '../corridors.ts';
import { amount, same } from '../decimals.ts';
import type { Exchange } from '../evidence.ts';
import { parseExactly } from '../read-evidence.ts';
import { shownAs } from '../reference.ts';
import { instant, rowsOf, type RateRow } from '../rows.ts';
import type { Report } from '../verdict.ts';
import type { World } from '../world.ts';
import { isPaused, madeIn, mayBePaused } from './pauses.ts';

interface Shown {
  readonly rateId: string;
  readonly fxpfinInstIdType: string;
  readonly fxpfinInstId: string;
  readonly sourceCountry: string;
  readonly sourceCurrency: string;
  readonly destinationCountry: string;
  readonly destinationCurrency: string;
  readonly exchangeRate: string;
  readonly threshold: string;
  readonly createdDateTime: string;
}

const lockMs = 5_000; // a statement's time is that of its beginning; a lock may hold it up

export function judgeShownRates(world: World, report: Report): void {
  const rates = new Map(rowsOf(world.evidence.tables, 'rates').map((row) => [row.rate_id, row]));
  const asked = world.evidence.exchanges.filter(
    ({ method, path, status }) =>
      method === 'GET' && status === 200 && /^(?:\/api\/v1)?\/rates\/?(?:\?|$)/.test(path),
  );
  report.examined('R:FX-9', 'lists of rates that were shown', asked.length);
  for (const exchange of asked) {
    const wrong = listFaults(world, exchange, rates);
    if (wrong.length > 0)
      report.breach('R:FX-9', 'The rates that were shown are not those that are current.', exchange.client, [
        `${exchange.path} ${exchange.sentAt} to ${exchange.endedAt}`,
        ...wrong,
      ]);
  }
}

function listFaults(
  world: World,
  exchange: Exchange,
  rates: ReadonlyMap<string, RateRow>,
): readonly string[] {
  const { rates: shown } = parseExactly(exchange.responseBody ?? '') as { readonly rates: readonly Shown[] };
  const { institutions } = world.reference;
  const query = new URLSearchParams(exchange.path.split('?')[1] ?? '');
  const corridor = ['source', 'destination']
    .flatMap((side) => [query.get(`${side}Country`), query.get(`${side}Currency`)])
    .join(' ');
  const own = exchange.path.startsWith('/api/v1/')
    ? world.reference.findById('BICFI', exchange.client)?.id
    : undefined;
  const made = madeIn(exchange);
  const isAsked = (row: RateRow) => (own === undefined ? corridorOf(row) === corridor : row.fxp_id === own);
  const lines = shown.flatMap((one) => {
    const row = rates.get(one.rateId);
    if (row === undefined) return [`${one.rateId}: not stored`];
    const named = shownAs(institutions.get(row.fxp_id));
    const isIts =
      one.fxpfinInstIdType === named.type &&
      one.fxpfinInstId === named.id &&
      isShownTime(one.createdDateTime, row.created_at) &&
      same(one.exchangeRate, row.exchange_rate) &&
      same(one.threshold, row.threshold) &&
      corridorOf(row) ===
        [one.sourceCountry, one.sourceCurrency, one.destinationCountry, one.destinationCurrency].join(' ');
    if (!isIts) return [`${one.rateId}: shown otherwise than it is stored`];
    if (!isAsked(row)) return [`${one.rateId}: of another corridor, or another FX provider`];
    if (own === undefined && isPaused(world, row.fxp_id, made))
      return [`${one.rateId}: of an FX provider that is paused`];
    const isCurrent =
      instant(row.created_at) < instant(exchange.endedAt) + lockMs &&
      (row.expired_at === null || instant(row.expired_at) > instant(exchange.sentAt) - lockMs);
    return isCurrent ? [] : [`${one.rateId}: not current`];
  });
  const ids = new Set(shown.map(({ rateId }) => rateId));
  const mayBeLeftOut = (row: RateRow) => own === undefined && mayBePaused(world, row.fxp_id, made);
  const missing = [...rates.values()].filter(
    (row) =>
      isAsked(row) &&
      isLasting(row, exchange) &&
      isSetUp(world, row) &&
      !mayBeLeftOut(row) &&
      !ids.has(row.rate_id),
  );
  const isSorted = shown.every(
    ({ exchangeRate }, index) =>
      index === 0 || amount(shown[index - 1]?.exchangeRate).gte(amount(exchangeRate)),
  );
  return [
    ...lines,
    ...missing.map((row) => `${row.rate_id}: not shown`),
    ...(isSorted ? [] : ['not best first']),
  ];
}

/** Current all the while. */
function isLasting({ created_at: from, expired_at: to }: RateRow, { sentAt, endedAt }: Exchange): boolean {
  if (instant(from) > instant(sentAt) - lockMs) return false;
  return to === null || instant(to) > instant(endedAt) + lockMs;
}

/** Its FX provider can settle at both ends (FX-3): else no quote can use it. */
function isSetUp({ reference }: World, row: RateRow): boolean {
  return (
    sapOf(reference, row.fxp_id, row.source_country, row.source_currency) !== undefined &&
    sapOf(reference, row.fxp_id, row.destination_country, row.destination_currency) !== undefined
  );
}
