// LIF-5: no new payment to a destination while operators have paused it, and nobody refused for a pause that did not
// stand; no quote of an FX provider that is paused, and no rate (shown-rates.ts). What was under way before goes on: that
// all other checks see to.
import { corridorOf } from '../corridors.ts';
import type { Exchange } from '../evidence.ts';
import { clock, instant, rowsOf, type QuoteRequestRow } from '../rows.ts';
import type { Report } from '../verdict.ts';
import type { Payment, Pause, World } from '../world.ts';
import { destinationOf } from './forwarded.ts';

/** REF-6: a change counts after 1 s, and data that nobody confirms are used for 3 s at most; and 1 s to be sure. */
const knownMs = 5_000;

export function judgePauses(world: World, report: Report): void {
  judgeAccepted(world, report);
  judgeRefused(world, report);
}

const shownPause = ({ from, to }: Pause) => `paused from ${clock(from)} to ${clock(to)}`;

function judgeAccepted({ payments, pausesOf }: World, report: Report): void {
  const accepted = payments.filter(({ row }) => row.accepted);
  report.examined('R:LIF-5', 'accepted payments, and who was paused', accepted.length);
  for (const { uetr, row, submission, judgedAt } of accepted) {
    const createdAt = submission?.createdAt ?? Number.NaN;
    const pause = pausesOf(row.destination_clearing_system).find(
      ({ from, to }) => from + knownMs < createdAt && judgedAt < to,
    );
    if (pause === undefined) continue;
    const statement = 'A payment was accepted for a destination that was paused before it came.';
    const shown = [shownPause(pause), `stored ${clock(createdAt)}, judged ${clock(judgedAt)}`];
    report.breach('R:LIF-5', statement, uetr, shown);
  }
}

const isRefusedForPause = ({ row, decision }: Payment) => !row.accepted && decision?.rule_id === 'LIF-5';

function judgeRefused(world: World, report: Report): void {
  const refused = world.payments.filter(isRefusedForPause);
  report.examined('R:LIF-5', 'payments refused because their destination was paused', refused.length);
  for (const { uetr, original, submission, judgedAt, decision, events } of refused) {
    const destination = destinationOf(world, original);
    const from = (submission?.createdAt ?? Number.NaN) - knownMs;
    const pauses = world.pausesOf(destination);
    if (!pauses.some((one) => one.from < judgedAt && one.to > from)) {
      const statement = 'A payment was refused for a pause that did not stand.';
      report.breach('R:LIF-5', statement, uetr, [`judged ${clock(judgedAt)}`, ...pauses.map(shownPause)]);
    }
    if (decision?.reason_code !== 'ED06')
      report.breach('R:LIF-5', 'A pause was told with another code than ED06.', uetr, [decision]);
    if (events.some(({ kind, party }) => kind === 'payment.destination-paused' && party === destination))
      continue;
    const statement = 'A payment was refused for a pause, and who was paused is not on record.';
    report.breach('R:LIF-5', statement, uetr, [`destination ${destination ?? 'unknown'}`, ...events]);
  }
}

/** @param sentAt when the quotes were asked for, if anybody saw it */
export function judgeQuoted(
  world: World,
  report: Report,
  { request, sentAt }: { readonly request: QuoteRequestRow; readonly sentAt: number | undefined },
): void {
  if (sentAt === undefined) return;
  const issuedAt = instant(request.issued_at);
  const paused = request.fxp_ids.filter((fxp) => isPaused(world, fxp, { from: sentAt, to: issuedAt }));
  report.examined('R:LIF-5', 'quotes, and whose provider was paused', 1);
  if (paused.length === 0) return;
  const statement = 'A quote was made of a provider that was paused before it was asked for.';
  report.breach('R:LIF-5', statement, request.quote_request_id, [...paused, request]);
}

/** Within which an answer was made, at the earliest and at the latest. */
interface Made {
  readonly from: number;
  readonly to: number;
}

/** Whether a provider may rightly have been left out of an answer, because somebody had paused it. */
export function mayBePaused({ pausesOf }: World, fxp: string, made: Made): boolean {
  return pausesOf(fxp).some((one) => one.from < made.to && one.to > made.from - knownMs);
}

/** Whether a provider must have been left out of it. */
export function isPaused({ pausesOf }: World, fxp: string, made: Made): boolean {
  return pausesOf(fxp).some((one) => one.from + knownMs < made.from && made.to < one.to);
}

/** Whether no quotes, in answer to `/quotes/...`, may be right whatever was asked: who has rates for them was left out. */
export function mayQuoteNobody(world: World, exchange: Exchange): boolean {
  if (exchange.status !== 200) return false;
  const { quotes } = JSON.parse(exchange.responseBody ?? '{}') as { readonly quotes?: readonly unknown[] };
  const corridor = exchange.path.split('/').slice(2, 6).join(' ');
  const rates = rowsOf(world.evidence.tables, 'rates').filter((row) => corridorOf(row) === corridor);
  return quotes?.length === 0 && rates.every((row) => mayBePaused(world, row.fxp_id, madeIn(exchange)));
}

export const madeIn = ({ sentAt, endedAt }: Exchange): Made => ({
  from: instant(sentAt),
  to: instant(endedAt),
});
