// Lists the stored submissions of sources, judged or not, newest first. Writes nothing.
import { sql } from 'kysely';
import type { ListPlace } from '../../core/list-place.ts';
import type {
  ListedSubmission,
  SubmissionFilter,
  SubmissionPage,
} from '../../core/payments/submission-list.ts';
import { given } from '../pool/statements.ts';
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

type Page = { readonly limit: number; readonly after?: ListPlace };

/** How many rows, and for how long, a page may scan to find submissions in a state. */
interface Look {
  readonly rows: number;
  readonly forMs: number;
}
// 5,000 rows take about 50 ms; a second is well below the time limit of a request
const usualLook: Look = { rows: 5_000, forMs: 1_000 };

/**
 * Reads one page. No index covers the state, so it scans in slices. This keeps the time of each statement
 * independent of the size of the record. After a second it returns the page, however few submissions it has
 * found.
 */
export async function listSubmissions(
  db: Db,
  filter: SubmissionFilter,
  { limit, after }: Page,
  look = usualLook,
): Promise<SubmissionPage> {
  const submissions: ListedSubmission[] = [];
  const until = performance.now() + look.forMs;
  let from = after;
  do {
    const left = limit - submissions.length;
    const rows = filter.states === undefined ? left + 1 : look.rows;
    const slice = await readSlice(db, filter, { rows, left, after: from });
    submissions.push(...slice.submissions);
    from = slice.next;
  } while (from !== undefined && submissions.length < limit && performance.now() < until);
  return { submissions, next: from };
}

interface Slice {
  readonly rows: number;
  readonly left: number;
  readonly after: ListPlace | undefined;
}

/** @returns the slice; its `next` is undefined if there are no older submissions */
async function readSlice(
  db: Db,
  filter: SubmissionFilter,
  { rows: size, left, after }: Slice,
): Promise<SubmissionPage> {
  const looked = [
    sql`m.direction = 'in' and m.leg = 'source'`, // served by index messages_submitted
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
    ...given(after, ({ at, id }) => sql`(m.created_at, m.message_id) < (${at}::timestamptz, ${id}::uuid)`),
  ];
  const wanted = filter.states === undefined ? sql`true` : sql`${state} = any(${filter.states}::text[])`;
  const { rows } = await sql<ListedSubmission & Looked>`
    with slice as materialized (
      select m.message_id, m.subject_id, m.message_type, m.message_identification, m.party, m.created_at from messages m
      where ${sql.join(looked, sql` and `)}
      order by m.created_at desc, m.message_id desc limit ${sql.lit(size)}),
    last as (
      select created_at::text as "lastAt", message_id as "lastId", (select count(*)::int from slice) as looked
      from slice order by created_at, message_id limit 1),
    found as (
      select m.message_id as "submissionId", m.message_type as message, m.party,
        m.message_identification as "messageIdentification", coalesce(m.subject_id, m.message_id) as "subjectId",
        m.created_at as "storedAt", m.created_at::text as at, ${state} as state,
        case m.message_type when 'pacs008' then a.status end as status, r.verified,
        coalesce(r.reason_code, a.reason_code) as "reasonCode", a.created_at as "answeredAt",
        exists (select from ${triesOfSubmission}) as "isUnanswerable"
      from slice m
      left join ${answer}
      left join resolution_answers r on r.resolution_id = m.message_id
      where ${wanted}
      order by m.created_at desc, m.message_id desc limit ${sql.lit(left + 1)})
    select * from last left join found on true order by "storedAt" desc, "submissionId" desc`.execute(db);
  const found = rows.filter(({ submissionId }) => (submissionId as string | null) !== null);
  const submissions = found.slice(0, left);
  const [end] = rows;
  const lastShown = submissions.at(-1);
  if (found.length > left && lastShown)
    return { submissions, next: { at: lastShown.at, id: lastShown.submissionId } };
  const isAll = end === undefined || end.looked < size;
  return { submissions, next: isAll ? undefined : { at: end.lastAt, id: end.lastId } };
}

/** The oldest row that was scanned, and the number of rows scanned. */
interface Looked {
  readonly at: string;
  readonly lastAt: string;
  readonly lastId: string;
  readonly looked: number;
}
