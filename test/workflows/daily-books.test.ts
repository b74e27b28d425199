// The books of a day, made and sent by the schedule, on a whole gateway (REC-2).
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { dailyBooksScheduleId } from '../../contract/ids.ts';
import { listBooksSent } from '../../db/books/book-pages.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { readCamt054 } from '../harness/camt054.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { jsonRoutes } from '../harness/json-routes.ts';
import { copyDecided } from '../../fixtures/many-payments.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { guidelineFaults, officialFaults, officialPresent, treeOf } from '../xml/fixtures.ts';
import { rewritten } from '../harness/rewritten.ts';
import { dayIsQuiet } from '../harness/midnight.ts';
import { eventually } from '../harness/wait.ts';

await dayIsQuiet();
const gateway = await testGateway({ sweepEveryMs: 1_000 });
const { db } = gateway;
const evidence = evidenceOf(gateway);
const ask = await jsonRoutes<readonly Record<string, unknown>[]>(gateway);
const dayMs = 86_400_000;
const today = Math.floor(Date.now() / dayMs) * dayMs;
const dayBefore = (days: number) => ({
  from: new Date(today - days * dayMs),
  to: new Date(today - (days - 1) * dayMs),
});
const dateOf = (days: number) => dayBefore(days).from.toISOString().slice(0, 10);
const schedule = gateway.temporal.schedule.getHandle(`${gateway.taskQueuePrefix}${dailyBooksScheduleId}`);
const uetrs: string[] = [];

/** Until every page of a day of these parties was taken. */
async function taken(days: number, parties: readonly string[]) {
  await eventually(async () => {
    const books = (await listBooksSent(db, dayBefore(days), undefined)).filter((one) =>
      parties.includes(one.party),
    );
    expect(books.length).toBeGreaterThanOrEqual(parties.length);
    for (const one of books) expect(one).toMatchObject({ made: one.pages, taken: one.pages, deadPages: [] });
  });
}

const received = (party: string) =>
  gateway.sandbox.journal
    .entries()
    .filter((one) => one.kind === 'camt054' && one.party === party)
    .map((one) => Buffer.from(one.bytes ?? '').toString());

/** Lets the schedule start it now. */
async function triggered() {
  const before = (await schedule.describe()).info.numActionsTaken;
  await schedule.trigger();
  return eventually(async () => {
    const { info } = await schedule.describe();
    expect(info.numActionsTaken).toBeGreaterThan(before);
    const { workflowId, firstExecutionRunId } = info.recentActions.at(-1)?.action.workflow ?? {};
    return gateway.temporal.workflow.getHandle(workflowId ?? '', firstExecutionRunId);
  });
}

/** The same, to its end: what it made. */
async function made(): Promise<unknown> {
  const execution = await triggered();
  return (await execution.result()) as unknown;
}

beforeAll(async () => {
  for (const ending of [endingIn.creditedAtOnce, endingIn.creditedAtOnce, endingIn.blocked]) {
    const message = instruction(await bestQuote(gateway), { ending });
    await submit(gateway, message, { prefer: 'wait=20' });
    await evidence.arrival(message.uetr, 'source', 'pacs002');
    uetrs.push(message.uetr);
  }
  await rewritten(db, sql`update decisions set decided_at = decided_at - interval '1 day'`);
});

test('a closed day is sent once to whoever has registered an address, as it can be read (REC-2, CBK-1)', async () => {
  expect((await schedule.describe()).spec.calendars).toMatchObject([
    { hour: [{ start: 0 }], minute: [{ start: 2 }] },
  ]);
  expect(await made()).toMatchObject({ pages: expect.any(Number) as number });
  await taken(1, ['SGDFAST', 'THBPPAY', 'MERISGS0']);
  const [text = '', ...more] = received('destination/IPSO-SG');
  expect(more).toEqual([]);
  if (officialPresent) expect(officialFaults('camt054', text)).toEqual([]);
  expect(guidelineFaults('camt054', text)).toEqual([]);
  const read = readCamt054(treeOf(text));
  expect(read.ok && read.value.entries.map((one) => [one.uetr, one.status]).sort()).toEqual(
    uetrs.map((uetr, index) => [uetr, index < 2 ? 'ACCC' : 'BLCK']).sort(),
  );
  const route = await ask('GET', `/reconciliation/camt054?clearingSystem=SGDFAST&date=${dateOf(1)}`);
  expect(route.bytes.toString()).toBe(text);

  expect(await made()).toEqual({ days: 0, pages: 0 });
  expect(received('destination/IPSO-SG')).toEqual([text]);
});

test('operators see what was sent and taken, everybody else their own (REC-2)', async () => {
  const { body: all } = await ask('GET', `/reconciliation/sent?date=${dateOf(1)}`);
  expect(all.length).toBeGreaterThan(5);
  expect(all).toContainEqual(
    expect.objectContaining({ book: 'SGDFAST', party: 'SGDFAST', pages: 1, made: 1, taken: 1, dead: 0 }),
  );
  const { body: own } = await ask('GET', `/reconciliation/sent?date=${dateOf(1)}`, undefined, 'THBPPAY');
  expect(own).toMatchObject([{ book: 'THBPPAY' }]);
  const { body: provider } = await ask(
    'GET',
    `/reconciliation/sent?date=${dateOf(1)}`,
    undefined,
    'MERISGS0',
  );
  expect(new Set(provider.map(({ party }) => party))).toEqual(new Set(['MERISGS0']));
});

test('a book that is owed and not made yet is a line of its own, a day that is not over is refused (REC-2)', async () => {
  const sent = (days: number) =>
    ask('GET', `/reconciliation/sent?date=${dateOf(days)}`, undefined, 'SGDFAST');
  const registered = (daysAgo: number) =>
    sql`update book_endpoints set registered_at = now() - ${daysAgo} * interval '1 day'
      where party_id = 'SGDFAST'`.execute(db);
  expect(await sent(2)).toMatchObject({ status: 200, body: [] }); // before its first book
  await registered(1);
  expect((await sent(2)).body).toEqual([
    {
      book: 'SGDFAST',
      party: 'SGDFAST',
      from: dayBefore(2).from.toISOString(),
      to: dayBefore(2).to.toISOString(),
      pages: null,
      made: 0,
      taken: 0,
      dead: 0,
      deadPages: [],
      nextDueAt: null,
    },
  ]);
  await registered(0);
  expect(await sent(0)).toMatchObject({ status: 409, body: { code: 'period-not-closed' } });
});

test('what was cut short goes on behind it: each page is made once (REC-2)', async () => {
  await sql`delete from book_pages where book = 'SGDFAST'`.execute(db);
  const decidedAt = dayBefore(1).from.toISOString();
  await copyDecided(db, { of: uetrs[0] ?? '', count: 600, decidedAt });
  await sql`create function fails() returns trigger language plpgsql as $$
    begin raise exception 'the disk says no' using errcode = '53100'; end $$`.execute(db);
  await sql`create trigger fails before insert on book_pages for each row when (new.page = 2)
    execute function fails()`.execute(db);
  const execution = await triggered();
  await eventually(async () => {
    const { pendingActivities } = (await execution.describe()).raw;
    expect(pendingActivities?.[0]?.attempt).toBeGreaterThan(1);
  });
  await sql`drop trigger fails on book_pages`.execute(db);
  expect(await execution.result()).toEqual({ days: 1, pages: 4 });
  await taken(1, ['SGDFAST']);
  const pages = received('destination/IPSO-SG')
    .slice(1)
    .flatMap((text) => {
      const read = readCamt054(treeOf(text));
      return read.ok ? [read.value] : [];
    });
  expect(pages.map(({ page }) => page).sort()).toEqual([1, 2, 3, 4, 5]);
  expect(new Set(pages.flatMap(({ entries }) => entries.map(({ uetr }) => uetr))).size).toBe(603);
});

test('a page that cannot be made holds up no other book, and a person is told (SEC-9, I-16)', async () => {
  await sql`update book_pages set period_from = period_from - interval '1 day', period_to = period_to - interval '1 day'`.execute(
    db,
  ); // nothing of yesterday was sent
  await rewritten(
    db,
    sql`update payments set source_references = source_references #- '{original,endToEndId}'
    where uetr = ${uetrs[0]}`,
  );
  await made();
  await taken(1, ['MYRRPP']);
  const told = await db
    .selectFrom('audit_events')
    .select(['severity', 'detail'])
    .where('kind', '=', 'book.defect')
    .execute();
  const day = dateOf(1);
  for (const book of ['SGDFAST', 'THBPPAY']) {
    const detail = expect.objectContaining({ book, day }) as unknown;
    expect(told).toContainEqual({ severity: 'alert', detail });
  }
});
