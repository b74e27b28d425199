// The schemas of alerts and of operators' actions on them. They contain ids, codes and times. Only notes are
// an operator's own words.
import { z } from '@hono/zod-openapi';
import { words } from './words.ts';
import { alertStates, caseActions } from '../../core/operations/cases.ts';
import { component } from '../http/component.ts';
import { nextPage } from '../http/input/paging.ts';
import { word } from '../http/input/parameters.ts';

const time = z.string().openapi({ format: 'date-time', example: '2026-01-05T04:00:00.000Z' });

export const caseEntrySchema = component('CaseEntry', {
  alertId: z.string().nullable().openapi({ description: 'The alert that it is about; null: the whole case' }),
  alerts: z
    .array(z.strictObject({ alertId: z.string(), kind: z.string() }))
    .openapi({ description: 'The alerts that it is about, the oldest hundred of them' }),
  alertCount: z.int().openapi({ description: 'How many it is about' }),
  action: z.enum(caseActions),
  by: z.string().openapi({ description: 'Client id' }),
  note: z.string().nullable(),
  at: time,
});

const alertMembers = {
  alertId: z.string(),
  at: time,
  severity: z.enum(['alert', 'security']),
  kind: z.string().openapi({ example: 'payment.contradiction' }),
  subjectId: z.string().nullable().openapi({
    format: 'uuid',
    description: 'UETR of the payment, or id of the resolution, that it is about',
  }),
  party: z.string().nullable(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  state: z.enum(alertStates),
  takenBy: z.string().nullable(),
  takenAt: time.nullable(),
  closedBy: z.string().nullable(),
  closedAt: time.nullable(),
  href: z.string(),
};

const alertSchema = component('Alert', alertMembers);

export const alertWithEntriesSchema = component('AlertWithEntries', {
  ...alertMembers,
  entries: z.array(caseEntrySchema),
});

export const alertPageSchema = component('AlertPage', {
  alerts: z.array(alertSchema),
  next: nextPage,
});

const newEntryMembers = {
  action: z.enum(caseActions),
  note: words.optional().openapi({ description: 'Needed for all but take; no personal data (SEC-3)' }),
};

/** An operator's action on an alert. */
export const newEntrySchema = component('NewAlertEntry', newEntryMembers);

export const alertIdPattern = /^[1-9]\d{0,17}$/;
export const alertId = z.string().regex(alertIdPattern, 'must be the alertId of an alert');

/** An operator's action on a payment and all its alerts. */
export const newCaseEntrySchema = component('NewCaseEntry', {
  ...newEntryMembers,
  kinds: z
    .array(word)
    .min(1)
    .max(20)
    .optional()
    .openapi({
      description: 'With close: only its alerts of these kinds',
      example: ['delivery.dead-letter'],
    }),
  all: z.literal(true).optional().openapi({ description: 'With close: its alerts of every kind' }),
  seen: alertId.optional().openapi({
    description:
      'With close, where an alert is open: the last alert of the case that you have looked at; later ones stay open',
    example: '17',
  }),
});
