// Stores the outcomes of payments in doubt: one operator records an outcome, and another operator confirms
// it. A confirmed outcome decides the payment when the next decision is written (decisions.ts). Each
// statement also writes the audit event.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import {
  confirmationHindrance,
  withdrawalHindrance,
  type NewOutcome,
  type OutcomeHindrance,
  type RecordedOutcome,
} from '../../core/payments/recorded-outcome.ts';
import type { Decider } from '../../core/payments/decision.ts';
import type { FinalStatus } from '../../core/payments/report.ts';
import { insertAudit, isInDoubt } from '../records/audit.ts';
import type { Db } from '../pool/connection.ts';
import { lockInstruction } from './decisions.ts';
import { claimSeconds } from '../deliveries/deliveries.ts';

const columns = sql`
  outcome_id as "outcomeId", status, reason_code as "reasonCode", evidence, recorded_by as "recordedBy",
  recorded_at as "recordedAt", confirmed_by as "confirmedBy", confirmed_at as "confirmedAt",
  withdrawn_by as "withdrawnBy", withdrawn_at as "withdrawnAt", withdrawn_because as "withdrawnBecause"`;

export async function listOutcomes(db: Db, uetr: string): Promise<readonly RecordedOutcome[]> {
  const { rows } = await sql<RecordedOutcome>`
    select ${columns} from recorded_outcomes where uetr = ${uetr}::uuid
    order by recorded_at`.execute(db); // served by index recorded_outcomes_uetr
  return rows;
}

/**
 * Records how a payment in doubt ended. Another operator must confirm it.
 * @returns undefined if the payment is not in doubt, or has another outcome that is not withdrawn
 */
export async function recordOutcome(
  db: Db,
  uetr: string,
  { status, reasonCode, evidence, by }: NewOutcome,
): Promise<RecordedOutcome | undefined> {
  const outcomeId = randomUUID();
  const event = {
    kind: 'operator.outcome-recorded',
    subjectId: uetr,
    detail: { outcomeId, status, reasonCode, by },
  } as const;
  // served by the unique index on (subject_id, kind), and by indexes audit_events_subject_id and
  // recorded_outcomes_standing
  const { rows } = await sql<RecordedOutcome>`
    with recorded as (
      insert into recorded_outcomes (outcome_id, uetr, status, reason_code, evidence, recorded_by)
      select ${outcomeId}::uuid, i.subject_id, ${status}, ${reasonCode}, ${evidence}, ${by}
      from deliveries i
      where i.subject_id = ${uetr}::uuid and i.kind = 'instruction' and i.closed_at is null
        and ${isInDoubt(sql`i.subject_id`)}
      on conflict (uetr) where withdrawn_at is null do nothing
      returning *
    ),
    event as (${insertAudit(event, sql`exists (select from recorded)`)})
    select ${columns} from recorded`.execute(db);
  return rows[0];
}

/** Reads the decision of a payment, and who decided; null if it is undecided. */
export async function readDecision(
  db: Db,
  uetr: string,
): Promise<{ status: FinalStatus; reasonCode: string | null; decidedBy: Decider } | null> {
  const { rows } = await sql<{ status: FinalStatus; reasonCode: string | null; decidedBy: Decider }>`
    select status, reason_code as "reasonCode", decided_by as "decidedBy"
    from decisions where uetr = ${uetr}::uuid`.execute(db); // served by the primary key
  return rows[0] ?? null;
}

interface Act {
  readonly uetr: string;
  readonly outcomeId: string;
  /** Client id of the operator. */
  readonly by: string;
}

/**
 * Confirms an outcome that another operator recorded. From then on the outcome decides the payment, unless a
 * final report of the destination is stored.
 * @returns the reason why it cannot be confirmed; undefined: it is confirmed
 */
export function confirmOutcome(
  db: Db,
  { uetr, outcomeId, by, status }: Act & { readonly status: FinalStatus },
): Promise<OutcomeHindrance | undefined> {
  return actOn(db, { uetr, outcomeId }, async (trx, outcome) => {
    const hindrance = confirmationHindrance(outcome, { by, status });
    if (hindrance !== undefined) return hindrance;
    const decided = await readDecision(trx, uetr);
    if (decided !== null) return { kind: 'decided', status: decided.status };
    const attempt = status === 'ACCC' ? undefined : await arrivedSince(trx, outcomeId);
    if (attempt !== undefined) return { kind: 'sent-since', attempt };
    await sql`
      with confirmed as (
        update recorded_outcomes set confirmed_by = ${by}, confirmed_at = clock_timestamp()
        where outcome_id = ${outcomeId}::uuid)
      ${insertAudit(
        {
          kind: 'operator.outcome-confirmed',
          subjectId: uetr,
          detail: { outcomeId, status, by },
        },
        sql`true`,
      )}`.execute(trx);
    return undefined;
  });
}

/**
 * Finds an attempt to send the instruction that was under way when the outcome was recorded, because it may
 * have arrived afterwards. No new attempt begins while an outcome stands (deliveries.ts). An attempt that was
 * never settled counts as ended after the longest duration of an attempt.
 * @returns the number of the attempt
 */
async function arrivedSince(trx: Db, outcomeId: string): Promise<number | undefined> {
  const { rows } = await sql<{ attempt: number }>`
    select a.attempt from recorded_outcomes o
      join deliveries d on d.subject_id = o.uetr and d.kind = 'instruction' -- unique (subject_id, kind)
      join delivery_attempts a on a.delivery_id = d.delivery_id and a.begun_at = d.begun_at -- primary key
    where o.outcome_id = ${outcomeId}::uuid and a.outcome is distinct from 'NOT_SENT'
      and a.started_at > o.recorded_at - ${sql.lit(claimSeconds)} * interval '1 second'
      and (a.finished_at is null or a.finished_at > o.recorded_at)
    order by a.attempt desc limit 1`.execute(trx);
  return rows[0]?.attempt;
}

/**
 * Withdraws an outcome that nobody has confirmed.
 * @returns the reason why it cannot be withdrawn; undefined: it is withdrawn
 */
export function withdrawOutcome(
  db: Db,
  { uetr, outcomeId, by, because }: Act & { readonly because: string },
): Promise<OutcomeHindrance | undefined> {
  return actOn(db, { uetr, outcomeId }, async (trx, outcome) => {
    const hindrance = withdrawalHindrance(outcome);
    if (hindrance !== undefined) return hindrance;
    await sql`
      with withdrawn as (
        update recorded_outcomes
        set withdrawn_by = ${by}, withdrawn_at = clock_timestamp(), withdrawn_because = ${because}
        where outcome_id = ${outcomeId}::uuid)
      ${insertAudit(
        { kind: 'operator.outcome-withdrawn', subjectId: uetr, detail: { outcomeId, by } },
        sql`true`,
      )}`.execute(trx);
    return undefined;
  });
}

/**
 * Serializes confirming, withdrawing and deciding, so that the later action sees the result of the earlier
 * one.
 */
function actOn(
  db: Db,
  { uetr, outcomeId }: Pick<Act, 'uetr' | 'outcomeId'>,
  act: (trx: Db, outcome: RecordedOutcome | undefined) => Promise<OutcomeHindrance | undefined>,
): Promise<OutcomeHindrance | undefined> {
  return db.transaction().execute(async (trx) => {
    await lockInstruction(trx, uetr);
    const { rows } = await sql<RecordedOutcome>`
      select ${columns} from recorded_outcomes
      where outcome_id = ${outcomeId}::uuid and uetr = ${uetr}::uuid
      for update`.execute(trx); // served by the primary key
    return act(trx, rows[0]);
  });
}
