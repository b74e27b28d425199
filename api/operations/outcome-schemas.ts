// The schemas of outcomes that operators record for payments in doubt. They contain codes, ids and times.
// Only the evidence is in the operator's own words.
import { z } from '@hono/zod-openapi';
import { finalStatuses } from '../../core/payments/report.ts';
import { words } from './words.ts';
import { component } from '../http/component.ts';

const time = z.string().openapi({ format: 'date-time' });

const reasonCode = z.string().min(1).max(4); // accepts a code of any edition of the code sets

export const newOutcomeSchema = component('NewOutcome', {
  status: z.enum(finalStatuses),
  reasonCode: reasonCode.optional().openapi({
    description: 'Needed for RJCT, as the destination gave it; never for ACCC',
    example: 'AC04',
  }),
  evidence: words.openapi({
    description: 'How you know: who said it, when, by which reference; no personal data (SEC-3)',
    example: 'IPSO-TH desk, call of 04:10 UTC, their reference 2026-11-4711: credited at 04:00:02',
  }),
});

export const outcomeSchema = component('RecordedOutcome', {
  outcomeId: z.string().openapi({ format: 'uuid' }),
  status: z.enum(finalStatuses),
  reasonCode: z.string().nullable(),
  evidence: z.string(),
  recordedBy: z.string().openapi({ description: 'Client id' }),
  recordedAt: time,
  confirmedBy: z.string().nullable(),
  confirmedAt: time.nullable(),
  withdrawnBy: z.string().nullable(),
  withdrawnAt: time.nullable(),
  withdrawnBecause: z.string().nullable(),
});

/** The result of confirming a payment's outcome. */
export const settlingSchema = component('ConfirmedOutcome', {
  outcomeId: z.string().openapi({ format: 'uuid' }),
  decision: z
    .strictObject({
      status: z.enum(finalStatuses),
      reasonCode: z.string().nullable(),
      decidedBy: z.enum(['destination', 'gateway', 'operator']).openapi({
        description: 'operator: what was confirmed; the others: it was decided before that',
      }),
    })
    .nullable()
    .openapi({
      description: 'Null: it is being written, GET /payments/{uetr} shows it soon',
    }),
});
