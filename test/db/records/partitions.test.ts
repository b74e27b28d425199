// Quotes lie in a partition per day (QUO-10). Whatever stands in the way of one day, the other days have theirs, no
// quote is lost, and somebody is told.
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startMaintenance } from '../../../api/operations/maintenance.ts';
import { connect } from '../../../db/pool/connection.ts';
import { dropOldQuotePartitions, ensurePartitions } from '../../../db/records/partitions.ts';
import { testDatabase } from '../../harness/database.ts';

const database = await testDatabase();
const db = connect(database.url, { applicationName: 'isthmus-test', maxConnections: 3 });
afterAll(() => db.destroy());

/** Of the day so many days from today, UTC. */
const dateIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const partitionIn = (days: number) => `quote_requests_${dateIn(days).replaceAll('-', '')}`;

/** The partition in which each quote lies, by the amount that was asked for. */
const whereabouts = async () => {
  const { rows } = await sql<{ amount: string; partition: string }>`
    select amount::text as amount, tableoid::regclass::text as partition from quote_requests`.execute(db);
  return Object.fromEntries(rows.map(({ amount, partition }) => [amount, partition]));
};
/** A quote as of noon of that day. */
const quoteIn = (days: number, amount: string) =>
  db
    .insertInto('quote_requests')
    .values({
      quote_request_id: sql<string>`gen_random_uuid()`,
      issued_at: new Date(`${dateIn(days)}T12:00:00Z`),
      psp_id: 'SG-LOTU',
      source_country: 'SG',
      source_currency: 'SGD',
      destination_country: 'TH',
      destination_currency: 'THB',
      amount_currency: 'SGD',
      amount,
      fxp_ids: [],
      rate_ids: [],
      tier_improvement_ids: [],
      psp_improvement_ids: [],
      exchange_rates: [],
      source_amounts: [],
      source_capped: [],
      destination_amounts: [],
      destination_capped: [],
      scheme_fees: [],
      creditor_agent_fees: [],
      source_sap_ids: [],
      source_account_ids: [],
      destination_sap_ids: [],
      destination_account_ids: [],
    })
    .execute();
const partitions = async () => {
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits
    where inhparent = 'quote_requests'::regclass order by 1`.execute(db);
  return rows.map(({ name }) => name);
};
const comingDays = [0, 1, 2, 3, 4, 5, 6, 7];

/** Days 3 and 5 have no partition; nothing else is there. */
beforeEach(async () => {
  await sql`truncate quote_requests`.execute(db);
  await ensurePartitions(db);
  for (const days of [3, 5]) await sql.raw(`drop table ${partitionIn(days)}`).execute(db);
});

describe('ensurePartitions', () => {
  it('moves quotes out of the default partition into that of their day, and makes those of the other days', async () => {
    await quoteIn(3, '103');
    await quoteIn(1, '101');
    expect(await whereabouts()).toEqual({ '103': 'quote_requests_default', '101': partitionIn(1) });
    const before = await db.selectFrom('quote_requests').selectAll().orderBy('amount').execute();
    const { moved, failed } = await ensurePartitions(db);
    expect({ moved, failed }).toEqual({
      moved: [{ table: 'quote_requests', day: dateIn(3), rows: 1 }],
      failed: [],
    });
    expect(await whereabouts()).toEqual({ '103': partitionIn(3), '101': partitionIn(1) });
    expect(await db.selectFrom('quote_requests').selectAll().orderBy('amount').execute()).toEqual(before);
    expect(await partitions()).toEqual(expect.arrayContaining(comingDays.map(partitionIn)));
  });

  it('makes partitions that are like any other: same keys, same indexes', async () => {
    await ensurePartitions(db);
    const { rows } = await sql<{ definition: string }>`
      select replace(pg_get_indexdef(indexrelid), indrelid::regclass::text, 'it') as definition from pg_index
      where indrelid in (${sql.raw([2, 3].map((days) => `'${partitionIn(days)}'::regclass`).join(', '))})`.execute(
      db,
    );
    expect(new Set(rows.map(({ definition }) => definition)).size).toBe(rows.length / 2);
    await quoteIn(3, '103');
    const again = sql`insert into quote_requests select * from quote_requests`.execute(db);
    await expect(again).rejects.toThrow('duplicate key');
  });

  it('gives a day that has passed without one its partition too, so that its quotes are dropped in time (QUO-10)', async () => {
    await quoteIn(-10, '90');
    await quoteIn(-63, '37');
    const { failed } = await ensurePartitions(db);
    expect(failed).toEqual([]);
    expect(await whereabouts()).toEqual({ '90': partitionIn(-10), '37': partitionIn(-63) });
    expect(await dropOldQuotePartitions(db)).toEqual({ dropped: [partitionIn(-63)], failed: [] });
    expect(await whereabouts()).toEqual({ '90': partitionIn(-10) });
  });

  it('makes the partitions of the following days when one day fails, and says which', async () => {
    await sql.raw(`create table ${partitionIn(3)} (something_else int)`).execute(db);
    try {
      const { failed } = await ensurePartitions(db);
      expect(failed).toMatchObject([{ what: `quote_requests of ${dateIn(3)}`, error: { code: '42P07' } }]);
      const without = comingDays.filter((days) => days !== 3);
      expect(await partitions()).toEqual(expect.arrayContaining(without.map(partitionIn)));
    } finally {
      await sql.raw(`drop table ${partitionIn(3)}`).execute(db);
    }
  });

  it('waits a second for whoever reads the default partition, lets quotes be stored meanwhile, and comes again', async () => {
    await quoteIn(5, '105');
    await db.transaction().execute(async (trx) => {
      await sql`select count(*) from quote_requests_default`.execute(trx); // and goes on
      const ensuring = ensurePartitions(db);
      for (const amount of ['1', '2', '3']) {
        const started = performance.now();
        await quoteIn(0, amount);
        expect(performance.now() - started).toBeLessThan(500);
      }
      expect((await ensuring).failed).toMatchObject([
        { what: `quote_requests of ${dateIn(3)}`, error: { code: '55P03' } },
        { what: `quote_requests of ${dateIn(5)}`, error: { code: '55P03' } },
      ]);
    });
    expect((await ensurePartitions(db)).failed).toEqual([]);
    expect(await whereabouts()).toMatchObject({ '105': partitionIn(5), '1': partitionIn(0) });
  });

  it('may run several times at once', async () => {
    await quoteIn(3, '103');
    const reports = await Promise.all([1, 2, 3].map(() => ensurePartitions(db)));
    expect(reports.flatMap(({ moved }) => moved)).toEqual([
      { table: 'quote_requests', day: dateIn(3), rows: 1 },
    ]);
    expect(reports.flatMap(({ failed }) => failed)).toEqual([]);
  });
});

describe('dropOldQuotePartitions', () => {
  it('drops the other old ones when one cannot be dropped, and says which', async () => {
    await quoteIn(-70, '30');
    await quoteIn(-80, '20');
    await ensurePartitions(db);
    await db.transaction().execute(async (trx) => {
      await sql.raw(`select 1 from ${partitionIn(-80)}`).execute(trx);
      expect(await dropOldQuotePartitions(db)).toMatchObject({
        dropped: [partitionIn(-70)],
        failed: [{ what: partitionIn(-80), error: { code: '55P03' } }],
      });
    });
    expect(await dropOldQuotePartitions(db)).toEqual({ dropped: [partitionIn(-80)], failed: [] });
  });
});

describe('the api', () => {
  it('brings the partitions in order when it starts, and tells what it found and what failed', async () => {
    await quoteIn(3, '103');
    await sql.raw(`create table ${partitionIn(5)} (something_else int)`).execute(db);
    const lines: string[] = [];
    const logger = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) });
    try {
      await startMaintenance(database.url, logger)();
    } finally {
      await sql.raw(`drop table ${partitionIn(5)}`).execute(db);
    }
    expect(await whereabouts()).toEqual({ '103': partitionIn(3) });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 40, day: dateIn(3), rows: 1 },
      { level: 50, what: `quote_requests of ${dateIn(5)}`, err: { code: '42P07' } },
    ]);
  });
});

describe('the alerts', () => {
  it('are found by their time without reading the whole audit trail', async () => {
    await sql`insert into audit_events (severity, kind)
      select case when n % 500 = 0 then 'alert' else 'info' end, 'test' from generate_series(1, 5000) n`.execute(
      db,
    );
    await sql`analyze audit_events`.execute(db);
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      explain select * from audit_events where severity in ('alert', 'security')
        and occurred_at > now() - interval '1 day' order by occurred_at desc limit 50`.execute(db);
    const { rows: indexes } = await sql<{ name: string }>`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_events_alerts'::regclass`.execute(
      db,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(indexes.some(({ name }) => plan.includes(`${name} `))).toBe(true);
  });
});

it('has the keys of a table in each of its partitions, the first and the default one too (DUP-3)', async () => {
  await ensurePartitions(db);
  const { rows } = await sql<{ parent: string; keys: string }>`
    select p.parent, coalesce(string_agg(pg_get_constraintdef(c.oid), ', ' order by c.contype), 'none') as keys
    from partitions p left join pg_constraint c on c.conrelid = to_regclass(p.name) and c.contype in ('p', 'u')
    where p.parent <> 'quote_requests'
    group by p.parent, p.name`.execute(db);
  const keys = new Map(rows.map(({ parent, keys: own }) => [parent, own]));
  expect(Object.fromEntries(keys)).toEqual({
    messages: 'PRIMARY KEY (message_id)',
    message_bodies: 'PRIMARY KEY (message_id)',
    payments: 'PRIMARY KEY (uetr)',
    decisions: 'PRIMARY KEY (uetr)',
    deliveries: 'PRIMARY KEY (delivery_id), UNIQUE (subject_id, kind)',
    delivery_attempts: 'PRIMARY KEY (delivery_id, attempt)',
    audit_events: 'PRIMARY KEY (audit_event_id)',
  });
  expect(rows.length).toBeGreaterThanOrEqual(2 * keys.size);
  for (const { parent, keys: own } of rows) expect([parent, own]).toEqual([parent, keys.get(parent)]);
});
