/** How settings are described, and read from environment variables or files. All faults are told at once. */
import { z } from 'zod';

export type Environment = Readonly<Record<string, string | undefined>>;

/** As docs/reference/configuration.md lists it. */
export interface EnvironmentVariable {
  readonly description: string;
  /** Used when the variable is absent or empty. */
  readonly default?: string;
  /** Whether the process does not start without it. */
  readonly required?: true;
  /** Whether `NAME_FILE` may name a file that holds the value: secrets and certificates. */
  readonly file?: true;
  /** Its description says what is allowed. */
  readonly form?: z.ZodType<unknown, string>;
}

export type Settings = Readonly<
  Record<string, EnvironmentVariable & Required<Pick<EnvironmentVariable, 'form'>>>
>;

/** Undefined: not set, and without a default. */
export type Values<S extends Settings> = {
  readonly [Name in keyof S]:
    | z.output<S[Name]['form']>
    | (S[Name] extends { readonly default: string } | { readonly required: true } ? never : undefined);
};

/** A setting that is missing or invalid; the message names it and says what is allowed. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/**
 * Each value in its form. No fault repeats a value, which may be a secret.
 * @throws ConfigurationError with a line for each fault
 */
export function read<const S extends Settings>(settings: S, env: Environment): Values<S> {
  const given = Object.entries(settings).map(([name, one]) => [name, env[name] || one.default] as const);
  const forms = Object.entries(settings).map(
    ([name, { form, required }]) => [name, required ? form : form.optional()] as const,
  );
  const read = z.object(Object.fromEntries(forms)).safeParse(Object.fromEntries(given));
  const wrong = new Set(read.error?.issues.map(({ path }) => String(path[0])));
  const faults = [...wrong].map((name) =>
    env[name] || settings[name]?.default ? notValid(settings, name) : notSet(settings, name),
  );
  assertNone([...faults, ...misspelt(Object.keys(settings), env)]);
  return read.data as Values<S>;
}

/** @throws ConfigurationError with a line for each fault, if there is any */
export function assertNone(faults: readonly (string | false)[]): void {
  const told = faults.filter((fault) => fault !== false);
  if (told.length > 0) throw new ConfigurationError(told.join('\n'));
}

export function notSet<S extends Settings>(settings: S, name: keyof S & string): string {
  return `${name} is not set: ${settings[name]?.description ?? ''}.`;
}

export function notValid<S extends Settings>(
  settings: S,
  name: keyof S & string,
  allowed = settings[name]?.form.description ?? '',
): string {
  return `${name} is not valid; expected: ${allowed}. (${settings[name]?.description ?? ''})`;
}

const leastLetters = 8; // a short name may well be somebody else's: POST, HOSTS

function misspelt(names: readonly string[], env: Environment): readonly string[] {
  const known = names.flatMap((name) => [name, `${name}_FILE`]);
  return Object.keys(env).flatMap((name) => {
    if (known.includes(name) || name.length < leastLetters) return [];
    const meant = known.find((one) => isOneSlipFrom(name.toUpperCase(), one));
    return meant === undefined ? [] : [`${name} is not a setting; ${meant} is: correct it, or unset it.`];
  });
}

/** Equal, or one letter is missing, added, another, or in its neighbour's place. */
function isOneSlipFrom(text: string, meant: string): boolean {
  let at = 0;
  while (at < meant.length && text[at] === meant[at]) at += 1;
  const [left, right] = [text.slice(at), meant.slice(at)];
  const swapped = `${left[1] ?? ''}${left[0] ?? ''}${left.slice(2)}`;
  return [left, left.slice(1), swapped].includes(right) || [left, left.slice(1)].includes(right.slice(1));
}
