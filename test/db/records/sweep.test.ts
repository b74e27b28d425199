// What the sweep looks for is all found, however much stands before it and whatever came in the same moment (LIF-2,
// I-17).
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { findNeglected, findOverdue, findUndecided } from '../../../db/records/sweep.ts';
import { workbench } from '../../activities/workbench.ts';

const { deps, accepted } = await workbench();
const { db } = deps;

async function collect<Row>(rows: AsyncIterable<Row>): Promise<readonly Row[]> {
  const found: Row[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

test('a delivery that nobody attempts is found, though more than a thousand stand before it that make no progress (I-17)', async () => {
  const { messageId } = await accepted();
  const due = (count: number, age: string) =>
    sql<{ subject_id: string }>`
    insert into deliveries (delivery_id, subject_id, begun_at, kind, message_id, party, url, asked_at, next_due_at)
    select gen_random_uuid(), gen_random_uuid(), now(), 'callback', ${messageId}, 'SGDFAST', 'http://127.0.0.1:9/',
      now() - ${age}::interval, now() - interval '61 seconds'
    from generate_series(1, ${count})
    returning subject_id`.execute(db);
  const before = await due(1_001, '2 hours'); // in the same moment, too
  const last = await due(1, '1 hour');
  const found = await collect(findNeglected(db));
  expect(found).toHaveLength(1_002);
  expect(new Set(found.map(({ subjectId }) => subjectId))).toEqual(
    new Set([...before.rows, ...last.rows].map((one) => one.subject_id)),
  );
});

test('a payment or resolution with several deliveries that nobody attempts is found once', async () => {
  const { messageId } = await accepted();
  const subjectId = randomUUID();
  await sql`
    insert into deliveries (delivery_id, subject_id, begun_at, kind, message_id, party, asked_at, next_due_at)
    select gen_random_uuid(), ${subjectId}, now(), kind, ${messageId}, 'SGDFAST', now() - age, now() - interval '61 seconds'
    from unnest(array['confirmation', 'notification'], array['1 hour', '2 hours']::interval[]) as one (kind, age)`.execute(
    db,
  );
  expect((await collect(findNeglected(db))).filter((one) => one.subjectId === subjectId)).toHaveLength(1);
});

test('every undecided payment is found, those that were accepted in the same moment too; and every deadline that is past', async () => {
  const { messageId } = await accepted();
  await sql`
    with payment as (
      insert into payments (uetr, begun_at, source_clearing_system, message_id, answer_message_id, judged_at, accepted, deadline_at)
      select gen_random_uuid(), now(), 'SGDFAST', ${messageId}, ${messageId}, now(), true, now() - interval '1 minute'
      from generate_series(1, 1001)
      returning uetr, begun_at
    )
    insert into deliveries (delivery_id, subject_id, begun_at, kind, message_id, party)
    select gen_random_uuid(), uetr, begun_at, 'instruction', ${messageId}, 'THBPPAY' from payment`.execute(
    db,
  );
  const undecided = await collect(findUndecided(db, 1_000));
  expect(new Set(undecided.filter(({ isOverdue }) => isOverdue).map(({ uetr }) => uetr)).size).toBe(1_001);
  expect(new Set(await collect(findOverdue(db, 1_000))).size).toBe(1_001);
});
