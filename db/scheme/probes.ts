// Stores trial messages, which a worker sends. Before a second operator approves a change, each new endpoint gets
// one, and the result is shown with the change. A party can also ask for one to each of its own addresses.
import { sql } from 'kysely';
import { parseQueueAddress } from '../../core/deliveries/queue-address.ts';
import { operatorOf } from '../../core/deliveries/receiver.ts';
import type { SchemeEdit } from '../../core/scheme/change.ts';
import type {
  InstitutionDocument,
  OperatorDocument,
  ClearingSystemDocument,
} from '../../core/scheme/documents.ts';
import type { ReferenceData } from '../../core/scheme/reference.ts';
import type { Db } from '../pool/connection.ts';

/** The tables of trial messages, each with the column that says for which change or party it is. */
const subjectColumns = { endpoint_probes: 'change_id', endpoint_trials: 'party_id' } as const;
type ProbeTable = keyof typeof subjectColumns;

export interface WantedProbe {
  readonly table: ProbeTable;
  /** Id of the change or of the party. */
  readonly subjectId: string;
  /** Full address to which the trial message is sent. */
  readonly url: string;
}

/** answered: the endpoint speaks HTTP; failed: the endpoint did not answer, or its server is out of order. */
export type ProbeOutcome = 'answered' | 'failed';

/** The last trial message to an address of a party; only the address if there was none. */
export interface EndpointTrial {
  readonly url: string;
  readonly askedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly outcome: ProbeOutcome | null;
  readonly says: string | null;
}

const enquiryPath = '/iso20022/pacs028';

/** Queues get no trial message, because a consumer would have to handle it. */
const isTried = (url: string | null | undefined): url is string =>
  url != null && parseQueueAddress(url) === undefined;

/** Finds new HTTP addresses in a change. */
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
  return [...new Set(urls.filter(isTried))];
}

/** The registered HTTP addresses of a payment system or FX provider. */
export function addressesOf(data: ReferenceData, partyId: string): readonly string[] {
  const operator = operatorOf(data, partyId);
  const urls = [
    operator && `${operator.endpointUrl}${enquiryPath}`,
    data.institutions.get(partyId)?.notificationUrl,
    data.bookEndpoints.get(partyId),
  ];
  return [...new Set(urls.filter(isTried))];
}

/** Requests trial messages, in the transaction that proposes the change. */
export async function wantProbes(trx: Db, changeId: string, urls: readonly string[]): Promise<void> {
  if (urls.length === 0) return;
  await sql`insert into endpoint_probes (change_id, url)
    select ${changeId}::uuid, unnest(${urls}::text[])`.execute(trx);
}

const trialsApart = sql`interval '10 seconds'`; // so that nobody can use us to flood an address

/** Requests a trial message to each address, unless one is under way or was requested a moment ago. */
export async function wantTrials(db: Db, partyId: string, urls: readonly string[]): Promise<void> {
  await sql`insert into endpoint_trials as t (party_id, url)
    select ${partyId}::text, unnest(${urls}::text[])
    on conflict (party_id, url) do update
    set asked_at = clock_timestamp(), claimed_at = null, finished_at = null, outcome = null, says = null
    where t.finished_at is not null and t.asked_at < clock_timestamp() - ${trialsApart}`.execute(db);
}

/** Returns one row for each of the addresses, in their order. */
export async function readTrials(
  db: Db,
  partyId: string,
  urls: readonly string[],
): Promise<readonly EndpointTrial[]> {
  const { rows } = await sql<EndpointTrial>`
    select r.url, t.asked_at as "askedAt", t.finished_at as "finishedAt", t.outcome, t.says
    from unnest(${urls}::text[]) with ordinality as r (url, position)
    left join endpoint_trials t on t.party_id = ${partyId} and t.url = r.url -- served by the primary key
    order by r.position`.execute(db);
  return rows;
}

const claimedFor = sql`interval '30 seconds'`; // after that another worker may take the trial, because the first one has crashed

/** @param atMost of each table, so that many trials of parties leave room for those of changes */
export async function claimProbes(db: Db, atMost: number): Promise<readonly WantedProbe[]> {
  const claimIn = (table: ProbeTable) => {
    const subject = sql.ref(subjectColumns[table]);
    return sql`update ${sql.table(table)} set claimed_at = clock_timestamp()
      where (${subject}, url) in (
        select ${subject}, url from ${sql.table(table)}
        where finished_at is null and (claimed_at is null or claimed_at < clock_timestamp() - ${claimedFor})
        order by asked_at limit ${sql.lit(atMost)} for update skip locked) -- index endpoint_probes_open or endpoint_trials_open
      returning ${sql.lit(table)} as "table", ${subject}::text as "subjectId", url`;
  };
  const { rows } = await sql<WantedProbe>`
    with probes as (${claimIn('endpoint_probes')}), trials as (${claimIn('endpoint_trials')})
    select "table", "subjectId", url from probes union all select "table", "subjectId", url from trials`.execute(
    db,
  );
  return rows;
}

export async function finishProbe(
  db: Db,
  { table, subjectId, url }: WantedProbe,
  outcome: ProbeOutcome,
  says: string,
): Promise<void> {
  await sql`update ${sql.table(table)} set finished_at = clock_timestamp(), outcome = ${outcome}, says = ${says}
    where ${sql.ref(subjectColumns[table])} = ${subjectId} and url = ${url}`.execute(db); // served by the primary key
}
