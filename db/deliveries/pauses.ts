// Destinations and FX providers that operators pause and resume. Whoever judges and quotes learns of it as of all
// reference data; each act is an audit event of the same statement.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { insertAudit } from '../records/audit.ts';
import { given } from '../pool/conditions.ts';
import type { Db } from '../pool/connection.ts';

/** One that stands. */
export interface Pause {
  /** The payment system, or the internalId of the FX provider. */
  readonly partyId: string;
  /** Client id. */
  readonly by: string;
  readonly at: Date;
  /** In the operator's words. */
  readonly because: string;
}

export async function listPauses(db: Db): Promise<readonly Pause[]> {
  const { rows } = await sql<Pause>`
    select party_id as "partyId", paused_by as by, paused_at as at, paused_because as because
    from pauses where resumed_at is null order by party_id`.execute(db); // index pauses_standing
  return rows;
}

/** One that stands, or is over. */
export interface RecordedPause extends Pause {
  /** Client id; null while it stands, as the two that follow. */
  readonly resumedBy: string | null;
  readonly resumedAt: Date | null;
  readonly resumedBecause: string | null;
}

export interface PauseFilter {
  /** As in `Pause`. */
  readonly partyId?: string;
  /** Those that stood at some time from then on, and before then. */
  readonly from?: Date;
  readonly to?: Date;
}

/** Newest first. They are few: operators make each by hand. */
export async function readPauses(
  db: Db,
  filter: PauseFilter,
  limit: number,
): Promise<readonly RecordedPause[]> {
  const conditions = [
    sql`true`,
    ...given(filter.partyId, (partyId) => sql`party_id = ${partyId}`),
    ...given(filter.from, (from) => sql`(resumed_at is null or resumed_at >= ${from})`),
    ...given(filter.to, (to) => sql`paused_at < ${to}`),
  ];
  const { rows } = await sql<RecordedPause>`
    select party_id as "partyId", paused_by as by, paused_at as at, paused_because as because,
      resumed_by as "resumedBy", resumed_at as "resumedAt", resumed_because as "resumedBecause"
    from pauses where ${sql.join(conditions, sql` and `)}
    order by paused_at desc limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

interface Act {
  readonly partyId: string;
  /** As everybody names it. */
  readonly party: string;
  readonly by: string;
  readonly because: string;
}

/** @returns whether it was not paused before */
export async function pause(db: Db, { partyId, party, by, because }: Act): Promise<boolean> {
  const event = { kind: 'operator.paused', party, detail: { by } } as const;
  const { rows } = await sql`
    with paused as (
      insert into pauses (pause_id, party_id, paused_by, paused_because)
      values (${randomUUID()}, ${partyId}, ${by}, ${because})
      on conflict (party_id) where resumed_at is null do nothing
      returning pause_id
    ),
    event as (${insertAudit(event, sql`exists (select from paused)`)})
    select from paused`.execute(db);
  return rows.length > 0;
}

/** @returns whether it was paused before */
export async function resume(db: Db, { partyId, party, by, because }: Act): Promise<boolean> {
  const event = { kind: 'operator.resumed', party, detail: { by } } as const;
  const { rows } = await sql`
    with resumed as (
      update pauses set resumed_by = ${by}, resumed_at = clock_timestamp(), resumed_because = ${because}
      where party_id = ${partyId} and resumed_at is null -- index pauses_standing
      returning pause_id
    ),
    event as (${insertAudit(event, sql`exists (select from resumed)`)})
    select from resumed`.execute(db);
  return rows.length > 0;
}
