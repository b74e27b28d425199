// Bodies, parameters and headers for the fuzzing of routes: mostly as the document wants them, with something odd in one or
// two places. Every run of a seed makes the same.
import { pick } from '../xml/generate.ts';

type Random = () => number;

/** As in the OpenAPI document. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

/** What some reader takes for something else, or cannot store. */
export const oddTexts: readonly string[] = [
  ...['', '..', '%2F', '%00', '\u0000', '\ud800', '日本', '🙂'],
  ...["'", '"', '\\', '`', '${1}', '{{1}}', "' or 1=1 --", '<script>alert(1)</script>', '../../etc/passwd'],
  ...['null', 'NaN', '__proto__', 'constructor', '0', '-1', '1e309'],
  ...['00000000-0000-0000-0000-000000000000', '6f1f3a52-9d0c-4f7e-8a43-2f4b7a1c9e01', '2026-13-01T25:61:61Z'],
  ...['9'.repeat(400), 'x'.repeat(5_000), 'http://169.254.169.254/', 'SG', 'TH', 'SGDFAST'],
];
const oddValues: readonly unknown[] = [
  ...oddTexts,
  ...[null, false, 0, -1, 1e21, Number.MAX_SAFE_INTEGER + 2, [], [null], { a: { b: {} } }],
];

/** A value that the schema describes, or nearly: with `oddity` of 0.1, one in ten of its parts is something else. */
export function valueOf(
  schema: JsonSchema,
  random: Random,
  { resolve, oddity }: { readonly resolve: (ref: string) => JsonSchema; readonly oddity: number },
  depth = 0,
): unknown {
  const next = (one: JsonSchema) => valueOf(one, random, { resolve, oddity }, depth + 1);
  if (random() < oddity || depth > 12) return pick(random, oddValues);
  if (schema.$ref !== undefined) return next(resolve(schema.$ref));
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined && schema.enum.length > 0) return pick(random, schema.enum);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives !== undefined && alternatives.length > 0) return next(pick(random, alternatives));
  if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map(next)) as unknown;
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.find((one) => one !== 'null');
  if (type === 'array') return schema.items === undefined ? [] : [next(schema.items)];
  if (type === 'object' || schema.properties !== undefined) {
    const members = Object.entries(schema.properties ?? {}).filter(
      ([name]) => schema.required?.includes(name) === true || random() < 0.5,
    );
    const extra: readonly (readonly [string, unknown])[] =
      random() < oddity ? [[pick(random, oddTexts), pick(random, oddValues)]] : [];
    return Object.fromEntries([...members.map(([name, one]) => [name, next(one)] as const), ...extra]);
  }
  if (schema.example !== undefined) return schema.example;
  if (type === 'boolean') return random() < 0.5;
  if (type === 'integer' || type === 'number') return pick(random, [0, 1, 2, 1_000_000, -1]);
  if (schema.format === 'date-time') return new Date().toISOString();
  if (schema.format === 'uuid') return '6f1f3a52-9d0c-4f7e-8a43-2f4b7a1c9e01';
  return pick(random, ['ticket 4711', 'SG', 'SGD', '25.5', 'LOTUSGS0', ...oddTexts]);
}

/** As JSON, and now and then not quite. */
export function textOf(value: unknown, random: Random): string {
  const text = JSON.stringify(value ?? null);
  if (random() < 0.9) return text;
  const at = Math.floor(random() * text.length);
  return pick(random, [
    text.slice(0, at),
    `${text}${text}`,
    text.replace('{', '{"a":1,"a":2,'),
    `${text.slice(0, at)}\u0000${text.slice(at)}`,
    '['.repeat(10_000),
    `\ufeff${text}`,
    text.replaceAll('"', "'"),
  ]);
}
