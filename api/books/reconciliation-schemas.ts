// The schema of a book. It contains ids, codes, times and amounts, and no personal data.
import { z } from '@hono/zod-openapi';
import { deciders } from '../../core/payments/decision.ts';
import { finalStatuses } from '../../core/payments/report.ts';
import { component } from '../http/component.ts';

const time = z.string().openapi({ format: 'date-time' });
const side = z.enum(['out', 'in']).openapi({
  description:
    'Of a payment system: sent by it, or to it. Of an account: paid from it (at the destination), or into it (at the source)',
});
const text = z.string().nullable();
const number = z.number().nullable();

const totalSchema = component('BookTotal', {
  side,
  corridor: text,
  status: z.enum(finalStatuses),
  number: z.int(),
  sum: number.openapi({ description: 'null: rejected before the amount was known' }),
  currency: text,
});

const movementSchema = component('BookEntry', {
  uetr: z.string().openapi({ format: 'uuid' }),
  side,
  status: z.enum(finalStatuses),
  reasonCode: text,
  ruleId: text.openapi({
    description:
      'Rule under which the gateway rejected; null where somebody else decided. After TIM-1 it may have been credited',
    example: 'TIM-1',
  }),
  decidedBy: z.enum(deciders),
  decidedAt: time,
  corridor: text,
  amount: number,
  currency: text,
  counterAmount: number.openapi({ description: 'On the other side; null for those who do not see it' }),
  counterCurrency: text,
  debtorAgent: text,
  creditorAgent: text,
  fxp: text,
  quoteId: text,
  messageIdentification: text.openapi({ description: 'MsgId of the pacs.008 on this side' }),
  endToEndId: text,
});

export const reconciliationSchema = component('Reconciliation', {
  book: z.union([
    z.strictObject({ clearingSystemId: z.string() }),
    z.strictObject({ sap: text, account: z.string() }),
  ]),
  currency: z.string(),
  from: time,
  to: time,
  totals: z.array(totalSchema),
  net: z.number().openapi({ description: 'In less out, of what was credited (ACCC)' }),
  payments: z.array(movementSchema),
});

export const booksSchema = component('Books', {
  books: z.array(
    component(
      'BookName',
      {
        clearingSystem: text,
        sap: text.openapi({ description: 'BIC or internalId of the settlement access provider' }),
        account: text,
        currency: z.string(),
      },
      'Either a payment system, or an account at a settlement access provider: the parameters of GET /reconciliation',
    ),
  ),
});
