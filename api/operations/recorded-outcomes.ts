// Lets operators end payments in doubt (LIF-4). One operator records how a payment ended, with the evidence,
// and another confirms it. The payment's workflow then decides the payment like any other. The confirmation
// is stored before Temporal is told. If Temporal is down, the sweep continues later.
import { z } from '@hono/zod-openapi';
import { reasonFor, type OutcomeHindrance } from '../../core/payments/recorded-outcome.ts';
import { finalStatuses } from '../../core/payments/report.ts';
import { findPayment, type StoredPayment } from '../../db/payments/payments.ts';
import {
  confirmOutcome,
  listOutcomes,
  readDecision,
  recordOutcome,
  withdrawOutcome,
} from '../../db/payments/recorded-outcomes.ts';
import type { ApiDependencies, RouteModule } from '../dependencies.ts';
import type { Caller } from '../http/caller.ts';
import { uuid } from '../http/input/parameters.ts';
import { invalidRequest, problem, type Problem } from '../http/problems/problem.ts';
import { json } from '../http/response.ts';
import type { Router } from '../http/route.ts';
import { newOutcomeSchema, outcomeSchema, settlingSchema } from './outcome-schemas.ts';
import { words } from './words.ts';
import type { AwaitedAnswers } from '../payments/awaited-answers.ts';
import { renderOutcome } from '../payments/render-evidence.ts';
import { passOn, type PaymentWorkflows } from '../temporal.ts';
import { withoutPayment } from '../payments/without-payment.ts';
import { component } from '../http/component.ts';

interface Parts {
  readonly workflows: Pick<PaymentWorkflows, 'look'>;
  readonly answers: Pick<AwaitedAnswers, 'answer'>;
}

const decidedWithinMs = 5_000; // usually takes a fraction of a second

const common = { method: 'post', tag: 'Operations', roles: ['operator'] } as const;
const params = z.object({ uetr: uuid });
const outcomeParams = z.object({ uetr: uuid, outcomeId: uuid });

export function recordedOutcomeRoutes(parts: Parts): RouteModule {
  return (router, deps) => {
    addRecording(router, deps);
    addConfirmation(router, deps, parts);
    addWithdrawal(router, deps);
  };
}

function addRecording(router: Router, deps: ApiDependencies): void {
  router.add(
    {
      ...common,
      path: '/payments/{uetr}/outcomes',
      operationId: 'recordOutcome',
      summary: 'Record how a payment in doubt ended',
      description:
        'One operator records it, with the evidence; it changes nothing until another operator confirms it (LIF-4). ' +
        'The payment must be INDOUBT, and have no other recorded outcome that stands.',
      params,
      body: newOutcomeSchema,
      problems: [
        'unknown-payment',
        'not-judged-yet',
        'payment-decided',
        'payment-not-in-doubt',
        'outcome-stands',
      ],
      answer: { description: 'What is to be confirmed', schema: outcomeSchema },
    },
    async ({ params: { uetr }, body: { status, reasonCode, evidence }, caller }) => {
      const payment = await undecided(deps, uetr);
      if ('code' in payment) return payment;
      const reason = reasonFor(status, reasonCode);
      if (!reason.ok) return invalidRequest([{ pointer: '/reasonCode', detail: reason.refusal }]);
      const outcome = { status, reasonCode: reason.value, evidence, by: caller.clientId };
      const recorded = await recordOutcome(deps.db, uetr, outcome);
      return recorded === undefined ? whyNotRecorded(deps, uetr) : json(renderOutcome(recorded));
    },
  );
}

async function whyNotRecorded(deps: ApiDependencies, uetr: string): Promise<Problem> {
  const payment = await undecided(deps, uetr);
  if ('code' in payment) return payment;
  const standing = (await listOutcomes(deps.db, uetr)).find(({ withdrawnAt }) => withdrawnAt === null);
  if (standing === undefined) {
    const detail = `${uetr} is not INDOUBT: the gateway still asks its destination by itself (TIM-2). Wait until it is, 24 hours after acceptance.`;
    return problem('payment-not-in-doubt', { detail });
  }
  const { outcomeId, status, recordedBy, confirmedBy } = standing;
  if (confirmedBy !== null) {
    const detail = `${confirmedBy} has confirmed ${status} (outcome ${outcomeId}); it is being decided.`;
    return problem('outcome-stands', { detail });
  }
  const detail = `${recordedBy} has recorded ${status} (outcome ${outcomeId}). Confirm that, or withdraw it first.`;
  return problem('outcome-stands', { detail });
}

function addConfirmation(router: Router, deps: ApiDependencies, { workflows, answers }: Parts): void {
  router.add(
    {
      ...common,
      path: '/payments/{uetr}/outcomes/{outcomeId}/confirmation',
      operationId: 'confirmOutcome',
      summary: 'Confirm how a payment in doubt ended',
      description:
        'An operator other than the one who recorded it names the status once more (LIF-4). Unless the payment was ' +
        'decided before, this decides it, which cannot be undone: source, destination and FX provider are told.',
      params: outcomeParams,
      body: component('OutcomeConfirmation', { status: z.enum(finalStatuses) }),
      problems: [
        'unknown-payment',
        'not-judged-yet',
        'unknown-outcome',
        'payment-decided',
        'outcome-not-yours',
        'outcome-differs',
        'outcome-overtaken',
        'outcome-ended',
      ],
      answer: { description: 'The result for the payment', schema: settlingSchema },
    },
    async ({ params: { uetr, outcomeId }, body: { status }, caller }) => {
      const payment = await undecided(deps, uetr);
      if ('code' in payment) return payment;
      const hindrance = await confirmOutcome(deps.db, { uetr, outcomeId, status, by: caller.clientId });
      if (hindrance !== undefined) return hindered(hindrance, { uetr, outcomeId, caller });
      const { sourceSystem, messageId } = payment;
      passOn(deps, uetr, workflows.look({ uetr, sourceSystem, messageId }));
      await answers.answer(messageId, decidedWithinMs);
      return json({ outcomeId, decision: await readDecision(deps.db, uetr) });
    },
  );
}

function addWithdrawal(router: Router, deps: ApiDependencies): void {
  router.add(
    {
      ...common,
      path: '/payments/{uetr}/outcomes/{outcomeId}/withdrawal',
      operationId: 'withdrawOutcome',
      summary: 'Withdraw a recorded outcome that nobody has confirmed',
      params: outcomeParams,
      body: component('OutcomeWithdrawal', { because: words }),
      problems: ['unknown-outcome', 'outcome-ended'],
      answer: { description: 'All outcomes that were recorded', schema: z.array(outcomeSchema) },
    },
    async ({ params: { uetr, outcomeId }, body: { because }, caller }) => {
      const hindrance = await withdrawOutcome(deps.db, { uetr, outcomeId, because, by: caller.clientId });
      if (hindrance !== undefined) return hindered(hindrance, { uetr, outcomeId, caller });
      return json((await listOutcomes(deps.db, uetr)).map(renderOutcome));
    },
  );
}

async function undecided(deps: ApiDependencies, uetr: string): Promise<StoredPayment | Problem> {
  const payment = await findPayment(deps.db, uetr);
  if (payment === undefined) return withoutPayment(deps.db, uetr);
  return payment.decision === null ? payment : decidedAlready(uetr, payment.decision.status);
}

const decidedAlready = (uetr: string, status: string) =>
  problem('payment-decided', {
    detail: `The final status of ${uetr} is ${status}: GET /payments/{uetr} says whose.`,
  });

function hindered(
  hindrance: OutcomeHindrance,
  { uetr, outcomeId, caller }: { readonly uetr: string; readonly outcomeId: string; readonly caller: Caller },
): Problem {
  switch (hindrance.kind) {
    case 'unknown':
      return problem('unknown-outcome', {
        detail: `No outcome ${outcomeId} was recorded for ${uetr}; GET /payments/{uetr} lists those that were.`,
      });
    case 'withdrawn':
    case 'confirmed':
      return problem('outcome-ended', {
        detail: `The outcome ${outcomeId} is ${hindrance.kind} already; GET /payments/{uetr} lists every outcome.`,
      });
    case 'own':
      return problem('outcome-not-yours', {
        detail: `${caller.clientId} recorded this outcome; another operator has to confirm it.`,
      });
    case 'other-status':
      return problem('outcome-differs', {
        detail: `The outcome says ${hindrance.status}. Confirm that, or withdraw it and record another.`,
      });
    case 'sent-since':
      return problem('outcome-overtaken', {
        detail:
          `Attempt ${hindrance.attempt} of the instruction may have arrived after this outcome was recorded. Withdraw it, ask the ` +
          'destination again, and record what it says then.',
      });
    case 'decided':
      return decidedAlready(uetr, hindrance.status);
  }
}
