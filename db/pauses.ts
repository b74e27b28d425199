// Destinations and FX providers that operators pause and resume (LIF-5). Whoever judges and quotes learns of it as of all
// reference data (REF-6); each act is an audit event of the same statement.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { insertAudit } from './audit.ts';
import type { Db } from './connection.ts';

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

interface Act {
  readonly partyId: string;
  /** As everybody names it. */
  readonly party: string;
  readonly by: string;
  readonly because: string;
}

/** @returns whether it was not paused before */
export async function pause(db: Db, { partyId, party, by, because }: Act): Promise<boolean> {
  const event = { severity: 'info', kind: 'operator.paused', party, detail: { by } } as const;
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
  const event = { severity: 'info', kind: 'operator.resumed', party, detail: { by } } as const;
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
