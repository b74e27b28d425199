// The form of a refusal on the wire: RFC 9457 problem+json. problems.ts has the table of all problems.
import { renderJson } from '../../../core/money/money.ts';
import type { ProblemRow } from './operations-problems.ts';
import { problems, type ProblemCode } from './problems.ts';
import { baseHeaders } from '../response.ts';

/**
 * One fault of the input. Its place is in a JSON body (RFC 6901 pointer), in a message, or in a path, query
 * or header parameter.
 */
export type InputFault =
  | { readonly pointer: string; readonly detail: string }
  | { readonly xpath: string; readonly detail: string }
  | { readonly parameter: string; readonly detail: string };

export interface Problem extends ProblemOptions {
  readonly kind: 'problem';
  readonly code: ProblemCode;
  readonly detail: string;
}

export interface ProblemOptions {
  readonly detail?: string;
  readonly ruleId?: string;
  readonly errors?: readonly InputFault[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes a problem from its row of the table. `options` make it more precise. */
export function problem(code: ProblemCode, options: ProblemOptions = {}): Problem {
  const { detail, ruleId, retryAfter }: ProblemRow = problems[code];
  const headers = retryAfter === undefined ? undefined : { 'retry-after': String(retryAfter) };
  return {
    detail,
    ...(ruleId !== undefined && { ruleId }),
    ...options,
    ...(headers !== undefined && { headers: { ...headers, ...options.headers } }),
    kind: 'problem',
    code, // must come last, because the options may be a problem with another code
  };
}

/** Returns a 400 with one entry of `errors` per fault (SEC-4). */
export function invalidRequest(errors: readonly InputFault[], ruleId?: string): Problem {
  const detail = sentenceOf(errors);
  return problem('invalid-request', ruleId === undefined ? { detail, errors } : { detail, errors, ruleId });
}

/**
 * Names the place of a fault. Only a query parameter can be missing, because a path without a parameter is a
 * different path.
 */
function placeOf(fault: InputFault): string {
  if ('pointer' in fault) return fault.pointer || 'The body';
  if ('xpath' in fault) return fault.xpath;
  return fault.detail.startsWith('missing') ? `The query parameter ${fault.parameter} is` : fault.parameter;
}

/** Describes the first fault, and states how many more there are. */
function sentenceOf([first, ...more]: readonly InputFault[]): string {
  if (first === undefined) return problems['invalid-request'].detail;
  const others = more.length === 0 ? '' : ` And ${more.length} more: see errors.`;
  return `${placeOf(first)} ${first.detail}.${others}`;
}

export function isProblem(value: object | undefined): value is Problem {
  return value !== undefined && 'kind' in value && value.kind === 'problem';
}

/** Returns the stable URI of a kind of problem. */
function problemType(code: ProblemCode): string {
  return `urn:isthmus:problem:${code}`;
}

/** Returns the JSON text of a problem. */
export function problemBody(refusal: Problem): string {
  const row: ProblemRow = problems[refusal.code];
  return renderJson({
    type: problemType(refusal.code),
    title: row.title,
    status: row.status,
    detail: refusal.detail,
    code: refusal.code,
    ruleId: refusal.ruleId,
    errors: refusal.errors?.map((fault) => ({ ...fault })),
  });
}

/** Returns the status and headers of a problem, for each place that writes one. */
export function problemHead(refusal: Problem): {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
} {
  return {
    status: problems[refusal.code].status,
    headers: {
      ...baseHeaders,
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...refusal.headers,
    },
  };
}

export function renderProblem(refusal: Problem): Response {
  return new Response(problemBody(refusal), problemHead(refusal));
}
