// Somebody is told where the record is no longer sealed (SEC-6, OBS-6): once, and not of an hour that has just ended.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { tellIfLate } from '../../activities/seal-record.ts';
import { connect } from '../../db/connection.ts';
import { testDatabase } from '../harness/database.ts';

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

test('three hours without a seal are an alert, one until it is closed; less is none', async () => {
  await tellIfLate(db);
  expect(await alerts()).toBe(0); // there is no seal yet
  await sql`insert into delivery_keys (key_id, public_key, made_by, because) values ('a-key', 'x', 'isthmus', 'a test')`.execute(
    db,
  );
  await sealedUntil(5);
  await tellIfLate(db);
  await tellIfLate(db);
  expect(await alerts()).toBe(1);
  await sealedUntil(1);
  await tellIfLate(db);
  expect(await alerts()).toBe(1);
});
