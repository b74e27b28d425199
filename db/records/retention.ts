// Drops data that is older than the retention period: message bytes by month, records by year. Drops only
// whole partitions, never a single row. A partition stays if anything in it is undecided, undelivered or in
// an open case.
import { sql, type RawBuilder } from 'kysely';
import type { RetentionConfig } from '../../core/settings/config.ts';
import { isAlert, recordAudit } from './audit.ts';
import type { Db } from '../pool/connection.ts';
import { isOfToldKind, isOpen } from '../deliveries/deliveries.ts';
import { yearly } from './partitions.ts';
import { isJudged } from '../payments/unanswered.ts';

type KeptFor = Pick<RetentionConfig, 'messagesMonths' | 'recordsYears'>;

/**
 * Why a partition stays. In this order: a payment has no final status; a receiver has not acknowledged a message; an
 * alert is not closed; a submission was not judged; message bytes of the same time are still kept.
 */
export type HoldReason = 'undecided' | 'undelivered' | 'in a case' | 'never judged' | 'its messages are kept';

export interface Hold {
  readonly reason: HoldReason;
  readonly count: number;
  /** The first few UETRs, or ids of resolutions or of pages of books, that hold the partition. */
  readonly examples: readonly string[];
}

export interface Expired {
  readonly what: 'messages' | 'records';
  /** End of its time range, exclusive. It begins where the previous one ends. */
  readonly until: Date;
  readonly partitions: readonly string[];
  readonly rows: number;
  readonly bytes: number;
  /** What holds the partitions. Empty: they may be dropped. */
  readonly holds: readonly Hold[];
}

interface Range {
  readonly what: Expired['what'];
  /** Start of the range, in the database's text format; `-infinity` for the first range. */
  readonly since: string;
  readonly until: string;
}

type FoundRange = Range & Omit<Expired, 'holds' | 'until'> & { readonly untilAt: Date };

/** Lists everything older than its retention period, oldest first, with what holds it. Writes nothing. */
export async function findExpired(db: Db, keptFor: KeptFor): Promise<readonly Expired[]> {
  const expired: Expired[] = [];
  for (const range of await rangesOf(db, keptFor)) expired.push(await toExpired(db, range));
  return expired;
}

async function rangesOf(db: Db, { messagesMonths, recordsYears }: KeptFor): Promise<readonly FoundRange[]> {
  const { rows } = await sql<FoundRange>`
    select what, since::text as since, until::text as until, until as "untilAt",
      array_agg(name order by name) as partitions,
      sum(greatest(c.reltuples, 0))::float8 as rows, sum(pg_total_relation_size(c.oid))::float8 as bytes
    from (
      select *, case parent when 'message_bodies' then 'messages' else 'records' end as what from partitions
      where parent = 'message_bodies' or parent = any(${Object.keys(yearly)}::text[])
    ) p join pg_class c on c.oid = to_regclass(p.name)
    where not is_default and until <= now() - case what
      when 'messages' then make_interval(months => ${messagesMonths}) else make_interval(years => ${recordsYears}) end
    group by what, since, until
    order by what, until`.execute(db); // message bytes come before the records of the same time
  return rows;
}

async function toExpired(db: Db, { untilAt, since, until, ...range }: FoundRange): Promise<Expired> {
  return { ...range, until: untilAt, holds: await holdsOf(db, { what: range.what, since, until }) };
}

/**
 * Drops a set of partitions that nothing holds. For records, also deletes the keys by which repeated messages
 * are recognised.
 * @param partitions of an entry that `findExpired` returned
 * @returns what holds the partitions now; if the list is not empty, nothing was dropped
 */
export async function dropExpired(
  db: Db,
  keptFor: KeptFor,
  { what, partitions }: Pick<Expired, 'what' | 'partitions'>,
): Promise<readonly Hold[]> {
  const trx = await db.startTransaction().execute();
  try {
    await sql`select pg_advisory_xact_lock(hashtext('retention'))`.execute(trx); // one process at a time
    const range = (await rangesOf(trx, keptFor)).find(
      (one) => one.what === what && one.partitions[0] === partitions[0],
    );
    if (range === undefined) {
      await trx.rollback().execute(); // another process has dropped these partitions
      return [];
    }
    const holds = await holdsAtLast(trx, range);
    if (holds.length === 0) await dropPartitions(trx, range);
    await (holds.length === 0 ? trx.commit() : trx.rollback()).execute();
    return holds;
  } catch (error) {
    await trx.rollback().execute();
    throw error;
  }
}

/**
 * Checks first without locks, and again once the tables are locked and no row can be added. The second check
 * matters because the keys are deleted (LIF-6).
 */
async function holdsAtLast(trx: Db, range: FoundRange): Promise<readonly Hold[]> {
  const holds = await holdsOf(trx, range);
  if (holds.length > 0) return holds;
  if (range.what === 'records') await dropKeys(trx, range);
  await sql`set local lock_timeout = '2s'`.execute(trx); // after that time, queries that wait behind ours in the lock queue go on
  const tables = range.what === 'messages' ? ['message_bodies'] : Object.keys(yearly);
  await sql`lock table ${sql.join(tables.map((table) => sql.table(table)))} in access exclusive mode`.execute(
    trx,
  );
  return holdsOf(trx, range, { isLocked: true });
}

async function dropPartitions(trx: Db, { what, untilAt, partitions, rows }: FoundRange): Promise<void> {
  for (const name of partitions) await sql`drop table ${sql.table(name)}`.execute(trx);
  const detail = { what, until: untilAt.toISOString(), partitions: partitions.join(', '), rows };
  await recordAudit(trx, { kind: 'retention.dropped', detail });
}

async function dropKeys(trx: Db, { since, until }: Range): Promise<void> {
  const inRange = (column: string) =>
    sql`${sql.ref(column)} >= ${since}::timestamptz and ${sql.ref(column)} < ${until}::timestamptz`;
  await sql`delete from payment_keys where ${inRange('begun_at')}`.execute(trx);
  await sql`delete from message_keys where ${inRange('created_at')}`.execute(trx);
}

const mostExamples = 3;

/**
 * @param isLocked the tables are locked and other processes wait, so skip checks whose result cannot have
 *   changed
 */
async function holdsOf(
  db: Db,
  range: Range,
  { isLocked = false }: { readonly isLocked?: boolean } = {},
): Promise<readonly Hold[]> {
  const within = (column: string) =>
    sql`${sql.ref(column)} >= ${range.since}::timestamptz and ${sql.ref(column)} < ${range.until}::timestamptz`;
  const subject = sql.ref('held.subject_id');
  // served by index messages_subject_id and unique keys
  const reaches = sql`(
    exists (select from messages m where m.subject_id = ${subject} and ${within('m.created_at')})
    or exists (select from refused_messages r where r.subject_id = ${subject} and ${within('r.created_at')})
    ${
      range.what === 'records'
        ? sql`
    or exists (select from payments p where p.uetr = ${subject} and ${within('p.begun_at')})
    or exists (select from deliveries d where d.subject_id = ${subject} and ${within('d.begun_at')})`
        : sql``
    })`;
  const held = (reason: HoldReason, from: RawBuilder<unknown>, orElse = sql`false`) => sql`
    select ${reason}::text as reason, held.subject_id::text as example from (${from}) held where ${reaches} or ${orElse}`;
  const parts = [
    // served by indexes deliveries_undecided, deliveries_open and audit_events_alerts, which hold few rows
    held(
      'undecided',
      sql`select subject_id from deliveries where kind = 'instruction' and closed_at is null`,
    ),
    held('undelivered', sql`select subject_id from deliveries where ${isOfToldKind} and ${isOpen}`),
    held(
      'in a case',
      sql`select e.subject_id, e.occurred_at from audit_events e
          left join alert_states done on done.audit_event_id = e.audit_event_id
          where ${isAlert} and done.action is distinct from 'close'
        union all -- a case can exist without an alert
        select subject_id, at from (
          select distinct on (subject_id) subject_id, at, action from case_entries
          where subject_id is not null and action <> 'note' order by subject_id, case_entry_id desc) case_
        where action <> 'close'`,
      range.what === 'records' ? within('held.occurred_at') : sql`false`,
    ),
    ...(isLocked
      ? []
      : [
          sql`select 'never judged', m.subject_id::text from messages m -- messages_submitted
            where m.direction = 'in' and m.leg = 'source' and ${within('m.created_at')} and not ${isJudged}`,
        ]),
    ...(range.what === 'records'
      ? [
          sql`select 'its messages are kept', name from partitions
            where parent = 'message_bodies' and not is_default and since < ${range.until}::timestamptz`,
        ]
      : []),
  ];
  const { rows } = await sql<Hold>`
    select reason, count(*)::int as count,
      coalesce((array_agg(distinct example) filter (where example is not null))[:${sql.lit(mostExamples)}], '{}') as examples
    from (${sql.join(parts, sql` union `)}) held group by reason order by reason`.execute(db);
  return rows;
}
