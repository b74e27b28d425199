// When a NORM payment is rejected because its destination cannot be reached: 60 s after it was judged, if at
// least one send was tried and each was NOT_SENT. The row of the instruction proves it, under the name `d`.
import { sql } from 'kysely';
import { keyMissing, messageChanged, ownFaults } from '../../core/deliveries/delivery-schedule.ts';
import type { Db } from '../pool/connection.ts';
import { theOne } from '../pool/the-one.ts';

const unreachableAfterMs = 60_000;
const sixtySeconds = sql`${sql.lit(unreachableAfterMs)} * interval '1 millisecond'`;
const lastTryMs = 500; // a round ends so long after the 60 s, because the execution that asks has another clock

const classes = (names: readonly string[]) => sql.join(names.map((name) => sql.lit(name)));

/** The number of attempts that failed through us alone: they are none. */
const ownFailures = sql`(
  select count(*) from delivery_attempts own -- primary key
  where own.delivery_id = d.delivery_id and own.outcome = 'NOT_SENT' and own.error_class in (${classes(ownFaults)}))`;

/** Whether the last try found our copy of the message changed or sealed: the receiver's silence says nothing then. */
const isUnsendable = sql`exists (
  select from delivery_attempts last -- primary key
  where last.delivery_id = d.delivery_id and last.attempt = d.attempts
    and last.error_class in (${classes([messageChanged, keyMissing])}))`;

const wasTried = sql`(d.attempts > ${ownFailures} and not ${isUnsendable})`;

/** Whether the payment that was judged at this time may be rejected as unreachable now. */
export const isUnreachable = (judgedAt: ReturnType<typeof sql>) =>
  sql`(d.possibly_sent = 0 -- seam: never-left
    and ${wasTried} and clock_timestamp() >= ${judgedAt} + ${sixtySeconds})`;

/** How long a round of sends waits for a receiver that lets nothing through. */
export interface EndOfRound {
  /** Milliseconds until the round ends; 0 or less: now. */
  readonly inMs: number;
  /** Whether it ends with a try past the breaker, because no attempt proves yet that the destination is unreachable. */
  readonly needsTry: boolean;
  /** Milliseconds until the deadline of its payment, which ends the round; absent: it has none. */
  readonly deadlineInMs?: number;
}

/** A round ends when its payment may be rejected as unreachable: never where a byte may have left, or for HIGH. */
export async function untilEndOfRound(db: Db, deliveryId: string): Promise<EndOfRound> {
  const { rows } = await sql<{
    needsTry: boolean;
    isUnsent: boolean;
    inMs: number;
    deadlineInMs: number | null;
  }>`
    select not ${wasTried} as "needsTry", d.possibly_sent = 0 as "isUnsent",
      (extract(epoch from p.deadline_at - clock_timestamp()) * 1000)::float8 as "deadlineInMs",
      (extract(epoch from p.judged_at + ${sixtySeconds} - clock_timestamp()) * 1000)::float8 + ${sql.lit(lastTryMs)} as "inMs"
    from deliveries d join ${theOne(sql`payments where uetr = d.subject_id and begun_at = d.begun_at`)} p on true
    where d.delivery_id = ${deliveryId}`.execute(db);
  const [row] = rows;
  const never = { inMs: Infinity, needsTry: false };
  if (row === undefined) return never;
  if (row.deadlineInMs !== null) return { ...never, deadlineInMs: row.deadlineInMs };
  return row.isUnsent ? { inMs: row.inMs, needsTry: row.needsTry } : never;
}
