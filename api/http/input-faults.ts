// Puts the faults of an input into words: what it must be, and what stands there instead where that is harmless to repeat
// (SEC-4). It must not judge anything itself.
import type { z } from '@hono/zod-openapi';
import type { InputFault } from './problem.ts';

interface Judged {
  readonly error: z.ZodError;
  /** What it was judged by; undefined where it has no fields. */
  readonly shape: Readonly<Record<string, z.ZodType>> | undefined;
  readonly given: unknown;
}

/** Faults of path or query parameters. */
export function parameterFaults(judged: Judged): InputFault[] {
  return judged.error.issues.map((issue) => ({
    parameter: String(issue.path[0]),
    detail: wordsFor(issue, judged),
  }));
}

/** Faults of a JSON body; an unknown member is a fault of its own. */
export function bodyFaults(judged: Judged): InputFault[] {
  return judged.error.issues.flatMap((issue) => {
    const paths =
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    return paths.map((path) => ({ pointer: pointerTo(path), detail: wordsFor(issue, judged) }));
  });
}

function wordsFor(issue: z.core.$ZodIssue, { shape, given }: Judged): string {
  if (issue.code === 'unrecognized_keys') {
    return `unknown member; this body takes: ${Object.keys(shape ?? {}).join(', ')}`;
  }
  const value = valueAt(given, issue.path);
  const field = shape?.[String(issue.path[0])];
  if (value === undefined && issue.path.length > 0) {
    const expected = field && expectationOf(field);
    return expected === undefined ? 'missing' : `missing; ${expected}`;
  }
  if (issue.code === 'invalid_type') {
    const expected = field && expectationOf(field);
    const more = expected === undefined ? '' : `; ${expected.replace(/^must be /, '')}`;
    return `must be ${withArticle(issue.expected)}, not ${kindOf(value)}${more}`;
  }
  return `${rule(issue)}${instead(value)}`;
}

function rule(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_value'
    ? `must be one of: ${issue.values.map(String).join(', ')}`
    : issue.message; // ours: every form has words of its own
}

const never = '\u0000'; // no text of ours takes it: whoever refuses it says what would do

/** What a field takes; undefined where it takes any text and says nothing of it. */
function expectationOf(field: z.ZodType): string | undefined {
  const { description } = field;
  const [issue] = field.safeParse(never).error?.issues ?? [];
  return issue === undefined ? description && `give ${asPart(description)}` : rule(issue);
}

/** A description as a part of a sentence. */
const asPart = (text: string) => text.replace(/^[A-Z](?=[a-z])/, (one) => one.toLowerCase());

const harmless = /^[\w.,:+-]{1,36}$/; // codes, ids and amounts; nothing that a page or a log could take for more

/** `; not "sg"`, where the value may be repeated. */
function instead(value: unknown): string {
  return typeof value === 'string' && harmless.test(value) ? `; not "${value}"` : '';
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, part) =>
      typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[part] : undefined,
    given,
  );
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return withArticle(Array.isArray(value) ? 'array' : typeof value);
}

function withArticle(kind: string): string {
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}

const maxPointerParts = 32; // no body of ours is deeper; beyond that the place is told down to there

/** RFC 6901. */
export function pointerTo(path: readonly PropertyKey[]): string {
  return path
    .slice(0, maxPointerParts)
    .map((part) => `/${String(part).slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}
