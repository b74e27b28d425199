// GET /flow counts payments and quotes in the last minutes, by corridor. A caller sees only those that
// concern it.
import { z } from '@hono/zod-openapi';
import type { FlowScope } from '../../core/payments/flow.ts';
import { fxpNameOf } from '../../core/scheme/reference.ts';
import { readPaymentFlow, readQuoteFlow, readReasons } from '../../db/payments/flow.ts';
import type { Db } from '../../db/pool/connection.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { Caller } from '../http/caller.ts';
import { minutesBack } from '../http/input/parameters.ts';
import { component } from '../http/component.ts';
import { json } from '../http/response.ts';
import type { Router } from '../http/route.ts';

const usualMinutes = 60;

const count = z.int();
const corridor = z.string().openapi({ example: 'SG-TH' });
const corridorSchema = component('CorridorFlow', {
  corridor: corridor.nullable().openapi({ description: 'Null: rejected before the destination was known' }),
  payments: count.openapi({ description: 'Payments that were judged in the period' }),
  undecided: count,
  accepted: count.openapi({ description: 'ACCC' }),
  rejected: count.openapi({ description: 'RJCT' }),
  blocked: count.openapi({ description: 'BLCK' }),
  acceptedWithinMinute: count.openapi({ description: 'ACCC within a minute of the judgement' }),
  acceptedWithinHour: count,
  p50Ms: z.int().nullable().openapi({
    description:
      'Median time to the final status in milliseconds, of payments that were accepted first (ACTC)',
  }),
  p99Ms: z.int().nullable(),
  reasons: z
    .array(z.object({ status: z.string(), reasonCode: z.string(), payments: count }).strict())
    .openapi({ description: 'The most frequent reasons, most frequent first' }),
});
const quoteSchema = component('QuoteFlow', {
  fxp: z.string().openapi({ description: 'BIC of the FX provider', example: 'MERISGS0' }),
  corridor,
  issued: count,
  best: count.openapi({ description: 'Quotes that were the best of their request' }),
  capped: count.openapi({ description: 'Quotes that a maximum made smaller than the request (QUO-4)' }),
  used: count.openapi({ description: 'Payments by its quotes that were accepted in the period' }),
});
export const flowSchema = component('Flow', {
  minutes: count,
  corridors: z.array(corridorSchema),
  quotes: z.array(quoteSchema),
});

export function flowRoutes(router: Router, { db, reference }: ApiDependencies): void {
  const read = sharing((scope, minutes) => readFlow(db, scope, minutes));
  router.add(
    {
      method: 'get',
      path: '/flow',
      operationId: 'getFlow',
      summary: 'How payments and quotes went in the last minutes, by corridor',
      description:
        'Operators see all; a payment system or PSP sees the payments that it sent or received; an FX provider sees ' +
        'those of its quotes. A PSP sees the quotes that it asked for, an FX provider its own. The answer may be ten seconds old.',
      tag: 'Payments',
      roles: ['operator', 'ipso', 'psp', 'fxp'],
      query: z.object({
        minutes: minutesBack(usualMinutes, 'How far back'),
      }),
      answer: { description: 'The flow', schema: flowSchema },
    },
    async ({ query, caller }) => {
      const minutes = Number(query.minutes ?? usualMinutes);
      const { corridors, reasons, quotes } = await read(scopeOf(caller), minutes);
      const data = reference.current();
      return json({
        minutes,
        corridors: corridors.map((one) => ({
          ...one,
          reasons: reasons
            .filter((reason) => reason.corridor === one.corridor)
            .map(({ status, reasonCode, payments }) => ({ status, reasonCode, payments })),
        })),
        quotes: quotes.map(({ fxpId, ...rest }) => ({ fxp: fxpNameOf(data, fxpId), ...rest })),
      });
    },
  );
}

async function readFlow(db: Db, scope: FlowScope, minutes: number) {
  const [corridors, reasons, quotes] = await Promise.all([
    readPaymentFlow(db, scope, minutes),
    readReasons(db, scope, minutes),
    readQuoteFlow(db, scope, minutes),
  ]);
  return { corridors, reasons, quotes };
}

const sharedMs = 10_000;
const mostShared = 200;

/**
 * Shares one answer between all callers who ask for the same within ten seconds, because counting a busy day
 * takes a second.
 */
function sharing<Value>(
  work: (scope: FlowScope, minutes: number) => Promise<Value>,
): (scope: FlowScope, minutes: number) => Promise<Value> {
  const known = new Map<string, { readonly sinceMs: number; readonly value: Promise<Value> }>();
  return (scope, minutes) => {
    const key = JSON.stringify([scope, minutes]);
    const found = known.get(key);
    if (found !== undefined && performance.now() - found.sinceMs < sharedMs) return found.value;
    if (known.size >= mostShared) known.clear();
    const value = work(scope, minutes);
    known.set(key, { sinceMs: performance.now(), value });
    value.catch(() => known.delete(key));
    return value;
  };
}

/** Limits the counts to the caller's own. With AUTH=none, a caller that names no party sees all. */
function scopeOf({ role, clearingSystemId, institutionId }: Caller): FlowScope {
  if (clearingSystemId !== undefined) return { of: 'clearing-system', id: clearingSystemId };
  if (institutionId !== undefined && (role === 'psp' || role === 'fxp'))
    return { of: role, id: institutionId };
  return { of: 'all' };
}
