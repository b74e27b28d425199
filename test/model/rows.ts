// A record of the model as rows of the database, and back: for one accepted payment, inside a transaction of the test's
// own.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../../db/pool/connection.ts';
import type { Record, Report } from './record.ts';
import { initial, statusOf } from './state.ts';
import { rewritten } from '../harness/rewritten.ts';

/** The payment that the rows belong to. */
export interface Subject {
  readonly uetr: string;
  readonly deliveryId: string;
  /** Of any message, where a row must name one. */
  readonly messageId: string;
  readonly reports: Readonly<{ [Which in Report]: string }>;
}

/** `-`: a NORM payment, which has none. */
export type Deadline = '-' | 'to come' | 'past';

/** What A says, and B the contrary, in these tests. */
export const saidIn = (report: Report) => statusOf({ booked: 'ACCC' }, report);

export const bodyOf = ({ uetr }: Subject, report: Report) => Buffer.from(`${uetr} ${report}`);

const deadlines = {
  '-': null,
  'to come': sql`now() + interval '1 hour'`,
  past: sql`now() - interval '1 hour'`,
};

/** The reports that are stored, as they came. */
export const inOrder = ({ stored }: Record): readonly Report[] =>
  (['A', 'B'] as const)
    .filter((report) => stored.includes(report))
    .sort((one, other) => stored.indexOf(one) - stored.indexOf(other));

const begunAt = (uetr: string) => sql`(select begun_at from payments where uetr = ${uetr})`;

export async function putRows(db: Db, subject: Subject, record: Record, deadline: Deadline): Promise<void> {
  const { uetr, deliveryId, messageId, reports } = subject;
  for (const [index, report] of inOrder(record).entries()) {
    await sql`
      with known as (
        insert into message_keys (party, message_type, sha256, message_id, created_at)
        values ('THBPPAY', 'pacs002', sha256(${bodyOf(subject, report)}), ${reports[report]}, now()))
      insert into messages (message_id, subject_id, message_type, message_identification, direction, leg, party, status, sha256,
        size, created_at)
      values (${reports[report]}, ${uetr}, 'pacs002', ${report}, 'in', 'destination', 'THBPPAY', ${saidIn(report)},
        sha256(${bodyOf(subject, report)}), length(${bodyOf(subject, report)}), now() - ${2 - index} * interval '1 minute')`.execute(
      db,
    );
  }
  const marked = record.marked === '-' ? null : reports[record.marked];
  await rewritten(
    db,
    sql`
    with payment as (update payments set deadline_at = ${deadlines[deadline]},
      judged_at = now() - interval '1 hour' where uetr = ${uetr})
    update deliveries set attempts = ${Number(record.attempted)}, possibly_sent = ${record.possiblySent},
      closed_at = case when ${record.closed}::boolean then now() end, final_report_id = ${marked}
    where delivery_id = ${deliveryId}`,
  );
  if (record.status !== '-') {
    const { decidedBy } = record;
    const report = decidedBy === 'A' || decidedBy === 'B' ? reports[decidedBy] : null;
    await sql`
      insert into decisions (uetr, begun_at, status, decided_by, report_message_id, rule_id, callback_message_id,
        confirmation_message_id, perhaps_seen)
      values (${uetr}, ${begunAt(uetr)}, ${record.status}, ${report === null ? 'gateway' : 'destination'}, ${report}, ${ruleOf[decidedBy]},
        ${messageId}, ${messageId}, true)`.execute(db);
  }
  for (const kind of ['callback', 'confirmation'] as const) {
    const state = record[kind];
    if (state === 'none') continue;
    await sql`
      insert into deliveries (delivery_id, subject_id, begun_at, kind, message_id, party, attempts, delivered_at, closed_at)
      values (${randomUUID()}, ${uetr}, ${begunAt(uetr)}, ${kind}, ${messageId}, 'THBPPAY', ${state === 'due' ? 0 : 1},
        case when ${state} = 'delivered' then now() end, case when ${state} = 'dead' then now() end)`.execute(
      db,
    );
  }
}

/** How a decision says who made it. */
const ruleOf = { '-': null, validation: null, A: null, B: null, deadline: 'TIM-1', unreachable: 'TIM-3' };

/** The parts of the record that are in the database, but for those that belong to the submission. */
export async function readRows(db: Db, { uetr }: Subject): Promise<Partial<Record>> {
  const { rows } = await sql<{ record: { [part: string]: unknown } }>`
    select jsonb_build_object(
      'attempted', i.attempts > 0, 'possiblySent', i.possibly_sent, 'closed', i.closed_at is not null,
      'final', f.message_identification, 'status', coalesce(d.status, '-'), 'rule', d.rule_id, 'report', r.message_identification,
      'stored', (select jsonb_agg(m.message_identification order by m.created_at) from messages m
        where m.subject_id = i.subject_id and m.leg = 'destination' and m.direction = 'in'),
      'deliveries', (select jsonb_object_agg(kind, case when delivered_at is not null then 'delivered'
        when closed_at is not null then 'dead' when attempts = 0 and asks = 1 then 'due' else 'again' end)
        from deliveries where subject_id = i.subject_id),
      'notices', (select count(*) from messages m where m.subject_id = i.subject_id and m.message_type = 'fxtr017'),
      'alerts', (select jsonb_agg(distinct m.message_identification) from audit_events e
        join messages m on m.message_id::text = e.detail ->> 'reportMessageId'
        where e.subject_id = i.subject_id and e.kind = 'payment.contradiction')
    ) as record
    from deliveries i
    left join decisions d on d.uetr = i.subject_id
    left join messages f on f.message_id = i.final_report_id
    left join messages r on r.message_id = d.report_message_id
    where i.subject_id = ${uetr} and i.kind = 'instruction'`.execute(db);
  const row = rows[0]?.record ?? {};
  const deliveries = (row['deliveries'] ?? {}) as { [kind: string]: Record['confirmation'] };
  const { callback = 'none', confirmation = 'none', notification = 'none' } = deliveries;
  const byRule = row['rule'] === 'TIM-1' ? 'deadline' : 'unreachable';
  return {
    attempted: row['attempted'] as boolean,
    possiblySent: row['possiblySent'] as Record['possiblySent'],
    closed: row['closed'] as boolean,
    marked: (row['final'] ?? '-') as Record['marked'],
    status: row['status'] as Record['status'],
    decidedBy: row['status'] === '-' ? '-' : ((row['report'] ?? byRule) as Record['decidedBy']),
    stored: ((row['stored'] ?? []) as string[]).join('') as Record['stored'],
    callback: callback === 'again' ? 'due' : callback,
    confirmation,
    notification: notification === 'again' ? 'due' : notification,
    notices: row['notices'] as Record['notices'],
    alerts: ((row['alerts'] ?? []) as string[]).sort().join('') as Record['alerts'],
  };
}

/** As `readRows` would find a record. */
export function inRows(record: Record): Partial<Record> {
  const parts = [
    'attempted',
    'possiblySent',
    'closed',
    'marked',
    'status',
    'decidedBy',
    'stored',
    'callback',
  ] as const;
  const more = ['confirmation', 'notification', 'notices', 'alerts'] as const;
  return Object.fromEntries([...parts, ...more].map((part) => [part, record[part]]));
}

/** Every combination of these values of parts, on a record that has nothing else. */
export function combinations(values: {
  readonly [Part in keyof Record]?: readonly Record[Part][];
}): readonly Record[] {
  let all: readonly Record[] = [{ ...initial, submitted: true, payment: 'accepted', instructions: 1 }];
  for (const [part, list] of Object.entries(values))
    all = all.flatMap((record) => list.map((value) => ({ ...record, [part]: value })));
  return all.filter(isPossible);
}

/** What the database could hold: a mark is of a report that is stored, and what may have been sent was tried. */
function isPossible({ marked, stored, possiblySent, attempted, status, decidedBy, closed }: Record): boolean {
  const isMarked = marked === '-' || stored.includes(marked);
  const isReported = (decidedBy !== 'A' && decidedBy !== 'B') || stored.includes(decidedBy);
  return (
    isMarked &&
    isReported &&
    (closed || (stored === '') === (marked === '-')) && // the first of an undecided payment is marked as it is stored
    (possiblySent === 0 || attempted) &&
    (status === '-') === (decidedBy === '-') &&
    closed === (status !== '-')
  );
}
