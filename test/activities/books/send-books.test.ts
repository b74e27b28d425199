// The books of the day of several receivers, where one of them has trouble of its own (REC-2).
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createSendBooks } from '../../../activities/books/send-books.ts';
import { findDeadLetters } from '../../../db/payments/asks.ts';
import { listBooksSent } from '../../../db/books/book-pages.ts';
import { listAlerts } from '../../../db/records/cases.ts';
import { expireDelivery } from '../../../db/deliveries/deliveries.ts';
import { inActivity, workbench } from '../workbench.ts';
import { dayIsQuiet } from '../../harness/midnight.ts';
import { eventually } from '../../harness/wait.ts';

await dayIsQuiet();
const { deps } = await workbench();
const { db } = deps;
const dayMs = 86_400_000;
const today = Math.floor(Date.now() / dayMs) * dayMs;
const yesterday = { from: new Date(today - dayMs), to: new Date(today) };
const day = yesterday.from.toISOString().slice(0, 10);

const sendBooks = createSendBooks(deps, { redeliver: () => Promise.resolve() });
const made = () => inActivity(sendBooks);
const alertsOf = async (kind: string) =>
  (await listAlerts(db, { states: ['open', 'taken'], kind }, { limit: 100 })).alerts;

test('a book that the database refuses keeps no other from its receiver, and is tried again (REC-2)', async () => {
  await sql
    .raw(
      `create function fails() returns trigger language plpgsql as $$
         begin raise exception 'the disk says no' using errcode = '53100'; end $$;
       create trigger fails before insert on book_pages for each row when (new.book = 'MYRRPP') execute function fails()`,
    )
    .execute(db);
  await expect(made()).rejects.toThrow('the disk says no');
  const names = (await listBooksSent(db, yesterday, undefined)).map(({ book }) => book);
  expect(names).toContain('SGDFAST');
  expect(names).toContain('THBPPAY');
  expect(names).not.toContain('MYRRPP');
  await sql.raw('drop trigger fails on book_pages').execute(db);
  expect(await made()).toEqual({ days: 1, pages: 1 });
  expect((await listBooksSent(db, yesterday, 'MYRRPP')).map(({ pages }) => pages)).toEqual([1]);
});

test('a page that is given up is named by its alert and its dead letter: book, day and page (CBK-1, REC-2)', async () => {
  const { rows } = await sql<{ id: string; subject: string }>`
    update deliveries set next_due_at = clock_timestamp() where kind = 'book' and party = 'THBPPAY'
    returning delivery_id as id, subject_id as subject`.execute(db);
  const [{ id, subject } = { id: '', subject: '' }] = rows;
  expect(await expireDelivery(db, id)).toBe(true);
  const [alert] = await alertsOf('delivery.dead-letter');
  expect(alert).toMatchObject({
    subjectId: subject,
    detail: { kind: 'book', about: 'book', book: 'THBPPAY', day, page: 1 },
  });
  const { deadLetters } = await findDeadLetters(db, { kinds: ['book'] }, 10);
  expect(deadLetters).toMatchObject([{ subjectId: subject, bookPage: { book: 'THBPPAY', day, page: 1 } }]);
  const [sent] = await listBooksSent(db, yesterday, 'THBPPAY');
  expect(sent?.deadPages).toEqual([{ page: 1, subjectId: subject }]);
});

test('an address that no book can go to is an alert, once while it is open, and again after that (REC-2, OBS-6)', async () => {
  expect(await alertsOf('book.unusable-endpoint')).toEqual([]);
  await sql`insert into book_endpoints (party_id, url) values ('NOBODY', 'https://books.example'),
    ('MERISGS0', 'https://books.example')`.execute(db);
  await sql`update book_endpoints set url = 'ftp://books.example' where party_id = 'SGDFAST'`.execute(db);
  await eventually(() => {
    expect(deps.reference().bookEndpoints.get('SGDFAST')).toBe('ftp://books.example');
  });
  await made();
  await made();
  const told = await alertsOf('book.unusable-endpoint');
  expect(told.map(({ party, detail }) => ({ party, detail }))).toEqual(
    expect.arrayContaining([
      { party: 'NOBODY', detail: { reason: 'unknown-party' } },
      { party: 'MERISGS0', detail: { reason: 'unknown-party', internalId: 'SG-MERI' } },
      { party: 'SGDFAST', detail: { reason: 'unusable-address' } },
    ]),
  );
  expect(told.length).toBe(3);
  const nobody = told.find(({ party }) => party === 'NOBODY');
  await sql`insert into case_entries (audit_event_id, action, client_id, note)
    values (${nobody?.alertId}::bigint, 'close', 'operator', 'mended')`.execute(db);
  await made();
  expect((await alertsOf('book.unusable-endpoint')).length).toBe(3);
});
