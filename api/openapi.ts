// The OpenAPI 3.1 document of what is served, made from the very route definitions. It must not describe anything by hand
// that a route already says.
import { z, type OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import { problems, type ProblemCode } from './problem.ts';

/** What a route answers with 200. */
export interface AnswerDocument {
  readonly description: string;
  readonly contentType?: string;
  readonly schema: z.ZodType;
  readonly example?: unknown;
}

const faultSchema = z
  .object({
    pointer: z.string().optional().openapi({ description: 'RFC 6901 pointer into the body' }),
    parameter: z.string().optional().openapi({ description: 'Path, query or header parameter' }),
    detail: z.string(),
  })
  .openapi('InputFault');

const problemSchema = z
  .object({
    type: z.string().openapi({ description: 'Stable URI of the kind of problem' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]]),
    ruleId: z.string().optional().openapi({ description: 'The rule of the service that applies' }),
    errors: z.array(faultSchema).optional(),
  })
  .openapi('Problem', { description: 'RFC 9457 problem details' });

const problemContent = { 'application/problem+json': { schema: problemSchema } };

/** Refusals that every route shares: bad input, no or bad token, wrong role, our own failures. */
const sharedProblems: readonly ProblemCode[] = [
  'invalid-request',
  'unauthenticated',
  'invalid-token',
  'forbidden',
  'internal',
  'unavailable',
];
const bodyProblems: readonly ProblemCode[] = ['payload-too-large', 'unsupported-media-type'];

/** The answer of a route and each status with which it refuses. */
export function documentResponses(
  answer: AnswerDocument,
  options: {
    readonly problems: readonly ProblemCode[];
    readonly takesBody: boolean;
    /** Whether the answer has an ETag. */
    readonly kept: boolean;
  },
): RouteConfig['responses'] {
  const codes = new Set([...sharedProblems, ...(options.takesBody ? bodyProblems : []), ...options.problems]);
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    const { status } = problems[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const refusals = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, list]) => [String(status), { description: list.join(', '), content: problemContent }]);
  return {
    200: {
      description: answer.description,
      content: {
        [answer.contentType ?? 'application/json']: {
          schema: answer.schema,
          ...(answer.example === undefined ? {} : { example: answer.example }),
        },
      },
    },
    ...(options.kept ? { 304: { description: 'Not changed since the ETag of If-None-Match' } } : {}),
    ...(Object.fromEntries(refusals) as RouteConfig['responses']),
    default: { description: 'Any other refusal', content: problemContent },
  };
}

const description = `Coordinates instant payments between national payment systems: reference data, fees, rates, quotes, and ISO 20022 submission.

Amounts and rates are exact decimals: read JSON numbers as decimals, not as binary floats.
Errors are \`application/problem+json\` (RFC 9457) with a stable \`code\` and, where one applies, the rule of the scheme (\`ruleId\`).
\`x-roles\` names who may call an operation.`;

/** The document; \`publicUrl\` is where clients reach the service. */
export function openApiDocument(app: OpenAPIHono, publicUrl: string, version: string) {
  if (!app.openAPIRegistry.definitions.some((definition) => definition.type === 'component')) {
    app.openAPIRegistry.registerComponent('securitySchemes', 'oauth2', {
      type: 'oauth2',
      description: 'Client credentials; JWT access tokens (RFC 9068)',
      flows: { clientCredentials: { tokenUrl: `${publicUrl}/oauth/token`, scopes: {} } },
    });
  }
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Isthmus',
      version,
      description,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: [
      { name: 'Reference data', description: 'Countries, currencies, address forms, institutions' },
      { name: 'Quotes', description: 'Ranked FX quotes and their intermediary agents' },
      { name: 'Fees', description: 'Fee formulas, fees and amounts' },
      { name: 'Rates', description: 'What FX providers post, and what PSPs see of it' },
      { name: 'ISO 20022', description: 'Messages between payment systems' },
      { name: 'Payments', description: 'What is on record about a payment' },
      { name: 'Service', description: 'Tokens, health, this document' },
    ],
  });
}
