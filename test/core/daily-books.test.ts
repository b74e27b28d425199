// Which days of which books are sent (REC-2).
import { expect, test } from 'vitest';
import { bookKey, booksToSend, daysToSend, lateDay, unusableEndpoints } from '../../core/daily-books.ts';
import { world } from './small-world.ts';

const days = (madeUntil: string | null, now: string, registeredAt = '2026-01-01T00:00:00Z') =>
  daysToSend(
    { registeredAt: new Date(registeredAt), madeUntil: madeUntil === null ? null : new Date(madeUntil) },
    new Date(now),
  ).map(({ from, to }) => [from.toISOString(), to.toISOString()]);

test('a day is sent when it is closed, a minute after its end, and not before', () => {
  expect(days('2026-11-20T00:00:00Z', '2026-11-21T00:00:59.999Z')).toEqual([]);
  expect(days('2026-11-20T00:00:00Z', '2026-11-21T00:01:00Z')).toEqual([
    ['2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
  ]);
  expect(days('2026-11-21T00:00:00Z', '2026-11-21T23:59:00Z')).toEqual([]);
});

test('the first book is that of the day before the registration, whenever it can be made (REC-2)', () => {
  for (const registeredAt of ['2026-11-18T00:00:00Z', '2026-11-18T23:59:59.999Z']) {
    expect(days(null, '2026-11-19T00:02:00Z', registeredAt).map(([from]) => from?.slice(8, 10))).toEqual([
      '17',
      '18',
    ]);
    expect(days(null, '2026-11-21T00:02:00Z', registeredAt).map(([from]) => from?.slice(8, 10))).toEqual([
      '17',
      '18',
      '19',
      '20',
    ]);
  }
  expect(days(null, '2026-11-18T00:00:40Z', '2026-11-18T00:00:30Z')).toEqual([]); // not closed yet
});

test.each([
  ['made yesterday', '2026-11-20T00:00:00Z', '2026-11-21T00:59:59Z', undefined],
  ['not made an hour after the day', '2026-11-20T00:00:00Z', '2026-11-21T01:00:00Z', '2026-11-20'],
  ['not made for days', '2026-11-18T00:00:00Z', '2026-11-21T12:00:00Z', '2026-11-18'],
  ['all made', '2026-11-21T00:00:00Z', '2026-11-21T23:00:00Z', undefined],
  ['the first, on the day of the registration', null, '2026-11-18T23:00:00Z', undefined],
  ['the first, an hour after that day', null, '2026-11-19T01:00:00Z', '2026-11-17'],
])('a book is late: %s', (_, madeUntil, now, day) => {
  const progress = {
    registeredAt: new Date('2026-11-18T12:00:00Z'),
    madeUntil: madeUntil === null ? null : new Date(madeUntil),
  };
  expect(lateDay(progress, new Date(now))).toBe(day);
});

test('what was missed is made up for, a month at most', () => {
  expect(days('2026-11-17T00:00:00Z', '2026-11-21T00:02:00Z').map(([from]) => from?.slice(8, 10))).toEqual([
    '17',
    '18',
    '19',
    '20',
  ]);
  expect(days('2026-01-01T00:00:00Z', '2026-11-21T00:02:00Z').length).toBe(31);
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

test('an address that no book goes to is told of, with what is wrong with it (REC-2)', () => {
  const [system = ''] = [...world.clearingSystems.keys()];
  const [account] = [...world.accountsAtSap.values()];
  const owner = account?.ownerId ?? '';
  const without = [...world.institutions.values()].find(
    (one) => ![...world.accountsAtSap.values()].some(({ ownerId }) => ownerId === one.institutionId),
  );
  const bic = world.institutions.get(owner)?.bics[0] ?? '';
  const unusable = (entries: readonly (readonly [string, string])[]) =>
    unusableEndpoints({ ...world, bookEndpoints: new Map(entries) }, { allowLoopbackHttp: false });
  const good = 'https://books.example/camt054';
  expect(unusable([[system, good]])).toEqual([]);
  expect(unusable([[owner, good]])).toEqual([]);
  expect(unusable([[system, 'http://books.example']])).toMatchObject([{ reason: 'unusable-address' }]);
  expect(unusable([['NOBODY', good]])).toEqual([
    { registeredAs: 'NOBODY', reason: 'unknown-party', internalId: null },
  ]);
  expect(unusable([[bic, good]])).toEqual([
    { registeredAs: bic, reason: 'unknown-party', internalId: owner },
  ]);
  expect(unusable([[without?.institutionId ?? '', good]])).toMatchObject([{ reason: 'no-account' }]);
});
