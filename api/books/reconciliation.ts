// GET /reconciliation returns the books of a closed period, as a JSON or CSV stream of any length, or as
// pages of a camt.054. An operator of a payment system reads the book of its system. An FX provider or PSP
// reads the books of its accounts.
import { z } from '@hono/zod-openapi';
import { isOwnerIn, tenuresOf } from '../../core/books/account-owners.ts';
import { buildCamt054 } from '../../core/iso20022/camt054.ts';
import {
  jsonNumber,
  plainDecimal,
  renderJson,
  type JsonObject,
  type JsonValue,
} from '../../core/money/money.ts';
import {
  accountBook,
  dayFrom,
  dayMs,
  entriesPerPage,
  longestDays,
  netOf,
  type Book,
  type Movement,
  type Period,
  type Total,
} from '../../core/books/reconciliation.ts';
import {
  institutionNamed,
  keyOf,
  mainIdentifier,
  type BookedAccount,
  type ReferenceData,
} from '../../core/scheme/reference.ts';
import { readCamt054Page } from '../../db/books/books-camt054.ts';
import { readMovements, readBookIndex, type BookIndex } from '../../db/books/reconciliation.ts';
import { refuseOpenPeriod } from './closed-period.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { Caller } from '../http/caller.ts';
import { notificationAnswer } from '../payments/message-documents.ts';
import { day, instant, word } from '../http/input/parameters.ts';
import { invalidRequest, isProblem, problem, type Problem } from '../http/problems/problem.ts';
import { jsonHeaders } from '../http/response.ts';
import { streamed } from '../http/stream.ts';
import type { Router } from '../http/route.ts';
import { xml } from '../http/xml-message.ts';
import { reconciliationSchema } from './reconciliation-schemas.ts';
import { bookKey } from '../../core/books/daily-books.ts';
import type { Db } from '../../db/pool/connection.ts';

const query = z.object({
  clearingSystem: word
    .optional()
    .openapi({ description: 'Of a payment system; default: the caller’s', example: 'THBPPAY' }),
  sap: word
    .optional()
    .openapi({ description: 'Of an account: BIC or internalId of the settlement access provider' }),
  account: word.optional().openapi({ description: 'The account there' }),
  date: day.optional(),
  from: instant.optional(),
  to: instant.optional(),
});
type Asked = z.output<typeof query>;

const minuteMs = 60_000;
const common = {
  method: 'get',
  tag: 'Reconciliation',
  roles: ['operator', 'ipso', 'psp', 'fxp'],
  problems: ['unknown-book', 'period-not-closed'],
} as const;
const about =
  'Payments by the time of their final status, UTC (REC-2): of a day (`date`), or from `from` until before `to`, up to ' +
  `${longestDays} days. A period can be read a minute after its end, and never changes from then on.`;

export function reconciliationRoutes(router: Router, deps: ApiDependencies): void {
  const { logger } = deps;
  const indexOf = createBookIndexes(deps.db);
  router.add(
    {
      ...common,
      path: '/reconciliation',
      turns: 'book',
      operationId: 'getReconciliation',
      summary: 'What was decided in a period, with totals',
      description: `${about} Totals come first, then each payment.`,
      query,
      answer: { description: 'The book', schema: reconciliationSchema },
    },
    async ({ query: asked, caller, context }) => {
      const opened = await open(deps, asked, caller);
      if (isProblem(opened)) return opened;
      const { totals } = await indexOf(opened.book, opened.period);
      const contentType = jsonHeaders['content-type'];
      return streamed(context, asJson(deps, opened, totals), { contentType, logger });
    },
  );
  router.add(
    {
      ...common,
      path: '/reconciliation/csv',
      turns: 'book',
      operationId: 'getReconciliationCsv',
      summary: 'The same payments as CSV',
      description: `${about} RFC 4180, with a line of names; without totals. A text that a spreadsheet would take for a formula has an apostrophe before it.`,
      query,
      answer: { description: 'The payments', contentType: 'text/csv', schema: z.string() },
    },
    async ({ query: asked, caller, context }) => {
      const opened = await open(deps, asked, caller);
      if (isProblem(opened)) return opened;
      const contentType = 'text/csv; charset=utf-8; header=present';
      return streamed(context, asCsv(deps, opened), { contentType, logger });
    },
  );
  addCamt054(router, deps, indexOf);
}

function addCamt054(router: Router, deps: ApiDependencies, indexOf: BookIndexes): void {
  router.add(
    {
      ...common,
      path: '/reconciliation/camt054',
      operationId: 'getReconciliationCamt054',
      summary: 'The same as a camt.054.001.11, page by page',
      description:
        `${about} A page has up to ${entriesPerPage} entries; LastPgInd says whether it is the last one. ` +
        'Payments that were rejected before they were accepted are in JSON and CSV only.',
      query: query.extend({
        page: z
          .string()
          .regex(/^[1-9]\d{0,4}$/, 'must be a whole number from 1 to 99999')
          .optional()
          .openapi({ type: 'integer', default: 1 }),
      }),
      problems: [...common.problems, 'unknown-page'],
      answer: notificationAnswer,
    },
    async ({ query: { page: asked, ...period }, caller }) => {
      const opened = await open(deps, period, caller);
      if (isProblem(opened)) return opened;
      const index = await indexOf(opened.book, opened.period);
      const page = Number(asked ?? '1');
      if (page > index.pages)
        return problem('unknown-page', {
          detail: `The notification has ${index.pages === 1 ? '1 page: ask for page 1' : `${index.pages} pages: ask for page 1 to ${index.pages}`}.`,
        });
      const values = await readCamt054Page(deps.db, opened, { index, page });
      return xml(Buffer.from(buildCamt054(values)));
    },
  );
}

interface Opened {
  readonly book: Book;
  readonly period: Period;
  readonly seesAll: boolean;
  readonly data: ReferenceData;
}

async function open(deps: ApiDependencies, asked: Asked, caller: Caller): Promise<Opened | Problem> {
  const data = deps.reference.current();
  const period = periodOf(asked);
  if (isProblem(period)) return period;
  const book = bookOf(data, { asked, period }, caller);
  if (isProblem(book)) return book;
  const refusal = await refuseOpenPeriod(deps.db, period);
  if (refusal !== undefined) return refusal;
  const seesAll = caller.role !== 'ipso' || book.of === 'account';
  return { book, period, seesAll, data };
}

function periodOf({ date, from, to }: Asked): Period | Problem {
  if (date !== undefined) {
    if (from !== undefined || to !== undefined)
      return invalidRequest([{ parameter: 'date', detail: 'name either a day, or from and to' }]);
    return dayFrom(date);
  }
  if (from === undefined || to === undefined)
    return invalidRequest([{ parameter: 'date', detail: 'missing: name a day, or from and to' }]);
  for (const [parameter, at] of [
    ['from', from],
    ['to', to],
  ] as const) {
    // the name of a period is precise to the minute, and must be unique
    if (at.getTime() % minuteMs !== 0)
      return invalidRequest([{ parameter, detail: 'must be a whole minute' }]);
  }
  const lengthMs = to.getTime() - from.getTime();
  return lengthMs > 0 && lengthMs <= longestDays * dayMs
    ? { from, to }
    : invalidRequest([{ parameter: 'to', detail: `must be after from, by ${longestDays} days at most` }]);
}

function bookOf(
  data: ReferenceData,
  { asked, period }: { readonly asked: Asked; readonly period: Period },
  caller: Caller,
): Book | Problem {
  const { clearingSystem = caller.clearingSystemId, sap, account } = asked;
  const isOperator = caller.role === 'operator' || caller.role === 'all';
  if (sap !== undefined || account !== undefined) {
    if (sap === undefined || account === undefined || asked.clearingSystem !== undefined)
      return invalidRequest([
        { parameter: 'account', detail: 'sap and account go together, without clearingSystem' },
      ]);
    const provider = institutionNamed(data, sap);
    const known = provider && data.bookedAccounts.get(keyOf(provider.institutionId, account));
    const { institutionId } = caller;
    const isTheirs =
      isOperator || (known && institutionId !== undefined && isOwnerIn(known, institutionId, period));
    return known !== undefined && isTheirs
      ? accountBook(known, period.from)
      : unknownBook(`account ${account} at ${sap} in that period`, caller);
  }
  if (clearingSystem === undefined) {
    if (isOperator) return invalidRequest(missingBook);
    const own = accountsOf(data, caller);
    return own.length === 0 ? noBook(caller) : invalidRequest(missingAccount(data, own, caller));
  }
  const system = data.clearingSystems.get(clearingSystem);
  const isTheirs = isOperator || clearingSystem === caller.clearingSystemId;
  return system !== undefined && isTheirs
    ? { of: 'clearing-system', clearingSystemId: clearingSystem, currency: system.currencyCode }
    : unknownBook(clearingSystem, caller);
}

/**
 * For callers without a default book. An operator may read any book, and an owner may read those of its
 * accounts.
 */
const missingBook = [{ parameter: 'clearingSystem', detail: 'missing; or name sap and account' }];

const mostAccounts = 5; // maximum number of accounts in an error message

/** Names the accounts that belong or belonged to the caller. Each of them has a book. */
function missingAccount(data: ReferenceData, own: readonly BookedAccount[], { role }: Caller) {
  const named = own
    .slice(0, mostAccounts)
    .map((one) => `sap=${bicOf(data, one.sapId) ?? ''}&account=${one.accountId}`);
  const more = own.length > named.length ? ` and ${own.length - named.length} more` : '';
  const all = role === 'psp' ? '; GET /payments?from=&to= lists all your payments' : '';
  const detail = `missing: each of your accounts has a book, ${named.join(', ')}${more}${all}`;
  return [
    { parameter: 'sap', detail },
    { parameter: 'account', detail: 'missing: one of your accounts there' },
  ];
}

function accountsOf({ bookedAccounts }: ReferenceData, { institutionId }: Caller): readonly BookedAccount[] {
  if (institutionId === undefined) return [];
  return [...bookedAccounts.values()].filter((one) => tenuresOf(one, institutionId).length > 0);
}

/** Refuses a bank whose payments touch no account with a book. GET /payments lists those payments. */
function noBook({ clientId, role }: Caller): Problem {
  const instead = role === 'psp' ? ' GET /payments?from=&to= lists its payments.' : '';
  const books = 'books are of payment systems, and of accounts at settlement access providers';
  return problem('unknown-book', { detail: `${clientId} has no book: ${books}, and it has none.${instead}` });
}

const unknownBook = (name: string, { clientId }: Caller) =>
  problem('unknown-book', {
    detail: `There is no book of ${name} that ${clientId} may read. Name a payment system by clearingSystem, or an account by sap and account.`,
  });

/** Reads the payments of the book lazily. */
async function* movementsOf(deps: ApiDependencies, opened: Opened): AsyncIterable<Movement> {
  for await (const some of readMovements(deps.db, opened)) yield* some;
}

async function* asJson(
  deps: ApiDependencies,
  opened: Opened,
  totals: readonly Total[],
): AsyncIterable<string> {
  const { book, period, data } = opened;
  const { of, currency, ...named } = book;
  const head: JsonObject = {
    book: of === 'account' ? { sap: bicOf(data, book.sapId), account: book.accountId } : { ...named },
    currency,
    from: period.from,
    to: period.to,
    totals: totals.map(renderTotal),
    net: jsonNumber(netOf(totals)),
  };
  yield `${renderJson(head).slice(0, -1)},"payments":[`;
  let separator = '';
  for await (const one of movementsOf(deps, opened)) {
    yield separator + renderJson(renderMovement(one, data));
    separator = ',';
  }
  yield ']}';
}

const bicOf = (data: ReferenceData, institutionId: string | null): string | null => {
  const institution = institutionId === null ? undefined : data.institutions.get(institutionId);
  return institution === undefined ? institutionId : mainIdentifier(institution).value;
};
const numberOf = (text: string | null): JsonValue => (text === null ? null : jsonNumber(plainDecimal(text)));

function renderTotal({ sum, ...total }: Total): JsonObject {
  return { ...total, sum: numberOf(sum) };
}

function renderMovement(one: Movement, data: ReferenceData): JsonObject {
  return {
    uetr: one.uetr,
    side: one.side,
    status: one.status,
    reasonCode: one.reasonCode,
    ruleId: one.ruleId,
    decidedBy: one.decidedBy,
    decidedAt: one.decidedAt.toISOString(),
    corridor: one.corridor,
    amount: numberOf(one.amount),
    currency: one.currency,
    counterAmount: numberOf(one.counterAmount),
    counterCurrency: one.counterCurrency,
    debtorAgent: bicOf(data, one.debtorAgentId),
    creditorAgent: bicOf(data, one.creditorAgentId),
    fxp: bicOf(data, one.fxpId),
    quoteId: one.quoteId,
    messageIdentification: one.messageIdentification,
    endToEndId: one.endToEndId,
  };
}

const columns = [
  ...[
    'uetr',
    'side',
    'status',
    'reasonCode',
    'ruleId',
    'decidedBy',
    'decidedAt',
    'corridor',
    'amount',
    'currency',
  ],
  ...['counterAmount', 'counterCurrency', 'debtorAgent', 'creditorAgent', 'fxp', 'quoteId'],
  ...['messageIdentification', 'endToEndId'],
] as const;

async function* asCsv(deps: ApiDependencies, opened: Opened): AsyncIterable<string> {
  yield `${columns.join(',')}\r\n`;
  for await (const one of movementsOf(deps, opened)) {
    const row = renderMovement(one, opened.data);
    yield `${columns.map((name) => csvField(row[name] ?? null)).join(',')}\r\n`;
  }
}

/** Matches text that a spreadsheet would run as a formula, including leading characters that it may skip. */
const formula = /^[\s\p{Cc}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

/**
 * Renders a CSV field. Numbers keep every digit. Text is quoted where RFC 4180 requires it, and where a
 * spreadsheet would split it. A party may have written a formula; an apostrophe turns it into text.
 */
function csvField(value: JsonValue): string {
  if (value === null) return '';
  if (typeof value !== 'string') return renderJson(value);
  const text = formula.test(value) ? `'${value}` : value;
  return /[",;\s']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const most = 16; // the index of a book of a million payments takes about 800 KB

type BookIndexes = (book: Book, period: Period) => Promise<BookIndex>;

/** Caches the most recently used indexes. */
function createBookIndexes(db: Db): BookIndexes {
  const kept = new Map<string, Promise<BookIndex>>();
  return (book, period) => {
    const key = [bookKey(book), period.from.toISOString(), period.to.toISOString()].join(' ');
    const known = kept.get(key) ?? readBookIndex(db, book, period);
    kept.delete(key);
    kept.set(key, known); // the Map lists the least recently used first
    const [oldest] = kept.keys();
    if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    known.catch(() => kept.delete(key));
    return known;
  };
}
