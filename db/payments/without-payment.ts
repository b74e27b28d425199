// What stands behind an id that no payment was found under: above all, whether a payment is stored, not judged yet, and
// may still go out, or somebody says that it was paid.
import { sql } from 'kysely';
import { isAlert } from '../records/audit.ts';
import type { Db } from '../pool/connection.ts';

export interface CameUnder {
  /**
   * `not-judged`: a submission waits to be judged. `judged`: it was judged a moment ago. `refused`: all that came under
   * it was refused as a repeat. `other`: it is the id of a resolution, or of a page of a book.
   */
  readonly as: 'not-judged' | 'judged' | 'refused' | 'other' | 'nothing';
  /** Alerts about it: one of a reported credit first, then the newest; `alertCount` says how many there are. */
  readonly alerts: readonly AlertAbout[];
  /** Each kind of each party, with each status that it reported, counts once. */
  readonly alertCount: number;
}

export interface AlertAbout {
  readonly kind: string;
  readonly party: string | null;
  /** The status that a report stated which did not count. */
  readonly reported: string | null;
}

const mostNamed = 5; // the rest is counted: a party may report as often as it likes

export async function whatCameUnder(db: Db, id: string): Promise<CameUnder> {
  const isSubmission = sql`m.direction = 'in' and m.message_type = 'pacs008'`;
  // indexes messages_subject_id and audit_events_subject_id; primary keys of refusals and payments
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
