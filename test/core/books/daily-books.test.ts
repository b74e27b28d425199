// Which days of which books are sent (REC-2).
import { expect, test } from 'vitest';
import {
  bookKey,
  booksToSend,
  daysToSend,
  lateDay,
  unusableEndpoints,
} from '../../../core/books/daily-books.ts';
import { isOwnerIn, tenuresOf } from '../../../core/books/account-owners.ts';
import { world } from '../scheme/small-world.ts';

const always = { ownedFrom: null, ownedUntil: null } as const;
const days = (madeUntil: string | null, now: string, registeredAt = '2026-01-01T00:00:00Z') =>
  daysToSend(
    {
      ...always,
      registeredAt: new Date(registeredAt),
      madeUntil: madeUntil === null ? null : new Date(madeUntil),
    },
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
    ...always,
    registeredAt: new Date('2026-11-18T12:00:00Z'),
    madeUntil: madeUntil === null ? null : new Date(madeUntil),
  };
  expect(lateDay(progress, new Date(now))).toBe(day);
});

const at = (day: string) => new Date(`2026-11-${day}T00:00:00Z`);
/** Each with the day on which it was registered, and the end of the last one that was theirs. */
function accountOf(...owners: readonly (readonly [string, string, string | null])[]) {
  return {
    ...{ sapId: 'SAP', accountId: '1' },
    owners: owners.map(([ownerId, registered, until]) => ({
      ...{ ownerId, currencyCode: 'THB' },
      registeredAt: new Date(at(registered).getTime() + 3_600_000),
      until: until === null ? null : at(until),
    })),
  };
}
const daysOf = (account: ReturnType<typeof accountOf>, ownerId: string) =>
  tenuresOf(account, ownerId).map(({ from, until }) => [from, until]);

test('an account that passes on: each day goes to who had it then (REC-1, REC-2)', () => {
  const passed = accountOf(
    ['A', '01', '10'],
    ['B', '01', '12'],
    ['C', '01', '12'], // for some hours
    ['A', '01', '15'],
    ['A', '01', null],
  );
  expect(daysOf(passed, 'A')).toEqual([
    [null, at('10')],
    [at('12'), null],
  ]);
  expect(daysOf(passed, 'B')).toEqual([[at('10'), at('12')]]);
  expect(daysOf(passed, 'C')).toEqual([]);
  expect(isOwnerIn(passed, 'B', { from: at('10'), to: at('12') })).toBe(true);
  expect(isOwnerIn(passed, 'B', { from: at('09'), to: at('11') })).toBe(false);
  expect(isOwnerIn(passed, 'A', { from: at('12'), to: at('20') })).toBe(true);
  const progress = { registeredAt: at('01'), madeUntil: null, ownedFrom: at('10'), ownedUntil: at('12') };
  expect(daysToSend(progress, at('20')).map(({ from }) => from)).toEqual([at('10'), at('11')]);
  expect(lateDay(progress, at('20'))).toBe('2026-11-10');
  expect(lateDay({ ...progress, madeUntil: at('12') }, at('20'))).toBeUndefined();
});

test('an account that is gone for a while is nobody’s meanwhile, whoever has it then (REC-1, SEC-1)', () => {
  const gone = accountOf(['A', '01', '10']);
  expect(daysOf(gone, 'A')).toEqual([[null, at('10')]]);
  expect(daysOf(accountOf(['A', '01', '10'], ['B', '14', null]), 'B')).toEqual([[at('14'), null]]);
  expect(daysOf(accountOf(['A', '01', '10'], ['A', '14', null]), 'A')).toEqual([
    [null, at('10')],
    [at('14'), null],
  ]);
  const sameDay = accountOf(['A', '01', '10'], ['A', '09', null]);
  expect(tenuresOf(sameDay, 'A')).toMatchObject([
    { from: null, until: null, registeredAt: sameDay.owners[0]?.registeredAt },
  ]);
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
  const unusable = (
    entries: readonly (readonly [string, string])[],
    { bookedAccounts }: Pick<typeof world, 'bookedAccounts'> = world,
  ) =>
    unusableEndpoints(
      { ...world, bookEndpoints: new Map(entries), bookedAccounts },
      { allowLoopbackHttp: false },
      at('20'),
    );
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
  // the last book of an account that was given up yesterday goes there yet
  const goneSince = (day: string) => ({
    bookedAccounts: new Map([['SAP 1', accountOf([owner, '01', day])]]),
  });
  expect(unusable([[owner, good]], goneSince('20'))).toEqual([]);
  expect(unusable([[owner, good]], goneSince('19'))).toMatchObject([{ reason: 'no-account' }]);
});
