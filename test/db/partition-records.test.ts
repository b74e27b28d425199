// What is on record of the release before is partitioned while that release goes on writing (LIF-6): nothing that it
// was told is stored is missing afterwards, or another.
import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { connect } from '../../db/connection.ts';
import { recordReceived } from '../../db/messages.ts';
import { migrate } from '../../db/migrate.ts';
import { migrations } from '../../db/migrations/index.ts';
import { testDatabase } from '../harness/database.ts';

const database = await testDatabase('empty');
const db = connect(database.url, { applicationName: 'isthmus-test', maxConnections: 6 });
afterAll(() => db.destroy());

const lastOfBefore = '0027-endpoint-probes';
const bodyOf = (n: number) => Buffer.from(`<Document n="${n}">${'ä'.repeat(n % 3_000)}</Document>`);

/** A payment with what belongs to it, as the release before wrote it. */
async function payAsBefore(n: number): Promise<{ uetr: string; messageId: string }> {
  const [uetr, messageId, answerId, deliveryId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  await db.transaction().execute(async (trx) => {
    await sql`
      insert into messages (message_id, subject_id, message_type, message_identification, direction, leg, party, sha256, body)
      values (${messageId}, ${uetr}, 'pacs008', ${`M${n}`}, 'in', 'source', 'SGDFAST',
          ${createHash('sha256').update(bodyOf(n)).digest()}, ${bodyOf(n)}),
        (${answerId}, ${uetr}, 'pacs002', ${`A${n}`}, 'out', 'source', 'SGDFAST', sha256('answer'), 'answer')`.execute(
      trx,
    );
    await sql`
      insert into payments (uetr, source_clearing_system, message_id, answer_message_id, received_at, accepted, priority)
      values (${uetr}, 'SGDFAST', ${messageId}, ${answerId}, now(), true, 'NORM')`.execute(trx);
    await sql`
      insert into deliveries (delivery_id, subject_id, kind, message_id, party)
      values (${deliveryId}, ${uetr}, 'instruction', ${messageId}, 'THBPPAY')`.execute(trx);
    await sql`insert into delivery_attempts (delivery_id, attempt) values (${deliveryId}, 1)`.execute(trx);
    await sql`
      insert into audit_events (severity, kind, subject_id, party) values ('info', 'report.invalid', ${uetr}, 'THBPPAY')`.execute(
      trx,
    );
    await sql`
      insert into refused_messages (message_id, subject_id, party, sha256, body)
      values (${randomUUID()}, ${uetr}, 'THBPPAY', sha256('refused'), ${Buffer.from(`refused ${n}`)})`.execute(
      trx,
    );
  });
  await sql`update deliveries set attempts = 1, delivered_at = now() where delivery_id = ${deliveryId}`.execute(
    db,
  );
  if (n % 2 === 0)
    await sql`
      insert into decisions (uetr, status, decided_by, report_message_id, callback_message_id)
      values (${uetr}, 'ACCC', 'destination', ${messageId}, ${answerId})
      on conflict (uetr) do nothing`.execute(db);
  return { uetr, messageId };
}

test('nothing that is on record, or comes meanwhile, is lost or changed', async () => {
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
  const { error } = await migrator.migrateTo(lastOfBefore);
  expect(error).toBeUndefined();
  const told = new Map<number, { uetr: string; messageId: string }>();
  let n = 0;
  const payNext = async () => {
    const own = (n += 1);
    told.set(own, await payAsBefore(own));
  };
  for (let count = 0; count < 200; count += 1) await payNext();
  let failure: unknown;
  const writers = [1, 2, 3].map(async () => {
    while (failure === undefined) await payNext().catch((reason: unknown) => (failure ??= reason));
  });
  const before = n;
  const steps: string[] = [];
  await migrate(database.url, (step) => steps.push(step));
  await Promise.all(writers);
  // after the switch the release before can no longer write, and nothing of what it tried then is half there
  expect(failure).toBeInstanceOf(pg.DatabaseError);
  expect(told.size).toBeGreaterThan(before);
  expect(steps).toContain('copying the records of messages, without their bytes');

  const { rows } = await sql<{ [what: string]: unknown }>`
    select p.uetr, p.message_id as "messageId", k.uetr is not null as "hasKey", m.message_id = mk.message_id as "isKnown",
      b.body, m.sha256, m.size, d.delivered_at is not null as "isDelivered", a.attempt, e.kind, rb.body as refused, s.status
    from payments p
    left join payment_keys k on k.uetr = p.uetr and k.begun_at = p.begun_at
    left join messages m on m.message_id = p.message_id
    left join message_keys mk on mk.party = m.party and mk.message_type = m.message_type and mk.sha256 = m.sha256
    left join message_bodies b on b.message_id = m.message_id and b.created_at = m.created_at
    left join deliveries d on d.subject_id = p.uetr and d.begun_at = p.begun_at
    left join delivery_attempts a on a.delivery_id = d.delivery_id and a.begun_at = p.begun_at
    left join audit_events e on e.subject_id = p.uetr
    left join refused_messages r on r.subject_id = p.uetr
    left join message_bodies rb on rb.message_id = r.message_id and rb.created_at = r.created_at
    left join decisions s on s.uetr = p.uetr and s.begun_at = p.begun_at`.execute(db);
  const found = new Map(rows.map((row) => [row['uetr'], row]));
  expect(rows.length).toBe(found.size);
  for (const [own, { uetr, messageId }] of told) {
    const body = bodyOf(own);
    expect(found.get(uetr)).toMatchObject({
      ...{ messageId, hasKey: true, isKnown: true, size: body.length, isDelivered: true, attempt: 1 },
      ...{ kind: 'report.invalid', refused: Buffer.from(`refused ${own}`) },
    });
    expect(
      createHash('sha256')
        .update(found.get(uetr)?.['body'] as Buffer)
        .digest('hex'),
    ).toBe((found.get(uetr)?.['sha256'] as Buffer).toString('hex'));
  }
  const numbers = [...told.keys()].filter((own) => own % 2 === 0);
  expect(rows.filter(({ status }) => status === 'ACCC').length).toBeGreaterThanOrEqual(numbers.length - 3);
  // the same bytes again are what came before; the same UETR is not judged twice
  const [first] = told.values();
  const again = {
    type: 'pacs008',
    messageIdentification: 'M1',
    leg: 'source',
    party: 'SGDFAST',
    body: bodyOf(1),
  } as const;
  expect(await recordReceived(db, again)).toEqual({ messageId: first?.messageId, isNew: false });
  const twice = sql`
    insert into payments select (jsonb_populate_record(p, jsonb_build_object('begun_at', now()))).* from payments p where uetr = ${first?.uetr}`;
  await expect(twice.execute(db)).rejects.toThrow('payment_keys_pkey');
  const parts = await sql`select name from partitions where not is_default and since = '-infinity'`.execute(
    db,
  );
  expect(parts.rows).toHaveLength(7); // what was before is a partition like any other
}, 60_000);
