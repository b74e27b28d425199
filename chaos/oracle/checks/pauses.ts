// LIF-5: a paused destination gets no new payments, and a paused FX provider gets no quotes. The gateway
// refuses no payment because of a pause that did not exist. The other checks cover payments that were under
// way before the pause.
import { clock, instant, type QuoteRequestRow } from '../rows.ts';
import type { Report } from '../verdict.ts';
import type { Pause, World } from '../world.ts';
import { destinationOf } from './forwarded.ts';

/**
 * REF-6: a change takes effect after 1 s, and the gateway uses unconfirmed data for at most 3 s. The check
 * adds a margin of 1 s.
 */
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

function judgeRefused(world: World, report: Report): void {
  const refused = world.payments.filter(
    ({ row, decision }) => !row.accepted && decision?.rule_id === 'LIF-5',
  );
  report.examined('R:LIF-5', 'payments refused because their destination was paused', refused.length);
  for (const { uetr, original, submission, judgedAt } of refused) {
    const from = (submission?.createdAt ?? Number.NaN) - knownMs;
    const pauses = world.pausesOf(destinationOf(world, original));
    if (pauses.some((one) => one.from < judgedAt && one.to > from)) continue;
    const statement = 'A payment was refused for a pause that did not stand.';
    report.breach('R:LIF-5', statement, uetr, [`judged ${clock(judgedAt)}`, ...pauses.map(shownPause)]);
  }
}

/**
 * Checks that no quote comes from a paused FX provider.
 * @param sentAt time of the quote request; undefined if no HTTP exchange shows it
 */
export function judgeQuoted(
  { pausesOf }: World,
  report: Report,
  { request, sentAt }: { readonly request: QuoteRequestRow; readonly sentAt: number | undefined },
): void {
  if (sentAt === undefined) return;
  const issuedAt = instant(request.issued_at);
  const paused = request.fxp_ids.filter((fxp) =>
    pausesOf(fxp).some(({ from, to }) => from + knownMs < sentAt && issuedAt < to),
  );
  report.examined('R:LIF-5', 'quotes, and whose provider was paused', 1);
  if (paused.length === 0) return;
  const statement = 'A quote was made of a provider that was paused before it was asked for.';
  report.breach('R:LIF-5', statement, request.quote_request_id, [...paused, request]);
}

/** Whether a pause may be the reason that an FX provider is missing from the quotes of this time span. */
export function mayBePaused({ pausesOf }: World, fxp: string, from: number, to: number): boolean {
  return pausesOf(fxp).some((one) => one.from < to && one.to > from - knownMs);
}
