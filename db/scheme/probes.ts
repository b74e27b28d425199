// Stores trial messages to proposed endpoints. Before a second operator approves a change, a worker sends a
// harmless message to each new endpoint. The result is shown with the change.
import { sql } from 'kysely';
import { parseQueueAddress } from '../../core/deliveries/queue-address.ts';
import type { SchemeEdit } from '../../core/scheme/change.ts';
import type {
  InstitutionDocument,
  OperatorDocument,
  ClearingSystemDocument,
} from '../../core/scheme/documents.ts';
import type { Db } from '../pool/connection.ts';

export interface WantedProbe {
  readonly changeId: string;
  /** Full address to which the trial message is sent. */
  readonly url: string;
}

/** answered: the endpoint speaks HTTP; failed: the endpoint did not answer, or its server is out of order. */
export type ProbeOutcome = 'answered' | 'failed';

const enquiryPath = '/iso20022/pacs028';

/**
 * Finds new HTTP addresses in a change. Queues get no trial message, because a consumer would have to handle
 * it.
 */
export function endpointsOf(edits: readonly SchemeEdit[]): readonly string[] {
  const urls = edits.flatMap(({ kind, before, after }) => {
    const isNew = (member: string) =>
      (before as Record<string, unknown> | null)?.[member] !==
      (after as Record<string, unknown> | null)?.[member];
    if (after === null) return [];
    if (kind === 'operators') {
      return isNew('endpointUrl') ? [`${(after as OperatorDocument).endpointUrl}${enquiryPath}`] : [];
    }
    if (kind !== 'clearing-systems' && kind !== 'institutions') return [];
    const { bookEndpointUrl, notificationUrl } = after as ClearingSystemDocument &
      Partial<InstitutionDocument>;
    return [
      ...(isNew('bookEndpointUrl') ? [bookEndpointUrl] : []),
      ...(isNew('notificationUrl') ? [notificationUrl] : []),
    ];
  });
  const isTried = (url: string | null | undefined): url is string =>
    url != null && parseQueueAddress(url) === undefined;
  return [...new Set(urls.filter(isTried))];
}

/** Requests trial messages, in the transaction that proposes the change. */
export async function wantProbes(trx: Db, changeId: string, urls: readonly string[]): Promise<void> {
  if (urls.length === 0) return;
  await sql`insert into endpoint_probes (change_id, url)
    select ${changeId}::uuid, unnest(${urls}::text[])`.execute(trx);
}

const claimedFor = sql`interval '30 seconds'`; // after that another worker may take the trial, because the first one has crashed

export async function claimProbes(db: Db, atMost: number): Promise<readonly WantedProbe[]> {
  const { rows } = await sql<WantedProbe>`
    update endpoint_probes p set claimed_at = clock_timestamp()
    where (change_id, url) in (
      select change_id, url from endpoint_probes q
      where finished_at is null and (claimed_at is null or claimed_at < clock_timestamp() - ${claimedFor})
      order by asked_at limit ${sql.lit(atMost)} for update skip locked) -- index endpoint_probes_open
    returning change_id as "changeId", url`.execute(db);
  return rows;
}

export async function finishProbe(
  db: Db,
  { changeId, url }: WantedProbe,
  outcome: ProbeOutcome,
  says: string,
): Promise<void> {
  await sql`update endpoint_probes set finished_at = clock_timestamp(), outcome = ${outcome}, says = ${says}
    where change_id = ${changeId}::uuid and url = ${url}`.execute(db); // served by the primary key
}
