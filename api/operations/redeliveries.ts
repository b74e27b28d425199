// Lets operators redeliver one payment or hundreds of dead letters, and ask a destination for a payment's
// status. The request is stored before Temporal is told. If Temporal is down, the sweep does it later.
import { z } from '@hono/zod-openapi';
import { compact } from '../../core/compact.ts';
import type { JsonObject } from '../../core/money/money.ts';
import { isSettledUncredited } from '../../core/payments/recorded-outcome.ts';
import {
  askStatusAsOperator,
  findDeadLetters,
  isPastDeadline,
  redeliver,
  redeliverDeadLetters,
  type DeadLetter,
  type RedeliveryFilter,
  listTaken,
} from '../../db/payments/asks.ts';
import { toldKinds, type ToldKind } from '../../db/deliveries/deliveries.ts';
import { findPayment } from '../../db/payments/payments.ts';
import { listOutcomes, readDecision } from '../../db/payments/recorded-outcomes.ts';
import type { ApiDependencies, RouteModule } from '../dependencies.ts';
import { hindrancesOf, hindrancesOfMany, hindrancesOfManySchema, hindrancesSchema } from './hindrances.ts';
import { instant, uuid } from '../http/input/parameters.ts';
import { isProblem, problem, type Problem } from '../http/problems/problem.ts';
import { json } from '../http/response.ts';
import type { Router } from '../http/route.ts';
import { partyAsked } from './party-filter.ts';
import { passOn, type PaymentWorkflows } from '../temporal.ts';
import { withoutPayment, problemOf } from '../payments/without-payment.ts';
import type { Decider } from '../../core/payments/decision.ts';
import type { Db } from '../../db/pool/connection.ts';
import { whatCameUnder } from '../../db/payments/without-payment.ts';
import { component } from '../http/component.ts';

type Workflows = Pick<PaymentWorkflows, 'redeliver' | 'enquire'>;

const common = { method: 'post', tag: 'Operations', roles: ['operator'] } as const;
const params = z.object({ uetr: uuid });
const kinds = z.array(z.enum(toldKinds)).min(1);
const mostAtOnce = 1_000;

export const deadLetterSchema = component('DeadLetter', {
  subjectId: z.string().openapi({
    format: 'uuid',
    description: 'UETR of the payment, or id of the resolution or of the page',
  }),
  kind: z.enum(toldKinds),
  party: z.string(),
  closedReason: z.string().openapi({ description: '`gone` (410) or `expired` (72 hours)' }),
  closedAt: z.string().openapi({ format: 'date-time' }),
  attempts: z.int(),
  bookPage: z
    .strictObject({
      book: z.string(),
      day: z.string().openapi({ format: 'date', description: 'UTC' }),
      page: z.int(),
    })
    .nullable()
    .openapi({ description: 'Of the kind `book`: the page that its receiver lacks' }),
});

export function redeliveryRoutes(workflows: Workflows): RouteModule {
  return (router, deps) => {
    addOfOne(router, deps, workflows);
    addOfMany(router, deps, workflows);
    addEnquiry(router, deps, workflows);
  };
}

function addOfOne(router: Router, deps: ApiDependencies, workflows: Workflows): void {
  router.add(
    {
      ...common,
      path: '/payments/{uetr}/redeliveries',
      operationId: 'redeliverPayment',
      summary: 'Deliver the messages of a payment again',
      description:
        'Sends the same bytes, and their schedules start over (CBK-1). Without `kinds`, it sends the messages that ' +
        'were not received; with `kinds`, also those that were.',
      params,
      body: component('NewRedelivery', { kinds: kinds.optional() }),
      problems: ['unknown-payment', 'not-judged-yet', 'nothing-to-deliver'],
      answer: {
        description: 'What is due again, and what holds it up',
        schema: component('Redelivery', { kinds: z.array(z.enum(toldKinds)), hindrances: hindrancesSchema }),
      },
    },
    async ({ params: { uetr }, body, caller }) => {
      const due = await redeliver(deps.db, uetr, { kinds: body.kinds, by: caller.clientId });
      if (due.length > 0) {
        passOn(deps, uetr, workflows.redeliver(uetr));
        return json({
          kinds: due.map(({ kind }) => kind),
          hindrances: await hindrancesOf(deps, due),
        });
      }
      return nothingToDeliver(deps.db, uetr, body.kinds);
    },
  );
}

function addOfMany(router: Router, deps: ApiDependencies, workflows: Workflows): void {
  router.add(
    {
      ...common,
      path: '/redeliveries',
      operationId: 'redeliverDeadLetters',
      summary: 'Deliver dead letters again',
      description:
        'Dead letters of payments, resolutions and books, oldest first. With `preview`, nothing changes: the answer ' +
        'names what would be delivered, and `total` is the number of all.',
      body: component('NewRedeliveries', {
        preview: z.boolean(),
        kinds: kinds.optional(),
        party: z.string().min(1).max(70).optional().openapi({
          description: 'Payment system, or BIC or internalId of an institution',
        }),
        closedReason: z.enum(['gone', 'expired']).optional(),
        from: instant.optional(),
        to: instant.optional(),
        limit: z.int().min(1).max(mostAtOnce).default(100),
      }),
      answer: {
        description: 'What is due again, or would be, and what holds it up',
        schema: component('Redeliveries', {
          redelivered: z.int(),
          total: z.int().openapi({ description: 'Dead letters like these, before' }),
          deadLetters: z.array(deadLetterSchema),
          hindrances: hindrancesOfManySchema,
        }),
      },
    },
    async ({ body: { preview, limit, party: named, ...asked }, caller }) => {
      const party = partyAsked(deps.reference.current(), named, { pointer: '/party' });
      if (isProblem(party)) return party;
      const filter = compact<RedeliveryFilter>({ ...asked, parties: party?.names });
      const { deadLetters, total } = await findDeadLetters(deps.db, filter, limit);
      const answerOf = async (letters: readonly DeadLetter[], redelivered: number) =>
        json({
          ...{ redelivered, total },
          deadLetters: letters.map(renderDeadLetter),
          hindrances: await hindrancesOfMany(deps, letters),
        });
      if (preview) return answerOf(deadLetters, 0);
      const due = await redeliverDeadLetters(deps.db, filter, { limit, by: caller.clientId });
      redeliverEach(deps, workflows, new Set(due.map((one) => one.subjectId)));
      return answerOf(due, due.length);
    },
  );
}

/**
 * Redelivers one subject after another, so that Temporal can also run payments. A failure does not stop the
 * others.
 */
function redeliverEach(deps: ApiDependencies, workflows: Workflows, subjectIds: ReadonlySet<string>): void {
  let before = Promise.resolve();
  for (const subjectId of subjectIds) {
    const passing = before.then(() => workflows.redeliver(subjectId));
    passOn(deps, subjectId, passing);
    before = passing.catch(() => undefined);
  }
}

function renderDeadLetter(one: DeadLetter): JsonObject {
  const { subjectId, kind, party, closedReason, closedAt, attempts, bookPage } = one;
  return {
    ...{ subjectId, kind, party, closedReason, closedAt, attempts },
    bookPage: bookPage && { ...bookPage },
  };
}

function addEnquiry(router: Router, deps: ApiDependencies, workflows: Workflows): void {
  router.add(
    {
      ...common,
      path: '/payments/{uetr}/enquiries',
      operationId: 'enquireNow',
      summary: 'Ask the destination of a payment now how it stands',
      description:
        'As if its source had repeated its pacs.008 (DUP-1): the same instruction goes out once more, and its destination answers ' +
        'with the status that it knows. Not of a HIGH payment past its deadline, nor while an outcome is recorded by which nothing ' +
        'was credited (LIF-4).',
      params,
      body: component('NewEnquiry', {}),
      problems: ['unknown-payment', 'not-judged-yet', 'payment-decided', 'outcome-stands', 'deadline-past'],
      answer: {
        description: 'Whether it is asked once more, and what holds it up',
        schema: component('Enquiry', {
          asked: z.boolean().openapi({ description: 'false: it was asked within the last 5 s' }),
          hindrances: hindrancesSchema,
        }),
      },
    },
    async ({ params: { uetr }, caller }) => {
      const payment = await findPayment(deps.db, uetr);
      if (payment === undefined) return withoutPayment(deps.db, uetr);
      if (payment.decision !== null) {
        const detail = `The final status of ${uetr} is ${payment.decision.status}: nothing is left to ask.`;
        return problem('payment-decided', { detail });
      }
      const settled = (await listOutcomes(deps.db, uetr)).find(isSettledUncredited);
      if (settled !== undefined) {
        const { recordedBy, status, outcomeId } = settled;
        const detail =
          `${recordedBy} has recorded ${status} (outcome ${outcomeId}). Meanwhile nothing is sent, or it might be credited ` +
          'after all. Withdraw the outcome, and ask then.';
        return problem('outcome-stands', { detail });
      }
      const party = payment.destinationSystem ?? undefined;
      const asked = await askStatusAsOperator(deps.db, uetr, { clientId: caller.clientId, party });
      if (asked) {
        const { sourceSystem, messageId } = payment;
        passOn(deps, uetr, workflows.enquire({ uetr, sourceSystem, messageId }));
      } else if (await isPastDeadline(deps.db, uetr)) return problem('deadline-past');
      const instruction = { kind: 'instruction', party: party ?? '', url: null };
      return json({ asked, hindrances: await hindrancesOf(deps, [instruction]) });
    },
  );
}

/** @param kinds the kinds that the operator named; undefined: all kinds that were not delivered */
async function nothingToDeliver(
  db: Db,
  subjectId: string,
  kinds: readonly ToldKind[] | undefined,
): Promise<Problem> {
  const taken = await listTaken(db, subjectId);
  if (kinds === undefined && taken.length > 0) {
    const when = taken.map(({ kind, deliveredAt }) => `${kind} ${deliveredAt.toISOString()}`).join(', ');
    const detail = `Everything was delivered: ${when}. To send one of them again, name it in \`kinds\` (ops redeliver --kind).`;
    return problem('nothing-to-deliver', { detail });
  }
  const decision = await readDecision(db, subjectId);
  if (decision !== null) {
    const detail = (kinds ?? []).map((kind) => `${kind}: ${whyNone(kind, decision.decidedBy)}`).join('; ');
    return problem('nothing-to-deliver', detail === '' ? {} : { detail: `${detail}.` });
  }
  if ((await findPayment(db, subjectId)) !== undefined) {
    const detail = 'It has no final status yet: nobody is to be told one.';
    return problem('nothing-to-deliver', { detail });
  }
  const came = await whatCameUnder(db, subjectId);
  return came.as === 'other' ? problem('nothing-to-deliver') : problemOf(came, subjectId);
}

/** Explains why a decided payment has no delivery of this kind. */
function whyNone(kind: ToldKind, decidedBy: Decider): string {
  if (kind === 'notification') return 'only a credited payment with a quote has one (NOT-1)';
  if (kind !== 'confirmation') return 'it has none';
  return decidedBy === 'destination'
    ? 'it was the HTTP answer to the report of the destination, which gets it again by posting its final status again (PAY-9)'
    : 'nothing had left for the destination, which is told nothing';
}
