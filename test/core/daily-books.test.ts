// Which days of which books are sent (REC-2).
import { expect, test } from 'vitest';
import { bookKey, booksToSend, daysToSend } from '../../core/daily-books.ts';
import { world } from './small-world.ts';

const days = (sentUntil: string | undefined, now: string) =>
  daysToSend(sentUntil === undefined ? undefined : new Date(sentUntil), new Date(now)).map(({ from, to }) => [
    from.toISOString(),
    to.toISOString(),
  ]);

test('a day is sent when it is closed, a minute after its end, and not before', () => {
  expect(days('2026-11-20T00:00:00Z', '2026-11-21T00:00:59.999Z')).toEqual([]);
  expect(days('2026-11-20T00:00:00Z', '2026-11-21T00:01:00Z')).toEqual([
    ['2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
  ]);
  expect(days('2026-11-21T00:00:00Z', '2026-11-21T23:59:00Z')).toEqual([]);
});

test('what was missed is made up for, a month at most; whoever is new gets the last day', () => {
  expect(days('2026-11-17T00:00:00Z', '2026-11-21T00:02:00Z').map(([from]) => from?.slice(8, 10))).toEqual([
    '17',
    '18',
    '19',
    '20',
  ]);
  expect(days('2026-01-01T00:00:00Z', '2026-11-21T00:02:00Z').length).toBe(31);
  expect(days(undefined, '2026-11-21T12:00:00Z')).toEqual([
    ['2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
  ]);
});

test('a payment system gets its book, an institution one of each of its accounts', () => {
  const [system = ''] = [...world.clearingSystems.keys()];
  const [account] = [...world.accountsAtSap.values()];
  const bookEndpoints = new Map([
    [system, 'https://system.example/camt054'],
    [account?.ownerId ?? '', 'https://owner.example/camt054'],
    ['NOBODY', 'https://nobody.example/camt054'],
  ]);
  const books = booksToSend({ ...world, bookEndpoints }).map(({ book, party }) => [bookKey(book), party]);
  expect(books).toContainEqual([system, system]);
  expect(books.map(([key]) => key)).toContain(`${account?.sapId ?? ''} ${account?.accountId ?? ''}`);
  expect(books.length).toBe(
    1 + [...world.accountsAtSap.values()].filter((one) => one.ownerId === account?.ownerId).length,
  );
});
