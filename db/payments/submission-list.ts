// Lists the stored submissions of sources, judged or not, newest first. Writes nothing.
import { sql } from 'kysely';
import type { ListPlace } from '../../core/list-place.ts';
import type {
  ListedSubmission,
  SubmissionFilter,
  SubmissionPage,
} from '../../core/payments/submission-list.ts';
import { readListPage, type Look, type Scanned, type Slice } from '../pool/list-page.ts';
import { given, isFound } from '../pool/statements.ts';
import type { Db } from '../pool/connection.ts';
import { isJudged, triesOfSubmission } from './unanswered.ts';

/**
 * SQL: the first message sent in reply. Later messages about the payment do not count. Served by index
 * messages_in_reply_to.
 */
const answer = sql`lateral (
  select a.status, a.reason_code, a.created_at from messages a
  where a.in_reply_to = m.message_id and a.direction = 'out' order by a.created_at limit 1) a on true`;

const state = sql`case when a.created_at is not null then 'answered' when ${isJudged} then 'asking' else 'stored' end`;

/** Reads one page. No index covers the state, the party or the kind of message. */
export async function listSubmissions(
  db: Db,
  filter: SubmissionFilter,
  page: { readonly limit: number; readonly after?: ListPlace },
  look?: Look,
): Promise<SubmissionPage> {
  const { rows, next } = await readListPage(page, (slice) => readSlice(db, filter, slice), look);
  return { submissions: rows, next };
}

async function readSlice(
  db: Db,
  filter: SubmissionFilter,
  { size, left, after }: Slice,
): Promise<readonly (ListedSubmission & Scanned)[]> {
  const scanned = [
    sql`m.direction = 'in' and m.leg = 'source'`, // served by index messages_submitted
    ...given(filter.scope, (own) => sql`m.party = ${own}`), // here, because the place of the last row is shown
    ...given(filter.messageIdentification, (id) => sql`m.message_identification = ${id}`),
    ...given(filter.subjectId, (id) => sql`(m.subject_id = ${id}::uuid or m.message_id = ${id}::uuid)`),
    ...given(filter.from, (from) => sql`m.created_at >= ${from}`),
    ...given(filter.to, (to) => sql`m.created_at < ${to}`),
    ...given(
      filter.olderThanSeconds,
      (seconds) => sql`m.created_at < now() - ${seconds} * interval '1 second'`,
    ),
    ...given(after, ({ at, id }) => sql`(m.created_at, m.message_id) < (${at}::timestamptz, ${id}::uuid)`),
  ];
  const wanted = [
    sql`true`,
    ...given(filter.message, (type) => sql`m.message_type = ${type}`),
    ...given(filter.party, (party) => sql`m.party = ${party}`),
    ...given(filter.states, (states) => sql`${state} = any(${states}::text[])`),
  ];
  const { rows } = await sql<ListedSubmission & Scanned>`
    with slice as materialized (
      select m.message_id, m.subject_id, m.message_type, m.message_identification, m.party, m.created_at from messages m
      where ${sql.join(scanned, sql` and `)}
      order by m.created_at desc, m.message_id desc limit ${sql.lit(size)}),
    last as (
      select created_at::text as "lastAt", message_id as "lastId", (select count(*)::int from slice) as scanned
      from slice order by created_at, message_id limit 1),
    found as (
      select m.message_id as id, m.message_id as "submissionId", m.message_type as message, m.party,
        m.message_identification as "messageIdentification", coalesce(m.subject_id, m.message_id) as "subjectId",
        m.created_at as "storedAt", m.created_at::text as at, ${state} as state,
        case m.message_type when 'pacs008' then a.status end as status, r.verified,
        coalesce(r.reason_code, a.reason_code) as "reasonCode", a.created_at as "answeredAt",
        a.created_at is null and ${isFound(triesOfSubmission)} as "isUnanswerable"
      from slice m
      left join ${answer}
      left join resolution_answers r on r.resolution_id = m.message_id
      where ${sql.join(wanted, sql` and `)}
      order by m.created_at desc, m.message_id desc limit ${sql.lit(left + 1)})
    select * from last left join found on true order by "storedAt" desc, "submissionId" desc`.execute(db);
  return rows;
}
