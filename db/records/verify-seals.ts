// Compares the record with its seals. Names each row that was changed, removed or added after its hour was
// sealed, and each invalid seal. It reads only this database, whose owner may have replaced all seals. Only a
// digest that is kept elsewhere reveals that.
import { createPublicKey, verify } from 'node:crypto';
import { sql } from 'kysely';
import { isAlert } from './audit.ts';
import {
  digestOf,
  firstYearThere,
  lateHours,
  parseEntries,
  readEntries,
  readRows,
  readSeals,
  readTimes,
  type RecordTimes,
  type Seal,
  type SealedRow,
} from './audit-seals.ts';
import type { Db } from '../pool/connection.ts';
import { isOurs, keyIdOf } from '../keys/delivery-keys.ts';

export interface SealedHourVerified {
  readonly until: string;
  readonly digest: string;
  /** Thumbprint of the public key that signed the seal; null: the key is missing. */
  readonly keyId: string | null;
  readonly sealedAt: string;
  /**
   * Whether the seal was made hours after it was due: no worker ran then, or the seal replaces another one.
   */
  readonly isLate: boolean;
  readonly rows: number;
  /** Number of rows that retention has dropped since. */
  readonly dropped: number;
  /** One sentence for each fault; empty: nothing was changed. */
  readonly faults: readonly string[];
}

export interface VerifyOptions {
  /** Years for which retention keeps records. A younger row that is gone counts as removed. */
  readonly recordsYears: number;
  /** Thumbprints or `x` of the keys that may have signed; absent: any key that this process trusts. */
  readonly keys?: readonly string[] | undefined;
}

const hourMs = 3_600_000;
/**
 * Milliseconds that a row may be in the future. Clocks differ, and a transaction may wait for another one.
 */
const aheadMs = 300_000;
const mostRows = 1_000;

export async function* verifySeals(db: Db, options: VerifyOptions): AsyncIterable<SealedHourVerified> {
  const yearKept = await firstYearKept(db, options);
  const { now } = await readTimes(db);
  let before: Seal | undefined;
  for await (const seal of readSeals(db)) {
    const sealed = parseEntries(seal.entries);
    const kept = sealed.filter(({ year }) => year >= yearKept);
    yield {
      until: seal.until,
      digest: seal.digest.toString('hex'),
      keyId: seal.key && keyIdOf(seal.key.publicKey),
      sealedAt: seal.sealedAt,
      isLate: Date.parse(seal.sealedAt) - Date.parse(seal.until) > lateHours * hourMs,
      rows: sealed.length,
      dropped: sealed.length - kept.length,
      faults: [
        ...sealFaults(seal, { before, now }),
        ...(await keyFaults(db, seal, options)),
        // without valid times, the time range to read could be unlimited
        ...(seal.isOfAnHour ? await rowFaults(db, seal, { kept, isFirst: before === undefined }) : []),
      ],
    };
    before = seal;
  }
}

/**
 * First year whose records must exist. Earlier years may have been dropped: they are beyond retention, and
 * their partitions are gone.
 */
async function firstYearKept(db: Db, { recordsYears }: VerifyOptions): Promise<number> {
  const oldest = new Date();
  oldest.setUTCFullYear(oldest.getUTCFullYear() - recordsYears);
  return Math.min((await firstYearThere(db)) ?? 0, oldest.getUTCFullYear());
}

function sealFaults(
  seal: Seal,
  { before, now }: { readonly before: Seal | undefined; readonly now: string },
): readonly string[] {
  const faults: string[] = [];
  if (before === undefined ? seal.previous !== null : seal.previous?.equals(before.digest) !== true)
    faults.push('the seal does not go on from the one before it: one was removed or put in its place');
  if (before !== undefined && before.until !== seal.since)
    faults.push(`there is no seal from ${before.until} to ${seal.since}`);
  if (!seal.isOfAnHour) faults.push('the seal is not of one whole hour: no worker makes such a one');
  if (Date.parse(seal.until) > Date.parse(now) + aheadMs)
    faults.push('the seal is of an hour that is not over');
  if (!digestOf(seal).equals(seal.digest)) faults.push('the seal is not what it was: its digest is another');
  return faults;
}

async function keyFaults(
  db: Db,
  { key, digest, signature, sealedAt }: Seal,
  { keys }: VerifyOptions,
): Promise<readonly string[]> {
  if (key === null) return ['the seal is signed by a key that is not there'];
  const faults: string[] = [];
  const { publicKey, withdrawnAt } = key;
  if (!isSignedBy(publicKey, { digest, signature })) faults.push('the seal is not signed by its key');
  if (withdrawnAt !== null && Date.parse(withdrawnAt) < Date.parse(sealedAt))
    faults.push('the seal is signed by a key that had been withdrawn');
  if (!(await isOurs(db, key)))
    faults.push(`the seal is signed by key ${keyIdOf(publicKey)}, which nobody made who has SEALING_KEYS`);
  if (keys !== undefined && ![publicKey, keyIdOf(publicKey)].some((one) => keys.includes(one)))
    faults.push(`the seal is signed by key ${keyIdOf(publicKey)}, which --key does not name`);
  return faults;
}

function isSignedBy(x: string, { digest, signature }: Pick<Seal, 'digest' | 'signature'>): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, digest, key, signature);
  } catch {
    return false; // not a valid key
  }
}

async function rowFaults(
  db: Db,
  seal: Seal,
  { kept, isFirst }: { readonly kept: readonly SealedRow[]; readonly isFirst: boolean },
): Promise<readonly string[]> {
  const earlier = isFirst ? await readRows(db, { before: seal.since, limit: mostRows }) : [];
  const found = await readEntries(db, seal);
  return [
    ...earlier.map((row) => `${nameOf(row)} was added before the first hour that was sealed`),
    ...(found.equals(seal.entries) ? [] : differences(kept, parseEntries(found))),
  ];
}

const nameOf = ({ table, id }: Pick<SealedRow, 'table' | 'id'>) =>
  table === 'decisions' ? `the decision of payment ${id}` : `audit event ${id}`;

function differences(sealed: readonly SealedRow[], found: readonly SealedRow[]): readonly string[] {
  const keyOf = ({ table, id }: SealedRow) => `${table} ${id}`;
  const now = new Map(found.map((row) => [keyOf(row), row]));
  const then = new Map(sealed.map((row) => [keyOf(row), row]));
  const lost = sealed.flatMap((row) => {
    const other = now.get(keyOf(row));
    if (other === undefined) return [`${nameOf(row)} was removed, or given another time`];
    return other.hash === row.hash ? [] : [`${nameOf(row)} was changed`];
  });
  const added = found.filter((row) => !then.has(keyOf(row)));
  return [...lost, ...added.map((row) => `${nameOf(row)} was added after its hour was sealed`)];
}

/**
 * Reads the times up to which books were closed. A decision made before such a time gets that time instead.
 */
async function booksClosed(db: Db): Promise<readonly string[]> {
  // served by index audit_events_alerts; skips an invalid time, so that it cannot break the query
  const { rows } = await sql<{ until: string }>`
    select until::text as until from books_closed where isfinite(until)
    union all
    select e.detail ->> 'until' from audit_events e left join alert_states s on s.audit_event_id = e.audit_event_id
    where ${isAlert} and e.kind = 'book.closed-ahead' and s.action is distinct from 'close'
      and case when pg_input_is_valid(e.detail ->> 'until', 'timestamptz')
        then isfinite((e.detail ->> 'until')::timestamptz) else false end`.execute(db);
  return rows.map(({ until }) => until);
}

const aheadOnly = ', but while books are closed ahead (book.closed-ahead)';

/** Checks the rows and partitions that no seal covers. Returns one sentence per fault. */
export async function verifyUnsealed(
  db: Db,
  { recordsYears }: Pick<VerifyOptions, 'recordsYears'>,
): Promise<readonly string[]> {
  const times = await readTimes(db);
  const after = new Date(Date.parse(times.now) + aheadMs).toISOString();
  const decidedAfter = [after, ...(await booksClosed(db))];
  const ahead = await readRows(db, { after, decidedAfter, limit: mostRows });
  const first = await firstYearThere(db);
  const kept = await firstYearKept(db, { recordsYears });
  return [
    ...ahead.map(
      (row) =>
        `${nameOf(row)} has a time that has not come: no worker gives it one${row.table === 'decisions' ? aheadOnly : ''}`,
    ),
    ...(first !== null && kept < first
      ? [
          `the partitions of before ${first} are gone, though records are kept for ${recordsYears} years (RECORDS_KEPT_YEARS)`,
        ]
      : []),
    ...overdue(times),
  ];
}

function overdue({ begins, sealedUntil, now }: RecordTimes): readonly string[] {
  const since = sealedUntil ?? begins;
  // Date.parse gives NaN for -infinity, which counts as overdue
  if (since === null || Date.parse(now) - Date.parse(since) < lateHours * hourMs) return [];
  return sealedUntil === null
    ? [`there is no seal, though something is on record since ${since}: no worker runs, or all were removed`]
    : [`nothing is sealed since ${sealedUntil}: no worker runs, or seals were removed`];
}
