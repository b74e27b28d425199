// Options that npm took for itself: what stands before the `--` of `npm run pay --to MY` is npm's, which puts it into
// the environment and hands over nothing, or a value without its option. Ignored without a word, it would be another
// command.
import type { Command } from 'commander';
import type { Environment } from '../core/settings/environment-variables.ts';

/** npm takes the beginning of one of its own options for that option: `--to` for `--token-description`. */
const expanded: Readonly<Record<string, string>> = { to: 'token_description' };

/** npm has some of these names too: what is set in a person's .npmrc was not typed here. */
const npmsOwn: ReadonlySet<string> = new Set(['all']);

/** @returns how to write it instead; undefined when npm took nothing of this command's */
export function hintOfSwallowed(
  command: Command,
  {
    env,
    args,
    nested,
  }: { readonly env: Environment; readonly args: readonly string[]; readonly nested?: Command | undefined },
): string | undefined {
  if (env['npm_lifecycle_event'] !== command.name()) return undefined; // not by npm, or by a script of another name
  const isTaken = (name: string) =>
    [name.replaceAll('-', '_'), expanded[name] ?? ''].some((key) => (env[`npm_config_${key}`] ?? '') !== '');
  const taken = (nested ?? command).options.filter(({ long }) => {
    const name = long?.slice(2) ?? '';
    const isWritten = args.some((one) => one === `--${name}` || one.startsWith(`--${name}=`));
    return name !== '' && !isWritten && !npmsOwn.has(name) && isTaken(name);
  });
  if (taken.length === 0) return undefined;
  const names = taken.map(({ long }) => long).join(', ');
  const whole = taken.map(({ flags }) => flags).join(' ');
  const written = nested === undefined ? '' : `${nested.name()} `;
  return `npm took ${names} for itself, because npm reads whatever comes before a --. Write: npm run ${command.name()} -- ${written}${whole}`;
}
