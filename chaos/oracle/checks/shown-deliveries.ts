// GET /payments/{uetr}: how its messages were brought to others, delivery by delivery and attempt by attempt, against
// the rows as they were at that moment: what was under way is shown as open, what had ended as it ended (TIM-3, CBK-1).
import { instant } from '../rows.ts';
import type { Attempt, Delivery, Payment } from '../world.ts';
import {
  faultsIn,
  sameTime,
  type IsThere,
  type Shown,
  type ShownAttempt,
  type ShownDelivery,
} from './shown-members.ts';

export function deliveryFaults({ deliveries }: Payment, told: Shown, isThere: IsThere): readonly string[] {
  if (told.status === 'RCVD') return [];
  const shown = new Set(told.deliveries.map(({ kind }) => kind));
  const missing = Object.values(deliveries).filter(
    ({ row }) => !shown.has(row.kind) && isThere(instant(row.asked_at)),
  );
  return [
    ...missing.map(({ row }) => `${row.kind}: not shown`),
    ...told.deliveries.flatMap((one) => {
      const delivery = deliveries[one.kind];
      if (delivery === undefined) return [`${one.kind}: there is none`];
      return [
        ...rowFaults(delivery, one),
        ...stateFaults(one, isNeverAskedAgain(delivery)),
        ...attemptFaults(delivery, one, isThere),
      ];
    }),
    ...decidedFaults(told),
  ];
}

const isNeverAskedAgain = ({ row }: Delivery) => row.asks === '1';

/** What the row says for good; one that was asked for again starts over (DUP-1, PAY-9). */
function rowFaults(delivery: Delivery, one: ShownDelivery): readonly string[] {
  const { row } = delivery;
  const isLater = instant(one.askedAt) > instant(row.asked_at) + 1;
  const isAsked = isNeverAskedAgain(delivery) ? sameTime(one.askedAt, row.asked_at) : !isLater;
  const isComparable = isNeverAskedAgain(delivery) && one.closedAt !== null && row.closed_at !== null;
  return faultsIn(
    [
      ['messageId', one.messageId, row.message_id],
      ['party', one.party, row.party],
      ['askedAt', isAsked, true],
      ...(isComparable
        ? ([
            ['closedAt', sameTime(one.closedAt, row.closed_at), true],
            ['closedReason', one.closedReason, row.closed_reason],
          ] as const)
        : []),
    ],
    `${one.kind} `,
  );
}

const isTaken = ({ httpStatus }: ShownAttempt) => /^2\d\d$/.test(httpStatus ?? '');

/** What one moment must agree in: an attempt and its delivery are settled together. */
function stateFaults(one: ShownDelivery, isFirst: boolean): readonly string[] {
  const { kind, nextDueAt, deliveredAt, closedAt, attempts } = one;
  const isDue = kind !== 'instruction' && deliveredAt === null && closedAt === null;
  const isTold = kind !== 'instruction' && isFirst;
  return faultsIn(
    [
      ['has a next attempt', nextDueAt !== null, isDue],
      ['closedReason is there', one.closedReason !== null, closedAt !== null],
      [
        'nextDueAt before askedAt',
        nextDueAt !== null && instant(nextDueAt) < instant(one.askedAt) - 1,
        false,
      ],
      ...(isTold ? ([['delivered', deliveredAt !== null, attempts.some(isTaken)]] as const) : []),
      ...(deliveredAt === null ? [] : ([['taken', attempts.some(isTaken), true]] as const)),
    ],
    `${kind} `,
  );
}

/** PAY-7: the decision closes the instruction, in one statement. */
function decidedFaults({ decision, deliveries }: Shown): readonly string[] {
  const instruction = deliveries.find(({ kind }) => kind === 'instruction');
  if (instruction === undefined) return [];
  return faultsIn([['instruction is closed', instruction.closedAt !== null, decision !== null]]);
}

function attemptFaults({ attempts }: Delivery, one: ShownDelivery, isThere: IsThere): readonly string[] {
  const known = new Map(attempts.map((attempt) => [attempt.row.attempt, attempt]));
  const shown = new Set(one.attempts.map(({ attempt }) => attempt));
  const numbers = one.attempts.map(({ attempt }) => Number(attempt));
  const isInOrder = numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0));
  return [
    ...faultsIn([['attempts are in order', isInOrder, true]], `${one.kind} `),
    ...attempts
      .filter(({ row, startedAt }) => !shown.has(row.attempt) && isThere(startedAt))
      .map(({ row }) => `${one.kind} attempt ${row.attempt}: not shown`),
    ...one.attempts.flatMap((attempt) => {
      const of = `${one.kind} attempt ${attempt.attempt} `;
      const stored = known.get(attempt.attempt);
      return stored === undefined ? [`${of}: there is none`] : endFaults(stored, attempt, { of, isThere });
    }),
  ];
}

/** TIM-3: an attempt is open until it is settled, once; null says so, and nothing else does. */
function endFaults(
  { row, finishedAt = Infinity }: Attempt,
  one: ShownAttempt,
  { of, isThere }: { readonly of: string; readonly isThere: IsThere },
): readonly string[] {
  const isShownOpen = one.outcome === null && !isThere(finishedAt);
  const end = isShownOpen
    ? { finished_at: null, outcome: null, http_status: null, duration_ms: null, error_class: null }
    : row;
  return faultsIn(
    [
      ['startedAt', sameTime(one.startedAt, row.started_at), true],
      ['finishedAt', sameTime(one.finishedAt, end.finished_at), true],
      ['outcome', one.outcome, end.outcome],
      ['httpStatus', one.httpStatus, end.http_status],
      ['durationMs', one.durationMs, end.duration_ms],
      ['errorClass', one.errorClass, end.error_class],
    ],
    of,
  );
}
