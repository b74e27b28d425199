// Which books of a day were sent to whom, and whether they were taken (REC-2). What was given up can be sent again like
// any delivery (redeliveries.ts).
import { z } from '@hono/zod-openapi';
import { jsonNumber, type JsonObject } from '../core/money.ts';
import { dayFrom } from '../core/reconciliation.ts';
import { fxpNameOf, type ReferenceData } from '../core/reference.ts';
import { listBooksSent, type BookSent } from '../db/book-pages.ts';
import type { ApiDependencies } from './dependencies.ts';
import type { Caller } from './http/caller.ts';
import { day } from './http/parameters.ts';
import { json } from './http/response.ts';
import type { Router } from './http/route.ts';

const time = z.string().openapi({ format: 'date-time' });
const sentSchema = z
  .object({
    book: z.string().openapi({
      description:
        'Payment system; or internalId of the settlement access provider, a space, and the account',
      example: 'THBPPAY',
    }),
    party: z.string().openapi({ description: 'To whom' }),
    from: time,
    to: time,
    pages: z.int(),
    made: z.int().openapi({ description: 'Pages that are, or were, sent' }),
    taken: z.int(),
    dead: z.int().openapi({ description: 'Pages that were given up (CBK-1)' }),
    nextDueAt: time.nullable().openapi({ description: 'Of the next attempt; null: none follows' }),
  })
  .strict()
  .openapi('SentBook');

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
        'Each closed day is sent as camt.054 to whoever has registered an address for it (REC-2), a few minutes after its end. ' +
        'Operators see all, others their own.',
      query: z.object({ date: day }),
      answer: { description: 'The books', schema: z.array(sentSchema) },
    },
    async ({ query: { date }, caller }) => {
      const isOperator = caller.role === 'operator' || caller.role === 'all';
      const party = isOperator ? undefined : partyOf(deps.reference.current(), caller);
      return json((await listBooksSent(deps.db, dayFrom(date), party)).map(render));
    },
  );
}

const partyOf = (data: ReferenceData, { clearingSystemId, institutionId }: Caller): string =>
  clearingSystemId ?? fxpNameOf(data, institutionId ?? '');

function render({ from, to, nextDueAt, ...counts }: BookSent): JsonObject {
  const { book, party, pages, made, taken, dead } = counts;
  return {
    book,
    party,
    from: from.toISOString(),
    to: to.toISOString(),
    pages: jsonNumber(String(pages)),
    made: jsonNumber(String(made)),
    taken: jsonNumber(String(taken)),
    dead: jsonNumber(String(dead)),
    nextDueAt: nextDueAt?.toISOString() ?? null,
  };
}
