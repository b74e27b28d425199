// The list of the books that a caller may read (REC-1).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

interface Book {
  readonly clearingSystem: string | null;
  readonly sap: string | null;
  readonly account: string | null;
  readonly currency: string;
}

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
});
afterAll(() => api.close());

const booksOf = async (client: string) =>
  (await api.get<{ books: readonly Book[] }>('/books', client)).body.books;
const read = ({ clearingSystem, sap, account }: Book, client: string) =>
  api.get(
    `/reconciliation?date=2026-01-05&${clearingSystem === null ? `sap=${sap ?? ''}&account=${account ?? ''}` : `clearingSystem=${clearingSystem}`}`,
    client,
  );

it.each(['SGDFAST', 'MERISGS0', 'ZENIHKS0'])('%s may read each book on its list', async (client) => {
  const books = await booksOf(client);
  expect(books.length).toBeGreaterThan(0);
  for (const one of books) expect((await read(one, client)).status, JSON.stringify(one)).toBe(200);
});

it('a payment system has its own book only, and nobody has that of another', async () => {
  expect(await booksOf('SGDFAST')).toEqual([
    { clearingSystem: 'SGDFAST', sap: null, account: null, currency: 'SGD' },
  ]);
  const own = await booksOf('MERISGS0');
  const others = (await booksOf('ZENIHKS0')).filter(({ account }) => account !== null);
  expect(others.length).toBeGreaterThan(0);
  for (const { sap, account } of others)
    expect(own).not.toContainEqual(expect.objectContaining({ sap, account }));
});

it('an operator of the scheme has them all', async () => {
  const all = await booksOf('operator');
  for (const client of ['SGDFAST', 'MERISGS0', 'ZENIHKS0'])
    for (const { clearingSystem, sap, account } of await booksOf(client))
      expect(all).toContainEqual(expect.objectContaining({ clearingSystem, sap, account }));
});
