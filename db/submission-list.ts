// Lists of what sources have sent, newest first (OBS-5): all that is stored, judged or not. It only reads.
import { sql } from 'kysely';
import type { ListPlace } from '../core/list-place.ts';
import type { ListedSubmission, SubmissionFilter, SubmissionPage } from '../core/submission-list.ts';
import { given } from './conditions.ts';
import type { Db } from './connection.ts';
import { isJudged, triesOfSubmission } from './unanswered.ts';

/** The first that was sent in reply: what is told of the payment later is another message. Index messages_in_reply_to. */
const answer = sql`lateral (
  select a.status, a.reason_code, a.created_at from messages a
  where a.in_reply_to = m.message_id and a.direction = 'out' order by a.created_at limit 1) a on true`;

const state = sql`case when a.created_at is not null then 'answered' when ${isJudged} then 'asking' else 'stored' end`;

export async function listSubmissions(
  db: Db,
  filter: SubmissionFilter,
  page: { readonly limit: number; readonly after?: ListPlace },
): Promise<SubmissionPage> {
  const conditions = [
    sql`m.direction = 'in' and m.leg = 'source'`, // index messages_submitted
    ...given(filter.message, (type) => sql`m.message_type = ${type}`),
    ...given(filter.scope, (own) => sql`m.party = ${own}`),
    ...given(filter.party, (party) => sql`m.party = ${party}`),
    ...given(filter.messageIdentification, (id) => sql`m.message_identification = ${id}`),
    ...given(filter.subjectId, (id) => sql`(m.subject_id = ${id}::uuid or m.message_id = ${id}::uuid)`),
    ...given(filter.from, (from) => sql`m.created_at >= ${from}`),
    ...given(filter.to, (to) => sql`m.created_at < ${to}`),
    ...given(
      filter.olderThanSeconds,
      (seconds) => sql`m.created_at < now() - ${seconds} * interval '1 second'`,
    ),
    ...given(filter.states, (some) => sql`${state} = any(${some}::text[])`),
    ...given(
      page.after,
      ({ at, id }) => sql`(m.created_at, m.message_id) < (${at}::timestamptz, ${id}::uuid)`,
    ),
  ];
  const { rows } = await sql<ListedSubmission & { at: string }>`
    select m.message_id as "submissionId", m.message_type as message, m.party,
      m.message_identification as "messageIdentification", coalesce(m.subject_id, m.message_id) as "subjectId",
      m.created_at as "storedAt", m.created_at::text as at, ${state} as state,
      case m.message_type when 'pacs008' then a.status end as status, r.verified,
      coalesce(r.reason_code, a.reason_code) as "reasonCode", a.created_at as "answeredAt",
      exists (select from ${triesOfSubmission}) as "isUnanswerable"
    from messages m
    left join ${answer}
    left join resolution_answers r on r.resolution_id = m.message_id
    where ${sql.join(conditions, sql` and `)}
    order by m.created_at desc, m.message_id desc
    limit ${sql.lit(page.limit + 1)}`.execute(db);
  const submissions = rows.slice(0, page.limit);
  const last = rows.length > page.limit ? submissions.at(-1) : undefined;
  return { submissions, next: last && { at: last.at, id: last.submissionId } };
}
