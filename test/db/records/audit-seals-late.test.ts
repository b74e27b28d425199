// An alert is raised when the record is no longer sealed (SEC-6, OBS-6).
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sealRecord, watchSealing } from '../../../activities/upkeep/seal-record.ts';
import type { Signer } from '../../../activities/wire/signer.ts';
import { connect } from '../../../db/pool/connection.ts';
import { readDocument } from '../../docs/documents.ts';
import { testDatabase } from '../../harness/database.ts';
import { rewritten } from '../../harness/rewritten.ts';
import { eventually } from '../../harness/wait.ts';

const database = await testDatabase();
const db = connect(database.url, { applicationName: 'isthmus-test', maxConnections: 2 });
afterAll(() => db.destroy());

const alerts = async () =>
  (await sql`select from audit_events where kind = 'record.unsealed'`.execute(db)).rows.length;

async function sealedUntil(hoursAgo: number): Promise<void> {
  await sql`
    insert into audit_seals (until, since, previous, entries, digest, key_id, signature)
    select date_trunc('hour', now()) - ${hoursAgo} * interval '1 hour',
      date_trunc('hour', now()) - ${hoursAgo + 1} * interval '1 hour', null, '', ${randomBytes(32)}, 'a-key', ''`.execute(
    db,
  );
}

const later = (minutes: number) => vi.advanceTimersByTime(minutes * 60_000);
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  await sql`insert into delivery_keys (key_id, public_key, made_by, because) values ('a-key', 'x', 'isthmus', 'a test')`.execute(
    db,
  );
});
afterAll(() => void vi.useRealTimers());
beforeEach(async () => {
  for (const table of ['audit_seals', 'audit_events'])
    await rewritten(db, sql`delete from ${sql.table(table)}`);
});

const happened = (hoursAgo: number) =>
  sql`insert into audit_events (occurred_at, severity, kind, subject_id, detail)
    values (now() - ${hoursAgo} * interval '1 hour', 'info', 'operator.enquiry', gen_random_uuid(), '{}')`.execute(
    db,
  );

test('three hours without a seal are an alert, one until it is closed, once a process has seen for ten minutes that it does not go on', async () => {
  const look = watchSealing(db);
  await sealedUntil(5);
  await look();
  later(9);
  await look();
  expect(await alerts()).toBe(0);
  later(1);
  await look();
  await look();
  expect(await alerts()).toBe(1);
});

test('somebody who keeps the turn from all workers is found out: that nothing is done is no failure, and is looked at all the same', async () => {
  const reader = connect(database.as('isthmus_readonly'), { applicationName: 'a-reader', maxConnections: 1 });
  await sql`select pg_advisory_lock(hashtext('audit_seals'))`.execute(reader);
  await happened(72);
  const sign = (): never => {
    throw new Error('it has the turn');
  };
  const signer = { sign } as unknown as Signer;
  const stop = sealRecord({ db, logger: pino({ level: 'silent' }), signer }, 10);
  await eventually(async () => {
    later(10);
    expect(await alerts()).toBe(1);
  });
  await stop();
  // as operations have it
  const who = `select pid, usename, application_name from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and granted and (classid::bigint << 32 | objid::bigint) = hashtext('audit_seals') and database = (select oid from pg_database where datname = current_database())`;
  expect(readDocument('docs/operations/alerts.md')).toContain(who);
  expect((await sql.raw(who).execute(db)).rows).toEqual([
    expect.objectContaining({ application_name: 'a-reader' }),
  ]);
  await reader.destroy();
});
