// The counts of refused signatures, as several api processes add to them.
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { connect } from '../../../db/pool/connection.ts';
import {
  addRefusedSignatures,
  readRefusedSignatures,
  type SignatureCount,
} from '../../../db/records/refused-signatures.ts';
import { testDatabase } from '../../harness/database.ts';

const database = await testDatabase();
const db = connect(database.as('isthmus_api'), { applicationName: 'isthmus-test', maxConnections: 2 });
afterAll(() => db.destroy());

const dayMs = 86_400_000;
const nowMs = Date.now();
const at = (agoMs: number) => new Date(nowMs - agoMs);
const count = (partyId: string, agoMs: number, of: Partial<SignatureCount> = {}): SignatureCount => ({
  partyId,
  day: at(agoMs).toISOString().slice(0, 10),
  number: 1,
  lastAt: at(agoMs),
  lastWhy: 'Content-Digest is missing.',
  ...of,
});
async function rowsOf(party: string): Promise<readonly number[]> {
  const { rows } = await sql<{ number: number }>`
    select number from refused_signatures where party_id = ${party}`.execute(db);
  return rows.map(({ number }) => number);
}

test('counts of several processes add up, and the reason is that of the newest', async () => {
  const day = at(0).toISOString().slice(0, 10);
  await addRefusedSignatures(db, [
    count('SGDFAST', 0, { number: 2, lastWhy: 'newest' }),
    count('MYRRPP', 0, { day }),
  ]);
  await addRefusedSignatures(db, [count('SGDFAST', 5_000, { day, number: 3 })]);
  expect(await rowsOf('SGDFAST')).toEqual([5]);
  expect(await readRefusedSignatures(db)).toMatchObject([
    { party: 'MYRRPP' },
    { party: 'SGDFAST', lastAt: at(0), lastWhy: 'newest' },
  ]);
});

test('an earlier day does not count as today, and a row goes after 62 days', async () => {
  const old = count('THBPPAY', 64 * dayMs);
  await addRefusedSignatures(db, [old]);
  await addRefusedSignatures(db, [count('THBPPAY', 2 * dayMs, { number: 7 })]);
  expect(await rowsOf('THBPPAY')).toEqual([7]);
  const read = await readRefusedSignatures(db);
  expect(read.find(({ party }) => party === 'THBPPAY')).toEqual({
    party: 'THBPPAY',
    today: 0,
    lastAt: at(2 * dayMs),
    lastWhy: 'Content-Digest is missing.',
  });
});
