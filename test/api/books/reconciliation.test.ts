// The books of a day on a whole gateway (REC-1, REC-2): read as JSON, CSV and camt.054, and compared with the
// parties' own ledgers.
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Camt054, Counted } from '../../../core/iso20022/camt054.ts';
import { readCamt054 } from '../../harness/camt054.ts';
import { silentDestination } from '../../harness/destination.ts';
import { endingIn } from '../../../fixtures/endings.ts';
import { evidenceOf } from '../../harness/evidence.ts';
import { testGateway } from '../../harness/gateway.ts';
import { instruction } from '../../../fixtures/instruction.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { copyDecided } from '../../../fixtures/many-payments.ts';
import { bestQuote, submit, type Trip } from '../../harness/payer.ts';
import { postReport, reportOn } from '../../harness/reports.ts';
import { guidelineFaults, officialFaults, officialPresent, treeOf } from '../../xml/fixtures.ts';
import { sum } from '../../system/sums.ts';
import { rewritten } from '../../harness/rewritten.ts';
import { eventually } from '../../harness/wait.ts';

const philippines = await silentDestination();
const gateway = await testGateway({ prepare: (db) => philippines.register(db, 'IPSO-PH') });
const { db } = gateway;
const evidence = evidenceOf(gateway);
const date = '2026-01-05';

interface Entry {
  readonly uetr: string;
  readonly side: string;
  readonly status: string;
  readonly ruleId: string | null;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly counterAmount: number | null;
  readonly quoteId: string | null;
  readonly fxp: string | null;
}
interface Body {
  readonly totals: readonly {
    side: string;
    status: string;
    number: number;
    sum: number | null;
    currency: string;
  }[];
  readonly net: number;
  readonly payments: readonly Entry[];
  readonly code?: string;
}

const ask = await jsonRoutes<Body>(gateway);
const get = (path: string, client?: string) => ask('GET', path, undefined, client);

async function page(path: string, client?: string): Promise<Camt054> {
  const { status, bytes } = await get(path, client);
  const text = bytes.toString();
  expect(status).toBe(200);
  if (officialPresent) expect(officialFaults('camt054', text)).toEqual([]);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(256 * 1_024); // as any message (MSG-2)
  expect(guidelineFaults('camt054', text)).toEqual([]);
  const read = readCamt054(treeOf(text));
  if (!read.ok) throw new Error('not readable');
  return read.value;
}

const trips: readonly Trip[] = [
  {},
  { destination: 'MY', destinationCurrency: 'MYR', amount: '250.55' },
  { source: 'TH', sourceCurrency: 'THB', destination: 'SG', destinationCurrency: 'SGD', amount: '9000' },
];
const formula = '=HYPERLINK("a.example";"b")';
const systems: Readonly<Record<string, string>> = { SG: 'SGDFAST', TH: 'THBPPAY' };

beforeAll(async () => {
  const uetrs: string[] = [];
  for (const trip of trips) {
    for (const ending of [
      endingIn.creditedAtOnce,
      endingIn.creditedAtOnce,
      endingIn.blocked,
      endingIn.rejected,
    ]) {
      const message = instruction(await bestQuote(gateway, trip), { ending });
      const clientId = systems[trip.source ?? 'SG'] ?? '';
      await submit(gateway, { ...message, endToEndId: formula }, { clientId, prefer: 'wait=20' });
      uetrs.push(message.uetr);
    }
  }
  const refused = instruction(await bestQuote(gateway), { priority: 'NORM' });
  await submit(gateway, { ...refused, creditorAgent: { bicfi: 'NOWHERE0' } });
  for (const uetr of uetrs) await eventually(async () => expect(await evidence.decision(uetr)).toBeDefined());
  // all were decided on that day, a minute apart
  const spread = sql`update decisions d set decided_at = ${`${date}T10:00:00Z`}::timestamptz + n * interval '1 minute'
    from (select uetr, row_number() over (order by decided_at, uetr) as n from decisions) o where o.uetr = d.uetr`;
  await rewritten(db, spread);
});

const of = (book: string) => `/reconciliation?${book}&date=${date}`;
const digits = (amount: number | null) => String(amount);

describe('a payment system’s book', () => {
  test('has what it sent and what came to it, and says what its totals say', async () => {
    const { body } = await get(of('clearingSystem=SGDFAST'), 'SGDFAST');
    expect(body.payments.map(({ side, status }) => `${side} ${status}`).sort()).toEqual(
      [
        ...['in ACCC', 'in ACCC', 'in BLCK', 'in RJCT', 'out ACCC', 'out ACCC', 'out ACCC', 'out ACCC'],
        ...['out BLCK', 'out BLCK', 'out RJCT', 'out RJCT', 'out RJCT'],
      ].sort(),
    );
    for (const { side, status, number, sum: told } of body.totals) {
      const alike = body.payments.filter(
        (one) => one.side === side && one.status === status && one.amount !== null,
      );
      if (told === null) continue;
      expect(alike.length).toBeGreaterThanOrEqual(number);
    }
    const booked = (side: string) =>
      sum(
        body.payments
          .filter((one) => one.side === side && one.status === 'ACCC')
          .map((one) => digits(one.amount)),
      );
    expect(Number(booked('in')) - Number(booked('out'))).toBeCloseTo(body.net, 5);
  });

  test('shows the other side of the exchange, the quote and its provider for what it sent only (OBS-5)', async () => {
    const { body } = await get(of('clearingSystem=SGDFAST'), 'SGDFAST');
    const known = (side: string) =>
      new Set(
        body.payments
          .filter((one) => one.side === side && one.status === 'ACCC')
          .map((one) => [one.counterAmount, one.quoteId, one.fxp].every((value) => value !== null)),
      );
    expect([known('out'), known('in')]).toEqual([new Set([true]), new Set([false])]);
  });

  test('agrees with the ledger of its operator, to the last digit (REC-1)', async () => {
    for (const [system, currency] of [
      ['THBPPAY', 'THB'],
      ['MYRRPP', 'MYR'],
      ['SGDFAST', 'SGD'],
    ] as const) {
      const { body } = await get(of(`clearingSystem=${system}`), system);
      const received = body.payments.filter(({ side, status }) => side === 'in' && status === 'ACCC');
      const moved = gateway.sandbox.journal
        .entries()
        .filter((one) => one.status === 'moved' && one.currency === currency);
      expect(received.length).toBeGreaterThan(0);
      expect(received.map(({ uetr }) => uetr).sort()).toEqual(moved.map(({ uetr }) => uetr).sort());
      expect(sum(received.map((one) => digits(one.amount)))).toBe(
        sum(moved.map(({ amount = '0' }) => amount)),
      );
    }
  });

  test('as CSV it is the same, line by line (RFC 4180), and a formula is text', async () => {
    const { body } = await get(of('clearingSystem=SGDFAST'), 'SGDFAST');
    const csv = of('clearingSystem=SGDFAST').replace('?', '/csv?');
    const { bytes, headers } = await get(csv, 'SGDFAST');
    expect(headers.get('content-type')).toContain('text/csv');
    const text = bytes.toString();
    const [names = '', ...lines] = text.split('\r\n').slice(0, -1);
    const place = names.split(',').indexOf('amount');
    expect(lines.map((line) => [line.split(',')[0], line.split(',')[place]])).toEqual(
      body.payments.map((one) => [one.uetr, one.amount === null ? '' : digits(one.amount)]),
    );
    expect(text).toContain(`,"'${formula.replaceAll('"', '""')}"\r\n`);
  });

  test('as camt.054 it is valid by both schemas, has every accepted payment, and adds up', async () => {
    const { body } = await get(of('clearingSystem=SGDFAST'), 'SGDFAST');
    const told = await page(`/reconciliation/camt054?clearingSystem=SGDFAST&date=${date}`, 'SGDFAST');
    const accepted = body.payments.filter((one) => one.amount !== null);
    expect(told.entries.map((one) => [one.uetr, one.status, Number(one.amount.amount)])).toEqual(
      accepted.map((one) => [one.uetr, one.status, one.amount]),
    );
    expect(told).toMatchObject({
      book: 'SGDFAST',
      currency: 'SGD',
      page: 1,
      isLastPage: true,
      id: '20260105SGDFAST',
    });
    const again = await get(`/reconciliation/camt054?clearingSystem=SGDFAST&date=${date}`, 'operator');
    expect(again.status).toBe(200);
  });

  test('the sums of its camt.054 are those of its entries, as any reader adds them up; what was booked is told apart (REC-1)', async () => {
    const { body } = await get(of('clearingSystem=SGDFAST'), 'SGDFAST');
    const told = await page(`/reconciliation/camt054?clearingSystem=SGDFAST&date=${date}`, 'SGDFAST');
    const counted = (entries: Camt054['entries']) => ({
      number: entries.length,
      sum: sum(entries.map((one) => one.amount.amount)),
    });
    const bySide = (entries: Camt054['entries']) => ({
      all: counted(entries),
      credits: counted(entries.filter((one) => one.direction === 'CRDT')),
      debits: counted(entries.filter((one) => one.direction === 'DBIT')),
    });
    const digitsOf = ({ all, credits, debits }: Counted) => ({
      all: { ...all, sum: sum([all.sum]) },
      credits: { ...credits, sum: sum([credits.sum]) },
      debits: { ...debits, sum: sum([debits.sum]) },
    });
    expect(digitsOf(told)).toEqual(bySide(told.entries));
    expect(told.byStatus.map(({ status }) => status)).toEqual(['ACCC', 'RJCT', 'BLCK']);
    for (const row of told.byStatus) {
      expect(digitsOf(row)).toEqual(bySide(told.entries.filter((one) => one.status === row.status)));
    }
    const [{ net } = { net: undefined }] = told.byStatus;
    expect(Number(net?.amount) * (net?.direction === 'CRDT' ? 1 : -1)).toBeCloseTo(body.net, 5);
  });
});

describe('an account’s book', () => {
  test('has what was credited by its owner’s payments, agrees with the fxtr.017, and is the owner’s (REC-1, I-9)', async () => {
    const { rows } = await sql<{ sap: string; account: string; owner: string; uetrs: string[] }>`
      select i.lookup_value as sap, p.destination_account_id as account, f.lookup_value as owner, array_agg(p.uetr::text) as uetrs
      from payments p join decisions d using (uetr)
      join institution_identifiers i on i.institution_id = p.destination_sap_id and i.identifier_type = 'BICFI'
      join institution_identifiers f on f.institution_id = p.fxp_id and f.identifier_type = 'BICFI'
      where d.status = 'ACCC' group by 1, 2, 3`.execute(db);
    expect(rows.length).toBeGreaterThan(1);
    for (const { sap, account, owner, uetrs } of rows) {
      const { body } = await get(of(`sap=${sap}&account=${account}`), owner);
      const paid = body.payments.filter(({ side }) => side === 'out');
      expect(paid.map(({ uetr }) => uetr).sort()).toEqual(uetrs.sort());
      const told = gateway.sandbox.journal
        .entries()
        .filter((one) => one.kind === 'fxtr017' && uetrs.includes(one.uetr ?? ''));
      expect(sum(paid.map((one) => digits(one.amount)))).toBe(sum(told.map(({ amount = '0' }) => amount)));
      const notification = await page(
        `/reconciliation/camt054?sap=${sap}&account=${account}&date=${date}`,
        owner,
      );
      expect(notification).toMatchObject({ book: account, servicer: { bicfi: sap } });
      expect(notification.debits.number).toBe(paid.length);
      const others = ['MERISGS0', 'ZENIHKS0', 'ORBIDES0', 'POLAJPS0'].filter((one) => one !== owner);
      for (const other of others) {
        expect((await get(of(`sap=${sap}&account=${account}`), other)).status).toBe(404);
      }
    }
  });
});

test('a day of many payments comes whole, in one stream or page by page, each payment once (REC-1)', async () => {
  const many = 2_345;
  const credited = await db
    .selectFrom('payments as p')
    .innerJoin('decisions as d', 'd.uetr', 'p.uetr')
    .select('p.uetr')
    .where('d.status', '=', 'ACCC')
    .where('p.source_clearing_system', '=', 'SGDFAST')
    .executeTakeFirstOrThrow();
  await copyDecided(db, {
    of: credited.uetr,
    count: many,
    decidedAt: '2026-01-07T12:00:00Z',
    atOnce: 3, // decided in the same moment
  });

  const { body } = await get('/reconciliation?clearingSystem=SGDFAST&date=2026-01-07');
  expect(new Set(body.payments.map(({ uetr }) => uetr)).size).toBe(many);
  expect(body.totals).toMatchObject([{ side: 'out', status: 'ACCC', number: many }]);
  const pages: Camt054[] = [];
  do {
    pages.push(
      await page(`/reconciliation/camt054?clearingSystem=SGDFAST&date=2026-01-07&page=${pages.length + 1}`),
    );
  } while (pages.at(-1)?.isLastPage === false);
  expect(pages.map(({ page: at, entries }) => [at, entries.length])).toEqual([
    ...Array.from({ length: 18 }, (_, index) => [index + 1, 125]),
    [19, 95],
  ]);
  const entries = pages.flatMap((one) => one.entries);
  expect(entries.map(({ uetr }) => uetr)).toEqual(body.payments.map(({ uetr }) => uetr));
  expect(entries.map(({ reference }) => reference)).toEqual(entries.map((_, index) => index + 1));
  expect(new Set(pages.map(({ messageIdentification }) => messageIdentification)).size).toBe(19);
  for (const one of pages)
    expect(one).toMatchObject({
      all: { number: many },
      byStatus: [{ status: 'ACCC', net: { direction: 'DBIT' } }],
    });
});

test('a rejection of the gateway’s own names its rule in every form of the book: what may have been credited is told from what its destination rejected for the same reason (REC-1, TIM-1)', async () => {
  const trip = { destination: 'PH', destinationCurrency: 'PHP' };
  const acceptanceDateTime = new Date(Date.now() - 18_500).toISOString(); // 1.5 s before its deadline
  const late = instruction(await bestQuote(gateway, trip), { priority: 'HIGH', acceptanceDateTime });
  const rejected = instruction(await bestQuote(gateway, trip), { priority: 'NORM' });
  for (const one of [late, rejected]) await submit(gateway, one);
  await eventually(() => expect(philippines.forwarded.has(rejected.uetr)).toBe(true));
  const sent = philippines.forwarded.get(rejected.uetr);
  if (sent === undefined) throw new Error('nothing was forwarded');
  await postReport(gateway, reportOn(sent, { status: 'RJCT', reasonCode: 'AB03' }), 'PHPINST');
  const uetrs = [late.uetr, rejected.uetr];
  for (const uetr of uetrs)
    await eventually(async () =>
      expect(await evidence.decision(uetr)).toMatchObject({ reason_code: 'AB03' }),
    );
  const moved = sql`update decisions set decided_at = '2026-01-06T10:00:00Z' where uetr = any(${uetrs}::uuid[])`;
  await rewritten(db, moved);

  const book = 'clearingSystem=PHPINST&date=2026-01-06';
  const { body } = await get(`/reconciliation?${book}`, 'PHPINST');
  const rules = new Map(body.payments.map(({ uetr, ruleId }) => [uetr, ruleId]));
  expect(uetrs.map((uetr) => rules.get(uetr))).toEqual(['TIM-1', null]);
  const { bytes } = await get(`/reconciliation/csv?${book}`, 'PHPINST');
  const [names = '', ...lines] = bytes.toString().split('\r\n');
  const place = names.split(',').indexOf('ruleId');
  const ruleIn = (uetr: string) => lines.find((line) => line.startsWith(uetr))?.split(',')[place];
  expect(uetrs.map(ruleIn)).toEqual(['TIM-1', '']);
  const { entries } = await page(`/reconciliation/camt054?${book}`, 'PHPINST');
  const reasonIn = (uetr: string) => {
    const entry = entries.find((one) => one.uetr === uetr);
    return [entry?.reasonCode, entry?.ruleId].join(' ').trim();
  };
  expect(uetrs.map(reasonIn)).toEqual(['AB03 TIM-1', 'AB03']);
});

describe('what is refused', () => {
  test.each([
    ['/reconciliation?date=2026-01-05', 'operator', 400, 'invalid-request'],
    ['/reconciliation?clearingSystem=SGDFAST&date=2026-02-30', 'operator', 400, 'invalid-request'],
    ['/reconciliation?clearingSystem=THBPPAY&date=2026-01-05', 'SGDFAST', 404, 'unknown-book'],
    ['/reconciliation?sap=HARBTHS0&account=NONE&date=2026-01-05', 'operator', 404, 'unknown-book'],
    ['/reconciliation?clearingSystem=SGDFAST&date=2999-01-01', 'operator', 409, 'period-not-closed'],
    [
      '/reconciliation/camt054?clearingSystem=SGDFAST&date=2026-01-05&page=2',
      'operator',
      404,
      'unknown-page',
    ],
  ])('%s as %s: %i %s', async (path, client, status, code) => {
    expect(await get(path, client)).toMatchObject({ status, body: { code } });
  });

  test.each([
    ['operator', ['clearingSystem'], /sap and account/],
    ['MERISGS0', ['sap', 'account'], /sap=\w+&account=MERI-\w+-\w+, sap=.* and \d+ more$|your accounts/],
    ['LOTUSGS0', ['sap', 'account'], /sap=HARBTHS0&account=LOTU-TH-THB; GET \/payments|your accounts/],
  ])('without naming a book %s is told what it may ask for', async (client, parameters, words) => {
    const { status, body } = await get('/reconciliation?date=2026-01-05', client);
    const { errors = [] } = body as { errors?: readonly { parameter: string; detail: string }[] };
    expect(status).toBe(400);
    expect(errors.map(({ parameter }) => parameter)).toEqual(parameters);
    for (const { detail } of errors) expect(detail).toMatch(words);
  });

  test('a PSP without any account has no book, and is told what lists its payments instead', async () => {
    const { status, body } = await get('/reconciliation?date=2026-01-05', 'BANYSGS0');
    expect({ status, body }).toMatchObject({
      status: 404,
      body: {
        code: 'unknown-book',
        detail:
          'BANYSGS0 has no book: books are of payment systems, and of accounts at settlement access providers, and it has none. GET /payments?from=&to= lists its payments.',
      },
    });
  });
});

test('who has taken over an account reads its book from then on, who had it until then (REC-1, SEC-1)', async () => {
  const ownedBy = (owner: string) =>
    sql`update settlement_accounts set owner_id = ${owner} where account_id = 'LOTU-TH-THB'`.execute(db);
  const read = (client: string) =>
    get(`/reconciliation?sap=HARBTHS0&account=LOTU-TH-THB&date=${date}`, client);
  expect(await read('LOTUSGS0')).toMatchObject({ status: 200 });
  await ownedBy('MY-LOTU');
  try {
    await eventually(async () => {
      const { body } = await get('/reconciliation?date=2026-01-05', 'LOTUMYS0');
      expect(JSON.stringify(body)).toContain('LOTU-TH-THB'); // it is named as one of its own
    });
    expect(await read('LOTUMYS0')).toMatchObject({ status: 404, body: { code: 'unknown-book' } });
    expect(await read('LOTUSGS0')).toMatchObject({ status: 200 });
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const later = `/reconciliation?sap=HARBTHS0&account=LOTU-TH-THB&date=${tomorrow}`;
    expect(await get(later, 'LOTUMYS0')).toMatchObject({ status: 409, body: { code: 'period-not-closed' } });
    expect(await get(later, 'LOTUSGS0')).toMatchObject({ status: 404, body: { code: 'unknown-book' } });
  } finally {
    await ownedBy('SG-LOTU');
  }
});
