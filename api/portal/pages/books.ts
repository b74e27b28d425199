// The books of a day: totals, entries, and the file.
import { html } from 'hono/html';
import type { z } from '@hono/zod-openapi';
import type { reconciliationSchema } from '../../books/reconciliation-schemas.ts';
import { badge, facts, link, section, table, uetrLink } from '../elements.ts';
import { instantOf, money, time, type Html } from '../format.ts';
import { parseExact, pathWith, readAnswer, Refused } from '../gateway.ts';
import { refusalOf } from '../layout.ts';
import type { Page, Visit } from '../visit.ts';

type Book = z.output<typeof reconciliationSchema>;

const shownEntries = 500;
const shownLength = 400_000; // characters: more than so many entries have
const names = ['clearingSystem', 'sap', 'account', 'date', 'from', 'to'] as const;

export async function booksPage(visit: Visit): Promise<Page> {
  const { t, url, reader } = visit;
  const asked = Object.fromEntries(names.map((name) => [name, instantOf(url.searchParams.get(name) ?? '')]));
  const isAsked = names.some((name) => url.searchParams.has(name));
  const needed = reader.role === 'ipso' ? ['date', 'from', 'to'] : names;
  const main = html`<h1>${t.nav.books}</h1>
    <section>
      <form class="filters" method="get">
        ${needed.map((name) => html`<div><label for="${name}">${t.fields[name as (typeof names)[number]]}</label><input id="${name}" name="${name}" value="${asked[name] ?? ''}" ${name === 'date' ? html`placeholder="${yesterday()}"` : ''} /></div>`)}
        <button>${t.words.show}</button>
      </form>
      <span class="hint">${t.books.hint}</span>
    </section>
    ${isAsked ? await bookOf(visit, asked) : ''}`;
  return { title: t.nav.books, main };
}

const yesterday = () => new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

async function bookOf(visit: Visit, asked: Readonly<Record<string, string>>): Promise<Html> {
  const { t, api, url, decimalsOf } = visit;
  try {
    const { totals, net, currency, payments, from, to } = await beginningOf(
      await api.send(pathWith('/reconciliation', asked)),
    );
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
          { title: 'UETR', cell: ({ uetr }) => uetrLink(uetr) },
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
      )}${payments.length > shownEntries ? html`<p class="quiet">${t.books.more}</p>` : ''}`,
    )}`;
  } catch (error) {
    if (!(error instanceof Refused) || error.status === 401) throw error;
    return refusalOf(t, error);
  }
}

/**
 * Reads the totals and the first entries of a book, which may have millions, and lets the rest be.
 * @throws Refused
 */
async function beginningOf(answer: Response): Promise<Book> {
  if (!answer.ok || answer.body === null) return readAnswer<Book>(answer);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return parseExact(text) as Book;
    text += value;
    if (text.length > shownLength) break;
  }
  await reader.cancel();
  const lastWhole = text.lastIndexOf(',{"uetr"');
  return parseExact(`${text.slice(0, lastWhole)}]}`) as Book;
}

export async function sendBook({ api, url }: Visit): Promise<Response> {
  const asked = Object.fromEntries(names.map((name) => [name, instantOf(url.searchParams.get(name) ?? '')]));
  const answer = await api.send(pathWith('/reconciliation/csv', asked));
  const headers = new Headers(answer.headers);
  if (answer.ok) headers.set('content-disposition', 'attachment; filename="book.csv"');
  return new Response(answer.body, { status: answer.status, headers });
}
