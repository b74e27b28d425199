// Decides when a NORM payment is rejected as unreachable: 60 s after it was judged, if at least one send was tried and
// each was NOT_SENT. The row of the instruction, named `d` in the statement, proves it.
import { sql } from 'kysely';
import { keyMissing, messageChanged, ownFaults } from '../../core/deliveries/delivery-schedule.ts';
import type { Db } from '../pool/connection.ts';
import { theOne } from '../pool/statements.ts';

const unreachableAfterMs = 60_000;
const sixtySeconds = sql`${sql.lit(unreachableAfterMs)} * interval '1 millisecond'`;
const lastTryMs = 500; // the round ends this much later, because the clock of the execution that asks may differ

const classes = (names: readonly string[]) => sql.join(names.map((name) => sql.lit(name)));

/** The number of attempts that failed only because of us. They do not count as tries. */
const ownFailures = sql`(
  select count(*) from delivery_attempts own -- primary key
  where own.delivery_id = d.delivery_id and own.outcome = 'NOT_SENT' and own.error_class in (${classes(ownFaults)}))`;

/** Whether the last attempt could not be made because our copy was changed or its key is missing. It proves nothing. */
const isUnsendable = sql`exists (
  select from delivery_attempts last -- primary key
  where last.delivery_id = d.delivery_id and last.attempt = d.attempts
    and last.error_class in (${classes([messageChanged, keyMissing])}))`;

const wasTried = sql`(d.attempts > ${ownFailures} and not ${isUnsendable})`;

export const isUnreachable = (judgedAt: ReturnType<typeof sql>) =>
  sql`(d.possibly_sent = 0 -- seam: never-left
    and ${wasTried} and clock_timestamp() >= ${judgedAt} + ${sixtySeconds})`;

/** How long a round of sends waits for a receiver whose breaker or gate blocks it. */
export interface EndOfRound {
  /** Milliseconds until the round ends; 0 or less: it ends now; Infinity: it does not end by itself. */
  readonly inMs: number;
  /** Whether a last try must bypass the breaker, because no attempt has proved that the destination is unreachable. */
  readonly needsTry: boolean;
  /** Milliseconds until the payment's deadline, which ends the round; absent: no deadline. */
  readonly deadlineInMs?: number;
}

/** When a round must end as unreachable. Never if a byte may have left, or for HIGH. */
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
