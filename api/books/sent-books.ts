// Lists the books of a day, their receivers, and whether each was delivered. A book whose delivery was given
// up can be sent again like any delivery (redeliveries.ts).
import { z } from '@hono/zod-openapi';
import { isOwed } from '../../core/books/daily-books.ts';
import type { JsonObject } from '../../core/money/money.ts';
import { dayFrom } from '../../core/books/reconciliation.ts';
import { fxpNameOf, type ReferenceData } from '../../core/scheme/reference.ts';
import { listBooksSent, readOwedBooks, type BookSent } from '../../db/books/book-pages.ts';
import { refuseOpenPeriod } from './closed-period.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { Caller } from '../http/caller.ts';
import { day } from '../http/input/parameters.ts';
import { json } from '../http/response.ts';
import type { Router } from '../http/route.ts';
import { component } from '../http/component.ts';

const time = z.string().openapi({ format: 'date-time' });
export const sentSchema = component('SentBook', {
  book: z.string().openapi({
    description: 'Payment system; or internalId of the settlement access provider, a space, and the account',
    example: 'THBPPAY',
  }),
  party: z.string().openapi({ description: 'To whom' }),
  from: time,
  to: time,
  pages: z.int().nullable().openapi({ description: 'null: none is made yet' }),
  made: z.int().openapi({ description: 'Pages that are, or were, sent' }),
  taken: z.int(),
  dead: z.int().openapi({ description: 'Pages that were given up (CBK-1)' }),
  deadPages: z.array(
    z.strictObject({
      page: z.int(),
      subjectId: z.string().openapi({ format: 'uuid', description: 'As alerts and redeliveries name it' }),
    }),
  ),
  nextDueAt: time.nullable().openapi({ description: 'Of the next attempt; null: none follows' }),
});

export function sentBookRoutes(router: Router, deps: ApiDependencies): void {
  router.add(
    {
      method: 'get',
      tag: 'Reconciliation',
      roles: ['operator', 'ipso', 'psp', 'fxp'],
      path: '/reconciliation/sent',
      operationId: 'listSentBooks',
      summary: 'The books of a day that were sent, and whether they were taken',
      description:
        'Each closed day is sent as camt.054 to whoever has registered an address for it (REC-2), a few minutes after its end, ' +
        'from the day before the registration on. There is a line for each book that is registered, also while no page is made ' +
        '(`made` 0). Operators see all, others their own; none: no address was registered by then.',
      query: z.object({ date: day }),
      problems: ['period-not-closed'],
      answer: { description: 'The books', schema: z.array(sentSchema) },
    },
    async ({ query: { date }, caller }) => {
      const period = dayFrom(date);
      const refusal = await refuseOpenPeriod(deps.db, period);
      if (refusal !== undefined) return refusal;
      const data = deps.reference.current();
      const isOperator = caller.role === 'operator' || caller.role === 'all';
      const party = isOperator ? undefined : partyOf(data, caller);
      const made = await listBooksSent(deps.db, period, party);
      const known = new Set(made.map(({ book }) => book));
      const unmade = (await readOwedBooks(deps.db, data))
        .filter((one) => party === undefined || one.party === party)
        .filter(({ key, progress }) => !known.has(key) && isOwed(progress, period))
        .map((one): Unmade => ({ ...period, book: one.key, party: one.party, ...nothingMade }));
      const all = [...made, ...unmade].sort((one, other) => (one.book < other.book ? -1 : 1));
      return json(all.map(render));
    },
  );
}

/** A book that has no page yet. */
type Unmade = Omit<BookSent, 'pages'> & { readonly pages: null };

const nothingMade = { pages: null, made: 0, taken: 0, deadPages: [], nextDueAt: null } as const;

const partyOf = (data: ReferenceData, { clearingSystemId, institutionId }: Caller): string =>
  clearingSystemId ?? fxpNameOf(data, institutionId ?? '');

const render = ({ deadPages, ...one }: BookSent | Unmade): JsonObject => ({
  ...one,
  dead: deadPages.length,
  deadPages: deadPages.map((page) => ({ ...page })),
});
