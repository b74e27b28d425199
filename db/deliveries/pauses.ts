// Operators pause and resume destinations and FX providers. Processes learn of a pause through the reference
// data. One statement writes the pause and its audit event.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { insertAudit } from '../records/audit.ts';
import { given, isThere } from '../pool/statements.ts';
import type { Db } from '../pool/connection.ts';

export interface Pause {
  /** Id of the payment system, or internalId of the FX provider. */
  readonly partyId: string;
  /** Client id of the operator. */
  readonly by: string;
  readonly at: Date;
  /** The reason, in the operator's words. */
  readonly because: string;
}

export async function listPauses(db: Db): Promise<readonly Pause[]> {
  const { rows } = await sql<Pause>`
    select party_id as "partyId", paused_by as by, paused_at as at, paused_because as because
    from pauses where resumed_at is null order by party_id`.execute(db); // served by index pauses_standing
  return rows;
}

export interface RecordedPause extends Pause {
  /**
   * Client id of the operator who ended the pause. This and the next two are null while the pause is in
   * force.
   */
  readonly resumedBy: string | null;
  readonly resumedAt: Date | null;
  readonly resumedBecause: string | null;
}

export interface PauseFilter {
  readonly partyId?: string;
  /** Selects the pauses that were in force at any time since `from`, and that began before `to`. */
  readonly from?: Date;
  readonly to?: Date;
}

/** Lists pauses, newest first. There is no paging, because operators make each pause by hand. */
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
  /** The name of the party in audit events. */
  readonly party: string;
  readonly by: string;
  readonly because: string;
}

/** @returns true if the party was not paused before; false: nothing changed */
export function pause(db: Db, { partyId, party, by, because }: Act): Promise<boolean> {
  const event = { kind: 'operator.paused', party, detail: { by } } as const;
  return isThere(
    db,
    sql`
    with paused as (
      insert into pauses (pause_id, party_id, paused_by, paused_because)
      values (${randomUUID()}, ${partyId}, ${by}, ${because})
      on conflict (party_id) where resumed_at is null do nothing
      returning pause_id
    ),
    event as (${insertAudit(event, sql`exists (select from paused)`)})
    select from paused`,
  );
}

/** @returns true if the party was paused before; false: nothing changed */
export function resume(db: Db, { partyId, party, by, because }: Act): Promise<boolean> {
  const event = { kind: 'operator.resumed', party, detail: { by } } as const;
  return isThere(
    db,
    sql`
    with resumed as (
      update pauses set resumed_by = ${by}, resumed_at = clock_timestamp(), resumed_because = ${because}
      where party_id = ${partyId} and resumed_at is null -- index pauses_standing
      returning pause_id
    ),
    event as (${insertAudit(event, sql`exists (select from resumed)`)})
    select from resumed`,
  );
}
