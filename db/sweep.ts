// What the sweep looks for (LIF-2): rows that somebody should be working on. Each question is answered from an index and
// bounded; whether somebody does work on them is the engine's to say. It changes nothing but who may sweep.
import { sql } from 'kysely';
import type { Db } from './connection.ts';

/** A submission that is stored, and of which nothing else is. */
export interface UnjudgedSubmission {
  readonly messageId: string;
  readonly type: 'pacs008' | 'acmt023';
  readonly messageIdentification: string;
  /** Null for an acmt.023. */
  readonly uetr: string;
  readonly sourceSystem: string;
}

const sliceRows = 5_000; // some 50 ms

/**
 * Submissions that were stored and never judged, a slice of time after another.
 * @param withinMs how far back to look
 * @param graceMs younger ones are in the hands of whoever took them
 */
export async function* findUnjudged(
  db: Db,
  { withinMs, graceMs }: { readonly withinMs: number; readonly graceMs: number },
): AsyncIterable<UnjudgedSubmission> {
  let after: string | null = null;
  for (;;) {
    // index messages_submitted; messages_in_reply_to; primary keys
    const { rows }: { rows: (UnjudgedSubmission & { at: string; judged: boolean })[] } = await sql<
      UnjudgedSubmission & { at: string; judged: boolean }
    >`
      select m.message_id as "messageId", m.message_type as type, m.uetr,
        m.message_identification as "messageIdentification", m.party as "sourceSystem", m.created_at::text as at,
        exists (select from messages a where a.in_reply_to = m.message_id)
          or exists (select from payments p where p.uetr = m.uetr and p.message_id = m.message_id)
          or exists (select from resolutions r where r.resolution_id = m.message_id) as judged
      from messages m
      where m.direction = 'in' and m.leg = 'source'
        and m.created_at > coalesce(${after}::timestamptz, now() - ${withinMs} * interval '1 millisecond')
        and m.created_at < now() - ${graceMs} * interval '1 millisecond'
      order by m.created_at
      limit ${sql.lit(sliceRows)}`.execute(db);
    for (const row of rows) if (!row.judged) yield row;
    after = rows.at(-1)?.at ?? null;
    if (rows.length < sliceRows) return;
  }
}

/** An accepted payment without decision. */
export interface UndecidedPayment {
  readonly uetr: string;
  readonly sourceSystem: string;
  /** The stored submission that made it. */
  readonly messageId: string;
  /** Whether its HIGH deadline is past for longer than the grace. */
  readonly isOverdue: boolean;
  /** The first final of the destination that is stored for longer than the grace, if there is one (PAY-7). */
  readonly finalReportId: string | null;
}

const pageRows = 500;
const maxNeglected = 1_000; // of one sweep; the next one finds the others

/** Every undecided payment, oldest first. */
export async function* findUndecided(db: Db, graceMs: number): AsyncIterable<UndecidedPayment> {
  let after = '-infinity';
  for (;;) {
    // index deliveries_undecided; primary key of payments; messages_uetr
    const { rows }: { rows: (UndecidedPayment & { at: string })[] } = await sql<
      UndecidedPayment & { at: string }
    >`
      select i.uetr, p.source_clearing_system as "sourceSystem", p.message_id as "messageId", i.asked_at::text as at,
        coalesce(p.deadline_at < clock_timestamp() - ${graceMs} * interval '1 millisecond', false) as "isOverdue",
        f.message_id as "finalReportId"
      from deliveries i
      join payments p on p.uetr = i.uetr
      left join lateral (
        select message_id from messages o
        where o.uetr = i.uetr and o.direction = 'in' and o.leg = 'destination' and o.message_type = 'pacs002'
          and o.status in ('ACCC', 'RJCT', 'BLCK')
          and o.created_at < clock_timestamp() - ${graceMs} * interval '1 millisecond'
        order by o.message_id = i.final_report_id desc nulls last, o.created_at limit 1
      ) f on true
      where i.kind = 'instruction' and i.closed_at is null and i.asked_at > ${after}::timestamptz
      order by i.asked_at
      limit ${sql.lit(pageRows)}`.execute(db);
    yield* rows;
    after = rows.at(-1)?.at ?? '';
    if (rows.length < pageRows) return;
  }
}

/** A final that differs from the decision and was stored after it, without any trace of that. */
export interface UntoldContradiction {
  readonly uetr: string;
  readonly reportMessageId: string;
}

export async function findContradictions(
  db: Db,
  { withinMs, graceMs }: { readonly withinMs: number; readonly graceMs: number },
): Promise<readonly UntoldContradiction[]> {
  // index messages_finals; primary key of decisions; audit_events_uetr
  const { rows } = await sql<UntoldContradiction>`
    select m.uetr, m.message_id as "reportMessageId"
    from messages m join decisions d on d.uetr = m.uetr
    where m.direction = 'in' and m.leg = 'destination' and m.message_type = 'pacs002'
      and m.status in ('ACCC', 'RJCT', 'BLCK') and m.status <> d.status
      and m.created_at between now() - ${withinMs} * interval '1 millisecond' and now() - ${graceMs} * interval '1 millisecond'
      and not exists (
        select from audit_events a
        where a.uetr = m.uetr and a.kind = 'payment.contradiction'
          and coalesce(a.detail ->> 'reportMessageId', m.message_id::text) = m.message_id::text)
    order by m.created_at limit ${sql.lit(maxNeglected)}`.execute(db);
  return rows;
}

/** HIGH payments whose deadline is past for longer than the grace, by the database clock, and that are undecided. */
export async function findOverdue(db: Db, graceMs: number): Promise<readonly string[]> {
  const { rows } = await sql<{ uetr: string }>`
    select i.uetr from deliveries i join payments p on p.uetr = i.uetr -- index deliveries_undecided
    where i.kind = 'instruction' and i.closed_at is null
      and p.deadline_at < clock_timestamp() - ${graceMs} * interval '1 millisecond'
    limit ${sql.lit(maxNeglected)}`.execute(db);
  return rows.map(({ uetr }) => uetr);
}

/** Whether a payment is still without decision. */
export async function isUndecided(db: Db, uetr: string): Promise<boolean> {
  const row = await db
    .selectFrom('decisions') // primary key
    .select('uetr')
    .where('uetr', '=', uetr)
    .executeTakeFirst();
  return row === undefined;
}

const neglectedMs = 60_000; // I-17

/** Payments and resolutions with a delivery that is due for more than 60 s and that nobody attempts (I-17). */
export async function findNeglected(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ uetr: string }>`
    select distinct uetr from ( -- index deliveries_open
      select uetr from deliveries
      where kind in ('callback', 'confirmation', 'notification') and delivered_at is null and closed_at is null
        and next_due_at < clock_timestamp() - ${sql.lit(neglectedMs)} * interval '1 millisecond'
      order by asked_at limit ${sql.lit(maxNeglected)}
    ) due`.execute(db);
  return rows.map(({ uetr }) => uetr);
}

/** A resolution whose deadline is past and which nobody answered. */
export interface UnansweredResolution {
  readonly messageId: string;
  readonly messageIdentification: string;
  readonly sourceSystem: string;
}

export async function findUnanswered(
  db: Db,
  { withinMs, graceMs }: { readonly withinMs: number; readonly graceMs: number },
): Promise<readonly UnansweredResolution[]> {
  const { rows } = await sql<UnansweredResolution>`
    select r.resolution_id as "messageId", r.message_identification as "messageIdentification",
      r.source_clearing_system as "sourceSystem"
    from resolutions r -- index resolutions_deadline
    where r.deadline_at between now() - ${withinMs} * interval '1 millisecond'
        and now() - ${graceMs} * interval '1 millisecond'
      and not exists (select from resolution_answers a where a.resolution_id = r.resolution_id)
    order by r.deadline_at limit ${sql.lit(maxNeglected)}`.execute(db);
  return rows;
}

/** Takes or keeps what one process at a time does; answers whether it is ours now. */
export async function takeLease(
  db: Db,
  lease: { readonly name: string; readonly holder: string; readonly forMs: number },
): Promise<boolean> {
  const { name, holder, forMs } = lease;
  const { rows } = await sql`
    insert into leases (name, holder, held_until)
    values (${name}, ${holder}, clock_timestamp() + ${forMs} * interval '1 millisecond')
    on conflict (name) do update set holder = excluded.holder, held_until = excluded.held_until
      where leases.holder = excluded.holder or leases.held_until <= clock_timestamp()
    returning name`.execute(db);
  return rows.length === 1;
}
