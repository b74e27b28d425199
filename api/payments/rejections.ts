// GET /iso20022/rejections returns the table of the gateway's reasons to refuse a message. The table is the
// same for every caller.
import { z } from '@hono/zod-openapi';
import { rejections, type RejectionKey, type RejectionRow } from '../../core/rejections/rejection-table.ts';
import { referenceAnswer } from '../http/reference-answer.ts';
import type { Router } from '../http/route.ts';
import { whereRulesAre } from '../http/problems/problems.ts';
import { component } from '../http/component.ts';

const rowSchema = component('Rejection', {
  id: z.string().openapi({ description: 'Stable name', example: 'quote-expired' }),
  isoCode: z.string().openapi({ description: 'From the external status reason set', example: 'AB04' }),
  ruleId: z.string().openapi({ description: `Rule that AddtlInf names. ${whereRulesAre}`, example: 'PAY-4' }),
  checks: z.string().openapi({ description: 'What is checked' }),
  xpath: z.string().nullable().openapi({
    description:
      'From /Document on; null if it depends on the message, or if the fault is not in the message',
  }),
  text: z.string().openapi({ description: 'Public text', example: 'quote expired' }),
});

const tableSchema = component('Rejections', { rejections: z.array(rowSchema) });

export function rejectionRoutes(router: Router): void {
  router.add(
    {
      method: 'get',
      path: '/iso20022/rejections',
      operationId: 'listRejections',
      summary: 'Every reason for which the gateway itself refuses a message',
      description: 'If a destination or a creditor agent refuses, its own code is passed on unaltered.',
      tag: 'ISO 20022',
      roles: 'any',
      madeFrom: () => rejections,
      answer: { description: 'The table', schema: tableSchema },
    },
    ({ context }) => {
      const rows = Object.entries(rejections) as [RejectionKey, RejectionRow][];
      return referenceAnswer(context, rejections, {
        rejections: rows.map(([id, { isoCode, ruleId, checks, xpath = null, text }]) => ({
          id,
          isoCode,
          ruleId,
          checks,
          xpath,
          text,
        })),
      });
    },
  );
}
