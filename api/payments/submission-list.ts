// GET /submissions lists the payments and resolutions that sources have sent, newest first. A submission is
// listed as soon as it is stored. A judged payment is also in GET /payments, with all its data.
import { z } from '@hono/zod-openapi';
import { compact } from '../../core/compact.ts';
import { messages } from '../../core/iso20022/messages.ts';
import type { JsonObject } from '../../core/money/money.ts';
import {
  submissionStates,
  submittedMessages,
  type ListedSubmission,
  type SubmissionFilter,
} from '../../core/payments/submission-list.ts';
import { listSubmissions } from '../../db/payments/submission-list.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { Caller } from '../http/caller.ts';
import { cursorTo, invalidCursor, nextPage, page, pageQuery, placeAt, sizeOf } from '../http/input/paging.ts';
import { emptyRange, identifier, instant, seconds, severalOf, uuid } from '../http/input/parameters.ts';
import type { Router } from '../http/route.ts';
import { component } from '../http/component.ts';

const path = '/submissions';
const usualHours = 24; // hours of the default range, because nothing else limits the search

const query = z.object({
  message: z.enum(submittedMessages).optional().openapi({
    description: 'pacs008: payments; acmt023: resolutions',
  }),
  state: severalOf(submissionStates)
    .optional()
    .openapi({
      description:
        'stored: not judged yet, and nothing was sent to anybody; asking: a resolution whose party has not answered; ' +
        'answered: its source has its answer. Separate several with commas',
    }),
  party: z
    .string()
    .regex(/^[!-~]{1,70}$/, 'must be the id of a payment system, as in SGDFAST')
    .optional()
    .openapi({ description: 'Payment system that sent it' }),
  messageIdentification: identifier.optional().openapi({ description: 'Its MsgId' }),
  subjectId: uuid.optional().openapi({ description: 'UETR, or id of a resolution' }),
  from: instant.optional().openapi({
    description: `Stored at this time or later; default: ${usualHours} hours ago, unless messageIdentification or subjectId is given`,
  }),
  to: instant.optional().openapi({ description: 'Stored before this time' }),
  olderThan: seconds
    .optional()
    .openapi({ description: 'Seconds since it was stored, at least', example: '30' }),
  ...pageQuery,
});
type Query = z.output<typeof query>;

const id = z.string().openapi({ format: 'uuid' });
const time = z.string().openapi({ format: 'date-time' });

export const submissionPageSchema = component('SubmissionPage', {
  submissions: z.array(
    component('ListedSubmission', {
      submissionId: id,
      message: z.string().openapi({ example: messages.acmt023.identifier }),
      messageIdentification: z.string().openapi({ description: 'Its MsgId' }),
      subjectId: id.openapi({ description: 'UETR of the payment, or id of the resolution' }),
      party: z.string().openapi({ example: 'SGDFAST' }),
      storedAt: time,
      state: z.enum(submissionStates),
      status: z.string().nullable().openapi({ description: 'For a payment: the answer, ACTC or RJCT' }),
      verified: z.boolean().nullable().openapi({ description: 'For a resolution: the answer' }),
      reasonCode: z.string().nullable(),
      answeredAt: time.nullable(),
      isUnanswerable: z.boolean().openapi({
        description: 'A defect of ours keeps it from being answered; operators have an alert (SEC-9)',
      }),
      href: z
        .string()
        .nullable()
        .openapi({ description: 'The whole record of a payment; null for a resolution' }),
    }),
  ),
  next: nextPage,
});

export function submissionListRoutes(router: Router, deps: ApiDependencies): void {
  router.add(
    {
      method: 'get',
      path,
      operationId: 'listSubmissions',
      summary: 'What sources have sent, newest first',
      description:
        'Payments and resolutions with their answers, from the moment that they are stored. Operators see all, a ' +
        'payment system sees its own. A missing submission proves nothing, because it may be stored a moment later: ' +
        'if you do not know the outcome of a message, send the same bytes again (DUP-1). The next page, if there is ' +
        'one, is in the `Link` header with `rel="next"` (RFC 8288), and in `next`. With a filter, a page has what was ' +
        'found within a second: fewer than `limit`, or even none, although more may follow.',
      tag: 'Payments',
      roles: ['operator', 'ipso'],
      query,
      problems: ['invalid-cursor'],
      answer: { description: 'A page of submissions', schema: submissionPageSchema },
    },
    async ({ query: asked, caller }) => {
      const empty = emptyRange(asked);
      if (empty !== undefined) return empty;
      const after = asked.cursor === undefined ? undefined : placeAt(path, asked.cursor);
      if (asked.cursor !== undefined && after === undefined) return invalidCursor();
      const found = await listSubmissions(deps.db, filterOf(asked, caller), {
        limit: sizeOf(asked.limit),
        ...(after && { after }),
      });
      const list = { publicUrl: deps.config.publicUrl, path, query: asked };
      return page(
        list,
        'submissions',
        found.submissions.map(render),
        found.next && cursorTo(path, found.next),
      );
    },
  );
}

function filterOf(asked: Query, caller: Caller): SubmissionFilter {
  const { message, state, messageIdentification, subjectId, from, to, olderThan } = asked;
  // an index finds these in a range of any length
  const isFound = messageIdentification !== undefined || subjectId !== undefined;
  const since =
    from ?? (isFound ? undefined : new Date((to?.getTime() ?? Date.now()) - usualHours * 3_600_000));
  return compact<SubmissionFilter>({
    scope: caller.role === 'ipso' ? caller.clearingSystemId : undefined,
    message,
    states: state,
    party: asked.party,
    messageIdentification,
    subjectId,
    from: since,
    to,
    olderThanSeconds: olderThan === undefined ? undefined : Number(olderThan),
  });
}

function render(one: ListedSubmission): JsonObject {
  const { submissionId, messageIdentification, subjectId, party, state, status, verified, reasonCode } = one;
  return {
    submissionId,
    message: messages[one.message].identifier,
    messageIdentification,
    subjectId,
    party,
    storedAt: one.storedAt,
    state,
    status,
    verified,
    reasonCode,
    answeredAt: one.answeredAt,
    isUnanswerable: one.isUnanswerable,
    href: one.message === 'pacs008' ? `/payments/${subjectId}` : null,
  };
}
