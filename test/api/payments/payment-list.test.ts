// GET /payments on a whole gateway: who sees which payments, the filters, and what is refused (OBS-5, SEC-1).
import { describe, expect, test } from 'vitest';
import { evidenceOf } from '../../harness/evidence.ts';
import { endingIn } from '../../../fixtures/endings.ts';
import type { ListScope, PaymentFilter, PaymentState } from '../../../core/payments/payment-list.ts';
import type { ListPlace } from '../../../core/list-place.ts';
import { listPayments } from '../../../db/payments/payment-list.ts';
import { writeEvent } from '../../harness/events.ts';
import { testGateway } from '../../harness/gateway.ts';
import { instruction, type Changes } from '../../../fixtures/instruction.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { bestQuote, submit, type Trip } from '../../harness/payer.ts';
import { undecided } from '../../harness/reports.ts';

const gateway = await testGateway();
const evidence = evidenceOf(gateway);

interface Listed {
  readonly uetr: string;
  readonly status: string;
  readonly state: string;
  readonly sourceAmount: { readonly amount: number; readonly currency: string } | null;
  readonly [member: string]: unknown;
}

const ask = await jsonRoutes<{
  readonly payments: readonly Listed[];
  readonly next: string | null;
  readonly code?: string;
  readonly errors?: readonly { readonly parameter: string; readonly detail: string }[];
}>(gateway);
async function get(query: string, client?: string) {
  const path = query.startsWith('http') ? query : `/payments?${query}`;
  const { headers, ...answer } = await ask('GET', path, undefined, client);
  return { ...answer, link: headers.get('link') };
}

async function list(query: string, client?: string): Promise<readonly Listed[]> {
  const { status, body } = await get(query, client);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.payments;
}

const uetrs = (payments: readonly Listed[]) => payments.map(({ uetr }) => uetr);

async function pay(trip: Trip, changes: Changes = {}) {
  const quote = await bestQuote(gateway, trip);
  const message = instruction(quote, changes);
  expect((await submit(gateway, message)).httpStatus).toBe(200);
  return { message, quote };
}

async function paid(trip: Trip, changes: Changes = {}) {
  const made = await pay(trip, changes);
  await evidence.arrival(made.message.uetr, 'source', 'pacs002');
  await evidence.closed(made.message.uetr);
  return made;
}

const toMalaysia = { destination: 'MY', destinationCurrency: 'MYR' };
const credited = await paid({}, { endToEndId: 'E2E-LIST-1' });
const refusedByBank = await paid({ amount: '2000' }, { ending: endingIn.rejected });
const refusedByUs = await paid({}, { clearingSystemId: 'THBPPAY' }); // says another system than its sender
const waiting = await pay({}, { ending: endingIn.silent });
const elsewhere = await paid(toMalaysia);
const all = [elsewhere, waiting, refusedByUs, refusedByBank, credited].map(({ message }) => message.uetr);

describe('who sees which payments (SEC-1)', () => {
  test('operators see all, newest first, with their amounts', async () => {
    const payments = await list('');
    expect(uetrs(payments)).toEqual(all);
    expect(payments.map(({ status, state }) => `${status} ${state}`)).toEqual([
      'ACCC done',
      'ACTC waiting',
      'RJCT done',
      'RJCT done',
      'ACCC done',
    ]);
    expect(payments.at(-1)).toMatchObject({
      corridor: 'SG-TH',
      sourceClearingSystem: 'SGDFAST',
      destinationClearingSystem: 'THBPPAY',
      sourceAmount: { amount: 1000, currency: 'SGD' },
      destinationAmount: { amount: 25_000, currency: 'THB' },
      creditorAccountAmount: { amount: 24_900, currency: 'THB' },
      debtorAgent: 'LOTUSGS0',
      creditorAgent: 'LOTUTHS0',
      quoteId: credited.quote.quoteId,
      endToEndId: 'E2E-LIST-1',
      openDeliveries: 0,
      deadLetters: 0,
      href: `/payments/${credited.message.uetr}`,
    });
  });

  test('the source, and its bank, see what they sent', async () => {
    expect(uetrs(await list('', 'SGDFAST'))).toEqual(all);
    expect(uetrs(await list('', 'LOTUSGS0'))).toEqual(all);
  });

  test('the destination, and its bank, see what came to them, and nothing of how it was paid for', async () => {
    const came = [waiting, refusedByBank, credited].map(({ message }) => message.uetr);
    for (const client of ['THBPPAY', 'LOTUTHS0']) {
      const payments = await list('', client);
      expect(uetrs(payments)).toEqual(came);
      for (const one of payments)
        expect([one.sourceAmount, one['fxp'], one['quoteId']]).toEqual([null, null, null]);
      expect(await list(`quoteId=${credited.quote.quoteId}`, client)).toEqual([]);
      expect(await list('currency=SGD&minAmount=1', client)).toEqual([]);
      expect(await list(`messageIdentification=${credited.message.messageIdentification}`, client)).toEqual(
        [],
      );
    }
  });

  test('others see nothing, and FX providers may not ask', async () => {
    expect(await list('', 'PHPINST')).toEqual([]);
    expect((await get('', 'MERISGS0')).status).toBe(403);
  });
});

describe('what payments are found by', () => {
  const only = (...made: readonly (typeof credited)[]) => made.map(({ message }) => message.uetr);
  test.each([
    ['status=ACTC', only(waiting)],
    ['status=RJCT,ACTC', only(waiting, refusedByUs, refusedByBank)],
    ['state=waiting', only(waiting)],
    ['state=done&status=ACCC', only(elsewhere, credited)],
    ['reasonCode=AC04', only(refusedByBank)],
    ['corridor=SG-MY', only(elsewhere)],
    ['party=MYRRPP', only(elsewhere)],
    [`uetr=${credited.message.uetr}`, only(credited)],
    [`quoteId=${credited.quote.quoteId}`, only(credited)],
    ['endToEndId=E2E-LIST-1', only(credited)],
    [`messageIdentification=${credited.message.messageIdentification}`, only(credited)],
    ['currency=SGD&minAmount=1500', only(refusedByBank)],
    ['currency=SGD&maxAmount=1999.99&party=MYRRPP', only(elsewhere)],
    ['priority=HIGH', []],
  ])('%s', async (query, found) => {
    expect(uetrs(await list(query))).toEqual(found);
  });

  test('a moment: from it on, and before it', async () => {
    const [newest] = await list('limit=1');
    const at = String(newest?.['judgedAt']);
    expect(uetrs(await list(`from=${at}`))).toContain(newest?.uetr);
    expect(uetrs(await list(`to=${at}`))).not.toContain(newest?.uetr);
  });

  test('a MsgId of our own, which a party may name', async () => {
    const { message_identification: messageIdentification } = await gateway.db
      .selectFrom('messages')
      .select('message_identification')
      .where('subject_id', '=', credited.message.uetr)
      .where('message_type', '=', 'fxtr017')
      .executeTakeFirstOrThrow();
    expect(uetrs(await list(`messageIdentification=${messageIdentification}`))).toEqual(only(credited));
  });

  test('somebody who is still to be told, and somebody who could not be', async () => {
    const { uetr } = credited.message;
    const callback = gateway.db
      .updateTable('deliveries')
      .where('subject_id', '=', uetr)
      .where('kind', '=', 'callback');
    await callback.set({ delivered_at: null }).execute();
    expect(await list('state=telling')).toMatchObject([{ uetr, openDeliveries: 1 }]);
    await callback.set({ closed_at: new Date(), closed_reason: 'expired' }).execute();
    expect(await list('state=dead-letter')).toMatchObject([{ uetr, state: 'dead-letter', deadLetters: 1 }]);
    expect(await list('state=telling')).toEqual([]);
    await callback.set({ delivered_at: new Date(), closed_at: null, closed_reason: null }).execute();
  });
});

describe('pages', () => {
  test('payments that come in meanwhile move nothing', async () => {
    const seen: string[] = [];
    let address: string | null = 'limit=2';
    while (address !== null) {
      const { body, link }: Awaited<ReturnType<typeof get>> = await get(address);
      expect(link).toBe(body.next === null ? null : `<${body.next}>; rel="next"`);
      seen.push(...uetrs(body.payments));
      address = body.next;
      if (seen.length === 2) await pay({}, { ending: endingIn.silent });
    }
    expect(seen).toEqual(all);
  });
});

describe('a page of what was found in time', () => {
  /** All pages, each of what one slice of two payments has. */
  async function pagesOf(scope: ListScope, filter: PaymentFilter) {
    const pages: string[][] = [];
    let after: ListPlace | undefined;
    do {
      const page = { limit: 50, ...(after && { after }) };
      const found = await listPayments(gateway.db, scope, filter, page, { rows: 2, forMs: 0 });
      pages.push(found.payments.map(({ uetr }) => uetr));
      after = found.next;
    } while (after !== undefined);
    return pages;
  }
  const scopes: readonly ListScope[] = [
    { of: 'all' },
    { of: 'clearing-system', id: 'SGDFAST' },
    { of: 'clearing-system', id: 'THBPPAY' },
  ];
  const filters: readonly PaymentFilter[] = [
    {},
    { reasonCode: 'AC04' },
    { statuses: ['ACTC'] },
    { state: 'done' },
    { clearingSystem: 'THBPPAY' },
    { amount: { currency: 'SGD', least: '1500' } },
  ];
  test.each(scopes.flatMap((scope) => filters.map((filter) => [scope, filter] as const)))(
    'to %j by %j: all pages together have each payment once, in order',
    async (scope, filter) => {
      const whole = await listPayments(gateway.db, scope, filter, { limit: 50 });
      expect(whole.next).toBeUndefined();
      const pages = await pagesOf(scope, filter);
      expect(pages.flat()).toEqual(whole.payments.map(({ uetr }) => uetr));
      expect(pages.every(({ length }) => length <= 2)).toBe(true);
    },
  );

  test('the first page has those in doubt, or waiting, behind however many newer ones of the other state', async () => {
    const firstPage = async (state: PaymentState) => {
      const look = { rows: 2, forMs: 0 };
      return listPayments(gateway.db, { of: 'all' }, { state }, { limit: 50 }, look);
    };
    const { uetr: old } = await undecided(gateway);
    const newer: string[] = [];
    for (let made = 0; made < 3; made += 1) newer.push((await undecided(gateway)).uetr);
    const doubt = (uetr: string) =>
      writeEvent(gateway.db, { severity: 'alert', kind: 'payment.in-doubt', subjectId: uetr });
    await doubt(old);
    const inDoubt = await firstPage('in-doubt');
    expect([inDoubt.payments.map(({ uetr }) => uetr), inDoubt.next]).toEqual([[old], undefined]);
    for (const uetr of newer) await doubt(uetr);
    expect((await firstPage('waiting')).payments[0]).toMatchObject({ state: 'waiting' });
  });

  test('a page may have none although more follow', async () => {
    expect((await pagesOf({ of: 'all' }, { reasonCode: 'AC04' })).map(({ length }) => length)).toContain(0);
  });
});

describe('what is refused', () => {
  test.each([
    [
      'status=DONE',
      'status',
      'must be one or several of ACTC, INDOUBT, ACCC, RJCT, BLCK, with commas; not "DONE"',
    ],
    [
      'from=yesterday',
      'from',
      'must be a date and time of the calendar with an offset (RFC 3339), as in 2026-01-05T04:00:00Z; not "yesterday"',
    ],
    ['minAmount=5', 'currency', 'missing: an amount needs its currency, as in SGD'],
    [
      'party=NOBODY',
      'party',
      'NOBODY is neither a payment system nor the BIC or internalId of an institution of the service',
    ],
    ['currency=SGD&minAmount=10&maxAmount=9.5', 'maxAmount', 'must not be below minAmount'],
    [
      'from=2026-01-05T04:00:00Z&to=2026-01-05T04:00:00Z',
      'to',
      'must be later than from: nothing is between them',
    ],
    ['olderThan=1h', 'olderThan', 'must be a whole number of seconds; not "1h"'],
  ])('%s', async (query, parameter, detail) => {
    const { status, body } = await get(query);
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ parameter, detail }]);
  });
});
