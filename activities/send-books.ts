// Makes the camt.054 of every closed day that is not sent yet, page by page, for those who have registered an address
// (REC-2). From then on a page is a delivery like a callback (CBK-1). What a stopped worker left half made, the next call
// goes on with: each page is made once.
import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { BooksMade } from '../contract/activities.ts';
import { bookKey, booksToSend, daysToSend, type SentBook } from '../core/daily-books.ts';
import { buildCamt054, type Camt054 } from '../core/iso20022/camt054.ts';
import type { Period } from '../core/reconciliation.ts';
import { readMadeUntil, storeBookPage } from '../db/book-pages.ts';
import { recordAudit } from '../db/audit.ts';
import { readCamt054 } from '../db/books-camt054.ts';
import { compose } from './compose.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { isDefect } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';
import type { Executions } from './sweep/executions.ts';

/** @returns what was made; nothing where all has been sent before */
export function createSendBooks(
  deps: ActivityDependencies,
  executions: Pick<Executions, 'redeliver'>,
): () => Promise<BooksMade> {
  return () =>
    withHeartbeat(() => {
      const { cancellationSignal } = Context.current();
      return sendBooks(deps, executions, cancellationSignal);
    });
}

async function sendBooks(
  deps: ActivityDependencies,
  executions: Pick<Executions, 'redeliver'>,
  signal: AbortSignal,
): Promise<BooksMade> {
  const books = booksToSend(deps.reference());
  const { now, until } = await readMadeUntil(
    deps.db,
    books.map(({ book }) => bookKey(book)),
  );
  const made = { days: 0, pages: 0 };
  for (const one of books) {
    for (const period of daysToSend(until.get(bookKey(one.book)), now)) {
      const pages = await sendDay(deps, { ...one, period, executions, signal });
      if (pages === undefined) break; // the next days wait for it
      made.days += 1;
      made.pages += pages;
    }
  }
  return made;
}

interface Day extends SentBook {
  readonly period: Period;
  readonly executions: Pick<Executions, 'redeliver'>;
  readonly signal: AbortSignal;
}

/** @returns how many pages are new; undefined for a defect of ours, which a person is told of (SEC-9) */
async function sendDay(deps: ActivityDependencies, day: Day): Promise<number | undefined> {
  const { book, party, period, signal } = day;
  let made = 0;
  let page = 0;
  try {
    for await (const read of readCamt054(deps.db, { book, period, data: deps.reference() })) {
      signal.throwIfAborted();
      page = read.values.page;
      if (await sendPage(deps, day, read)) made += 1;
    }
    return made;
  } catch (error) {
    if (signal.aborted || !isDefect(error)) throw error;
    deps.logger.error({ err: error, party }, 'a page of a book could not be made');
    const detail = { book: bookKey(book), from: period.from.toISOString(), after: page };
    await recordAudit(deps.db, { severity: 'alert', kind: 'book.defect', party, detail });
    return undefined;
  }
}

/** Stores a page and has it sent; whether it is new. */
async function sendPage(
  deps: ActivityDependencies,
  { book, party, period, executions }: Day,
  { pages, values }: { readonly pages: number; readonly values: Camt054 },
): Promise<boolean> {
  const subjectId = randomUUID();
  const { messageIdentification, page } = values;
  const xml = buildCamt054(values);
  const message = await compose(deps.engine, {
    type: 'camt054',
    subjectId,
    messageIdentification,
    leg: 'book',
    party,
    xml,
  });
  const isNew = await storeBookPage(deps.db, { book: bookKey(book), period, page, pages }, message);
  if (isNew) {
    // the sweep finds a delivery that the engine was not told of (LIF-2)
    await executions.redeliver(subjectId).catch((error: unknown) => {
      deps.logger.warn({ err: error, party }, 'the engine could not be told of a page; the sweep will');
    });
  }
  return isNew;
}
