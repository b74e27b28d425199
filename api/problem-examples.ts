// Each refusal as the OpenAPI document shows it: as it is told, for an input that would be refused so.
import { invalidRequest, problem, type Problem, type ProblemCode } from './problem.ts';

/** Where it stands under `components/examples`. */
export function problemExampleName(code: ProblemCode): string {
  return `problem-${code}`;
}

/** Where the table alone would not show what is told. */
const told: Readonly<Partial<Record<ProblemCode, Problem>>> = {
  'invalid-request': invalidRequest([
    { parameter: 'sourceCountry', detail: 'must be two capital letters (ISO 3166 alpha-2)' },
  ]),
};

export function problemExample(code: ProblemCode): Problem {
  return told[code] ?? problem(code);
}
