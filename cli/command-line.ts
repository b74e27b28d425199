// The common entry of all command lines. It reads the environment, runs the named command, reports errors,
// and stops every process that the command started. It must not know what a command does.
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { Command, CommanderError } from 'commander';
import { ConfigurationError, withFilesOf, type Environment } from '../core/settings/environment-variables.ts';
import { databaseUrl } from '../core/settings/settings.ts';
import type { CommandContext, Interruption } from './command.ts';
import { cliEnvironmentVariables } from './environment.ts';
import { codeOf, explain, reasonOf, UsageError } from './errors.ts';
import { haltGuarded, killGuarded } from './parts/guard.mjs';
import { standardOutput } from './terminal.ts';

/** Adds commands to the command-line program. */
type AddCommands = (command: Command, context: CommandContext) => void;

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const root = resolve(import.meta.dirname, '..');
const terminal = standardOutput(process.env);
const env = readEnvironment();
const context: CommandContext = {
  env,
  root,
  folder: resolve(root, env['ISTHMUS_HOME'] || cliEnvironmentVariables.ISTHMUS_HOME.default),
  terminal,
  interruption: awaitSignals((line) => terminal.line(line)),
};

/** The environment; the address of the database may be in a file. */
function readEnvironment(): Environment {
  try {
    const read = withFilesOf([databaseUrl], process.env, (path) => readFileSync(path, 'utf8'));
    return { ...read, DATABASE_URL_FILE: undefined };
  } catch (error) {
    report(error);
    process.exit(2);
  }
}

/**
 * A command exits with 0 on success, 1 on failure, and 2 if the command line is invalid. `pay` can also exit
 * with 3.
 */
const misunderstood = 2; // exit code for an unknown name or value on the command line
const unheard = 141; // the exit code that a shell gives for SIGPIPE

/** False in the container image, where the user runs `isthmus` instead of npm (Dockerfile). */
const isRunByNpm = env['npm_lifecycle_event'] !== undefined;

/**
 * Returns the usage line as a user types it. Under npm it contains `--`, because npm reads all options before
 * a `--` as its own.
 */
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

/**
 * Prints one sentence for an error that the user can fix. For a defect of Isthmus, it also prints the stack.
 */
function report(error: unknown): void {
  const said = error instanceof ConfigurationError ? error.message : explain(error);
  process.stderr.write(`${terminal.paint('bad', '✗')} ${said ?? reasonOf(error)}\n`);
  if (said === undefined && error instanceof Error) process.stderr.write(`${error.stack ?? ''}\n`);
}

/**
 * Handles errors that no code awaits, such as a broken connection inside a library. It stops all processes
 * that the command started.
 */
process.on('uncaughtException', (error: unknown) => {
  if (context.interruption.isAsked()) return; // while the command is being stopped, such errors are expected
  const isUnheard = codeOf(error) === 'EPIPE'; // the reader of the output has exited, as in npm start | head
  if (!isUnheard) report(error);
  void haltGuarded().then(() => process.exit(isUnheard ? unheard : 1));
});

/**
 * Listens for signals from now on. The first signal stops all started processes before the command ends. The
 * second signal kills them at once.
 * @param say prints progress lines for the user
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
 * Refuses options that npm took, as in `npm run retention --dry-run`. npm puts options before a `--` into the
 * environment and does not pass them to the command.
 * @throws UsageError if npm took an option of the command
 */
function refuseSwallowed(commands: Command): void {
  const [name, ...args] = process.argv.slice(2);
  const command = commands.commands.find((one) => one.name() === name);
  if (command === undefined || env['npm_lifecycle_event'] !== name) return;
  const nested = command.commands.find((one) => args.includes(one.name()));
  const taken = (nested ?? command).options.filter(({ long }) => {
    const option = long?.slice(2) ?? '';
    // npm expands --to to its own option --token-description. npm also has an option --all, which a user's
    // .npmrc may set.
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
