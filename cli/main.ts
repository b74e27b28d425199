// The command line: `npm run demo`, `npm start`, `npm run pay` and the others end up here, through cli/bootstrap.mjs.
// It reads the environment and the options, and hands over to one command; it must not know how a command works.
import { appendFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, CommanderError } from 'commander';
import { ConfigurationError } from '../core/config.ts';
import type { CommandContext } from './command.ts';
import type { PayOptions } from './pay.ts';
import { cliEnvironmentVariables } from './environment.ts';
import { codeOf, explain, reasonOf, UsageError } from './errors.ts';
import { awaitSignals } from './interruption.ts';
import { haltGuarded } from './parts/guard.mjs';
import { checkSurroundings } from './surroundings.ts';
import { hintOfSwallowed } from './swallowed.ts';
import { standardOutput } from './terminal.ts';
import { places } from './places.ts';

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

/** Exit codes: 0 all went well, 1 it did not, 2 the command line is not understood; `pay` has one more. */
const misunderstood = 2; // a name or a value
const unheard = 141; // as a shell counts SIGPIPE

function program(): Command {
  const command = new Command('npm run')
    .description('Isthmus: cross-border instant payments. Each command is an npm script.')
    .showHelpAfterError('Run the command with -- --help to see what it takes.')
    .exitOverride();
  addDemo(command);
  addPay(command);
  addWhere(command);
  addData(command);
  return command;
}

const collect = (value: string, previous: readonly string[]) => [...previous, value];

interface SystemOptions {
  readonly once?: true;
  readonly destination: readonly string[];
  readonly fxp: readonly string[];
}

function addDemo(command: Command): void {
  const withReplacements = (one: Command) =>
    one
      .usage('-- [options]')
      .option(
        '--destination <country=address>',
        'your own destination operator instead of the sandbox, e.g. MY=http://127.0.0.1:9000; repeatable',
        collect,
        [],
      )
      .option(
        '--fxp <BIC=address>',
        'your own FX provider instead of the sandbox, e.g. MERISGS0=http://127.0.0.1:9001; repeatable',
        collect,
        [],
      );
  withReplacements(command.command('demo'))
    .description('start everything, play one payment step by step, stay up until Ctrl-C')
    .option('--once', 'end after the payment: exit code 0 when every step went well, else 1')
    .action(async ({ once, ...options }: SystemOptions) => {
      await checkSurroundings(context);
      const { demo } = await import('./demo.ts');
      process.exitCode = await demo(context, { ...options, plays: true, once: once === true });
    });
  withReplacements(command.command('start'))
    .description('the same without the payment')
    .action(async (options: SystemOptions) => {
      await checkSurroundings(context);
      const { demo } = await import('./demo.ts');
      process.exitCode = await demo(context, { ...options, plays: false, once: false });
    });
}

function addPay(command: Command): void {
  command
    .command('pay')
    .usage('-- [options]')
    .description('make one payment against the demo that runs')
    .option('--from <country>', 'source country', 'SG')
    .option('--to <country>', 'destination country; required')
    .option(
      '--amount <amount>',
      'what is sent, or what is credited when --currency is the destination’s; required',
    )
    .option('--currency <code>', 'currency of the amount (default: the source’s)')
    .option(
      '--account <number>',
      'creditor account; its last four digits choose what the destination does',
      '...0002',
    )
    .option('--priority <HIGH|NORM>', 'HIGH has a deadline', 'NORM')
    .option('--psp <BIC>', 'debtor agent (default: LOTU<from>S0)')
    .option('--creditor-psp <BIC>', 'creditor agent (default: LOTU<to>S0)')
    .option('--wait <seconds>', 'how long to wait for the final status', '60')
    .addHelpText('after', accountHelp)
    .action(async (options: Partial<PayOptions>, self: Command) => {
      requireOptions(self, ['to', 'amount']);
      const { pay } = await import('./pay.ts');
      process.exitCode = await pay(context, options as PayOptions);
    });
}

/** Not commander's own check, which comes before the one for misspelt options, and so would hide what is wrong. */
function requireOptions(command: Command, names: readonly string[]): void {
  const missing = command.options.filter(
    (one) => names.includes(one.attributeName()) && command.getOptionValue(one.attributeName()) === undefined,
  );
  if (missing.length === 0) return;
  const flags = missing.map((one) => `'${one.flags}'`).join(' and ');
  command.error(`error: required option${missing.length === 1 ? '' : 's'} ${flags} not specified`);
}

function addWhere(command: Command): void {
  command
    .command('where')
    .usage('[name]')
    .description(
      'print the addresses of the demo that runs, or one of them for a script: API=$(npm run -s where api)',
    )
    .argument('[name]', places.join(', '))
    .action(async (name: string | undefined) => {
      const { where } = await import('./where.ts');
      await where(context, name);
    });
}

const accountHelp = `
Last four digits of the account, and what the destination does:
  0001  credits, and says so in the HTTP answer         0007  cuts the connection after reading, yet credits
  0002  credits, and reports it 300 ms later            0008  answers 503 three times, then credits
  0003  rejects: AC04                                   0009  reports the credit three times
  0004  blocks the funds: BLCK                          0010  reports the credit, then a rejection
  0005  answers 202 and never more                      0011  reports ACWP first, the credit 2 s later
  0006  credits, but reports after the HIGH deadline    any other: like 0002

Exit code: 0 a final status was told (ACCC, RJCT or BLCK); 3 none within --wait; 1 a request was refused; 2 wrong options or values.
Options come after a --; npm keeps what stands before it.`;

function addData(command: Command): void {
  command
    .command('migrate')
    .usage(' ')
    .description('bring DATABASE_URL, or the embedded database, to the newest schema and write db/schema.sql')
    .action(async () => {
      const { migrateAndDump } = await import('./migrate-command.ts');
      await migrateAndDump(context);
    });
  command
    .command('reset')
    .usage('-- [options]')
    .description('remove the data of the demo; the next start begins with the seed data')
    .option('--all', 'the fetched Temporal server too')
    .action(async ({ all }: { readonly all?: true }) => {
      const { resetFolder } = await import('./parts/reset.ts');
      const removed = await resetFolder({ folder: context.folder, all: all === true });
      for (const path of removed) context.terminal.line(`removed ${path}`);
      if (removed.length === 0) context.terminal.line('nothing to remove');
    });
  command
    .command('bench')
    .usage('-- <name> [options]')
    .description('measure: payments, xml, quotes; bench/README.md says what each one does')
    .argument('[name]')
    .argument('[options...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (name: string | undefined, options: readonly string[]) => {
      const { bench } = await import('./bench-command.ts');
      process.exitCode = await bench(context, name, options);
    });
}

/** What a person can mend is told in a sentence; a fault of ours too, with its stack in a file for whoever mends the code. */
function report(error: unknown): void {
  const said = error instanceof ConfigurationError ? error.message : explain(error);
  process.stderr.write(`${terminal.paint('bad', '✗')} ${said ?? reasonOf(error)}\n`);
  if (said !== undefined) return;
  process.stderr.write(`  This should not have happened; ${keepDetails(error)} says more.\n`);
}

/** @returns path of the file that has the stack */
function keepDetails(error: unknown): string {
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  for (const folder of [context.folder, tmpdir()]) {
    const path = join(folder, 'error.log');
    try {
      appendFileSync(path, `${new Date().toISOString()} ${process.argv.slice(2).join(' ')}\n${details}\n`);
      return path;
    } catch {
      // another place, then
    }
  }
  return details;
}

/** What nobody waited for: a connection of a library that broke, for example. Nothing is left running behind it. */
process.on('uncaughtException', (error: unknown) => {
  if (context.interruption.isAsked()) return; // it is being stopped, and connections break
  const isUnheard = codeOf(error) === 'EPIPE'; // whoever read our output has gone, as in npm start | head
  if (!isUnheard) report(error);
  void haltGuarded().then(() => process.exit(isUnheard ? unheard : 1));
});

/** @throws UsageError before anything is started */
function refuseSwallowed(commands: Command): void {
  const [name, ...args] = process.argv.slice(2);
  const command = commands.commands.find((one) => one.name() === name);
  const hint = command && hintOfSwallowed(command, { env, args });
  if (hint !== undefined) throw new UsageError(hint);
}

try {
  const commands = program();
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
// Whatever a library still holds open must not keep a command from ending.
process.exit();
