// The books of a day: totals, entries, and the file.
import { html } from 'hono/html';
import type { z } from '@hono/zod-openapi';
import type { booksSchema, reconciliationSchema } from '../../books/reconciliation-schemas.ts';
import { badge, facts, link, section, table, uetrLink } from '../elements.ts';
import { instantOf, money, time, type Html } from '../format.ts';
import { parseExact, pathWith, readAnswer, Refused } from '../gateway.ts';
import { refusalOf } from '../layout.ts';
import type { Page, Visit } from '../visit.ts';

type Book = z.output<typeof reconciliationSchema>;
type Books = z.output<typeof booksSchema>;
type BookName = Books['books'][number];

const shownEntries = 500;
const shownLength = 400_000; // characters: more than so many entries have
const mostOffered = 500; // books in the list of choices; an operator of many names one
const mostToday = 20;
const times = ['date', 'from', 'to'] as const;
const names = ['clearingSystem', 'sap', 'account', ...times] as const;

export async function booksPage(visit: Visit): Promise<Page> {
  const { t, url, api } = visit;
  const { books } = await api.get<Books>('/books');
  const given = new URLSearchParams([
    ...new URLSearchParams(url.searchParams.get('book') ?? ''),
    ...url.searchParams,
  ]);
  const asked = Object.fromEntries(names.map((name) => [name, instantOf(given.get(name) ?? '')]));
  const isAsked = names.some((name) => given.has(name));
  const needed = books.length <= mostOffered ? times : names;
  const own = books.filter(({ account }) => account !== null);
  const main = html`<h1>${t.nav.books}</h1>
    <section>
      <form class="filters" method="get">
        ${books.length <= mostOffered ? bookChoice(visit, books, asked) : ''}
        ${needed.map((name) => html`<div><label for="${name}">${t.fields[name]}</label><input id="${name}" name="${name}" value="${isAsked || name !== 'date' ? (asked[name] ?? '') : yesterday()}" placeholder="${yesterday()}${name === 'date' ? '' : ' 06:00'}" /></div>`)}
        <button>${t.words.show}</button>
      </form>
      <span class="hint">${t.books.hint}</span>
    </section>
    ${isAsked ? await orRefusal(t, bookOf(visit, asked)) : own.length <= mostToday ? await orRefusal(t, todayOf(visit, own)) : ''}`;
  return { title: t.nav.books, main };
}

/** The query of GET /reconciliation that names a book. */
const queryOf = ({ clearingSystem, sap, account }: BookName) =>
  pathWith('', {
    clearingSystem: clearingSystem ?? undefined,
    sap: sap ?? undefined,
    account: account ?? undefined,
  }).slice(1);

const nameOf = ({ clearingSystem, sap, account, currency }: BookName) =>
  `${clearingSystem ?? `${account ?? ''} (${sap ?? ''})`}, ${currency}`;

function bookChoice({ t }: Visit, books: readonly BookName[], asked: Readonly<Record<string, string>>): Html {
  if (books.length < 2)
    return html`<input type="hidden" name="book" value="${books.map(queryOf).join('')}" />`;
  const isAsked = (one: BookName) =>
    asked['account'] === (one.account ?? '') &&
    asked['clearingSystem'] === (one.clearingSystem ?? '') &&
    asked['sap'] === (one.sap ?? '');
  return html`<div>
    <label for="book">${t.books.book}</label
    ><select id="book" name="book">
      ${books.map((one) => html`<option value="${queryOf(one)}" ${isAsked(one) ? html`selected` : ''}>${nameOf(one)}</option>`)}
    </select>
  </div>`;
}

const minuteMs = 60_000;

/** A part of a page, or why the API refuses it. @throws Refused if the session counts no more */
async function orRefusal(t: Visit['t'], part: Promise<Html>): Promise<Html> {
  return part.catch((error: unknown) => {
    if (!(error instanceof Refused) || error.status === 401) throw error;
    return refusalOf(t, error);
  });
}

interface Today {
  readonly one: BookName;
  readonly query: string;
  readonly net: number;
  readonly in: Book['totals'];
  readonly out: Book['totals'];
}

/** What was booked today on each account, up to the last minute that can be read. */
async function todayOf(visit: Visit, accounts: readonly BookName[]): Promise<Html> {
  const { t, api, url, decimalsOf } = visit;
  const from = `${new Date().toISOString().slice(0, 10)}T00:00:00Z`;
  const to = new Date(Math.floor(Date.now() / minuteMs - 1) * minuteMs).toISOString();
  if (accounts.length === 0 || Date.parse(to) <= Date.parse(from)) return '';
  const books: Today[] = [];
  for (const one of accounts) {
    // one after the other: the API reads few books of a caller at once
    const query = `${queryOf(one)}&${pathWith('', { from, to }).slice(1)}`;
    const answer = await api.send(`/reconciliation?${query}`);
    if (answer.status === 404) continue; // it was its own at another time
    const { book } = await beginningOf(answer, 1);
    const credited = book.totals.filter(({ status }) => status === 'ACCC');
    const sumOf = (side: 'in' | 'out') => credited.filter((total) => total.side === side);
    books.push({ one, query, net: book.net, in: sumOf('in'), out: sumOf('out') });
  }
  const shown = (totals: Book['totals']) =>
    totals.length === 0
      ? 0
      : html`${totals.map(({ number, sum, currency }) => html`${sum === null || currency === null ? '' : money({ amount: sum, currency }, decimalsOf)} (${number}) `)}`;
  return section(
    t.books.today,
    table(
      [
        { title: t.fields.account, cell: ({ one, query }) => link(`/portal/books?${query}`, nameOf(one)) },
        { title: t.books.in, cell: (book) => shown(book.in), isNumber: true },
        { title: t.books.out, cell: (book) => shown(book.out), isNumber: true },
        {
          title: t.books.net,
          cell: ({ one, net }) => money({ amount: net, currency: one.currency }, decimalsOf),
          isNumber: true,
        },
      ],
      books,
      { t, url, caption: t.books.today, empty: '' },
    ),
  );
}

const yesterday = () => new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

async function bookOf(visit: Visit, asked: Readonly<Record<string, string>>): Promise<Html> {
  const { t, api, url, decimalsOf, reader } = visit;
  const { book, isCut } = await beginningOf(await api.send(pathWith('/reconciliation', asked)), shownLength);
  const { totals, net, currency, payments, from, to } = book;
  return await html`${section(
    t.books.totals,
    html`${facts([
      [t.books.from, time(from)],
      [t.books.to, time(to)],
      [t.books.net, money({ amount: net, currency }, decimalsOf)],
      [t.books.file, link(pathWith('/portal/books/csv', asked), 'CSV')],
    ])}${table(
      [
        { title: t.books.side, cell: ({ side }) => side },
        { title: t.words.corridor, cell: ({ corridor }) => corridor },
        { title: t.words.status, cell: ({ status }) => badge(status, t.statuses[status]) },
        { title: t.words.number, cell: ({ number }) => number, isNumber: true },
        {
          title: t.books.sum,
          cell: ({ sum, currency: of }) =>
            sum === null || of === null ? '' : money({ amount: sum, currency: of }, decimalsOf),
          isNumber: true,
        },
      ],
      totals,
      { t, url, caption: t.books.totals, empty: t.books.empty },
    )}`,
  )}
  ${section(
    t.books.entries,
    html`${table(
      [
        // an FX provider may not open a payment
        {
          title: 'UETR',
          cell: ({ uetr }) => (reader.role === 'fxp' ? html`<code>${uetr}</code>` : uetrLink(uetr)),
        },
        { title: t.books.side, cell: ({ side }) => side },
        {
          title: t.words.status,
          cell: ({ status, reasonCode }) => html`${badge(status)} ${reasonCode ?? ''}`,
        },
        { title: t.words.corridor, cell: ({ corridor }) => corridor },
        {
          title: t.books.sum,
          cell: ({ amount, currency: of }) =>
            amount === null || of === null ? '' : money({ amount, currency: of }, decimalsOf),
          isNumber: true,
        },
        {
          title: t.words.agents,
          cell: ({ debtorAgent, creditorAgent }) => `${debtorAgent ?? '?'} → ${creditorAgent ?? '?'}`,
        },
        { title: 'EndToEndId', cell: ({ endToEndId }) => endToEndId },
        { title: t.words.at, cell: ({ decidedAt }) => time(decidedAt) },
      ],
      payments.slice(0, shownEntries),
      { t, url, caption: t.books.entries, empty: t.books.empty },
    )}${isCut || payments.length > shownEntries ? html`<p class="quiet">${t.books.more}</p>` : ''}`,
  )}`;
}

/**
 * Reads the totals and the first entries of a book, which may have millions, and lets the rest be.
 * @param length of the text that is read at least, in characters
 * @throws Refused
 */
async function beginningOf(
  answer: Response,
  length: number,
): Promise<{ readonly book: Book; readonly isCut: boolean }> {
  if (!answer.ok || answer.body === null) return { book: await readAnswer<Book>(answer), isCut: false };
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { book: parseExact(text) as Book, isCut: false };
    text += value;
    if (text.length > length && text.includes(entries)) break;
  }
  await reader.cancel();
  const lastWhole = text.lastIndexOf(',{"uetr"');
  const whole =
    lastWhole < 0 ? text.slice(0, text.indexOf(entries) + entries.length) : text.slice(0, lastWhole);
  return { book: parseExact(`${whole}]}`) as Book, isCut: true };
}

const entries = '"payments":[';

export async function sendBook({ api, url }: Visit): Promise<Response> {
  const asked = Object.fromEntries(names.map((name) => [name, instantOf(url.searchParams.get(name) ?? '')]));
  const answer = await api.send(pathWith('/reconciliation/csv', asked));
  const headers = new Headers(answer.headers);
  if (answer.ok) headers.set('content-disposition', 'attachment; filename="book.csv"');
  return new Response(answer.body, { status: answer.status, headers });
}
