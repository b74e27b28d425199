// Describes the faults of an input: the expected form, and the received value if it is safe to repeat.
import type { z } from '@hono/zod-openapi';
import type { InputFault } from './problem.ts';

interface FaultyInput {
  readonly error: z.ZodError;
  /** The fields of the input's schema; undefined if it has none. */
  readonly shape: Readonly<Record<string, z.ZodType>> | undefined;
  readonly given: unknown;
}

/** Returns the faults of path or query parameters. */
export function parameterFaults(input: FaultyInput): InputFault[] {
  return input.error.issues.map((issue) => ({
    parameter: String(issue.path[0]),
    detail: wordsFor(issue, input),
  }));
}

/** Returns the first faults of a JSON body. Each unknown member is a separate fault. */
export function bodyFaults(input: FaultyInput, most: number): InputFault[] {
  const faults = input.error.issues.slice(0, most).flatMap((issue) => {
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, most) : undefined;
    const paths = unknown?.map((key) => [...issue.path, key]) ?? [issue.path];
    return paths.map((path) => ({ pointer: pointerTo(path), detail: wordsFor(issue, input) }));
  });
  return faults.slice(0, most);
}

function wordsFor(issue: z.core.$ZodIssue, { shape, given }: FaultyInput): string {
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
  const { code, message } = issue;
  if (code === 'invalid_value') return `must be one of: ${issue.values.map(String).join(', ')}`;
  if (code === 'too_small') return bound(issue.origin, 'at least', issue.minimum);
  if (code === 'too_big') return bound(issue.origin, 'at most', issue.maximum);
  return message; // safe to show, because each custom check of this project has its own text
}

const counted: Readonly<Partial<Record<string, string>>> = { string: 'character', array: 'item' };

/** Returns a text such as `must have at least 1 character`, or `must be at most 1000`. */
function bound(origin: string, which: 'at least' | 'at most', limit: number | bigint): string {
  const unit = counted[origin];
  return unit === undefined
    ? `must be ${which} ${limit}`
    : `must have ${which} ${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`;
}

const never = '\u0000'; // no field accepts it, so the error says what is expected

/** Describes the values that a field accepts; undefined if it accepts any text and has no description. */
function expectationOf(field: z.ZodType): string | undefined {
  const { description } = field;
  const [issue] = field.safeParse(never).error?.issues ?? [];
  return issue === undefined ? description && `give ${asPart(description)}` : rule(issue);
}

/** Makes a description usable inside a sentence: lower-case first letter. */
const asPart = (text: string) => text.replace(/^[A-Z](?=[a-z])/, (one) => one.toLowerCase());

const harmless = /^[\w.,:+-]{1,36}$/; // codes, ids and amounts; neither a page nor a log can interpret them

/** Returns text such as `; not "sg"`, or an empty text if the value must not be repeated. */
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
  if (value === Infinity || value === -Infinity) return 'one as large as this'; // a number such as 1e400
  return withArticle(Array.isArray(value) ? 'array' : typeof value);
}

function withArticle(kind: string): string {
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}

const maxPointerParts = 32; // valid bodies are not deeper; a longer pointer is cut

/** Returns the JSON pointer (RFC 6901) of a path. */
export function pointerTo(path: readonly PropertyKey[]): string {
  return path
    .slice(0, maxPointerParts)
    .map((part) => `/${String(part).slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}
