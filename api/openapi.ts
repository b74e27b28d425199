// The OpenAPI 3.1 document of what is served, made from the very route definitions. It must not describe anything by hand
// that a route already says.
import { z, type OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import { messageExamples, readExample, shownExamples, type MessageExample } from './examples.ts';
import { problemBody, problems, type ProblemCode, whereRulesAre } from './problem.ts';
import { problemExample, problemExampleName } from './problem-examples.ts';
import { webhooks } from './webhooks.ts';

/** What a route answers with 200. */
export interface AnswerDocument {
  readonly description: string;
  readonly contentType?: string;
  readonly schema: z.ZodType;
  readonly example?: unknown;
  /** Messages, each under a name of its own. */
  readonly examples?: Readonly<Record<string, MessageExample>>;
  readonly headers?: Readonly<Record<string, HeaderDocument>>;
  /** Other successes, which have no body. */
  readonly others?: Readonly<Record<number, string>>;
}

/** A header of an answer; a string. */
export interface HeaderDocument {
  readonly description: string;
  readonly example?: string;
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
    ruleId: z
      .string()
      .optional()
      .openapi({ description: `The rule that applies. ${whereRulesAre}`, example: 'PAY-4' }),
    errors: z.array(faultSchema).optional(),
  })
  .openapi('Problem', { description: 'RFC 9457 problem details' });

const problemContent = { 'application/problem+json': { schema: problemSchema } };

/** The same with an example per code, so that none is shown that this status never has. */
function problemsShown(codes: readonly ProblemCode[]) {
  const examples = Object.fromEntries(
    codes.map((code) => [code, { $ref: `#/components/examples/${problemExampleName(code)}` }]),
  );
  return { 'application/problem+json': { schema: problemSchema, examples } };
}

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
    .map(([status, list]) => [
      String(status),
      { description: list.join(', '), content: problemsShown(list) },
    ]);
  const others = Object.entries(answer.others ?? {}).map(([status, text]) => [status, { description: text }]);
  return {
    200: {
      description: answer.description,
      ...(answer.headers === undefined ? {} : { headers: documentHeaders(answer.headers) }),
      content: {
        [answer.contentType ?? 'application/json']: {
          schema: answer.schema,
          ...(answer.example === undefined ? {} : { example: answer.example }),
          ...(answer.examples === undefined ? {} : { examples: shownExamples(answer.examples) }),
        },
      },
    },
    ...(Object.fromEntries(others) as RouteConfig['responses']),
    ...(options.kept ? { 304: { description: 'Not changed since the ETag of If-None-Match' } } : {}),
    ...(Object.fromEntries(refusals) as RouteConfig['responses']),
    default: { description: 'Any other refusal', content: problemContent },
  };
}

function documentHeaders(headers: Readonly<Record<string, HeaderDocument>>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, { description: text, example }]) => [
      name,
      {
        description: text,
        schema: { type: 'string' as const },
        ...(example === undefined ? {} : { example }),
      },
    ]),
  );
}

const description = `Coordinates instant payments between national payment systems: reference data, fees, rates, quotes, and ISO 20022 submission.

Amounts and rates are exact decimals: read JSON numbers as decimals, not as binary floats.
Errors are \`application/problem+json\` (RFC 9457) with a stable \`code\` and, where one applies, the rule (\`ruleId\`), whose text is at \`/rules/{ruleId}\`.
\`x-roles\` names who may call an operation. \`webhooks\` are the messages that Isthmus sends to each party, and what it may answer.`;

/** Under `components`, once each: many operations show them. */
function registerExamples(registry: OpenAPIHono['openAPIRegistry']): void {
  for (const [name, summary] of Object.entries(messageExamples)) {
    registry.registerComponent('examples', name, { summary, value: readExample(name as MessageExample) });
  }
  for (const code of Object.keys(problems) as ProblemCode[]) {
    const value: unknown = JSON.parse(problemBody(problemExample(code)));
    registry.registerComponent('examples', problemExampleName(code), {
      summary: problems[code].title,
      value,
    });
  }
}

/** The document; `publicUrl` is where clients reach the service. */
export function openApiDocument(app: OpenAPIHono, publicUrl: string, version: string) {
  if (!app.openAPIRegistry.definitions.some((definition) => definition.type === 'component')) {
    app.openAPIRegistry.registerComponent('securitySchemes', 'oauth2', {
      type: 'oauth2',
      description: 'Client credentials; JWT access tokens (RFC 9068)',
      flows: { clientCredentials: { tokenUrl: `${publicUrl}/oauth/token`, scopes: {} } },
    });
    registerExamples(app.openAPIRegistry);
    for (const webhook of webhooks) app.openAPIRegistry.registerWebhook(webhook);
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
