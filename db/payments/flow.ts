// Counts payments and quotes of a period by corridor. Writes nothing. Each query is bounded by the period.
import { sql } from 'kysely';
import type { CorridorFlow, FlowScope, QuoteFlow, ReasonFlow } from '../../core/payments/flow.ts';
import type { Condition } from '../pool/statements.ts';
import type { Db } from '../pool/connection.ts';

/** @param minutes length of the period, which ends now */
export async function readPaymentFlow(
  db: Db,
  scope: FlowScope,
  minutes: number,
): Promise<readonly CorridorFlow[]> {
  const { rows } = await sql<CorridorFlow>`
    select p.corridor, count(*)::int as payments,
      count(*) filter (where d.status is null)::int as undecided,
      count(*) filter (where d.status = 'ACCC')::int as accepted,
      count(*) filter (where d.status = 'RJCT')::int as rejected,
      count(*) filter (where d.status = 'BLCK')::int as blocked,
      count(*) filter (where d.status = 'ACCC' and d.decided_at < p.judged_at + interval '1 minute')::int as "acceptedWithinMinute",
      count(*) filter (where d.status = 'ACCC' and d.decided_at < p.judged_at + interval '1 hour')::int as "acceptedWithinHour",
      round(percentile_cont(0.5) within group (order by ${tookMs}))::int as "p50Ms",
      round(percentile_cont(0.99) within group (order by ${tookMs}))::int as "p99Ms"
    from payments p left join decisions d on d.uetr = p.uetr and d.begun_at = p.begun_at
    where ${isWithin(minutes)} and ${paymentsOf(scope)}
    group by p.corridor order by payments desc, p.corridor`.execute(db);
  return rows;
}

/** Reads the most frequent reasons, at most 50. */
export async function readReasons(db: Db, scope: FlowScope, minutes: number): Promise<readonly ReasonFlow[]> {
  const { rows } = await sql<ReasonFlow>`
    select p.corridor, d.status, d.reason_code as "reasonCode", count(*)::int as payments
    from payments p join decisions d on d.uetr = p.uetr and d.begun_at = p.begun_at
    where d.reason_code is not null and d.decided_at >= now() - ${minutes} * interval '1 minute' -- index decisions_decided_at
      and ${isWithin(minutes)} and ${paymentsOf(scope)}
    group by p.corridor, d.status, d.reason_code order by payments desc, p.corridor limit 50`.execute(db);
  return rows;
}

/**
 * Counts quotes by corridor. Returns an empty list for a payment system, because quotes do not belong to it.
 */
export async function readQuoteFlow(
  db: Db,
  scope: FlowScope,
  minutes: number,
): Promise<readonly QuoteFlow[]> {
  if (scope.of === 'clearing-system') return [];
  const { rows } = await sql<QuoteFlow>`
    with issued as (
      select fxp_id, source_country || '-' || destination_country as corridor, count(*)::int as issued,
        count(*) filter (where place = 1)::int as best,
        count(*) filter (where source_capped[place] or destination_capped[place])::int as capped
      from quote_requests q, unnest(q.fxp_ids) with ordinality as offer (fxp_id, place)
      where q.issued_at >= now() - ${minutes} * interval '1 minute' and ${quotesOf(scope)}
      group by 1, 2
    ), used as (
      select p.fxp_id, p.corridor, count(*)::int as used from payments p
      where p.quote_id is not null and p.accepted and ${isWithin(minutes)} and ${quotedTo(scope)}
      group by 1, 2
    )
    select fxp_id as "fxpId", corridor, coalesce(issued, 0) as issued, coalesce(best, 0) as best,
      coalesce(capped, 0) as capped, coalesce(used, 0) as used
    from issued full join used using (fxp_id, corridor) order by issued desc, corridor, fxp_id`.execute(db);
  return rows;
}

const tookMs = sql`case when p.accepted then extract(epoch from d.decided_at - p.judged_at) * 1000 end`;

/**
 * SQL: the payment was judged in the last `minutes`. A payment begins when it is judged, so the condition on
 * begun_at excludes older partitions.
 */
const isWithin = (minutes: number): Condition =>
  sql`p.judged_at >= now() - ${minutes} * interval '1 minute' and p.begun_at >= now() - ${minutes} * interval '1 minute'`;

function paymentsOf(scope: FlowScope): Condition {
  switch (scope.of) {
    case 'all':
      return sql`true`;
    // with "or", not "in", an index serves each side
    case 'clearing-system':
      return sql`(p.source_clearing_system = ${scope.id} or p.destination_clearing_system = ${scope.id})`;
    case 'psp':
      return sql`(p.debtor_agent_id = ${scope.id} or p.creditor_agent_id = ${scope.id})`;
    case 'fxp':
      return sql`p.fxp_id = ${scope.id}`;
  }
}

/**
 * SQL: the payments whose quotes this reader may see. The destination's side sees neither the quote nor the
 * FX provider (OBS-5).
 */
const quotedTo = (scope: FlowScope): Condition =>
  scope.of === 'psp' ? sql`p.debtor_agent_id = ${scope.id}` : paymentsOf(scope);

function quotesOf(scope: FlowScope): Condition {
  switch (scope.of) {
    case 'psp':
      return sql`q.psp_id = ${scope.id}`;
    case 'fxp':
      return sql`offer.fxp_id = ${scope.id}`;
    case 'all':
    case 'clearing-system':
      return sql`true`;
  }
}
