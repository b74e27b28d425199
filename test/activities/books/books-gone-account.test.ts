// An account is removed. Its owner still gets its books up to that day (REC-1, REC-2).
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { daysToSend } from '../../../core/books/daily-books.ts';
import { dayMs } from '../../../core/books/reconciliation.ts';
import { readOwedBooks } from '../../../db/books/book-pages.ts';
import { startApi } from '../../api/http/running-api.ts';
import { workbench } from '../workbench.ts';
import { dayIsQuiet } from '../../harness/midnight.ts';
import { eventually } from '../../harness/wait.ts';

await dayIsQuiet();
const { deps, databaseUrl } = await workbench();
const { db } = deps;
const api = await startApi(databaseUrl);
afterAll(() => api.close());
const today = Math.floor(Date.now() / dayMs) * dayMs;
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
const [yesterday, thisDay] = [dayOf(today - dayMs), dayOf(today)];

const run = (statement: string) => sql.raw(statement).execute(db);
const loaded = (accountIds: readonly string[]) =>
  eventually(() => {
    const known = [...deps.reference().accountsAtSap.values()];
    const found = known.filter(({ ownerId, sapId }) => ownerId === 'SG-LOTU' && sapId === 'TH-HARB');
    expect(found.map(({ accountId }) => accountId)).toEqual(accountIds);
    expect([...deps.reference().bookEndpoints.keys()]).toEqual(['SG-LOTU']);
  });

/** The days of Lotus's book at the Thai provider that are owed in a week, each with the account. */
async function owedInAWeek(): Promise<readonly string[]> {
  const owed = await readOwedBooks(db, deps.reference());
  return owed
    .filter(({ key }) => key.startsWith('TH-HARB '))
    .flatMap(({ key, progress }) =>
      daysToSend(progress, new Date(today + 7 * dayMs + 120_000)).map(
        ({ from }) => `${key.slice('TH-HARB '.length)} ${dayOf(from.getTime())}`,
      ),
    );
}
const read = (account: string, date: string, client: string) =>
  api.get(`/reconciliation?sap=HARBTHS0&account=${account}&date=${date}`, client);

const entered = `insert into settlement_accounts (owner_id, sap_id, country_code, currency_code, account_id)
  values ('SG-LOTU', 'TH-HARB', 'TH', 'THB', 'LOTU-TH-THB')`;
const gone = `delete from settlement_accounts where owner_id = 'SG-LOTU' and sap_id = 'TH-HARB'`;

const untilToday = [3, 2, 1, 0].map((before) => `LOTU-TH-THB ${dayOf(today - before * dayMs)}`);

beforeEach(async () => {
  await run(gone);
  await run('delete from former_account_owners');
  await run(entered);
  await run(`delete from book_endpoints`);
  await run(`insert into book_endpoints (party_id, url) values ('SG-LOTU', 'https://lotus.example')`);
  const asOf = new Date(today - 2 * dayMs + 1);
  await sql`update settlement_accounts set registered_at = ${asOf}`.execute(db);
  await sql`update book_endpoints set registered_at = ${asOf}`.execute(db);
  await loaded(['LOTU-TH-THB']);
  await eventually(async () => expect((await owedInAWeek()).slice(0, 4)).toEqual(untilToday)); // since when too
});

test('the owner of an account that is removed is owed its days to the end of that one, and reads them (REC-1, REC-2, SEC-1)', async () => {
  await run(gone);
  await loaded([]);
  expect(await owedInAWeek()).toEqual(untilToday);
  await eventually(async () => {
    const { status, body } = await read('LOTU-TH-THB', dayOf(today + dayMs), 'LOTUSGS0');
    expect([status, body.code]).toEqual([404, 'unknown-book']); // nobody's from then on
  });
  expect(await read('LOTU-TH-THB', yesterday, 'LOTUSGS0')).toMatchObject({
    status: 200,
    body: { currency: 'THB' },
  });
  expect(await read('LOTU-TH-THB', thisDay, 'LOTUSGS0')).toMatchObject({ status: 409 }); // later
  expect(await read('LOTU-TH-THB', yesterday, 'operator')).toMatchObject({ status: 200 });
  expect(await read('LOTU-TH-THB', yesterday, 'MERISGS0')).toMatchObject({ status: 404 });
});
