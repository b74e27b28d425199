// How a payment may end is one table, which the code decides by: the database takes what that table has, and nothing
// else (LIF-1). Every combination is tried on the real database.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { deciders } from '../../../core/payments/decision.ts';
import { endingBy, type Ending } from '../../../core/payments/payment-states.ts';
import { finalStatuses } from '../../../core/payments/report.ts';
import { connect } from '../../../db/pool/connection.ts';
import { testDatabase } from '../../harness/database.ts';

const database = await testDatabase();
const db = connect(database.url, { applicationName: 'isthmus-test' });
afterAll(() => db.destroy());

/** Only how the rows of a payment go together is tried here, not to whose messages they refer. */
const { rows: references } = await sql<{ table: string; name: string }>`
  select conrelid::regclass::text as "table", conname as name from pg_constraint
  where contype = 'f' and conrelid in ('payments'::regclass, 'decisions'::regclass)`.execute(db);
for (const { table, name } of references)
  await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(db);

async function pay(isAccepted: boolean, priority: string): Promise<string> {
  const uetr = randomUUID();
  await sql`
    insert into payments (uetr, begun_at, source_clearing_system, message_id, answer_message_id, judged_at, accepted, priority)
    values (${uetr}, 'today', 'SGDFAST', ${uetr}, ${uetr}, now(), ${isAccepted}, ${priority})`.execute(db);
  return uetr;
}

async function decide(uetr: string, { status, by, ruleId }: Ending): Promise<'taken' | 'refused'> {
  const id = randomUUID();
  const [report, outcome] = [by === 'destination' ? id : null, by === 'operator' ? id : null];
  try {
    await sql`
      insert into decisions (uetr, begun_at, status, decided_by, rule_id, report_message_id, outcome_id, perhaps_seen)
      values (${uetr}, 'today', ${status}, ${by}, ${ruleId}, ${report}, ${outcome}, true)`.execute(db);
    return 'taken';
  } catch (error) {
    expect(String(error)).toMatch(/\(LIF-1\)/);
    return 'refused';
  }
}

test('the database takes what the table has, and nothing else (LIF-1)', async () => {
  const taken: string[] = [];
  for (const isAccepted of [true, false])
    for (const priority of ['HIGH', 'NORM'])
      for (const status of finalStatuses)
        for (const by of deciders)
          for (const ruleId of [null, 'TIM-1', 'TIM-3', 'MSG-4']) {
            const end = { status, by, ruleId, priority };
            const what = `${isAccepted ? 'accepted' : 'not accepted'}, ${Object.values(end).join()}`;
            const answer = await decide(await pay(isAccepted, priority), end);
            expect([what, answer]).toEqual([what, endingBy(isAccepted, end) ? 'taken' : 'refused']);
            if (answer === 'taken') taken.push(what);
          }
  // by the destination and by people: three statuses each, of either priority; by the gateway one of each; at once by any rule
  expect(taken).toHaveLength(2 * (3 + 3) + 2 + 2 * 3);
});

test('no decision without a payment (LIF-1)', async () => {
  const end = { status: 'ACCC', by: 'destination', ruleId: null, priority: 'NORM' } as const;
  expect(await decide(randomUUID(), end)).toBe('refused');
});
