// Makes the camt.054 of every closed day that is not sent yet, page by page, for receivers with a registered
// address. If a worker stops half-way, the next call resumes.
import { Context } from '@temporalio/activity';
import type { BooksMade } from '../../contract/activities.ts';
import { compact } from '../../core/compact.ts';
import {
  bookKey,
  daysToSend,
  isClosedBy,
  unusableEndpoints,
  type SentBook,
} from '../../core/books/daily-books.ts';
import { buildCamt054, type Camt054 } from '../../core/iso20022/camt054.ts';
import type { Period } from '../../core/books/reconciliation.ts';
import { alertUnlessOpen, type AuditEvent } from '../../db/records/audit.ts';
import { readOwedBooks, storeBookPage } from '../../db/books/book-pages.ts';
import { readCamt054 } from '../../db/books/books-camt054.ts';
import { closeBooks } from '../../db/books/closed-books.ts';
import { compose } from '../compose.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { failure, isDefect } from '../failures.ts';
import { withHeartbeat } from '../heartbeat.ts';
import type { Executions } from '../sweep/executions.ts';
import { newRowId } from '../../db/pool/row-ids.ts';

export function createSendBooks(
  deps: ActivityDependencies,
  executions: Pick<Executions, 'redeliver'>,
): () => Promise<BooksMade> {
  return () =>
    withHeartbeat(() => {
      const { cancellationSignal, info } = Context.current();
      return sendBooks(deps, { executions, signal: cancellationSignal, askedAt: info.scheduledTimestampMs });
    });
}

interface Asked {
  readonly executions: Pick<Executions, 'redeliver'>;
  readonly signal: AbortSignal;
  /** By the clock of Temporal, in milliseconds since 1970. */
  readonly askedAt: number;
}

/** Makes each book independently. A book that fails is retried after the others are made. */
async function sendBooks(
  deps: ActivityDependencies,
  { executions, signal, askedAt }: Asked,
): Promise<BooksMade> {
  const made = { days: 0, pages: 0 };
  const failures: unknown[] = [];
  const owed = await readOwedBooks(deps.db, deps.reference());
  for (const { progress, now, ...one } of owed) {
    try {
      for (const period of daysToSend(progress, now)) {
        const pages = await sendDay(deps, { ...one, period, executions, signal });
        if (pages === undefined) break; // The following days wait for this one.
        made.days += 1;
        made.pages += pages;
      }
    } catch (error) {
      signal.throwIfAborted();
      deps.logger.warn({ err: error, party: one.party }, 'a book could not be made; it is tried again');
      failures.push(error);
    }
  }
  await tellOfUnusableEndpoints(deps).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
  // Some days have not closed yet. Fail, so that Temporal retries: the schedule starts the next run only
  // tomorrow.
  if (!owed.every(({ now }) => isClosedBy(now, new Date(askedAt)))) throw notClosed();
  return made;
}

const notClosed = () => failure('PeriodNotClosed', 'the day is not over by the clock of the database');

/** Raises one alert per receiver while its registered address cannot be used for books. */
async function tellOfUnusableEndpoints(deps: ActivityDependencies): Promise<void> {
  const policy = { allowLoopbackHttp: deps.allowLoopbackCallbacks };
  for (const { registeredAs, reason, internalId } of unusableEndpoints(
    deps.reference(),
    policy,
    new Date(),
  )) {
    deps.logger.warn(
      { party: registeredAs, reason },
      'no book can go to an address that is registered for books',
    );
    const detail = compact<AuditEvent['detail'] & object>({ reason, internalId: internalId ?? undefined });
    await alertUnlessOpen(deps.db, { kind: 'book.unusable-endpoint', party: registeredAs, detail });
  }
}

interface Day extends SentBook {
  readonly period: Period;
  readonly executions: Pick<Executions, 'redeliver'>;
  readonly signal: AbortSignal;
}

/** @returns the number of new pages; undefined after a defect of Isthmus, for which it raises an alert */
async function sendDay(deps: ActivityDependencies, day: Day): Promise<number | undefined> {
  const { book, party, period, signal } = day;
  let made = 0;
  let page = 0;
  try {
    // The database clock has gone back since the days were counted.
    if (!(await closeBooks(deps.db, period.to))) throw notClosed();
    for await (const read of readCamt054(deps.db, { book, period, data: deps.reference() })) {
      signal.throwIfAborted();
      page = read.values.page;
      if (await sendPage(deps, day, read)) made += 1;
    }
    return made;
  } catch (error) {
    if (signal.aborted || !isDefect(error)) throw error;
    deps.logger.error({ err: error, party }, 'a page of a book could not be made');
    const detail = { book: bookKey(book), day: period.from.toISOString().slice(0, 10), after: page };
    await alertUnlessOpen(deps.db, { kind: 'book.defect', party, detail });
    return undefined;
  }
}

/**
 * Stores a page and starts its delivery.
 * @returns whether the page is new
 */
async function sendPage(
  deps: ActivityDependencies,
  { book, party, period, executions }: Day,
  { pages, values }: { readonly pages: number; readonly values: Camt054 },
): Promise<boolean> {
  const subjectId = newRowId();
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
    // If Temporal does not answer, the sweep finds the delivery.
    await executions.redeliver(subjectId).catch((error: unknown) => {
      deps.logger.warn({ err: error, party }, 'the engine could not be told of a page; the sweep will');
    });
  }
  return isNew;
}
