// Explains an id that has no payment. It tells above all whether a stored submission still waits to be judged
// and may be sent, or whether a party reported that it was paid.
import { sql } from 'kysely';
import { isAlert } from '../records/audit.ts';
import type { Db } from '../pool/connection.ts';

export interface CameUnder {
  /**
   * `not-judged`: a submission waits to be judged. `judged`: it was judged a moment ago. `refused`: all submissions
   * under this id were refused as repeats. `other`: the id of a resolution, or of a page of a book.
   */
  readonly as: 'not-judged' | 'judged' | 'refused' | 'other' | 'nothing';
  /** Alerts about the id: those with a reported credit first, then the newest. At most 5. */
  readonly alerts: readonly AlertAbout[];
  /** Number of all alerts, counted once for each kind, party and reported status. */
  readonly alertCount: number;
}

export interface AlertAbout {
  readonly kind: string;
  readonly party: string | null;
  readonly reported: string | null;
}

const mostNamed = 5; // the others are only counted, because a party may report without limit

export async function whatCameUnder(db: Db, id: string): Promise<CameUnder> {
  const isSubmission = sql`m.direction = 'in' and m.message_type = 'pacs008'`;
  // served by indexes messages_subject_id and audit_events_subject_id, and by the primary keys of refusals and
  // payments
  const { rows } = await sql<CameUnder>`
    with about as (
      select e.kind, e.party, e.detail ->> 'reported' as reported, max(e.audit_event_id) as latest
      from audit_events e where ${isAlert} and e.subject_id = ${id}::uuid
      group by 1, 2, 3
    )
    select case
        when exists (select from payments where uetr = ${id}::uuid) then 'judged'
        when bool_or(${isSubmission} and r.message_id is null) then 'not-judged'
        when bool_or(${isSubmission}) then 'refused'
        when count(*) > 0 then 'other'
        else 'nothing' end as as,
      (select count(*)::int from about) as "alertCount",
      (select coalesce(json_agg(named), '[]') from (
        select kind, party, reported from about
        order by reported is not distinct from 'ACCC' desc, latest desc limit ${sql.lit(mostNamed)}) named) as alerts
    from messages m left join refusals r on r.message_id = m.message_id
    where m.subject_id = ${id}::uuid`.execute(db);
  return rows[0] ?? { as: 'nothing', alerts: [], alertCount: 0 };
}
