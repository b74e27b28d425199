// CBK-3: a receiver that is dead, slow or has no resolvable name delays no other receiver, for any kind of
// message. A healthy receiver gets its messages immediately.
import { clock, instant } from '../rows.ts';
import { receiverOf } from '../reference.ts';
import type { Report } from '../verdict.ts';
import type { Attempt, Delivery, World } from '../world.ts';

const promptMs = 2_000;
const recoveredMs = 60_000; // I-15: the effects of faults in the gateway are over after this time

interface Sent {
  readonly delivery: Delivery;
  readonly receiver: string;
  readonly attempt: Attempt;
}

export function judgeHeldUp(world: World, report: Report): void {
  const sent = world.deliveries.flatMap((delivery) => {
    const receiver = receiverOf(world.reference, delivery.row);
    return delivery.attempts.map((attempt): Sent => ({ delivery, receiver, attempt }));
  });
  const firsts = sent.filter(
    ({ attempt, delivery: { row } }) => Number(attempt.row.attempt) === 1 && row.asks === '1',
  );
  const due = firsts.filter(({ receiver, delivery, attempt: { startedAt: to } }) => {
    const from = instant(delivery.row.asked_at);
    return world.quiet.isCalm([receiver], from, to, recoveredMs) && isWell(world, receiver, from, to);
  });
  report.examined('R:CBK-3', 'first sends to receivers that were well', due.length);
  const late = due.filter(
    (one) =>
      waitedMs(one) > promptMs &&
      !report.isUnjudged('R:CBK-3', 'A first send was held up.', subjectOf(one), spanOf(one)),
  );
  const [first] = late;
  if (first === undefined || late.length < 3) return; // one pause of the machine can delay one or two sends
  const statement = `${late.length} of ${due.length} first sends were held up, and their receivers were well.`;
  report.breach('R:CBK-3', statement, subjectOf(first), late.map(lineOf));
}

const subjectOf = ({ delivery }: Sent) => delivery.row.subject_id;
const spanOf = ({ delivery, attempt }: Sent) => ({
  from: instant(delivery.row.asked_at),
  to: attempt.startedAt,
});
const waitedMs = ({ delivery, attempt }: Sent) => attempt.startedAt - instant(delivery.row.asked_at);
const lineOf = (one: Sent) =>
  `${one.delivery.row.kind} to ${one.receiver}, asked for ${one.delivery.row.asked_at}, sent ${clock(one.attempt.startedAt)}`;

const breakerMs = 120_000; // two probe intervals of a breaker that has been open for a long time
const failuresToOpen = 5; // consecutive failures in one process that open a breaker
const atOnce = 16; // greatest number of concurrent sends from one process to one receiver

/**
 * Whether a receiver was healthy in this time span. It had too few failures to open a breaker in any process,
 * and too few open sends to use up their limit.
 * @param receiver named as in the faults
 */
function isWell({ attemptsTo }: World, receiver: string, from: number, to: number): boolean {
  const near = (attemptsTo.get(receiver) ?? []).filter(
    ({ startedAt, finishedAt = Infinity }) => startedAt < to && finishedAt > from - breakerMs,
  );
  const failed = near.filter(({ httpStatus = 0 }) => httpStatus < 200 || httpStatus >= 300);
  const open = near.filter(({ finishedAt = Infinity }) => finishedAt > from);
  return failed.length < failuresToOpen && open.length < atOnce / 2;
}
