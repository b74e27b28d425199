// Shared by all our command lines: reads the environment, finds the command, reports errors, and leaves nothing
// running. It must not know what a command does.
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { Command, CommanderError } from 'commander';
import { ConfigurationError } from '../core/settings/environment-variables.ts';
import type { CommandContext, Interruption } from './command.ts';
import { cliEnvironmentVariables } from './environment.ts';
import { codeOf, explain, reasonOf, UsageError } from './errors.ts';
import { haltGuarded, killGuarded } from './parts/guard.mjs';
import { standardOutput } from './terminal.ts';

/** Declares commands. */
type AddCommands = (command: Command, context: CommandContext) => void;

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const root = resolve(import.meta.dirname, '..');
const { env } = process;
const terminal = standardOutput(env);
const context: CommandContext = {
  env,
  root,
  folder: resolve(root, env['ISTHMUS_HOME'] || cliEnvironmentVariables.ISTHMUS_HOME.default),
  terminal,
  interruption: awaitSignals((line) => terminal.line(line)),
};

/** Exit codes: 0 success, 1 failure, 2 the command line is not understood. `pay` has one more. */
const misunderstood = 2; // an unknown name or value
const unheard = 141; // the exit code that a shell gives for SIGPIPE

/** False in an image, where the command is `isthmus` (Dockerfile). */
const isRunByNpm = env['npm_lifecycle_event'] !== undefined;

/** Usage as a person types it: npm takes options before a `--` for itself. */
function usageOf(command: Command): string {
  const names: string[] = [];
  for (let one: Command | null = command; one !== null; one = one.parent) names.unshift(one.name());
  const [program = '', name = '', ...nested] = names;
  const parts = isRunByNpm ? [program, name, ...(nested.length === 0 ? [] : ['--', ...nested])] : names;
  const usage = isRunByNpm ? command.usage() : command.usage().replace(/^-- /, '');
  return [...parts, usage].join(' ');
}

function program(parts: readonly AddCommands[]): Command {
  const [name, dashes] = isRunByNpm ? ['npm run', '-- '] : ['isthmus', ''];
  const command = new Command(name)
    .description(
      `Isthmus: cross-border instant payments.${isRunByNpm ? ' Each command is an npm script.' : ''}`,
    )
    .configureHelp({ commandUsage: usageOf })
    .showHelpAfterError(`Run the command with ${dashes}--help to see its options.`)
    .exitOverride();
  for (const add of parts) add(command, context);
  return command;
}

/** Prints one sentence for an error that the user can fix; for our own defects, the stack too. */
function report(error: unknown): void {
  const said = error instanceof ConfigurationError ? error.message : explain(error);
  process.stderr.write(`${terminal.paint('bad', '✗')} ${said ?? reasonOf(error)}\n`);
  if (said === undefined && error instanceof Error) process.stderr.write(`${error.stack ?? ''}\n`);
}

/**
 * Errors that nothing awaited, such as a broken connection inside a library. Everything that was started is stopped.
 */
process.on('uncaughtException', (error: unknown) => {
  if (context.interruption.isAsked()) return; // connections break while the command is being stopped
  const isUnheard = codeOf(error) === 'EPIPE'; // the reader of our output has gone, as in npm start | head
  if (!isUnheard) report(error);
  void haltGuarded().then(() => process.exit(isUnheard ? unheard : 1));
});

/**
 * Listens for signals from now on. Everything that was started is stopped before the command ends.
 * @param say tells a person, once, that everything is being stopped
 */
function awaitSignals(say: (line: string) => void): Interruption {
  let onAsked: ((exitCode: number) => void) | undefined;
  let count = 0;
  let stopping: Promise<void> | undefined;

  async function stopAll(code: number): Promise<void> {
    say('▶ Stopping what was started, if anything (Ctrl-C again ends everything at once)');
    await haltGuarded();
    say('✓ Stopped');
    process.exit(code);
  }

  for (const signal of signals) {
    process.on(signal, () => {
      const code = 128 + constants.signals[signal]; // the exit code that a shell gives
      count += 1;
      if (count > 1) {
        killGuarded();
        process.exit(code);
      }
      if (onAsked === undefined) stopping = stopAll(code);
      else onAsked(code);
    });
  }
  return {
    handTo: (listener) => (onAsked = listener),
    isAsked: () => count > 0,
    letStop: () => stopping ?? Promise.resolve(),
  };
}

/**
 * npm puts options before a `--` into the environment and passes nothing on, as in `npm run retention --dry-run`.
 * @throws UsageError before anything is started
 */
function refuseSwallowed(commands: Command): void {
  const [name, ...args] = process.argv.slice(2);
  const command = commands.commands.find((one) => one.name() === name);
  if (command === undefined || env['npm_lifecycle_event'] !== name) return;
  const nested = command.commands.find((one) => args.includes(one.name()));
  const taken = (nested ?? command).options.filter(({ long }) => {
    const option = long?.slice(2) ?? '';
    // npm expands --to to its own --token-description; its own --all may come from a person's .npmrc
    const key = option === 'to' ? 'token_description' : option.replaceAll('-', '_');
    const isWritten = args.some((one) => one.split('=')[0] === long);
    return option !== 'all' && !isWritten && (env[`npm_config_${key}`] ?? '') !== '';
  });
  if (taken.length === 0) return;
  const written = [...(nested === undefined ? [] : [nested.name()]), ...taken.map(({ flags }) => flags)];
  throw new UsageError(
    `npm took options for itself, because it reads whatever comes before a --. Write: npm run ${name} -- ${written.join(' ')}`,
  );
}

/** Runs the command that the command line names, then ends the process with its exit code. */
export async function runCommand(parts: readonly AddCommands[]): Promise<never> {
  try {
    const commands = program(parts);
    refuseSwallowed(commands);
    await commands.parseAsync();
  } catch (error) {
    await context.interruption.letStop();
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : misunderstood;
    else {
      report(error);
      process.exitCode = error instanceof UsageError ? misunderstood : 1;
    }
  }
  await context.interruption.letStop();
  // Exit even if a library still holds a handle, but first let a slow reader receive all output.
  const streams = [process.stdout, process.stderr];
  const areTaken = streams.map((stream) => new Promise((taken) => stream.write('', taken)));
  if (!context.interruption.isAsked()) await Promise.all(areTaken);
  process.exit();
}
