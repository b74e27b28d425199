// Retention drops whole partitions: bytes of messages after 13 months, other records after 10 years. It keeps all
// that is undecided, undelivered or in a case (LIF-6).
import { sql } from 'kysely';
import { describe, expect, it, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { actOnAlert } from '../../../db/records/cases.ts';
import { yearly } from '../../../db/records/partitions.ts';
import { dropExpired, findExpired, type Expired } from '../../../db/records/retention.ts';
import { createValidatePayment } from '../../../activities/payments/validate-payment.ts';
import { instruction, ownExchange } from '../../../fixtures/instruction.ts';
import { rewritten } from '../../harness/rewritten.ts';
import { workbench } from '../../activities/workbench.ts';
import { newestAlert, writeEvent } from '../../harness/events.ts';
import { madeAgo, replaceFirstPartitions } from '../../harness/old-partitions.ts';
import { storeReport } from '../../harness/reports.ts';

const { deps, accepted, store } = await workbench();
const { db } = deps;
const decide = createDecidePayment(deps);
const keptFor = { messagesMonths: 13, recordsYears: 10 };

const monthsAgo = (months: number) => {
  const day = new Date();
  day.setUTCDate(1);
  day.setUTCMonth(day.getUTCMonth() - months);
  return day;
};
const old = { messages: '15 months', records: '144 months' } as const;
const monthOf = (months: number) =>
  `message_bodies_${monthsAgo(months).toISOString().slice(0, 7).replace('-', '')}`;

await replaceFirstPartitions(db, [monthsAgo(12), monthsAgo(15), monthsAgo(144)]);

/** A payment that was credited, and of which everybody has been told. */
async function done(): Promise<{ uetr: string; messageId: string }> {
  const { uetr, messageId } = await accepted();
  await storeReport(db, uetr);
  await decide({ uetr, cause: { by: 'record' } });
  await sql`update deliveries set delivered_at = now(), closed_at = null where subject_id = ${uetr} and kind <> 'instruction'`.execute(
    db,
  );
  return { uetr, messageId };
}

async function counts(uetr: string) {
  const { rows } = await sql<{ [table: string]: number }>`
    select (select count(*)::int from payments where uetr = ${uetr}) as payments,
      (select count(*)::int from decisions where uetr = ${uetr}) as decisions,
      (select count(*)::int from deliveries where subject_id = ${uetr}) as deliveries,
      (select count(*)::int from messages where subject_id = ${uetr}) as messages,
      (select count(*)::int from messages join message_bodies using (message_id) where subject_id = ${uetr}) as bodies,
      (select count(*)::int from payment_keys where uetr = ${uetr}) as keys`.execute(db);
  return rows[0];
}
const expiredOf = async (what: Expired['what']) =>
  (await findExpired(db, keptFor)).filter((one) => one.what === what);

const monthExpired = async (months: number) => {
  const found = (await expiredOf('messages')).find(({ partitions }) => partitions.includes(monthOf(months)));
  if (found === undefined) throw new Error(`${monthOf(months)} is not old enough`);
  return found;
};
const yearExpired = async () => {
  const [found, ...others] = await expiredOf('records');
  if (found === undefined) throw new Error('no year is old enough');
  expect(others).toEqual([]);
  return found;
};

describe('nothing goes of which anything is', () => {
  const holding: readonly [
    reason: string,
    hold: () => Promise<{ uetr: string; free: () => Promise<unknown> }>,
  ][] = [
    [
      'undecided',
      async () => {
        const { uetr } = await accepted();
        const free = async () => {
          await sql`update deliveries set closed_at = now() where subject_id = ${uetr}`.execute(db);
        };
        return { uetr, free };
      },
    ],
    [
      'undelivered',
      async () => {
        const { uetr } = await done();
        const callback = sql`subject_id = ${uetr} and kind = 'callback'`;
        await sql`update deliveries set delivered_at = null where ${callback}`.execute(db);
        return {
          uetr,
          free: () => sql`update deliveries set delivered_at = now() where ${callback}`.execute(db),
        };
      },
    ],
    [
      'in a case',
      async () => {
        const { uetr } = await done();
        await writeEvent(db, { severity: 'alert', kind: 'delivery.dead-letter', subjectId: uetr });
        const alert = { alertId: await newestAlert(db, uetr), subjectId: uetr };
        const close = { action: 'close', by: 'ops', note: 'told by telephone' } as const;
        return { uetr, free: () => actOnAlert(db, alert, close) };
      },
    ],
    [
      'never judged',
      async () => {
        const message = instruction(ownExchange());
        const messageId = await store(message);
        const free = async () => {
          await createValidatePayment(deps)({ messageId });
          await rewritten(
            db,
            sql`update payments set begun_at = begun_at - interval '15 months' where uetr = ${message.uetr}`,
          );
          await sql`update deliveries set closed_at = now() where subject_id = ${message.uetr}`.execute(db);
        };
        return { uetr: message.uetr, free };
      },
    ],
  ];

  it.each(holding)('%s: neither bytes of messages nor records', async (reason, hold) => {
    const { uetr, free } = await hold();
    await madeAgo(db, uetr, old.messages);
    const before = await counts(uetr);
    const held = await monthExpired(15);
    expect(held.holds).toEqual([
      {
        reason,
        count: 1,
        examples: [uetr],
      },
    ]);
    expect(await dropExpired(db, keptFor, held)).toEqual(held.holds);
    expect(await counts(uetr)).toEqual(before);
    const everything = { messagesMonths: 1, recordsYears: 0 };
    const records = (await findExpired(db, everything)).filter(({ what }) => what === 'records');
    expect(records.flatMap(({ holds }) => holds).map((one) => one.reason)).toContain(reason);
    await free();
    expect((await monthExpired(15)).holds).toEqual([]);
  });
});

test('the bytes of messages go after 13 months, a month at a time; everything else of them stays', async () => {
  const [older, newer] = [await done(), await done()];
  await madeAgo(db, older.uetr, old.messages);
  await madeAgo(db, newer.uetr, '12 months');
  const whole = await counts(older.uetr);
  expect(whole).toMatchObject({ payments: 1, decisions: 1, messages: 6, bodies: 6 });
  const month = await monthExpired(15);
  expect(month).toMatchObject({ holds: [], partitions: [monthOf(15)] });
  expect(await dropExpired(db, keptFor, month)).toEqual([]);
  expect(await counts(older.uetr)).toEqual({ ...whole, bodies: 0 });
  expect(await counts(newer.uetr)).toEqual(whole);
  expect(names(await expiredOf('messages'))).not.toContain(monthOf(15));
  expect(names(await findExpired(db, keptFor))).not.toContain(monthOf(12));
  const { rows } =
    await sql`select detail ->> 'partitions' as partitions from audit_events where kind = 'retention.dropped'`.execute(
      db,
    );
  expect(rows).toEqual([{ partitions: monthOf(15) }]);
});

test('records go after 10 years, a year of all of them at once, and what they were known by; what is younger stays', async () => {
  const [older, newer] = [await done(), await done()];
  await madeAgo(db, older.uetr, old.records);
  await madeAgo(db, newer.uetr, '12 months');
  const year = await yearExpired();
  const own = String(monthsAgo(144).getUTCFullYear());
  expect(year.partitions).toEqual(
    Object.keys(yearly)
      .map((table) => `${table}_${own}`)
      .toSorted(),
  );
  expect(year.holds).toEqual([{ reason: 'its messages are kept', count: 1, examples: [monthOf(144)] }]);
  expect(await dropExpired(db, keptFor, year)).toEqual(year.holds);
  expect(await dropExpired(db, keptFor, await monthExpired(144))).toEqual([]);
  expect(await dropExpired(db, keptFor, await yearExpired())).toEqual([]);
  expect(await counts(older.uetr)).toEqual({
    payments: 0,
    decisions: 0,
    deliveries: 0,
    messages: 0,
    bodies: 0,
    keys: 0,
  });
  expect(await counts(newer.uetr)).toMatchObject({
    payments: 1,
    decisions: 1,
    messages: 6,
    bodies: 6,
    keys: 1,
  });
  expect(await expiredOf('records')).toEqual([]);
});

const names = (expired: readonly Expired[]) => expired.flatMap(({ partitions }) => partitions);
