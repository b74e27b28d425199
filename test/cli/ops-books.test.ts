// `isthmus ops books` against a running gateway: which books of a day were sent and taken.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { listBooks } from '../../cli/ops/books.ts';
import { dailyBooksScheduleId } from '../../contract/ids.ts';
import { expireDelivery } from '../../db/deliveries/deliveries.ts';
import { testGateway } from '../harness/gateway.ts';
import { opsOn } from './ops-context.ts';
import { dayIsQuiet } from '../harness/midnight.ts';
import { eventually } from '../harness/wait.ts';

await dayIsQuiet();
const gateway = await testGateway();
const { db } = gateway;
const { lines, context } = opsOn(gateway);
beforeEach(() => void lines.splice(0));
const lineOf = (book: string) => lines.find((line) => line.startsWith(book));
const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

test('a book that is owed and not made yet is named, and nothing is asked for but the day', async () => {
  await listBooks(context(), {});
  expect(lines[0]).toMatch(new RegExp(`^book of ${yesterday}\\s+to\\s`));
  expect(lineOf('SGDFAST')).toMatch(/SGDFAST\s+SGDFAST\s+-\s+-\s+not made yet/);
});

test('books that were taken, and a page that was given up, with what sends it again', async () => {
  // no server listens for SGDFAST
  await sql`update book_endpoints set url = 'http://127.0.0.1:9/books' where party_id = 'SGDFAST'`.execute(
    db,
  );
  const schedule = gateway.temporal.schedule.getHandle(`${gateway.taskQueuePrefix}${dailyBooksScheduleId}`);
  await eventually(() => schedule.trigger());
  await eventually(async () => {
    lines.splice(0);
    await listBooks(context(), { date: yesterday });
    expect(lineOf('THBPPAY')).toMatch(/1 of 1\s+-\s+taken/);
    expect(lineOf('SGDFAST')).toMatch(/0 of 1\s+\d{4}-.*on its way/);
  });
  let subject = '';
  await eventually(async () => {
    // a concurrent attempt may postpone it again
    const { rows } = await sql<{ id: string; subject: string }>`
      update deliveries set next_due_at = clock_timestamp() where kind = 'book' and party = 'SGDFAST'
      returning delivery_id as id, subject_id as subject`.execute(db);
    subject = rows[0]?.subject ?? '';
    expect(await expireDelivery(db, rows[0]?.id ?? '')).toBe(true);
  });
  lines.splice(0);
  await listBooks(context(), {});
  expect(lineOf('SGDFAST')).toMatch(/0 of 1\s+-\s+given up$/);
  expect(lines.at(-1)).toBe(`! SGDFAST, page 1, was given up: ops redeliver ${subject} sends it again`);
  lines.splice(0);
  await listBooks(context(), { json: true });
  const [answer = ''] = lines;
  expect(JSON.parse(answer)).toContainEqual(expect.objectContaining({ book: 'SGDFAST', dead: 1 }));
});
