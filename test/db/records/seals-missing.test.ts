// Seals that are gone are made anew by a worker, over whatever is on record by then: it says so (SEC-6, OBS-6).
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { pino } from 'pino';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { openSealing, watchSealing } from '../../../activities/upkeep/seal-record.ts';
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

test('a worker that has only seen what another has sealed says so too', async () => {
  const [one, other] = [worker(), worker()];
  await one();
  const seen = await newest();
  await other(); // seals nothing
  await rewritten(db, sql`delete from audit_seals`);
  await worker()(); // one that has just started knows of nothing, and seals anew
  expect(await alerts()).toEqual([]);
  await other();
  expect(await alerts()).toEqual([seen]);
});

test('a seal of an hour that has not come keeps the record from being sealed: that is said, and an alert once it lasts', async () => {
  const work = worker();
  await work();
  await rewritten(db, sql`delete from audit_seals where until > now() - interval '3 hours'`);
  await sql`insert into audit_seals (until, since, previous, entries, digest, key_id, signature)
    values ('2199-01-01 01:00Z', '2199-01-01 00:00Z', null, '', '', 'a-key', '')`.execute(db);
  await expect(work()).rejects.toThrow(/^nothing is sealed: there is a seal until 2199-/);
  await rewritten(db, sql`delete from audit_seals where until between now() - interval '3 hours' and now()`);
  vi.useFakeTimers({ toFake: ['performance'] });
  const look = watchSealing(db);
  await look();
  vi.advanceTimersByTime(600_000);
  await look();
  vi.useRealTimers();
  const { rows } = await sql`select from audit_events where kind = 'record.unsealed'`.execute(db);
  expect(rows).toHaveLength(1);
});
