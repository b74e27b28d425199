// Holds the record against its seals (SEC-6): what was changed, removed or added after an hour was sealed is named, and so is a
// seal that is not what it was.
import { createPublicKey, verify } from 'node:crypto';
import {
  digestOf,
  firstYearKept,
  parseEntries,
  readEntries,
  readSeals,
  type Seal,
  type SealedRow,
} from './audit-seals.ts';
import type { Db } from './connection.ts';

/** What is wrong with one hour. */
export interface SealedHourVerified {
  readonly until: string;
  /** Hexadecimal. */
  readonly digest: string;
  readonly rows: number;
  /** Rows that the retention job has dropped since (LIF-6). */
  readonly dropped: number;
  /** One sentence each; none: it is as it was. */
  readonly faults: readonly string[];
}

/** Hour by hour, the oldest first. */
export async function* verifySeals(db: Db): AsyncIterable<SealedHourVerified> {
  const yearKept = (await firstYearKept(db)) ?? 0;
  let before: Seal | undefined;
  for await (const seal of readSeals(db)) {
    const earlier =
      before === undefined
        ? parseEntries(await readEntries(db, { since: '-infinity', until: seal.since }))
        : [];
    const sealed = parseEntries(seal.entries);
    const found = await readEntries(db, seal);
    const kept = sealed.filter(({ year }) => year >= yearKept);
    yield {
      until: seal.until,
      digest: seal.digest.toString('hex'),
      rows: sealed.length,
      dropped: sealed.length - kept.length,
      faults: [
        ...sealFaults(seal, before),
        ...earlier.map((row) => `${nameOf(row)} was added before the first hour that was sealed`),
        ...(found.equals(seal.entries) ? [] : differences(kept, parseEntries(found))),
      ],
    };
    before = seal;
  }
}

function sealFaults(seal: Seal, before: Seal | undefined): readonly string[] {
  const faults: string[] = [];
  if (before === undefined ? seal.previous !== null : seal.previous?.equals(before.digest) !== true)
    faults.push('the seal does not go on from the one before it: one was removed or put in its place');
  if (before !== undefined && before.until !== seal.since)
    faults.push(`there is no seal from ${before.until} to ${seal.since}`);
  if (!digestOf(seal).equals(seal.digest)) faults.push('the seal is not what it was: its digest is another');
  const { publicKey, signature, digest, sealedAt, keyWithdrawnAt } = seal;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
  if (!verify(null, digest, key, signature)) faults.push('the seal is not signed by its key');
  if (keyWithdrawnAt !== null && keyWithdrawnAt < sealedAt)
    faults.push('the seal is signed by a key that had been withdrawn');
  return faults;
}

const nameOf = ({ table, id }: SealedRow) =>
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
