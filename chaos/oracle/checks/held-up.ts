// CBK-3: a receiver that is dead, slow or cannot be resolved slows nobody else, on any kind of send. Whoever is
// well is sent to at once.
import { clock, instant } from '../rows.ts';
import { receiverOf } from '../receivers.ts';
import type { Report } from '../verdict.ts';
import type { Attempt, Delivery, World } from '../world.ts';
import { isWell } from './well.ts';

const promptMs = 2_000;
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
  if (first === undefined || late.length < 3) return; // a machine may stand still once
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
