// LIF-5: no new payment to a destination while operators have paused it, and nobody refused for a pause that did not
// stand; no quote of an FX provider that is paused. What was under way before goes on: that all other checks see to.
import { clock, instant, type QuoteRequestRow } from '../rows.ts';
import type { Report } from '../verdict.ts';
import type { Payment, Pause, World } from '../world.ts';
import { destinationOf } from './forwarded.ts';

/** REF-6: a change counts after 1 s, and data that nobody confirms are used for 3 s at most; and 1 s to be sure. */
const knownMs = 5_000;

export function judgePauses(world: World, report: Report): void {
  judgeAccepted(world, report);
  judgeRefused(world, report);
  judgeQuoted(world, report);
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

function judgeQuoted(world: World, report: Report): void {
  const { quoteRequests } = world;
  const askedAt = askedAtOf(world);
  report.examined('R:LIF-5', 'quotes, and whose provider was paused', quoteRequests.length);
  for (const request of quoteRequests) {
    const sentAt = askedAt.get(request.quote_request_id);
    const issuedAt = instant(request.issued_at);
    if (sentAt === undefined) continue; // nobody has seen when it was asked, or it was made older (QUO-6)
    const paused = request.fxp_ids.filter((fxp) =>
      world.pausesOf(fxp).some(({ from, to }) => from + knownMs < sentAt && issuedAt < to),
    );
    if (paused.length === 0) continue;
    const statement = 'A quote was made of a provider that was paused before it was asked for.';
    report.breach('R:LIF-5', statement, request.quote_request_id, [...paused, request]);
  }
}

/** When a request for quotes was sent, by its id. */
function askedAtOf({ evidence }: World): ReadonlyMap<string, number> {
  const asked = evidence.exchanges.filter(
    ({ method, path, purpose }) =>
      method === 'GET' && /^\/quotes\//.test(path) && purpose !== 'quote-to-expire',
  );
  return new Map(
    asked.flatMap(({ responseBody, sentAt }) => {
      const [, id] = /"quoteRequestId":\s*"([^"]+)"/.exec(responseBody ?? '') ?? [];
      return id === undefined ? [] : [[id, instant(sentAt)] as const];
    }),
  );
}

/** Whether a provider may rightly have been left out of an answer, because somebody had paused it. */
export function mayBePaused(
  { pausesOf }: World,
  { fxp, from, request }: { readonly fxp: string; readonly from: number; readonly request: QuoteRequestRow },
): boolean {
  const issuedAt = instant(request.issued_at);
  return pausesOf(fxp).some((one) => one.from < issuedAt && one.to > from - knownMs);
}
