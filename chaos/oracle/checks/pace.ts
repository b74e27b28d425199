// I-16 and I-20: while nothing is broken, senders are answered soon, nothing is judged late, no defect of ours shows, and the
// sweep has nothing to find.
import { clock, instant } from '../rows.ts';
import type { Report } from '../verdict.ts';
import { isPost, toSubmission, type World } from '../world.ts';

const slowMs = 5_000; // I-16 says one second; a busy machine gets five
const recoveryMs = 10_000; // after a fault
const sweepMs = 150_000; // what a fault left may be found that late: due for 60 s, then two sweeps (LIF-2)

export function judgePace(world: World, report: Report): void {
  judgeAnswerTimes(world, report);
  judgeDefects(world, report);
  judgeSweep(world, report);
}

function judgeAnswerTimes(world: World, report: Report): void {
  const { quiet, evidence } = world;
  const messages = evidence.exchanges.filter(
    (one) => isPost(one, '/iso20022/pacs008') || isPost(one, '/iso20022/acmt023'),
  );
  const calm = messages.filter((one) => quiet.isCalm(instant(one.sentAt), instant(one.endedAt), recoveryMs));
  report.examined('I-16', 'messages sent while nothing was broken', calm.length);
  for (const exchange of calm) {
    const { sentAt, endedAt } = toSubmission(exchange);
    const waitSeconds = Number(/wait\s*=\s*(\d+)/i.exec(exchange.prefer ?? '')?.[1] ?? 0);
    const resolutionSeconds = isPost(exchange, '/iso20022/acmt023')
      ? (world.reference.systems.get(exchange.client)?.maxResolutionSeconds ?? 8)
      : 0;
    const allowedMs = slowMs + (waitSeconds + resolutionSeconds) * 1_000;
    const tookMs = endedAt - sentAt;
    const subject = exchange.uetr ?? exchange.messageId ?? exchange.path;
    const shown = [
      `${exchange.client} ${exchange.purpose} ${exchange.sentAt} to ${exchange.endedAt}`,
      `HTTP ${exchange.status ?? exchange.error ?? '?'}`,
    ];
    if (exchange.status === undefined && exchange.error !== 'aborted') {
      report.breach('I-16', 'A message got no answer, though nothing was broken.', subject, shown);
    } else if (exchange.status !== undefined && tookMs > allowedMs) {
      report.breach(
        'I-16',
        `A message was answered after ${Math.round(tookMs)} ms, though nothing was broken.`,
        subject,
        shown,
      );
    }
  }
  judgeJudgements(world, report);
}

/** From being stored to being judged. */
function judgeJudgements(world: World, report: Report): void {
  for (const { uetr, submission, judgedAt } of world.payments) {
    if (submission === undefined || judgedAt - submission.createdAt <= slowMs) continue;
    if (!world.quiet.isCalm(submission.createdAt, judgedAt, recoveryMs)) continue;
    const shown = [`stored ${clock(submission.createdAt)}`, `judged ${clock(judgedAt)}`];
    report.breach('I-16', 'A message was judged late, though nothing was broken.', uetr, shown);
  }
}

/** SEC-9: a defect of ours is answered, and it is a defect all the same. */
function judgeDefects(world: World, report: Report): void {
  report.examined('R:SEC-9', 'audit events', world.events.length);
  for (const event of world.events) {
    if (!event.kind.endsWith('.defect')) continue;
    report.breach('R:SEC-9', `A defect of the gateway's own: ${event.kind}.`, event.subject_id ?? '', [
      event,
    ]);
  }
}

/** I-20. */
function judgeSweep(world: World, report: Report): void {
  const { quiet, events } = world;
  const found = events.filter(({ kind }) => kind === 'sweep.started-again');
  report.examined('I-20', 'events of a run without faults', quiet.hadFaults ? 0 : events.length + 1);
  for (const event of found) {
    const at = instant(event.occurred_at);
    if (!quiet.isCalm(at, at, sweepMs)) continue;
    report.breach(
      'I-20',
      'The sweep found work that nobody was doing, though nothing had failed.',
      event.subject_id ?? '',
      [event],
    );
  }
}
