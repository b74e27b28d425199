// OpenAPI descriptions of bodies, headers and examples, for the routes with ISO 20022 messages.
import { z } from '@hono/zod-openapi';
import type { MessageExample } from '../examples.ts';
import type { ProblemCode } from '../http/problems/problems.ts';
import { shownExamples, type AnswerDocument } from '../http/openapi.ts';

const wholeMessage = z.string().openapi({ description: 'The whole message' });

/** Describes the request body of a route that accepts a message. */
function takes(examples: Readonly<Record<string, MessageExample>>) {
  return {
    body: {
      required: true,
      content: { 'application/xml': { schema: wholeMessage, examples: shownExamples(examples) } },
    },
  };
}

const rejectionHeader = {
  'Isthmus-Rejection': {
    description: 'If the gateway itself refuses: rule, place and reason in full (MSG-13)',
    example: 'PAY-4 CdtTrfTxInf/AgrdRate/QtId: quote expired',
  },
} as const;

const preferHeader = z.object({
  Prefer: z.string().optional().openapi({
    description:
      'RFC 7240: `wait=N` lets the answer wait up to N seconds, at most 30, for the final status (PAY-1); anything else is ignored',
    example: 'wait=10',
  }),
});

/** Problems of every route that accepts a message of a source. */
export const submissionProblems = [
  'message-refused',
  'callback-address-refused',
  'callback-address-changed',
  'too-many-bytes',
  'payload-too-large',
  'unsupported-media-type',
  'message-not-kept',
  'message-changed',
] as const satisfies readonly ProblemCode[];

export const submissionDocument = {
  request: { headers: preferHeader, ...takes({ pacs008: 'pacs008' }) },
  answer: {
    description: 'A pacs.002.001.15: ACTC, or the final status',
    contentType: 'application/xml',
    schema: wholeMessage,
    examples: { ACTC: 'pacs002-actc', RJCT: 'pacs002-rjct', ACCC: 'pacs002-accc' },
    headers: {
      'Preference-Applied': { description: 'RFC 7240: `wait`, if it was requested', example: 'wait' },
      ...rejectionHeader,
    },
  },
} as const satisfies MessageDocument;

export const reportDocument = {
  request: takes({
    ACCC: 'pacs002-report-accc',
    RJCT: 'pacs002-report-rjct',
    ACWP: 'pacs002-report-acwp',
  }),
  answer: {
    description: 'A pacs.002.001.15 that confirms the decision, which may differ from the report (PAY-9)',
    contentType: 'application/xml',
    schema: wholeMessage,
    examples: { ACCC: 'pacs002-confirmation-accc', RJCT: 'pacs002-confirmation-rjct' },
    headers: {
      'Isthmus-Contradiction': {
        description: 'If the decision is another than the final status that was reported (PAY-7)',
        example:
          'PAY-7 the final status of this payment is ACCC; your RJCT changes nothing, and an operator is told',
      },
    },
    others: { 202: 'An interim status was received; the final one is still due' },
  },
} as const satisfies MessageDocument;

export const resolutionDocument = {
  request: takes({ acmt023: 'acmt023' }),
  answer: {
    description: 'An acmt.024.001.04',
    contentType: 'application/xml',
    schema: wholeMessage,
    examples: { found: 'acmt024-true', 'not found': 'acmt024-false' },
    headers: rejectionHeader,
  },
} as const satisfies MessageDocument;

/** The request body of the dry run, which accepts any message. */
export const anyMessage = takes({
  'pacs.008': 'pacs008',
  'acmt.023': 'acmt023',
  'pacs.002': 'pacs002-report-accc',
  'pacs.028': 'pacs028',
});

export const notificationAnswer = {
  description: 'A page of a camt.054.001.11',
  contentType: 'application/xml',
  schema: wholeMessage,
  examples: { page: 'camt054' },
} as const satisfies MessageAnswer;

export const storedMessageAnswer = {
  description: 'The message',
  contentType: 'application/xml',
  schema: wholeMessage,
  otherContent: {
    'application/octet-stream': z.string().openapi({ format: 'binary', description: 'What was refused' }),
  },
  examples: { received: 'pacs008', forwarded: 'pacs008-forwarded', told: 'pacs002-accc' },
  headers: {
    ETag: { description: 'SHA-256 of the bytes, hexadecimal' },
    'Repr-Digest': { description: 'The same in the form of RFC 9530' },
  },
} as const satisfies MessageAnswer;

interface MessageDocument {
  readonly request: ReturnType<typeof takes> & { readonly headers?: z.ZodObject };
  readonly answer: MessageAnswer;
}

/** An answer whose examples are names in MessageExample, so that the compiler checks that each one exists. */
type MessageAnswer = AnswerDocument & { readonly examples: Readonly<Record<string, MessageExample>> };
