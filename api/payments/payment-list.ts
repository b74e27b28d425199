// GET /payments lists the caller's payments, newest first. Filters use properties that people know (OBS-5).
// Operators see all payments; a side sees its own. GET /payments/{uetr} shows one payment in full
// (payments.ts).
import { z } from '@hono/zod-openapi';
import { compact } from '../../core/compact.ts';
import { countryPairPattern } from '../../core/quotes/corridor.ts';
import { uuidV4Pattern } from '../../core/ids.ts';
import { exact, jsonNumber, plainDecimal, type JsonObject, type JsonValue } from '../../core/money/money.ts';
import {
  listedStatuses,
  paymentStates,
  type ListedPayment,
  type ListScope,
  type PaymentFilter,
} from '../../core/payments/payment-list.ts';
import { mainIdentifier, type ReferenceData } from '../../core/scheme/reference.ts';
import { listPayments } from '../../db/payments/payment-list.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { Caller } from '../http/caller.ts';
import { cursorTo, invalidCursor, page, pageQuery, placeAt, sizeOf } from '../http/input/paging.ts';
import {
  amount,
  currencyCode,
  emptyRange,
  identifier,
  instant,
  seconds,
  severalOf,
  uuid,
} from '../http/input/parameters.ts';
import { invalidRequest, isProblem, type Problem } from '../http/problems/problem.ts';
import type { Router } from '../http/route.ts';
import { partyAsked } from '../operations/party-filter.ts';
import { paymentListSchema } from './payment-schemas.ts';

const path = '/payments';

const optionalAmount = amount.optional();
const query = z.object({
  status: severalOf(listedStatuses).optional(),
  state: z
    .enum(paymentStates)
    .optional()
    .openapi({
      description:
        'waiting: no final status yet; in-doubt: for more than 24 hours (TIM-2); telling: somebody is still to be told; ' +
        'dead-letter: somebody could not be told (CBK-1); done: everybody knows',
    }),
  reasonCode: z
    .string()
    .regex(/^[!-~]{1,4}$/, 'must be a reason code of up to four characters, as in AB03')
    .optional(),
  corridor: z.string().regex(countryPairPattern, 'must be two countries, as in SG-TH').optional(),
  party: z
    .string()
    .regex(/^[!-~]{1,70}$/, 'must be a payment system, or the BIC or internalId of a PSP or FX provider')
    .optional()
    .openapi({
      description:
        'A payment system on either side; the BIC or internalId of either PSP or of the FX provider',
    }),
  priority: z.enum(['HIGH', 'NORM']).optional(),
  currency: currencyCode
    .optional()
    .openapi({ description: "The currency of either side's amount; minAmount and maxAmount need it" }),
  minAmount: optionalAmount,
  maxAmount: optionalAmount,
  from: instant.optional().openapi({ description: 'Judged at this time or later' }),
  to: instant.optional().openapi({ description: 'Judged before this time' }),
  olderThan: seconds
    .optional()
    .openapi({ description: 'Seconds since it was judged, at least', example: '120' }),
  uetr: z.string().regex(uuidV4Pattern, 'must be a lower-case UUID v4').optional(),
  quoteId: uuid.optional(),
  endToEndId: identifier.optional(),
  messageIdentification: identifier
    .optional()
    .openapi({ description: 'MsgId of any message of the payment' }),
  ...pageQuery,
});
type Query = z.output<typeof query>;

export function paymentListRoutes(router: Router, deps: ApiDependencies): void {
  router.add(
    {
      method: 'get',
      path,
      operationId: 'listPayments',
      summary: 'Payments, newest first',
      description:
        'Operators see all; a payment system or PSP sees those that it sent or received. The next page, if there is ' +
        'one, is in the `Link` header with `rel="next"` (RFC 8288), and in `next`; payments that arrive meanwhile do ' +
        'not change it. A payment is listed once it is judged; for one that is not, use GET /payments/{uetr}. With a ' +
        'filter, a page has what was found within a second: fewer than `limit`, or even none, although more may follow.',
      tag: 'Payments',
      roles: ['operator', 'ipso', 'psp'],
      query,
      problems: ['invalid-cursor'],
      answer: { description: 'A page of payments', schema: paymentListSchema },
    },
    async ({ query: asked, caller }) => {
      const data = deps.reference.current();
      const filter = filterOf(asked, data);
      if (isProblem(filter)) return filter;
      const after = asked.cursor === undefined ? undefined : placeAt(path, asked.cursor);
      if (asked.cursor !== undefined && after === undefined) return invalidCursor();
      const limit = sizeOf(asked.limit);
      const found = await listPayments(deps.db, scopeOf(caller), filter, { limit, ...(after && { after }) });
      const rows = found.payments.map((one) => renderListed(one, data));
      const list = { publicUrl: deps.config.publicUrl, path, query: asked };
      return page(list, 'payments', rows, found.next && cursorTo(path, found.next));
    },
  );
}

/**
 * The payments that the caller may list. With AUTH=none, a psp or ipso that names no party sees all payments.
 */
function scopeOf({ role, clearingSystemId, institutionId }: Caller): ListScope {
  if (role === 'ipso' && clearingSystemId !== undefined)
    return { of: 'clearing-system', id: clearingSystemId };
  if (role === 'psp' && institutionId !== undefined) return { of: 'institution', id: institutionId };
  return { of: 'all' };
}

function filterOf(asked: Query, data: ReferenceData): PaymentFilter | Problem {
  const { status, state, reasonCode, corridor, priority, currency, minAmount, maxAmount, olderThan } = asked;
  const party = partyFilter(asked.party, data);
  if (isProblem(party)) return party;
  if (currency === undefined && (minAmount ?? maxAmount) !== undefined) {
    return invalidRequest([
      { parameter: 'currency', detail: 'missing: an amount needs its currency, as in SGD' },
    ]);
  }
  if (minAmount !== undefined && maxAmount !== undefined && exact(minAmount).gt(exact(maxAmount))) {
    return invalidRequest([{ parameter: 'maxAmount', detail: 'must not be below minAmount' }]);
  }
  const empty = emptyRange(asked);
  if (empty !== undefined) return empty;
  return compact<PaymentFilter>({
    ...party,
    statuses: status,
    state,
    reasonCode,
    corridor,
    priority,
    amount:
      currency === undefined
        ? undefined
        : compact<NonNullable<PaymentFilter['amount']>>({ currency, least: minAmount, most: maxAmount }),
    from: asked.from,
    to: asked.to,
    olderThanSeconds: olderThan === undefined ? undefined : Number(olderThan),
    uetr: asked.uetr,
    quoteId: asked.quoteId,
    endToEndId: asked.endToEndId,
    messageIdentification: asked.messageIdentification,
  });
}

function partyFilter(
  name: string | undefined,
  data: ReferenceData,
): Pick<PaymentFilter, 'clearingSystem' | 'institutionId'> | Problem {
  const party = partyAsked(data, name, { parameter: 'party' });
  if (party === undefined) return {};
  if (isProblem(party)) return party;
  return party.of === 'clearing-system' ? { clearingSystem: party.id } : { institutionId: party.id };
}

function renderListed(payment: ListedPayment, data: ReferenceData): JsonObject {
  const bicOf = (institutionId: string | null): JsonValue => {
    if (institutionId === null) return null;
    const institution = data.institutions.get(institutionId);
    return institution === undefined ? institutionId : mainIdentifier(institution).value;
  };
  const money = (text: string | null, currency: string | null): JsonValue =>
    text === null || currency === null ? null : { amount: jsonNumber(plainDecimal(text)), currency };
  return {
    uetr: payment.uetr,
    status: payment.status,
    state: payment.state,
    reasonCode: payment.reasonCode,
    ruleId: payment.ruleId,
    decidedBy: payment.decidedBy,
    isContradicted: payment.isContradicted,
    sourceClearingSystem: payment.sourceSystem,
    destinationClearingSystem: payment.destinationSystem,
    corridor: payment.corridor,
    priority: payment.priority,
    sourceAmount: money(payment.sourceAmount, payment.sourceCurrency),
    destinationAmount: money(payment.destinationAmount, payment.destinationCurrency),
    creditorAccountAmount: money(payment.creditorAccountAmount, payment.destinationCurrency),
    debtorAgent: bicOf(payment.debtorAgentId),
    creditorAgent: bicOf(payment.creditorAgentId),
    fxp: bicOf(payment.fxpId),
    quoteId: payment.quoteId,
    endToEndId: payment.endToEndId,
    judgedAt: payment.judgedAt,
    deadlineAt: payment.deadlineAt,
    decidedAt: payment.decidedAt,
    openDeliveries: payment.openDeliveries,
    deadLetters: payment.deadLetters,
    href: `/payments/${payment.uetr}`,
  };
}
