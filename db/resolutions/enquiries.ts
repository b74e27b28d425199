// Enquiries of a resolution: reads one before it is sent, and claims a send. Returns durations measured by the database
// clock, so that the clocks of other machines do not matter. db/resolutions/resolutions.ts handles the answers.
import { sql } from 'kysely';
import { assert } from '../../core/assert.ts';
import type { Db } from '../pool/connection.ts';
import { joinBody } from '../records/messages.ts';
import { theOne } from '../pool/the-one.ts';
import { bodyColumns, type BodyColumns } from '../keys/vault.ts';
import {
  insertIntents,
  isNewClaim,
  openHere,
  toAttempt,
  type ClaimedAttempt,
  type ClaimRow,
  type DeliveryKind,
} from '../deliveries/deliveries.ts';

/** A stored enquiry. */
export interface StandingEnquiry {
  readonly kind: DeliveryKind;
  /** Payment system whose operator is asked. */
  readonly party: string;
  readonly messageIdentification: string;
  /** Null: the body was changed, is no longer kept, or its key is missing. It cannot be sent; the claim says why. */
  readonly body: Buffer | null;
  /** Id of the stored acmt.024 that answers it, if there is one. */
  readonly reportMessageId: string | undefined;
  /** Milliseconds until the resolution must be answered; 0 or less: the time is over. */
  readonly remainingMs: number;
}

/** @throws if there is no such enquiry */
export async function loadEnquiry(db: Db, deliveryId: string): Promise<StandingEnquiry> {
  // primary keys; messages_in_reply_to
  const { rows } = await sql<
    BodyColumns & {
      kind: DeliveryKind;
      party: string;
      message_identification: string;
      report_message_id: string | null;
      remaining_ms: number;
    }
  >`
    select d.kind, d.party, m.message_identification, ${bodyColumns('m')},
      (extract(epoch from s.deadline_at - clock_timestamp()) * 1000)::float8 as remaining_ms,
      (select r.message_id from messages r where r.in_reply_to = m.message_id and r.direction = 'in'
        order by r.created_at limit 1) as report_message_id
    from deliveries d join ${theOne(sql`messages where message_id = d.message_id`)} m on true ${joinBody('m')}
      join resolutions s on s.resolution_id = d.subject_id
    where d.delivery_id = ${deliveryId}`.execute(db);
  const [row] = rows;
  assert(row !== undefined, 'an enquiry is stored before it is asked');
  return {
    kind: row.kind,
    party: row.party,
    messageIdentification: row.message_identification,
    body: (await openHere(db, row)).body,
    reportMessageId: row.report_message_id ?? undefined,
    remainingMs: row.remaining_ms,
  };
}

/**
 * Claims one send.
 * @param followMs milliseconds that are needed after the answer
 * @param claim id made for this send; use it again only to repeat this call before anything is sent
 * @returns undefined if the resolution is answered, or if an answer would come too late to be used
 */
export async function claimEnquiry(
  db: Db,
  deliveryId: string,
  { followMs, claim }: { readonly followMs: number; readonly claim: string },
): Promise<ClaimedAttempt | undefined> {
  const isNew = isNewClaim(claim);
  const { rows } = await sql<ClaimRow>`
    with claimed as (
      update deliveries d
      set claim = ${claim}::uuid, attempts = attempts + ${isNew}, attempts_since_asked = attempts_since_asked + ${isNew},
        possibly_sent = possibly_sent + ${isNew}
      from resolutions r
      where d.delivery_id = ${deliveryId} and d.closed_at is null and r.resolution_id = d.subject_id
        and r.deadline_at > clock_timestamp() + ${followMs}::float8 * interval '1 millisecond'
      returning d.delivery_id, d.kind, d.attempts, d.attempts_since_asked, d.asks, d.party, d.url, d.message_id, d.begun_at,
        r.deadline_at
    ),
    intent as (${insertIntents})
    select c.*, 0::float8 as elapsed_ms, m.message_identification, ${bodyColumns('m')},
      (extract(epoch from c.deadline_at - clock_timestamp()) * 1000)::float8 - ${followMs}::float8 as remaining_ms
    from claimed c join ${theOne(sql`messages where message_id = c.message_id`)} m on true ${joinBody('m')}`.execute(
    db,
  );
  const [row] = rows;
  return row && toAttempt(db, row);
}
