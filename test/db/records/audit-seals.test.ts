// The seals name whoever changes a decision or an event in the database (SEC-6): each hour is sealed, and each seal
// continues the one before.
import { generateKeyPairSync, randomUUID, sign as signBy, type KeyObject } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { digestOf, readEntries, sealNextHour, type SealedHour } from '../../../db/records/audit-seals.ts';
import { connect } from '../../../db/pool/connection.ts';
import { keyIdOf } from '../../../db/keys/delivery-keys.ts';
import { verifySeals, verifyUnsealed } from '../../../db/records/verify-seals.ts';
import { testDatabase } from '../../harness/database.ts';
import { rewritten } from '../../harness/rewritten.ts';

const database = await testDatabase();
const db = connect(database.url, { applicationName: 'isthmus-test', maxConnections: 6 });
afterAll(() => db.destroy());

const keyId = 'a-key';
const { privateKey } = generateKeyPairSync('ed25519');
const publicKey = privateKey.export({ format: 'jwk' }).x ?? '';
await sql`insert into delivery_keys (key_id, public_key, made_by, because) values (${keyId}, ${publicKey}, 'isthmus', 'a test')`.execute(
  db,
);
const sign = (digest: Buffer, by: KeyObject = privateKey) => ({ keyId, signature: signBy(null, digest, by) });

async function sealAll(): Promise<number> {
  for (let hours = 0; ; hours += 1) if ((await sealNextHour(db, sign)) === undefined) return hours;
}

/** At the start of an hour that lies so many back, and some minutes. */
const at = (hours: number, minutes = 10) =>
  new Date(Math.floor(Date.now() / 3_600_000 - hours) * 3_600_000 + minutes * 60_000);

async function decided(when: Date): Promise<string> {
  const uetr = randomUUID();
  await sql`
    insert into payments (uetr, begun_at, source_clearing_system, message_id, answer_message_id, judged_at, accepted)
    values (${uetr}, ${when}, 'SGDFAST', ${uetr}, ${uetr}, ${when}, false)`.execute(db);
  await sql`
    insert into decisions (uetr, begun_at, status, decided_by, rule_id, perhaps_seen, decided_at)
    values (${uetr}, ${when}, 'RJCT', 'gateway', 'MSG-4', false, ${when})`.execute(db);
  return uetr;
}

async function happened(when: Date): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into audit_events (occurred_at, severity, kind, subject_id, detail)
    values (${when}, 'info', 'operator.enquiry', ${randomUUID()}, '{"by": "anna"}') returning audit_event_id as id`.execute(
    db,
  );
  return rows[0]?.id ?? '';
}

async function faults(): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const hour of verifySeals(db, { recordsYears: 10 })) found.push(...hour.faults);
  return found;
}

let decisions: readonly [string, string];
let events: readonly [string, string];

beforeEach(async () => {
  for (const table of ['audit_seals', 'decisions', 'audit_events'])
    await rewritten(db, sql`delete from ${sql.table(table)}`);
  decisions = [await decided(at(5)), await decided(at(3, 59))];
  events = [await happened(at(5, 0)), await happened(at(4, 30))];
  await decided(at(0, 0)); // of an hour that is not over
  expect(await sealAll()).toBe(new Date().getUTCMinutes() < 5 ? 4 : 5);
});

test('every hour that is over is sealed, each once, by whoever comes first; the record is as it was', async () => {
  expect(await faults()).toEqual([]);
  await rewritten(db, sql`delete from audit_seals`);
  const hours = await Promise.all(Array.from({ length: 5 }, sealAll));
  expect(hours.reduce((sum, one) => sum + one)).toBeGreaterThanOrEqual(4);
  const { rows } = await sql<{ count: number; rows: number; since: Date; until: Date }>`
    select count(*)::int as count, sum(length(entries) / 35)::int as rows, min(since) as since, max(until) as until
    from audit_seals`.execute(db);
  const [all] = rows;
  expect(all).toMatchObject({ rows: 4, since: at(5, 0) });
  expect(all?.until.getTime()).toBe(at(5, 0).getTime() + (all?.count ?? 0) * 3_600_000); // none twice
  expect(await faults()).toEqual([]);
});

const someSeal = sql`until = (select until from audit_seals order by until offset 1 limit 1)`;
const firstSeal = sql`until = (select min(until) from audit_seals)`;

async function firstHour(): Promise<SealedHour> {
  const { rows } = await sql<SealedHour>`
    select to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since,
      to_char(until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as until, previous, entries,
      to_char(sealed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "sealedAt"
    from audit_seals where ${firstSeal}`.execute(db);
  return rows[0] as SealedHour;
}

describe('is named:', () => {
  test.each<
    [
      what: string,
      change: () => Parameters<typeof rewritten>[1] | Promise<unknown>,
      named: () => readonly (string | RegExp)[],
    ]
  >([
    [
      'a decision of another status',
      () => sql`update decisions set status = 'ACCC' where uetr = ${decisions[0]}`,
      () => [`the decision of payment ${decisions[0]} was changed`],
    ],
    [
      'a decision that is gone',
      () => sql`delete from decisions where uetr = ${decisions[0]}`,
      () => [`the decision of payment ${decisions[0]} was removed, or given another time`],
    ],
    [
      'a decision that is moved to another hour',
      () =>
        sql`update decisions set decided_at = decided_at + interval '1 hour' where uetr = ${decisions[0]}`,
      () => [
        `the decision of payment ${decisions[0]} was removed, or given another time`,
        `the decision of payment ${decisions[0]} was added after its hour was sealed`,
      ],
    ],
    [
      'an event of another person',
      () => sql`update audit_events set detail = '{"by": "boris"}' where audit_event_id = ${events[1]}`,
      () => [`audit event ${events[1]} was changed`],
    ],
    [
      'an event that came later',
      () => happened(at(4)),
      () => [/^audit event \d+ was added after its hour was sealed$/],
    ],
    [
      'what is put before everything',
      () => happened(at(90)),
      () => [/^audit event \d+ was added before the first hour that was sealed$/],
    ],
    [
      'a seal that is gone',
      () => sql`delete from audit_seals where ${someSeal}`,
      () => [/^the seal does not go on from the one before it/, /^there is no seal from /],
    ],
    [
      'the first seal that is gone, with what it was about',
      () => sql`
        with seal as (delete from audit_seals where ${firstSeal} returning since, until),
        event as (delete from audit_events using seal where occurred_at >= since and occurred_at < seal.until)
        delete from decisions using seal where decided_at >= since and decided_at < seal.until`,
      () => [/^the seal does not go on from the one before it/],
    ],
    [
      'a seal over other rows',
      () => sql`update audit_seals set entries = substring(entries for 35) where ${firstSeal}`,
      () => [/its digest is another/, /was added after its hour was sealed/],
    ],
    [
      'a seal that another key has signed',
      () => sql`update audit_seals set signature = decode(repeat('00', 64), 'hex') where ${someSeal}`,
      () => ['the seal is not signed by its key'],
    ],
    [
      'a seal of which the time was set back',
      () => sql`update audit_seals set sealed_at = sealed_at - interval '1 microsecond' where ${someSeal}`,
      () => ['the seal is not what it was: its digest is another'],
    ],
    [
      'a seal by a key of which nothing is left',
      () => sql`update audit_seals set key_id = 'nobody' where ${someSeal}`,
      () => ['the seal is signed by a key that is not there'],
    ],
  ])('%s', async (_, change, named) => {
    const changing = change();
    await ('compile' in changing ? rewritten(db, changing) : changing);
    const found = await faults();
    expect(found).toHaveLength(named().length);
    for (const [index, one] of named().entries()) expect(found[index]).toMatch(one);
  });
});

test('who changes a decision and seals its hour anew cannot sign it; who can is given away by the next seal', async () => {
  await rewritten(db, sql`update decisions set status = 'BLCK' where uetr = ${decisions[0]}`);
  const hour = await firstHour();
  const entries = await readEntries(db, hour);
  const digest = digestOf({ ...hour, entries });
  const stranger = generateKeyPairSync('ed25519').privateKey;
  const sealedAgainBy = (key: KeyObject) =>
    rewritten(
      db,
      sql`update audit_seals set entries = ${entries}, digest = ${digest}, signature = ${sign(digest, key).signature} where ${firstSeal}`,
    );
  await sealedAgainBy(stranger);
  expect(await faults()).toEqual([
    'the seal is not signed by its key',
    expect.stringMatching(/^the seal does not go on from the one before it/),
  ]);
  await sealedAgainBy(privateKey);
  expect(await faults()).toEqual([expect.stringMatching(/^the seal does not go on from the one before it/)]);
});

test('a key that was withdrawn before the seal was made does not count, whenever the seal says that it was', async () => {
  const withdrawn = (at: Date | null) =>
    sql`update delivery_keys set withdrawn_at = ${at}, signs_until = ${at}`.execute(db);
  await withdrawn(at(2));
  const both = ['the seal is signed by a key that had been withdrawn'];
  expect(new Set(await faults())).toEqual(new Set(both));
  await rewritten(db, sql`update audit_seals set sealed_at = until`);
  expect(await faults()).toContain('the seal is not what it was: its digest is another');
  await withdrawn(null);
});

test('by other keys than those that are named it is not signed, under whatever id they are stored', async () => {
  const mine = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }).x ?? '';
  const by = async (keys: readonly string[]) => {
    const found: string[] = [];
    for await (const hour of verifySeals(db, { recordsYears: 10, keys })) found.push(...hour.faults);
    return found;
  };
  expect(await by([publicKey])).toEqual([]);
  expect(await by([keyIdOf(publicKey), keyIdOf(mine)])).toEqual([]);
  expect((await by([keyIdOf(mine)]))[0]).toMatch(/which --key does not name$/);
  expect((await by([keyId]))[0]).toMatch(/which --key does not name$/); // an id that somebody chose
});

describe('what no seal is about', () => {
  const unsealed = () => verifyUnsealed(db, { recordsYears: 10 });

  test('a decision and an event of a time that has not come', async () => {
    expect(await unsealed()).toEqual([]);
    const [far, end] = [new Date('2199-01-01T00:00:00Z'), await decided(at(-2))];
    const [uetr, id] = [await decided(far), await happened(far)];
    await rewritten(db, sql`update decisions set decided_at = 'infinity' where uetr = ${end}`);
    const says = 'has a time that has not come: no worker gives it one';
    expect(new Set(await unsealed())).toEqual(
      new Set([
        `the decision of payment ${uetr} ${says}, but while books are closed ahead (book.closed-ahead)`,
        `the decision of payment ${end} ${says}, but while books are closed ahead (book.closed-ahead)`,
        `audit event ${id} ${says}`,
      ]),
    );
  });
});
