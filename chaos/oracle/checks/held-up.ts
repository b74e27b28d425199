// CBK-3: a receiver that is dead, slow or cannot be resolved slows nobody else, on any kind of send. Whoever is
// well is sent to at once.
import { clock, instant } from '../rows.ts';
import { receiverOf } from '../receivers.ts';
import type { Report } from '../verdict.ts';
import { grouped, type Attempt, type Delivery, type World } from '../world.ts';
import { isMachineBusy } from './machine.ts';

const promptMs = 2_000;
const breakerMs = 120_000; // two probes of a breaker that is open as long as can be
const failuresToOpen = 5; // in a row, of one process
const atOnce = 16; // to one receiver, of one process
const recoveredMs = 60_000; // I-15: by then nothing of a fault of ours is left

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
  const bySide = grouped(sent, ({ receiver }) => receiver);
  const firsts = sent.filter(
    ({ attempt, delivery: { row } }) => Number(attempt.row.attempt) === 1 && row.asks === '1',
  );
  const due = firsts.filter((one) => isWell(world, one, bySide.get(one.receiver) ?? []));
  report.examined('R:CBK-3', 'first sends to receivers that were well', due.length);
  const late = due.filter(
    (one) => waitedMs(one) > promptMs && !isMachineBusy(world, one.attempt.startedAt, promptMs / 2),
  );
  const [first] = late;
  if (first === undefined || late.length < 3) return; // a machine may stand still once
  const statement = `${late.length} of ${due.length} first sends were held up, and their receivers were well.`;
  report.breach('R:CBK-3', statement, first.delivery.row.subject_id, late.map(lineOf));
}

const waitedMs = ({ delivery, attempt }: Sent) => attempt.startedAt - instant(delivery.row.asked_at);
const lineOf = (one: Sent) =>
  `${one.delivery.row.kind} to ${one.receiver}, asked for ${one.delivery.row.asked_at}, sent ${clock(one.attempt.startedAt)}`;

/**
 * Nothing of ours was broken, nor this receiver; it failed too seldom for a breaker of any process to open, and had too
 * little to do for a gate to be full.
 */
function isWell({ quiet }: World, { attempt, delivery, receiver }: Sent, sent: readonly Sent[]): boolean {
  const [from, to] = [instant(delivery.row.asked_at), attempt.startedAt];
  if (!quiet.isCalm([receiver], from, to, recoveredMs)) return false;
  const beside = sent.filter(
    ({ attempt: { startedAt, finishedAt = Infinity } }) => startedAt < to && finishedAt > from - breakerMs,
  );
  const failed = beside.filter(({ attempt: { httpStatus = 0 } }) => httpStatus < 200 || httpStatus >= 300);
  const open = beside.filter(({ attempt: { finishedAt = Infinity } }) => finishedAt > from);
  return failed.length < failuresToOpen && open.length < atOnce / 2;
}
