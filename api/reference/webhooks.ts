// Describes for the OpenAPI document the messages that the service sends to each party: address, content,
// possible answers and their consequences. The worker sends the messages; the api serves none of these paths.
import { z, type RouteConfig } from '@hono/zod-openapi';
import type { MessageExample } from '../examples.ts';
import { shownExamples } from '../http/openapi.ts';

interface Webhook {
  /** It is also the webhook's name in the document. */
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly query?: z.ZodObject;
  readonly carries: Readonly<Record<string, MessageExample>>;
  readonly responses: RouteConfig['responses'];
}

const wholeMessage = z.string().openapi({ description: 'The whole message' });
const xml = (examples: Readonly<Record<string, MessageExample>>) => ({
  'application/xml': { schema: wholeMessage, examples: shownExamples(examples) },
});

const resends =
  'Anything else, or nothing within 5 s, does not count as an answer: the same bytes are sent again after 1, 2 and 5 s (TIM-3)';

/** Headers of every message that the service sends. */
const signed = z.object({
  'webhook-id': z.string().openapi({
    description: 'The MsgId: the same for every attempt, so that you can recognise a repeat (CBK-2)',
    example: '7c9e6679742540de944be07fc1f90a03',
  }),
  'webhook-timestamp': z.string().openapi({
    description: 'Seconds since 1970 of this attempt: refuse what is more than 300 s away',
    example: '1767225600',
  }),
  'webhook-signature': z.string().openapi({
    description:
      '`v1a,` and base64 of an ed25519 signature over `webhook-id.webhook-timestamp.` and the bytes of the body, by a key of ' +
      '`/.well-known/webhooks/jwks.json`; two, with a space between them, while one key follows another',
    example: 'v1a,BwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4/QEFCQ0RFRg==',
  }),
});

/** Responses to a delivery. The worker repeats the delivery with the same bytes until it is received. */
const delivered: Pick<Webhook, 'responses'> = {
  responses: {
    '2XX': { description: 'Received, regardless of the body (CBK-4): the message is not sent again' },
    410: { description: 'The address is gone: the message is not sent again, and an alert is recorded' },
    default: {
      description:
        'Not received: the same bytes are sent again after 1, 2, 5, 10 and 30 s, 1, 2, 5, 15 and 30 min, 1, 2, 4 and 8 h, then ' +
        'every 8 h up to 72 h; `Retry-After` is honoured (CBK-1)',
    },
  },
};

const toDestination: readonly Webhook[] = [
  {
    operationId: 'forwardedPacs008',
    summary: 'To a destination operator: the converted instruction',
    description:
      'POST to the registered address of the operator + `/iso20022/pacs008`. Answer with the status, or with 202 and report ' +
      'later to `pacs002Endpoint` (reportPacs002, PAY-8). The same bytes may arrive more than once, also as an enquiry after ' +
      '60 s, 5 min, 30 min and 2 h 30 min, then hourly up to 24 h (TIM-2, TIM-3): answer each time, execute once. HIGH: ' +
      'after the deadline, only a negative confirmation is sent (TIM-1).',
    query: z.object({
      pacs002Endpoint: z.string().openapi({
        description: 'Where to report the status, with a token of your own',
        example: 'https://isthmus.example/iso20022/pacs002',
      }),
    }),
    carries: { pacs008: 'pacs008-forwarded' },
    responses: {
      200: {
        description:
          'A pacs.002: a final status decides the payment (PAY-7) and is confirmed by confirmationPacs002; an interim status is recorded',
        content: xml({
          ACCC: 'pacs002-report-accc',
          RJCT: 'pacs002-report-rjct',
          ACWP: 'pacs002-report-acwp',
        }),
      },
      202: { description: 'Received: the final status will follow to pacs002Endpoint' },
      default: { description: resends },
    },
  },
  {
    ...delivered,
    operationId: 'confirmationPacs002',
    summary: 'To a destination operator: confirmation of the decision',
    description:
      'POST to the registered address + `/iso20022/pacs002`: states the one final status of the payment (PAY-9), after a final ' +
      'status in an HTTP answer, and when the gateway itself rejected the payment: then take back what you may have ' +
      'credited (TIM-1). A final status that you report to `/iso20022/pacs002` is confirmed in that answer instead. Sent ' +
      'until received (CBK-1).',
    carries: { ACCC: 'pacs002-confirmation-accc', RJCT: 'pacs002-confirmation-rjct' },
  },
  {
    operationId: 'forwardedAcmt023',
    summary: 'To a proxy directory, or to the operator of a creditor agent: a request to resolve',
    description:
      'POST to the registered address + `/iso20022/acmt023` (RES-2). The answer is due in the HTTP response, before the ' +
      "source's deadline, 8 s unless set otherwise (RES-1).",
    carries: { acmt023: 'acmt023-forwarded' },
    responses: {
      200: {
        description: 'An acmt.024: true with the account that was found, or false with a reason',
        content: xml({ found: 'acmt024-directory' }),
      },
      default: {
        description:
          'Anything else does not count as an answer: the same bytes are sent again after 1, 2 and 5 s, until the deadline; then the source gets AB08 (RES-1)',
      },
    },
  },
];

const toSource: readonly Webhook[] = [
  {
    ...delivered,
    operationId: 'callbackPacs002',
    summary: 'To a source operator: the final status',
    description:
      'POST to the `pacs002Endpoint` of the submission, byte for byte the same as an answer to `Prefer: wait` (PAY-1). ' +
      'Sent until received (CBK-1).',
    carries: { ACCC: 'pacs002-accc', RJCT: 'pacs002-rjct' },
  },
  {
    ...delivered,
    operationId: 'callbackAcmt024',
    summary: 'To a source operator: the answer to a resolution',
    description:
      'POST to the `acmt024Endpoint` of the request, byte for byte the same as the HTTP answer (RES-1). Sent until received (CBK-1).',
    carries: { found: 'acmt024-true', 'not found': 'acmt024-false' },
  },
];

const toFxProvider: readonly Webhook[] = [
  {
    ...delivered,
    operationId: 'notificationFxtr017',
    summary: 'To an FX provider: a trade to book',
    description:
      'POST to the address that the provider gave at onboarding, exactly one for each credited payment with a quote (NOT-1). ' +
      'Sent until received (CBK-1).',
    carries: { fxtr017: 'fxtr017' },
  },
];

const toBookkeepers: readonly Webhook[] = [
  {
    ...delivered,
    operationId: 'bookCamt054',
    summary: 'To an operator, or the owner of an account: the book of a day',
    description:
      'POST to the address that was registered for it, page by page, in any order, once for each closed day (REC-2). Sent until ' +
      'received (CBK-1).',
    carries: { camt054: 'camt054' },
  },
];

export const webhooks: readonly RouteConfig[] = [
  ...toDestination,
  ...toSource,
  ...toFxProvider,
  ...toBookkeepers,
].map(({ operationId, summary, description, query, carries, responses }) => ({
  method: 'post',
  path: operationId,
  operationId,
  summary,
  description,
  tags: ['ISO 20022'],
  security: [],
  request: {
    ...(query === undefined ? {} : { query }),
    headers: signed,
    body: { required: true, content: xml(carries) },
  },
  responses,
}));
