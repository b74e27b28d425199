// Reads the health of each party from the record of delivery attempts. Also stores the states of receivers
// (circuit breaker and gate) that the workers report.
import { sql } from 'kysely';
import type {
  HeldUp,
  KindHealth,
  PartyHealth,
  ReceiverHealth,
  RefusedSignatures,
  Workers,
} from '../../core/deliveries/party-health.ts';
import { mostSendsAtOnce } from '../../core/deliveries/receiver.ts';
import type { Db } from '../pool/connection.ts';
import { readRefusedSignatures } from '../records/refused-signatures.ts';
import { isDead, isOfToldKind, isOpen } from './deliveries.ts';

interface Attempted extends Omit<KindHealth, 'open' | 'dead' | 'oldestDueAt' | 'failures'> {
  readonly party: string;
  readonly failures: Readonly<Record<string, number>> | null;
}

/** Counts of the open and given-up deliveries of one kind to one party, regardless of age. */
export interface Owed extends Pick<KindHealth, 'kind' | 'open' | 'dead' | 'oldestDueAt'> {
  readonly party: string;
  /** Seconds since the oldest due delivery became due, by the database clock; 0 if none is due. */
  readonly oldestDueSeconds: number;
  /** Seconds since the oldest open delivery was requested, due or not; 0 if none is open. */
  readonly oldestOpenSeconds: number;
}

// a 2xx whose answer is unusable has an error class (activities/deliveries/send.ts)
const isTaken = sql`(a.http_status between 200 and 299 and a.error_class is null)`;

const noSignatures: RefusedSignatures = { today: 0, lastAt: null, lastWhy: null };

/**
 * Reads the attempts of the last `minutes`, and all open and given-up deliveries, regardless of age.
 * @param setUp names of parties that are listed even if nothing was sent to them
 */
export async function readPartyHealth(
  db: Db,
  minutes: number,
  setUp: readonly string[],
): Promise<readonly PartyHealth[]> {
  const [attempted, owed, waiting, refused, signatures] = await Promise.all([
    readAttempted(db, minutes),
    readOwed(db),
    readWaiting(db),
    readRefused(db, minutes),
    readRefusedSignatures(db),
  ]);
  const active = [...attempted, ...owed, ...waiting, ...refused].map(({ party }) => party);
  const nothing: Refused = { party: '', refused: 0, refusedOf: [] };
  return [...new Set([...setUp, ...active])].sort().map((party) => {
    const own = waiting.find((one) => one.party === party);
    const { today, lastAt, lastWhy } = signatures.find((one) => one.party === party) ?? noSignatures;
    const { refused: count, refusedOf } = refused.find((one) => one.party === party) ?? nothing;
    const kinds = [...attempted, ...owed].filter((one) => one.party === party).map(({ kind }) => kind);
    return {
      party,
      kinds: [...new Set(kinds)].sort().map((kind) => {
        const is = (one: { party: string; kind: string }) => one.party === party && one.kind === kind;
        return kindHealth(kind, attempted.find(is), owed.find(is));
      }),
      waiting: own?.waiting ?? 0,
      refused: count,
      refusedOf,
      oldestWaitingSince: own?.since ?? null,
      signaturesRefused: { today, lastAt, lastWhy },
    };
  });
}

function kindHealth(kind: string, attempted: Attempted | undefined, owed: Owed | undefined): KindHealth {
  return {
    kind,
    attempts: attempted?.attempts ?? 0,
    taken: attempted?.taken ?? 0,
    failing: attempted?.failing ?? 0,
    failedSince: attempted?.failedSince ?? 0,
    lastTakenAt: attempted?.lastTakenAt ?? null,
    p95Ms: attempted?.p95Ms ?? null,
    failures: attempted?.failures ?? {},
    open: owed?.open ?? 0,
    dead: owed?.dead ?? 0,
    oldestDueAt: owed?.oldestDueAt ?? null,
  };
}

async function readAttempted(db: Db, minutes: number): Promise<readonly Attempted[]> {
  // served by index delivery_attempts_started_at and the primary key of deliveries
  const { rows } = await sql<Attempted>`
    with recent as (
      select d.party, d.kind, d.subject_id, a.started_at, a.finished_at, a.duration_ms, ${isTaken} is true as is_taken,
        max(a.started_at) filter (where ${isTaken}) over (partition by d.party, d.kind) as last_taken,
        case when a.finished_at is null or ${isTaken} then null
          else coalesce(a.error_class, 'http-' || a.http_status) end as failure
      from delivery_attempts a join deliveries d on d.delivery_id = a.delivery_id
      where a.started_at > now() - ${minutes} * interval '1 minute'
    ),
    failed as (
      select party, kind, jsonb_object_agg(failure, times) as failures
      from (select party, kind, failure, count(*) as times from recent where failure is not null group by 1, 2, 3) f
      group by 1, 2
    )
    select party, kind, count(*)::int as attempts, count(*) filter (where is_taken)::int as taken,
      count(distinct subject_id) filter (where failure is not null)::int as failing,
      count(*) filter (where failure is not null and (last_taken is null or started_at > last_taken))::int as "failedSince",
      max(finished_at) filter (where is_taken) as "lastTakenAt",
      percentile_disc(0.95) within group (order by duration_ms) as "p95Ms",
      (select failures from failed where failed.party = recent.party and failed.kind = recent.kind) as failures
    from recent group by party, kind`.execute(db);
  return rows;
}

export async function readOwed(db: Db): Promise<readonly Owed[]> {
  // served by indexes deliveries_open and deliveries_dead
  const { rows } = await sql<Owed>`
    select party, kind, sum(open)::int as open, sum(dead)::int as dead, min(due) as "oldestDueAt",
      greatest(0, extract(epoch from now() - min(due)))::float8 as "oldestDueSeconds",
      greatest(0, extract(epoch from now() - min(asked)))::float8 as "oldestOpenSeconds"
    from (
      select party, kind, 1 as open, 0 as dead, next_due_at as due, asked_at as asked
      from deliveries where ${isOfToldKind} and ${isOpen}
      union all
      select party, kind, 0, 1, null, null from deliveries where ${isOfToldKind} and ${isDead}
    ) owed group by party, kind`.execute(db);
  return rows;
}

async function readWaiting(
  db: Db,
): Promise<readonly { readonly party: string; readonly waiting: number; readonly since: Date }[]> {
  // served by index deliveries_undecided
  const { rows } = await sql<{ party: string; waiting: number; since: Date }>`
    select party, count(*)::int as waiting, min(asked_at) as since from deliveries
    where kind = 'instruction' and closed_at is null group by party`.execute(db);
  return rows;
}

type Refused = Pick<PartyHealth, 'party' | 'refused' | 'refusedOf'>;

const mostNamed = 10; // a party whose reports are all refused must not fill the page

/** Counts the refused messages of the last minutes by party, and names the newest subjects. */
async function readRefused(db: Db, minutes: number): Promise<readonly Refused[]> {
  // served by index refused_messages_created_at and the primary key of resolutions
  const { rows } = await sql<Refused>`
    with recent as (
      select party, subject_id, count(*)::int as messages, max(created_at) as last from refused_messages
      where created_at > now() - ${minutes} * interval '1 minute' group by 1, 2
    ),
    placed as (select *, row_number() over (partition by party order by last desc) as place from recent)
    select party, sum(messages)::int as refused,
      jsonb_agg(jsonb_build_object('subjectId', subject_id, 'messages', messages,
        'about', case when exists (select from resolutions r where r.resolution_id = subject_id)
          then 'resolution' else 'payment' end)
        order by place) filter (where place <= ${sql.lit(mostNamed)}) as "refusedOf"
    from placed group by party`.execute(db);
  return rows;
}

export interface ReceiverReport {
  readonly receiver: string;
  readonly breaker: 'closed' | 'open' | 'probing';
  readonly failuresInARow: number;
  readonly sendsUnderWay: number;
}

/**
 * Replaces the receiver states that this worker wrote before.
 * @param isCounted whether the worker moves payments; then it also writes its heartbeat
 */
export async function writeReceiverStates(
  db: Db,
  workerId: string,
  states: readonly ReceiverReport[],
  isCounted = true,
): Promise<void> {
  const column = <T>(pick: (one: ReceiverReport) => T) => states.map(pick);
  await db.transaction().execute(async (trx) => {
    await sql`
      insert into worker_states (worker_id) select ${workerId}::uuid where ${isCounted}::boolean
      on conflict (worker_id) do update set at = clock_timestamp()`.execute(trx);
    await sql`delete from receiver_states where worker_id = ${workerId}`.execute(trx);
    await sql`
      insert into receiver_states (worker_id, receiver, breaker, failures_in_a_row, sends_under_way)
      select ${workerId}::uuid, * from unnest(${column((one) => one.receiver)}::text[], ${column((one) => one.breaker)}::text[],
        ${column((one) => one.failuresInARow)}::int[], ${column((one) => one.sendsUnderWay)}::int[])`.execute(
      trx,
    );
  });
}

/** Deletes the rows of a worker that shuts down, and those of crashed workers: rows older than an hour. */
export async function forgetWorker(db: Db, workerId: string): Promise<void> {
  for (const table of [sql`receiver_states`, sql`worker_states`])
    await sql`delete from ${table} where worker_id = ${workerId} or at < now() - interval '1 hour'`.execute(
      db,
    );
}

const isFresh = sql`at > now() - interval '30 seconds'`;

/** Counts the workers with a heartbeat in the last 30 s, and returns the age of the newest heartbeat. */
export async function readWorkers(db: Db): Promise<Workers> {
  const { rows } = await sql<Workers>`
    select count(*)::int as workers, floor(extract(epoch from now() - max(at)))::int as "workerHeardSecondsAgo"
    from worker_states where ${isFresh}`.execute(db);
  return rows[0] ?? { workers: 0, workerHeardSecondsAgo: null };
}

export async function readReceivers(db: Db): Promise<readonly ReceiverHealth[]> {
  const { rows } = await sql<ReceiverHealth>`
    select receiver, count(*) filter (where breaker = 'closed')::int as closed,
      count(*) filter (where breaker = 'open')::int as open,
      count(*) filter (where breaker = 'probing')::int as probing,
      max(failures_in_a_row) as "failuresInARow", sum(sends_under_way)::int as "sendsUnderWay"
    from receiver_states where ${isFresh}
    group by receiver order by receiver`.execute(db);
  return rows;
}

/**
 * Reads which of these receivers have an open circuit breaker or a full gate, as the workers last reported.
 */
export async function readHeldUp(db: Db, receivers: readonly string[]): Promise<readonly HeldUp[]> {
  const { rows } = await sql<HeldUp>`
    select receiver, count(*) filter (where breaker <> 'closed')::int as "breakersOpen",
      count(*) filter (where breaker = 'closed' and sends_under_way >= ${sql.lit(mostSendsAtOnce)})::int as "gatesFull"
    from receiver_states
    where ${isFresh} and receiver = any(${receivers}::text[])
      and (breaker <> 'closed' or sends_under_way >= ${sql.lit(mostSendsAtOnce)})
    group by receiver`.execute(db);
  return rows;
}
