// OpenAPI descriptions that all routes share: the successful answer, and each status of a refusal.
import { z, type RouteConfig } from '@hono/zod-openapi';
import { problems, type ProblemCode, whereRulesAre } from './problems/problems.ts';
import { problemExampleName } from './problems/problem-examples.ts';

/** A route's answer. */
export interface AnswerDocument {
  /** Default: 200. */
  readonly status?: 202;
  readonly description: string;
  readonly contentType?: string;
  readonly schema: z.ZodType;
  /** Schemas of other content types, by content type. */
  readonly otherContent?: Readonly<Record<string, z.ZodType>>;
  /** Names of examples in `components/examples`, by label. */
  readonly examples?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, HeaderDocument>>;
  /** Other successful statuses, without a body. */
  readonly others?: Readonly<Record<number, string>>;
}

/** A string header of an answer. */
export interface HeaderDocument {
  readonly description: string;
  readonly example?: string;
}

const faultSchema = z
  .object({
    pointer: z.string().optional().openapi({ description: 'RFC 6901 pointer into a JSON body' }),
    xpath: z.string().optional().openapi({ description: 'XPath into a message, from /Document on' }),
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

/** The content of a refusal status, with one example per problem code. */
export function problemsShown(codes: readonly ProblemCode[]) {
  const examples = Object.fromEntries(
    codes.map((code) => [code, { $ref: `#/components/examples/${problemExampleName(code)}` }]),
  );
  return { 'application/problem+json': { schema: problemSchema, examples } };
}

/**
 * Problems that every route can return: invalid input, a missing or invalid token, a wrong role, and failures
 * of the service.
 */
const sharedProblems: readonly ProblemCode[] = [
  'invalid-request',
  'unauthenticated',
  'invalid-token',
  'forbidden',
  'internal',
  'unavailable',
];
const bodyProblems: readonly ProblemCode[] = ['payload-too-large', 'unsupported-media-type'];

/** Returns the successful answer of a route, and each status of its refusals. */
export function documentResponses(
  answer: AnswerDocument,
  options: {
    readonly problems: readonly ProblemCode[];
    readonly takesBody: boolean;
    readonly example: unknown;
    /** Whether the answer is cached, and therefore has an ETag. */
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
    [answer.status ?? 200]: {
      description: answer.description,
      ...(answer.headers === undefined ? {} : { headers: documentHeaders(answer.headers) }),
      content: {
        [answer.contentType ?? 'application/json']: {
          schema: answer.schema,
          ...(options.example === undefined ? {} : { example: options.example }),
          ...(answer.examples === undefined ? {} : { examples: shownExamples(answer.examples) }),
        },
        ...Object.fromEntries(
          Object.entries(answer.otherContent ?? {}).map(([type, schema]) => [type, { schema }]),
        ),
      },
    },
    ...(Object.fromEntries(others) as RouteConfig['responses']),
    ...(options.kept ? { 304: { description: 'Not modified since the ETag in If-None-Match' } } : {}),
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

/** Returns references to examples in the OpenAPI document, by label. */
export function shownExamples(examples: Readonly<Record<string, string>>): Record<string, { $ref: string }> {
  return Object.fromEntries(
    Object.entries(examples).map(([label, name]) => [label, { $ref: `#/components/examples/${name}` }]),
  );
}
