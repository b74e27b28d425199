// Quotes are stored in a partition per day (QUO-10). A failure for one day affects no other day and loses no quote.
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../../db/pool/connection.ts';
import { dropOldQuotePartitions, ensurePartitions } from '../../../db/records/partitions.ts';
import { testDatabase } from '../../harness/database.ts';

const database = await testDatabase();
const db = connect(database.url, { applicationName: 'isthmus-test', maxConnections: 3 });
/** Its statements fail when they have waited 0.3 s for a lock, however slow the machine is. */
const impatient = connect(database.url, { applicationName: 'isthmus-test', limits: { lockMs: 300 } });
afterAll(() => Promise.all([db.destroy(), impatient.destroy()]));

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
const quoteIn = (days: number, amount: string, on = db) =>
  on
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
const waitingForLocks = async () => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_locks l join pg_database d on d.oid = l.database
    where d.datname = current_database() and not l.granted`.execute(db);
  return rows[0]?.count;
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

  it('gives a day that has passed without one its partition too, so that its quotes are dropped in time (QUO-10)', async () => {
    await quoteIn(-10, '90');
    await quoteIn(-63, '37');
    const { failed } = await ensurePartitions(db);
    expect(failed).toEqual([]);
    expect(await whereabouts()).toEqual({ '90': partitionIn(-10), '37': partitionIn(-63) });
    expect(await dropOldQuotePartitions(db)).toEqual({ dropped: [partitionIn(-63)], failed: [] });
    expect(await whereabouts()).toEqual({ '90': partitionIn(-10) });
  });

  it('waits a second for whoever reads the default partition, lets quotes be stored meanwhile, and comes again', async () => {
    await quoteIn(5, '105');
    await db.transaction().execute(async (trx) => {
      await sql`select count(*) from quote_requests_default`.execute(trx); // and goes on
      const ensuring = ensurePartitions(db);
      await expect.poll(waitingForLocks).toBeGreaterThan(0);
      for (const amount of ['1', '2', '3']) await quoteIn(0, amount, impatient);
      expect((await ensuring).failed).toMatchObject([
        { what: `quote_requests of ${dateIn(3)}`, error: { code: '55P03' } },
        { what: `quote_requests of ${dateIn(5)}`, error: { code: '55P03' } },
      ]);
    });
    expect((await ensurePartitions(db)).failed).toEqual([]);
    expect(await whereabouts()).toMatchObject({ '105': partitionIn(5), '1': partitionIn(0) });
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
