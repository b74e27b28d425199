// A NORM payment is rejected as unreachable 60 s after it was judged, if at least one send was tried and each
// send ended as NOT_SENT. The SQL here checks this in the row of the instruction, named `d`.
import { sql } from 'kysely';
import { keyMissing, messageChanged, ownFaults } from '../../core/deliveries/delivery-schedule.ts';
import type { Db } from '../pool/connection.ts';
import { theOne } from '../pool/statements.ts';

const unreachableAfterMs = 60_000;
const sixtySeconds = sql`${sql.lit(unreachableAfterMs)} * interval '1 millisecond'`;
const lastTryMs = 500; // milliseconds by which the round ends later, because the clock of the caller may differ from the database clock

const classes = (names: readonly string[]) => sql.join(names.map((name) => sql.lit(name)));

/**
 * SQL: the number of attempts that failed because of a fault in our own system. They do not count as tries.
 */
const ownFailures = sql`(
  select count(*) from delivery_attempts own -- primary key
  where own.delivery_id = d.delivery_id and own.outcome = 'NOT_SENT' and own.error_class in (${classes(ownFaults)}))`;

/**
 * SQL: whether the last attempt failed because our copy of the message was changed or its key is missing.
 * Such an attempt does not show that the destination is unreachable.
 */
const isUnsendable = sql`exists (
  select from delivery_attempts last -- primary key
  where last.delivery_id = d.delivery_id and last.attempt = d.attempts
    and last.error_class in (${classes([messageChanged, keyMissing])}))`;

const wasTried = sql`(d.attempts > ${ownFailures} and not ${isUnsendable})`;

export const isUnreachable = (judgedAt: ReturnType<typeof sql>) =>
  sql`(d.possibly_sent = 0 -- seam: never-left
    and ${wasTried} and clock_timestamp() >= ${judgedAt} + ${sixtySeconds})`;

/** How long a round of sends waits for a receiver whose circuit breaker or gate blocks it. */
export interface EndOfRound {
  /** Milliseconds until the round ends; 0 or less: it ends now; Infinity: it does not end by itself. */
  readonly inMs: number;
  /** Whether a last try must bypass the breaker, because no attempt has proved that the destination is unreachable. */
  readonly needsTry: boolean;
  /** Milliseconds until the payment's deadline, which ends the round; absent: no deadline. */
  readonly deadlineInMs?: number;
}

/**
 * Reads when a round must end as unreachable. It never does for a HIGH payment, or if a byte may have left.
 */
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
