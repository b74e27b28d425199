// What the retention job drops is no change behind our back: the seals of its hours stay, and go on (SEC-6, LIF-6).
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { sealNextHour } from '../../../db/records/audit-seals.ts';
import { connect } from '../../../db/pool/connection.ts';
import { dropExpired, findExpired } from '../../../db/records/retention.ts';
import { verifySeals } from '../../../db/records/verify-seals.ts';
import { testDatabase } from '../../harness/database.ts';
import { replaceFirstPartitions } from '../../harness/old-partitions.ts';
import { rewritten } from '../../harness/rewritten.ts';

const database = await testDatabase();
const db = connect(database.url, { applicationName: 'isthmus-test' });
afterAll(() => db.destroy());

const thisYear = new Date().getUTCFullYear();
const newYear = Date.UTC(thisYear - 11, 0, 1);

test('decisions of a dropped year are told as dropped, also one that was decided after its end; another is not excused', async () => {
  await replaceFirstPartitions(
    db,
    [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map((years) => new Date(Date.UTC(thisYear - years, 5, 1))),
  );
  const { privateKey } = generateKeyPairSync('ed25519');
  await sql`insert into delivery_keys (key_id, public_key, made_by, because)
    values ('a-key', ${privateKey.export({ format: 'jwk' }).x ?? ''}, 'isthmus', 'a test')`.execute(db);
  const decided = async (begunAt: number, decidedAt = begunAt) => {
    const uetr = randomUUID();
    await sql`
      insert into payments (uetr, begun_at, source_clearing_system, message_id, answer_message_id, judged_at, accepted)
      values (${uetr}, ${new Date(begunAt)}, 'SGDFAST', ${uetr}, ${uetr}, ${new Date(begunAt)}, false)`.execute(
      db,
    );
    await sql`
      insert into decisions (uetr, begun_at, status, decided_by, rule_id, perhaps_seen, decided_at)
      values (${uetr}, ${new Date(begunAt)}, 'RJCT', 'gateway', 'MSG-4', false, ${new Date(decidedAt)})`.execute(
      db,
    );
    return uetr;
  };
  await decided(newYear - 3_600_000);
  await decided(newYear - 1_000, newYear + 1_000);
  const kept = await decided(newYear + 1_800_000);
  for (let hours = 0; hours < 4; hours += 1)
    await sealNextHour(db, (digest) => ({ keyId: 'a-key', signature: sign(null, digest, privateKey) }));

  const policy = { messagesMonths: 3, recordsYears: 10 };
  for (const expired of await findExpired(db, policy))
    if (expired.what === 'messages' || expired.until.getTime() <= newYear)
      expect(await dropExpired(db, policy, expired)).toEqual([]);
  const verified = async () => {
    const hours = [];
    for await (const { rows, dropped, faults } of verifySeals(db, policy))
      hours.push([rows, dropped, faults]);
    return hours;
  };
  expect(await verified()).toEqual([
    [1, 1, []],
    [2, 1, []],
    [0, 0, []],
    [0, 0, []],
  ]);
  await rewritten(db, sql`delete from decisions where uetr = ${kept}`);
  expect((await verified())[1]).toEqual([
    2,
    1,
    [`the decision of payment ${kept} was removed, or given another time`],
  ]);
});
