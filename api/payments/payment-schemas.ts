// The schema of a payment's evidence. It contains ids, codes, times and hashes, and no personal data.
import { z } from '@hono/zod-openapi';
import { deciders } from '../../core/payments/decision.ts';
import { changes } from '../../core/rejections/message-difference.ts';
import { caseEntrySchema } from '../operations/case-schemas.ts';
import { hindrancesSchema } from '../operations/hindrances.ts';
import { outcomeSchema } from '../operations/outcome-schemas.ts';
import { listedStatuses, paymentStates } from '../../core/payments/payment-list.ts';
import { openStates } from '../../core/payments/payment-states.ts';
import { finalStatuses } from '../../core/payments/report.ts';
import { component } from '../http/component.ts';
import { nextPage } from '../http/input/paging.ts';

const time = z.string().openapi({ format: 'date-time', example: '2026-11-21T04:00:00.000Z' });
const id = z.string().openapi({ format: 'uuid' });
const code = z.string();

const messageSchema = component('PaymentMessage', {
  messageId: id.openapi({ description: 'Our id' }),
  message: z.string().openapi({ example: 'pacs.008.001.13' }),
  messageIdentification: z.string().openapi({ description: 'Its MsgId' }),
  direction: z.enum(['in', 'out']).openapi({ description: 'in: received; out: built by the gateway' }),
  leg: z.enum(['source', 'destination', 'fxp']),
  party: z.string().openapi({ description: 'Payment system or FX provider at the other end' }),
  at: time,
  status: code.nullable().openapi({ description: 'TxSts of a pacs.002' }),
  reasonCode: code.nullable(),
  inReplyTo: id.nullable(),
  sha256: z.string().openapi({ description: 'Of the bytes, hexadecimal' }),
  size: z.int().openapi({ description: 'Bytes' }),
  isChanged: z.boolean().openapi({
    description:
      'Whether the stored copy fails its integrity check, because somebody has changed the database (SEC-3). Only ' +
      'the two messages of `difference` are checked',
  }),
  href: z.string().nullable().openapi({ description: 'Where you can read the bytes; null if you may not' }),
});

const decisionSchema = component(
  'PaymentDecision',
  {
    status: z.enum(finalStatuses),
    reasonCode: code.nullable(),
    decidedBy: z.enum(deciders),
    ruleId: code.nullable().openapi({ description: 'Rule under which the gateway rejected' }),
    decidedAt: time,
    reportMessageId: id.nullable().openapi({ description: "The destination's pacs.002 that decided" }),
    callbackMessageId: id.nullable(),
    confirmationMessageId: id.nullable(),
    notificationMessageId: id.nullable(),
  },
  'The one final status (PAY-10)',
);

const attemptSchema = component('DeliveryAttempt', {
  attempt: z.int(),
  startedAt: time.openapi({ description: 'Before the socket opened' }),
  finishedAt: time.nullable(),
  outcome: z.enum(['NOT_SENT', 'MAYBE_SENT', 'ANSWERED']).nullable().openapi({
    description: 'TIM-3; null while the attempt is running, and after a crash, when it counts as MAYBE_SENT',
  }),
  httpStatus: z.int().nullable(),
  durationMs: z.int().nullable(),
  errorClass: code.nullable().openapi({
    description:
      'Why there was no answer; `not-counted`: HTTP 2xx without a message that answers the request',
  }),
  url: z.string().nullable().openapi({ description: 'Where it went; shown to operators (CBK-4)' }),
  responseExcerpt: z.string().nullable().openapi({
    description: 'Of an answer other than 2xx, at most 1 KiB; shown to operators (CBK-4)',
  }),
});

const deliverySchema = component('PaymentDelivery', {
  kind: z.string().openapi({
    description: 'instruction, callback, confirmation or notification',
    example: 'callback',
  }),
  messageId: id,
  party: z.string(),
  askedAt: time,
  nextDueAt: time.nullable().openapi({
    description:
      'Next attempt of a callback, confirmation or notification (CBK-1); null if none is due. Always null for an ' +
      'instruction, because enquiries send it again (TIM-2)',
  }),
  deliveredAt: time.nullable().openapi({
    description:
      'When it was received. A redelivery resets it to null until it is received once more; `attempts` has each ' +
      'send',
  }),
  closedAt: time.nullable().openapi({ description: 'When sending ended (CBK-1)' }),
  closedReason: code.nullable().openapi({
    description:
      '`gone`: its receiver answered 410; `expired`: after 72 hours; `decided`: an instruction whose payment has its final status',
  }),
  attempts: z.array(attemptSchema).openapi({
    description:
      'Oldest first: the newest 200, and the first of each outcome; `attemptsLeftOut` counts the rest',
  }),
  attemptsLeftOut: z
    .array(z.strictObject({ outcome: attemptSchema.shape.outcome, number: z.int() }))
    .openapi({
      description: 'Number of recorded attempts of each outcome that are not in `attempts`; usually none',
    }),
});

const eventSchema = component(
  'PaymentEvent',
  {
    at: time,
    severity: z.enum(['info', 'alert', 'security']),
    kind: z.string().openapi({ example: 'payment.contradiction' }),
    party: z.string().nullable(),
    detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  },
  'Operators see all. Others see neither security events, nor events about recorded outcomes (LIF-4), nor ' +
    'which person acted (`by`)',
);

const refusedSchema = component('RefusedMessage', {
  messageId: id,
  party: z.string(),
  at: time,
  inReplyTo: id
    .nullable()
    .openapi({ description: 'Our message that it answered; null: it was posted to our address' }),
  sha256: z.string(),
  size: z.int().openapi({ description: 'Bytes' }),
  refusedAs: z
    .string()
    .openapi({ example: 'report.invalid', description: 'Kind of the event about the refusal' }),
  fault: z.strictObject({
    reason: z.string().optional(),
    ruleId: z.string().optional(),
    reported: z.string().nullable().optional().openapi({ description: 'The status that it stated' }),
  }),
  href: z.string(),
});

const differenceSchema = component(
  'PaymentDifference',
  {
    receivedMessageId: id,
    forwardedMessageId: id,
    fields: z.array(
      component(
        'FieldDifference',
        {
          change: z.enum(changes),
          receivedXpath: z.string().nullable(),
          forwardedXpath: z.string().nullable(),
          ruleId: code
            .nullable()
            .openapi({ description: 'Rule that requires the change; null would be a defect of ours' }),
          received: z.string().nullable().optional(),
          forwarded: z.string().nullable().optional(),
        },
        'Values are shown only to those who may read both messages',
      ),
    ),
  },
  'The forwarded pacs.008 compared with the received one',
);

export const evidenceSchema = component('PaymentEvidence', {
  uetr: id,
  status: z.enum([...openStates, ...finalStatuses]).openapi({
    description:
      'RCVD: stored, not judged yet; REFUSED: only repeats arrived, which were refused (DUP-2) and created no payment (so ' +
      'PaymentStatus in the Temporal UI); ACTC: accepted, no final status yet; INDOUBT: the same, for more than 24 hours (TIM-2); otherwise the final status',
  }),
  sourceClearingSystem: z.string(),
  destinationClearingSystem: z.string().nullable(),
  corridor: z.string().nullable().openapi({ example: 'SG-TH' }),
  priority: z.enum(['HIGH', 'NORM']).nullable(),
  receivedAt: time,
  judgedAt: time
    .nullable()
    .openapi({ description: 'When it was accepted, rejected or refused; null while it is RCVD' }),
  acceptanceDateTime: time.nullable().openapi({ description: "AccptncDtTm, the scheme's clock" }),
  deadlineAt: time.nullable().openapi({ description: 'Of a HIGH payment (TIM-1)' }),
  quoteId: id
    .nullable()
    .openapi({ description: "Null for the destination's side, which does not see the FX provider either" }),
  messages: z.array(messageSchema).openapi({
    description:
      'Oldest first: the newest 200 of each party, the first of each kind and status, and all that made the ' +
      'payment (the instruction, the deciding report, the messages that told the decision, each answer to its ' +
      'submission). `messagesLeftOut` counts the rest',
  }),
  messagesLeftOut: z
    .array(
      z.strictObject({
        message: messageSchema.shape.message,
        direction: messageSchema.shape.direction,
        leg: messageSchema.shape.leg,
        party: messageSchema.shape.party,
        status: messageSchema.shape.status,
        number: z.int(),
      }),
    )
    .openapi({
      description:
        'Number of recorded messages of each kind that are not in `messages`, because their party repeats or ' +
        'contradicts itself; usually none. They can still be read by their ids',
    }),
  decision: decisionSchema.nullable(),
  waitsFor: z
    .strictObject({
      what: z.enum(['deadline', 'enquiry', 'person']).openapi({
        description:
          'deadline: of a HIGH payment (TIM-1); enquiry: its destination is asked again (TIM-2); person: it is in doubt',
      }),
      at: time.nullable(),
    })
    .nullable()
    .openapi({
      description:
        'The next event and its time; null after the final status. An enquiry with a past time was requested then, ' +
        'and has not gone out',
    }),
  hindrances: hindrancesSchema.nullable().openapi({
    description:
      'What prevents its messages from going out, as last reported by the workers; shown to operators while ' +
      'anything is owed',
  }),
  deliveries: z.array(deliverySchema),
  events: z.array(eventSchema).openapi({
    description:
      'Oldest first: the newest 1,000 alerts, the newest 1,000 others, and the first of each kind; `eventsLeftOut` counts the rest',
  }),
  eventsLeftOut: z
    .array(
      z.strictObject({
        kind: z.string(),
        severity: z.enum(['info', 'alert', 'security']),
        number: z.int(),
      }),
    )
    .openapi({
      description:
        'Number of recorded events of each kind that are not in `events`; usually none. Operators can read all ' +
        'alerts and security events by `GET /alerts?subjectId=`, page by page',
    }),
  entries: z.array(caseEntrySchema).openapi({
    description: 'What operators did about it and about its alerts (OBS-6); shown to operators',
  }),
  outcomes: z
    .array(outcomeSchema)
    .openapi({ description: 'What operators recorded of a payment in doubt (LIF-4); operators only' }),
  refusedMessages: z.array(refusedSchema).openapi({
    description:
      'Messages from its destination that did not count, byte for byte (PAY-8): 20 are kept, plus the first that ' +
      'states each final status; shown to operators',
  }),
  difference: differenceSchema.nullable().openapi({
    description:
      'Null if nothing was forwarded, or if one of the two messages is no longer kept (LIF-6) or `isChanged`',
  }),
});

const moneySchema = component('Money', {
  amount: z.number(),
  currency: z.string().openapi({ example: 'SGD' }),
});

const listedSchema = component('ListedPayment', {
  uetr: id,
  status: z.enum(listedStatuses).openapi({
    description:
      'INDOUBT: accepted, and no final status for 24 hours (TIM-2); the others as in PaymentEvidence',
  }),
  state: z.enum(paymentStates),
  reasonCode: code.nullable(),
  ruleId: code.nullable().openapi({ description: 'Rule under which the gateway rejected' }),
  decidedBy: z.enum(deciders).nullable(),
  isContradicted: z.boolean().openapi({
    description: 'Whether its destination has reported another final status than this one (PAY-7)',
  }),
  sourceClearingSystem: z.string(),
  destinationClearingSystem: z.string().nullable(),
  corridor: z.string().nullable().openapi({ example: 'SG-TH' }),
  priority: z.enum(['HIGH', 'NORM']).nullable(),
  sourceAmount: moneySchema.nullable().openapi({
    description:
      'Interbank settlement amount; null for the destination side, and if the payment was rejected before the ' +
      'amount was known',
  }),
  destinationAmount: moneySchema.nullable().openapi({
    description:
      'Interbank settlement amount, including the creditor agent fee; null if the payment was rejected before the ' +
      'amount was known',
  }),
  creditorAccountAmount: moneySchema.nullable().openapi({
    description: 'What the recipient is credited: `destinationAmount` less the creditor agent fee',
  }),
  debtorAgent: z.string().nullable().openapi({ description: 'BIC' }),
  creditorAgent: z.string().nullable().openapi({ description: 'BIC' }),
  fxp: z.string().nullable().openapi({ description: 'BIC; null for the destination side' }),
  quoteId: id.nullable().openapi({ description: 'Null for the destination side' }),
  endToEndId: z.string().nullable(),
  judgedAt: time,
  deadlineAt: time.nullable().openapi({ description: 'Of a HIGH payment (TIM-1)' }),
  decidedAt: time.nullable(),
  openDeliveries: z.int().openapi({
    description: 'Number of callbacks, confirmations and notifications that are not received yet',
  }),
  deadLetters: z.int().openapi({ description: 'Number of these that were given up (CBK-1)' }),
  href: z.string().openapi({ description: 'The whole record' }),
});

export const paymentListSchema = component('PaymentPage', {
  payments: z.array(listedSchema),
  next: nextPage,
});
