/** Describes settings, and reads them from environment variables or files. All faults are reported at once. */
import { z } from 'zod';
import { isPort } from './setting-forms.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Setting<T = unknown, D extends Details = Details> {
  /** The name of its environment variable. */
  readonly name: string;
  /** Parses the value. Its description states the allowed values. */
  readonly form: z.ZodType<T, string>;
  readonly details: D;
}

/** The facts about a setting that docs/reference/configuration.md shows. */
export interface Details {
  readonly description: string;
  /** Used when the variable is absent or empty. */
  readonly default?: string;
  /** Whether the process refuses to start without it. */
  readonly required?: true;
  /** Whether `NAME_FILE` may name a file that holds the value, as for secrets and certificates. */
  readonly file?: true;
}

/** Settings and groups of settings, keyed by their member in the configuration. */
export interface Settings {
  readonly [member: string]: Setting | Settings;
}

type Given = { readonly default: string } | { readonly required: true };

type Members<S extends Settings, T extends S[keyof S]> = {
  readonly [Member in keyof S as S[Member] extends T ? Member : never]: S[Member] extends Setting<infer V>
    ? V
    : S[Member] extends Settings
      ? Values<S[Member]>
      : never;
};

/** The parsed values. A setting that is not set and has no default is absent. */
export type Values<S extends Settings> = Members<
  S,
  Extract<S[keyof S], Settings | Setting<unknown, Details & Given>>
> &
  Partial<Members<S, Exclude<S[keyof S], Settings | Setting<unknown, Details & Given>>>>;

/** A setting is missing or invalid. The message names the setting and states the allowed values. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

export function setting<T, const D extends Details>(
  name: string,
  form: z.ZodType<T, string>,
  details: D,
): Setting<T, D> {
  return { name, form, details };
}

/** Text that must have a form; `allowed` describes the form. */
export const text = (isFormed: (value: string) => boolean, allowed: string) =>
  z.string().refine(isFormed).describe(allowed);

/** Text that `parse` turns into a value; `parse` returns undefined if the text is malformed. */
export const parsed = <T>(parse: (value: string) => T | undefined, allowed: string) =>
  z
    .string()
    .transform((value, context) => {
      const found = parse(value);
      if (found === undefined) context.addIssue({ code: 'custom' });
      return found ?? z.NEVER;
    })
    .describe(allowed);

export const number = (low: number, high: number) =>
  parsed((value) => {
    const found = /^\d{1,9}$/.test(value) ? Number(value) : undefined;
    return found !== undefined && found >= low && found <= high ? found : undefined;
  }, `a whole number, ${low} to ${high}`);

export const list = (isFormed: (value: string) => boolean, allowed: string) =>
  parsed((value) => {
    const items: readonly string[] = value === '' ? [] : value.split(',');
    return items.every(isFormed) ? items : undefined;
  }, allowed);

export const oneOf = <const Choice extends string>(choices: readonly Choice[]) =>
  z.enum(choices).describe(choices.join(', '));

export const flag = z
  .enum(['0', '1'])
  .transform((value) => value === '1')
  .describe('0 or 1');

export const port = parsed(
  (value) => (value === '0' || isPort(value) ? Number(value) : undefined),
  'a port number, 0 to 65535',
);

const isSetting = (one: Setting | Settings): one is Setting => 'form' in one && 'details' in one;

export function settingsIn(settings: Settings): readonly Setting[] {
  return Object.values(settings).flatMap((one) => (isSetting(one) ? [one] : settingsIn(one)));
}

/**
 * Reads and parses each setting. No fault repeats a value, which may be a secret.
 * @throws ConfigurationError with a line for each fault
 */
export function read<S extends Settings>(settings: S, env: Environment): Values<S> {
  const faults: string[] = [];
  const values = valuesOf(settings, env, faults);
  assertNone(faults);
  return values as Values<S>;
}

function valuesOf(settings: Settings, env: Environment, faults: string[]): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [member, one] of Object.entries(settings)) {
    if (!isSetting(one)) {
      values[member] = valuesOf(one, env, faults);
      continue;
    }
    const text = env[one.name] || one.details.default;
    if (text === undefined && one.details.required) faults.push(notSet(one));
    if (text === undefined) continue;
    const parsed = one.form.safeParse(text);
    if (parsed.success) values[member] = parsed.data;
    else faults.push(notValid(one));
  }
  return values;
}

/** @throws ConfigurationError with a line for each fault, if there is any */
export function assertNone(faults: readonly (string | false)[]): void {
  const told = faults.filter((fault) => fault !== false);
  if (told.length > 0) throw new ConfigurationError(told.join('\n'));
}

export const notSet = ({ name, details }: Setting) => `${name} is not set: ${details.description}.`;

export const notValid = ({ name, form, details }: Setting, allowed = form.description ?? '') =>
  `${name} is not valid; expected: ${allowed}. (${details.description})`;

/**
 * Adds the contents of the files that `NAME_FILE` variables name: orchestrators pass secrets this way. White space at
 * the end of a file does not count.
 * @throws ConfigurationError if a file cannot be read, or a value is given twice
 */
export function withFilesOf(
  settings: readonly Setting[],
  env: Environment,
  readFile: (path: string) => string,
): Environment {
  const held: Record<string, string> = {};
  const faults = settings.map(({ name, details }) => {
    const path = env[`${name}_FILE`];
    if (!path) return false;
    if (!details.file) return `${name}_FILE is set, but ${name} is not read from a file.`;
    if (env[name]) return `${name} and ${name}_FILE are both set: leave one of them out.`;
    try {
      held[name] = readFile(path).trimEnd();
      return held[name] === '' && `${name}_FILE names an empty file.`;
    } catch (error) {
      // never show the path: a person may have entered the secret itself by mistake
      const { code = 'it is no file' } = error as { readonly code?: string };
      return `${name}_FILE does not name a file that can be read (${code}).`;
    }
  });
  assertNone(faults);
  return { ...env, ...held };
}
