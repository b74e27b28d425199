// A worker remakes seals that were removed, and raises an alert (SEC-6, OBS-6).
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { pino } from 'pino';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openSealing } from '../../../activities/upkeep/seal-record.ts';
import type { Signer } from '../../../activities/wire/signer.ts';
import { newestSeal } from '../../../db/records/audit-seals.ts';
import { connect } from '../../../db/pool/connection.ts';
import { testDatabase } from '../../harness/database.ts';
import { rewritten } from '../../harness/rewritten.ts';

const database = await testDatabase();
const db = connect(database.url, { applicationName: 'isthmus-test', maxConnections: 3 });
afterAll(() => db.destroy());

const { privateKey } = generateKeyPairSync('ed25519');
await sql`insert into delivery_keys (key_id, public_key, made_by, because)
  values ('a-key', ${privateKey.export({ format: 'jwk' }).x ?? ''}, 'isthmus', 'a test')`.execute(db);
const lines: { readonly msg: string; readonly digest?: string; readonly level: number }[] = [];
const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) });
const signer = {
  sign: (content: Uint8Array) => ({ keyId: 'a-key', signature: sign(null, content, privateKey) }),
} as Signer;
const worker = () => {
  const seal = openSealing({ db, logger, signer });
  return () => seal(new AbortController().signal);
};
const alerts = async () =>
  (
    await sql<{ detail: { digest: string } }>`
      select detail from audit_events where kind = 'record.seals-missing' order by 1`.execute(db)
  ).rows.map(({ detail }) => detail.digest);
const newest = async () => (await newestSeal(db))?.digest.toString('hex');

beforeEach(async () => {
  for (const table of ['audit_seals', 'audit_events'])
    await rewritten(db, sql`delete from ${sql.table(table)}`);
  await sql`insert into audit_events (occurred_at, severity, kind, subject_id, detail)
    values (now() - interval '4 hours', 'info', 'operator.enquiry', ${randomUUID()}, '{}')`.execute(db);
  lines.length = 0;
});

test.each([
  ['the newest seal', sql`delete from audit_seals where until = (select max(until) from audit_seals)`],
  ['every seal', sql`delete from audit_seals`],
])('who removes %s has it made anew, with an alert that has the digest that is gone', async (_, removal) => {
  const work = worker();
  await work();
  const seen = await newest();
  await work();
  expect(await alerts()).toEqual([]);
  await rewritten(db, removal);
  await work();
  expect(await newest()).not.toBe(seen); // it has another time
  expect(await alerts()).toEqual([seen]);
  expect(lines.filter(({ level }) => level >= 50)).toEqual([
    expect.objectContaining({ msg: 'a seal of the record is gone', digest: seen }),
  ]);
  await work();
  expect(await alerts()).toEqual([seen]); // once
});
