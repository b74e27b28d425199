// I-16 and I-20: while no part of the gateway is broken, senders get prompt answers, no defect occurs, and
// the sweep finds nothing. The parties' faults must not change this (CBK-3).
import type { Exchange } from '../evidence.ts';
import { instant } from '../rows.ts';
import type { Report } from '../verdict.ts';
import { isPost, type World } from '../world.ts';
import { lineOfExchange } from './lines.ts';

const slowMs = 5_000; // I-16 requires one second; the check allows five on a busy machine
const promptMs = 2_000;
const aroundMs = 3_000;
const mostPrompt = 0.9; // if a smaller share of concurrent requests is prompt, the machine is too busy to judge
const recoveryMs = 10_000; // time to recover after a fault
const recoveredMs = 60_000; // I-15: the effects of a fault are over after this time
const sweepMs = 150_000; // the sweep may find effects of a fault so late: due for 60 s, then two sweeps (LIF-2)

export function judgePace(world: World, report: Report): void {
  judgeAnswerTimes(world, report);
  judgeDefects(world, report);
  judgeSweep(world, report);
}

/** A submission, with the speed of its answer. */
interface Posted {
  readonly exchange: Exchange;
  readonly sentAt: number;
  readonly endedAt: number;
  readonly isSlow: boolean;
  /** The gateway judged the message or refused its content within `promptMs`, and did not lack capacity. */
  readonly isPrompt: boolean;
}

function judgeAnswerTimes(world: World, report: Report): void {
  const { quiet, evidence } = world;
  const posted = evidence.exchanges
    .filter((one) => isPost(one, '/iso20022/pacs008') || isPost(one, '/iso20022/acmt023'))
    .map((exchange) => toPosted(world, exchange));
  const calm = posted.filter(({ sentAt, endedAt }) => quiet.isCalm([], sentAt, endedAt, recoveryMs));
  report.examined('I-16', 'messages sent while nothing of ours was broken', calm.length);
  for (const one of calm.filter((each) => each.isSlow && isAlone(each, posted))) {
    const took = `after ${Math.round(one.endedAt - one.sentAt)} ms, while others were answered at once`;
    const statement =
      one.exchange.status === undefined
        ? 'A message got no answer, while others were answered at once.'
        : `A message was answered ${took}.`;
    report.late('I-16', statement, subjectOf(one), [lineOf(one)], spanOf(one));
  }
  judgeRecovery(world, report, posted);
}

/**
 * From a minute after the last fault, at least half of the messages are answered in time. A busy machine
 * alone cannot explain a smaller share.
 */
function judgeRecovery({ quiet }: World, report: Report, posted: readonly Posted[]): void {
  const late = posted.filter(({ sentAt, endedAt }) => quiet.isCalm([], sentAt, endedAt, recoveredMs));
  const judged = late.filter(
    (one) =>
      !one.isSlow ||
      !report.isUnjudged('I-16', 'A message was not answered in time.', subjectOf(one), spanOf(one)),
  );
  const slow = judged.filter(({ isSlow }) => isSlow);
  const [first] = slow;
  if (first === undefined || slow.length < 10 || slow.length * 2 < judged.length) return;
  const statement = `${slow.length} of ${judged.length} messages were not answered in ${slowMs / 1_000} s, more than a minute after the last fault.`;
  report.breach('I-16', statement, subjectOf(first), slow.map(lineOf));
}

const subjectOf = ({ exchange }: Posted) => exchange.uetr ?? exchange.messageId ?? exchange.path;
const spanOf = ({ sentAt, endedAt }: Posted) => ({ from: sentAt, to: endedAt });
const lineOf = ({ exchange }: Posted) => lineOfExchange(exchange);

function toPosted({ reference }: World, exchange: Exchange): Posted {
  const { status, error, prefer = '', client } = exchange;
  const [sentAt, endedAt] = [instant(exchange.sentAt), instant(exchange.endedAt)];
  const waitSeconds = Number(/wait\s*=\s*(\d+)/i.exec(prefer)?.[1] ?? 0);
  const resolutionSeconds = isPost(exchange, '/iso20022/acmt023')
    ? (reference.systems.get(client)?.maxResolutionSeconds ?? 8)
    : 0;
  const tookMs = endedAt - sentAt;
  const isUnanswered = status === undefined && error !== 'aborted';
  return {
    exchange,
    sentAt,
    endedAt,
    isSlow:
      isUnanswered || (status !== undefined && tookMs > slowMs + (waitSeconds + resolutionSeconds) * 1_000),
    isPrompt: status !== undefined && status < 500 && status !== 429 && tookMs < promptMs,
  };
}

/**
 * Whether other requests to the same api at that time were answered promptly, so that a busy machine does not
 * explain the delay.
 */
function isAlone({ exchange, sentAt }: Posted, posted: readonly Posted[]): boolean {
  const others = posted.filter(
    (one) =>
      one.exchange !== exchange &&
      one.exchange.api === exchange.api &&
      Math.abs(one.sentAt - sentAt) < aroundMs,
  );
  return others.filter(({ isPrompt }) => isPrompt).length >= others.length * mostPrompt;
}

/** SEC-9: a defect in the gateway is a breach even if the request was answered. */
function judgeDefects(world: World, report: Report): void {
  report.examined('R:SEC-9', 'audit events', world.events.length);
  for (const event of world.events) {
    if (!event.kind.endsWith('.defect') && !event.kind.startsWith('message.unanswerable')) continue;
    report.breach('R:SEC-9', `A defect of the gateway's own: ${event.kind}.`, event.subject_id ?? '', [
      event,
    ]);
  }
}

/** I-20: the sweep finds no lost work unless a fault can explain it. */
function judgeSweep(world: World, report: Report): void {
  const { quiet, events } = world;
  const found = events.filter(({ kind }) => kind === 'sweep.started-again');
  report.examined('I-20', 'events of a run without faults', quiet.hadFaults ? 0 : events.length + 1);
  for (const event of found) {
    const at = instant(event.occurred_at);
    if (!quiet.isCalm([], at, at, sweepMs)) continue;
    report.late(
      'I-20',
      'The sweep found work that nobody was doing, though nothing had failed.',
      event.subject_id ?? '',
      [event],
      { from: at - sweepMs, to: at },
    );
  }
}
