// Makes and reads the seals over decisions and audit events. Each seal covers the rows of one hour and the
// previous seal. cli/audit/verify.ts compares the seals with the record.
import { createHash } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import { given, isThere } from '../pool/statements.ts';
import type { Db } from '../pool/connection.ts';

/** An hour with the digests of its rows, and the other data that its seal signs. */
export interface SealedHour {
  /** Start of the hour (UTC), as in 2026-01-31T06:00:00Z. */
  readonly since: string;
  readonly until: string;
  /** Digest of the previous seal; null: this is the first seal. */
  readonly previous: Buffer | null;
  /** One binary entry per row, in the format that `parseEntries` reads. */
  readonly entries: Buffer;
  /** Time of sealing (UTC), to the microsecond. */
  readonly sealedAt: string;
}

export interface Seal extends SealedHour {
  /** Whether the seal covers exactly one full hour. If not, `since` and `until` are not valid times. */
  readonly isOfAnHour: boolean;
  readonly digest: Buffer;
  readonly signature: Buffer;
  /** The key that signed the seal; null: no key has that id. */
  readonly key: SealKey | null;
}

export interface SealKey {
  readonly keyId: string;
  /** `x` of the JWK. */
  readonly publicKey: string;
  /** ISO 8601 time from which the key is no longer trusted; null: it was not withdrawn. */
  readonly withdrawnAt: string | null;
  readonly vouched: string | null;
  readonly vouchedBy: string | null;
}

export interface SealedRow {
  readonly table: 'audit_events' | 'decisions';
  /** Year of the partition that has the row. Retention drops whole years. */
  readonly year: number;
  /** Number of an event, or UETR of a decision. */
  readonly id: string;
  /** First 128 bits of the hash over all its columns, hexadecimal. */
  readonly hash: string;
}

const entryBytes = 35;
const tables = { 0x61: 'audit_events', 0x64: 'decisions' } as const;

/** @param entries concatenated entries of 35 bytes: kind of row (1), year (2), id (16), hash (16) */
export function parseEntries(entries: Buffer): readonly SealedRow[] {
  return Array.from({ length: entries.length / entryBytes }, (_, index) => {
    const entry = entries.subarray(index * entryBytes, (index + 1) * entryBytes);
    const table = tables[entry[0] as keyof typeof tables];
    const id = entry.subarray(3, 19).toString('hex');
    return {
      table,
      year: entry.readUInt16BE(1),
      id:
        table === 'decisions'
          ? id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
          : BigInt(`0x${id}`).toString(),
      hash: entry.subarray(19).toString('hex'),
    };
  });
}

/** The digest that the seal's key signs, and that the next seal refers to. */
export function digestOf({ since, until, previous, sealedAt, entries }: SealedHour): Buffer {
  // includes `sealedAt`, because otherwise somebody could backdate a seal to before its key was withdrawn
  const head = ['isthmus audit seal 1', previous?.toString('hex') ?? '', since, until, sealedAt, ''].join(
    '\n',
  );
  return createHash('sha256').update(head).update(entries).digest();
}

const hourOf = (column: string) =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
const momentOf = (column: string) =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
const microseconds = (column: string) => sql`(extract(epoch from ${sql.ref(column)}) * 1000000)::bigint`;

/** Reads the entries of an hour. Sealing and verifying use the same function. */
export async function readEntries(
  db: Db,
  { since, until }: Pick<SealedHour, 'since' | 'until'>,
): Promise<Buffer> {
  const entry = (
    table: 'a' | 'd',
    {
      ofPartition,
      id,
      content,
    }: { ofPartition: string; id: RawBuilder<unknown>; content: RawBuilder<unknown> },
  ) => sql`
    decode(${Buffer.from(table).toString('hex')} || lpad(to_hex(extract(year from ${sql.ref(ofPartition)} at time zone 'UTC')::int), 4, '0')
      || ${id}, 'hex') || substring(sha256(convert_to(${content}::text, 'UTF8')) for 16)`;
  const within = (column: string) =>
    sql`${sql.ref(column)} >= ${since}::timestamptz and ${sql.ref(column)} < ${until}::timestamptz`;
  const { rows } = await sql<{ entries: Buffer }>`
    select coalesce(string_agg(entry, ''::bytea order by entry), ''::bytea) as entries from (
      select ${entry('a', {
        ofPartition: 'occurred_at',
        id: sql`lpad(to_hex(audit_event_id), 32, '0')`,
        content: sql`jsonb_build_array(audit_event_id, ${microseconds('occurred_at')}, severity, kind, subject_id, party,
          detail)`,
      })} as entry
      from audit_events where ${within('occurred_at')} -- audit_events_occurred_at
      union all
      select ${entry('d', {
        ofPartition: 'begun_at',
        id: sql`replace(uetr::text, '-', '')`,
        content: sql`jsonb_build_array(uetr, ${microseconds('begun_at')}, status, reason_code, rule_id, decided_by, report_message_id,
          callback_message_id, confirmation_message_id, notification_message_id, outcome_id, perhaps_seen,
          ${microseconds('decided_at')})`,
      })}
      from decisions where ${within('decided_at')} -- decisions_decided_at
    ) entries`.execute(db);
  return rows[0]?.entries ?? Buffer.alloc(0);
}

/**
 * Milliseconds to wait after the end of an hour. By then every transaction that began in the hour has ended,
 * because statements have shorter timeouts.
 */
const settledMs = 300_000;

/**
 * Hours after the end of an hour from which a missing seal counts as late. A seal is normally made after five
 * minutes.
 */
export const lateHours = 3;

export interface SealedSoFar {
  /**
   * End of the last sealed hour, in the database's text format; null: there is none. Seals of the future do
   * not count.
   */
  readonly until: string | null;
  /** Whether the oldest unsealed row is older than allowed. Without any seal, all rows are unsealed. */
  readonly isLate: boolean;
}

export async function sealedSoFar(db: Db): Promise<SealedSoFar> {
  const { rows } = await sql<SealedSoFar>`
    with sealed as (select max(until) as until from audit_seals where until <= clock_timestamp())
    select until::text as until,
      (coalesce(until, least((select min(occurred_at) from audit_events), (select min(decided_at) from decisions)))
        < clock_timestamp() - ${sql.lit(lateHours)} * interval '1 hour') is true as "isLate"
    from sealed`.execute(db);
  return rows[0] ?? { until: null, isLate: false };
}

/**
 * Seals the first hour that has ended and has no seal.
 * @param sign signs a digest with Ed25519 and a published key
 * @returns the new seal; undefined if none was due, or another process is making it
 */
export async function sealNextHour(
  db: Db,
  sign: (digest: Buffer) => { readonly keyId: string; readonly signature: Buffer },
): Promise<{ readonly until: string; readonly digest: Buffer; readonly rows: number } | undefined> {
  return db.transaction().execute(async (trx) => {
    const { rows: turns } = await sql<{ isOurs: boolean }>`
      select pg_try_advisory_xact_lock(hashtext('audit_seals')) as "isOurs"`.execute(trx);
    if (turns[0]?.isOurs !== true) return undefined;
    const hour = await nextHour(trx);
    if (hour === undefined) return undefined;
    const entries = await readEntries(trx, hour);
    const digest = digestOf({ ...hour, entries });
    const { keyId, signature } = sign(digest);
    const { rows: counting } = await sql`
      select from delivery_keys where key_id = ${keyId} and withdrawn_at is null for share`.execute(trx);
    if (counting.length === 0) throw new Error(`the key ${keyId} was withdrawn as it sealed: trying again`);
    await sql`
      insert into audit_seals (until, since, previous, entries, digest, key_id, signature, sealed_at)
      values (${hour.until}::timestamptz, ${hour.since}::timestamptz, ${hour.previous}, ${entries}, ${digest},
        ${keyId}, ${signature}, ${hour.sealedAt}::timestamptz)`.execute(trx);
    return { until: hour.until, digest, rows: entries.length / entryBytes };
  });
}

/** Returns the hour after the last seal. Without any seal, returns the hour of the oldest row. */
async function nextHour(db: Db): Promise<Omit<SealedHour, 'entries'> | undefined> {
  const { rows } = await sql<Omit<SealedHour, 'entries'>>`
    with last as (select until, digest from audit_seals order by until desc limit 1),
    next as (
      select coalesce((select until from last), date_trunc('hour',
        least((select min(occurred_at) from audit_events), (select min(decided_at) from decisions)), 'UTC')) as since
    ),
    hour as (select since, since + interval '1 hour' as until, clock_timestamp() as sealed_at from next)
    select ${hourOf('since')} as since, ${hourOf('until')} as until, ${momentOf('sealed_at')} as "sealedAt",
      (select digest from last) as previous
    from hour where until <= clock_timestamp() - ${settledMs} * interval '1 millisecond'`.execute(db);
  return rows[0];
}

/** The last seal in the chain of seals, as this process has seen it. */
export interface SealHead {
  /** End of the sealed hour, in the database's text format. */
  readonly until: string;
  readonly digest: Buffer;
}

export async function newestSeal(db: Db): Promise<(SealHead & { readonly isAhead: boolean }) | undefined> {
  const { rows } = await sql<SealHead & { readonly isAhead: boolean }>`
    select until::text as until, digest, until > clock_timestamp() as "isAhead"
    from audit_seals order by until desc limit 1`.execute(db);
  return rows[0];
}

export function isSealThere(db: Db, { until, digest }: SealHead): Promise<boolean> {
  return isThere(
    db,
    sql`
    select from audit_seals where until = ${until}::timestamptz and digest = ${digest}`,
  );
}

/** Yields all seals, oldest first. Reads 100 at a time. */
export async function* readSeals(db: Db): AsyncIterable<Seal> {
  const atOnce = 100;
  for (let after = '-infinity'; ;) {
    // `at` has full precision: otherwise the query would read the same seal again and again
    const { rows } = await sql<Seal & { readonly at: string }>`
      select until::text as at, ${hourOf('since')} as since, ${hourOf('until')} as until, previous, entries, digest, signature,
        ${momentOf('sealed_at')} as "sealedAt",
        isfinite(until) and until = date_trunc('hour', until, 'UTC') and since = until - interval '1 hour' as "isOfAnHour",
        case when public_key is not null then jsonb_build_object('keyId', key_id, 'publicKey', public_key,
          'withdrawnAt', withdrawn_at, 'vouched', vouched, 'vouchedBy', vouched_by) end as key
      from audit_seals left join delivery_keys using (key_id)
      where until > ${after}::timestamptz order by audit_seals.until limit ${sql.lit(atOnce)}`.execute(db);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.at;
  }
}

/** Year of the oldest partition that still exists; null: no partition was dropped. */
export async function firstYearThere(db: Db): Promise<number | null> {
  const { rows } = await sql<{ year: number | null }>`
    select case when bool_or(since = '-infinity') then null
      else extract(year from min(since) at time zone 'UTC')::int end as year
    from partitions where parent = 'decisions' and not is_default`.execute(db);
  return rows[0]?.year ?? null;
}

export interface RecordTimes {
  /** Time of the oldest row (ISO 8601, UTC); null: the record is empty. */
  readonly begins: string | null;
  /** End of the last sealed hour, seals of the future aside; null: there is none. */
  readonly sealedUntil: string | null;
  /** Current time of the database clock. */
  readonly now: string;
}

export async function readTimes(db: Db): Promise<RecordTimes> {
  const { rows } = await sql<RecordTimes>`
    with times as (select clock_timestamp() as now, least((select min(occurred_at) from audit_events),
      (select min(decided_at) from decisions)) as begins,
      (select max(until) from audit_seals where until <= clock_timestamp()) as sealed_until)
    select ${momentOf('begins')} as begins, ${hourOf('sealed_until')} as "sealedUntil", ${momentOf('now')} as now from times`.execute(
    db,
  );
  return rows[0] ?? { begins: null, sealedUntil: null, now: new Date().toISOString() };
}

/**
 * Selects ids of decisions and events in a time range. Reads ids only, so a malformed time cannot break the query.
 * @param times bounds of the range, in the database's text format
 * @param decidedAfter lower bounds for decisions instead of `after`; the latest one counts
 * @param limit most rows to return
 */
export async function readRows(
  db: Db,
  times: {
    readonly before?: string;
    readonly after?: string;
    readonly decidedAfter?: readonly string[];
    readonly limit: number;
  },
): Promise<readonly Pick<SealedRow, 'table' | 'id'>[]> {
  const { before, limit } = times;
  const after = times.after === undefined ? undefined : [times.after];
  const decidedAfter = times.decidedAfter ?? after;
  const within = (column: string, since: readonly string[] | undefined) =>
    sql.join(
      [
        sql`true`,
        ...given(before, (end) => sql`${sql.ref(column)} < ${end}::timestamptz`),
        ...given(
          since,
          (all) => sql`${sql.ref(column)} > (select max(one) from unnest(${all}::timestamptz[]) one)`,
        ),
      ],
      sql` and `,
    );
  const { rows } = await sql<Pick<SealedRow, 'table' | 'id'>>`
    select 'audit_events' as table, audit_event_id::text as id from audit_events where ${within('occurred_at', after)}
    union all select 'decisions', uetr::text from decisions where ${within('decided_at', decidedAfter)}
    limit ${limit}`.execute(db);
  return rows;
}
