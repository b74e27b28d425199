// The command line of `npm run demo`, `npm start`, `npm run pay` and others. cli/bootstrap.mjs starts it. It
// reads the options and calls one command; it must not know how a command works.
import type { Command } from 'commander';
import type { CommandContext } from './command.ts';
import { runCommand } from './command-line.ts';
import type { PayOptions } from './demo/pay.ts';
import { openHome } from './parts/home.ts';
import { checkDatabase } from './parts/postgres.ts';
import { assertEmbeddedPostgres } from './parts/postgres-home.ts';
import { places, where } from './demo/where.ts';

const collect = (value: string, previous: readonly string[]) => [...previous, value];

interface SystemOptions {
  readonly once?: true;
  readonly destination: readonly string[];
  readonly fxp: readonly string[];
}

/**
 * Checks the home folder and the database before any process starts.
 * @throws UserError if one of them cannot be used
 */
async function checkSurroundings({ env, folder }: CommandContext): Promise<void> {
  openHome(folder);
  const databaseUrl = env['DATABASE_URL'] ?? '';
  if (databaseUrl === '') assertEmbeddedPostgres();
  else await checkDatabase(databaseUrl);
}

function addDemo(command: Command, context: CommandContext): void {
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
      const { demo } = await import('./demo/demo.ts');
      process.exitCode = await demo(context, { ...options, plays: true, once: once === true });
    });
  withReplacements(command.command('start'))
    .description('start everything without a payment, stay up until Ctrl-C')
    .action(async (options: SystemOptions) => {
      await checkSurroundings(context);
      const { demo } = await import('./demo/demo.ts');
      process.exitCode = await demo(context, { ...options, plays: false, once: false });
    });
}

function addPay(command: Command, context: CommandContext): void {
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
    .option(
      '--currency <code>',
      'of the amount (default: the source’s). Where the destination has two, name the one to credit, as in HKD (else CNY): the amount is then in it',
    )
    .option(
      '--account <number>',
      'creditor account; its last four digits choose what the destination does',
      '...0002',
    )
    .option('--priority <HIGH|NORM>', 'HIGH has a deadline', 'NORM')
    .option('--psp <BIC>', 'debtor agent (default: LOTU<from>S0)')
    .option('--creditor-psp <BIC>', 'creditor agent (default: LOTU<to>S0)')
    .option(
      '--capped',
      'if the amount is above a maximum, pay that maximum; without this option, nothing is paid',
    )
    .option('--wait <seconds>', 'how long to wait for the final status', '60')
    .addHelpText('after', accountHelp)
    .action(async (options: Partial<PayOptions>, self: Command) => {
      requireOptions(self, ['to', 'amount']);
      const { pay } = await import('./demo/pay.ts');
      process.exitCode = await pay(context, options as PayOptions);
    });
}

/**
 * Checks that required options are present. commander's own check runs before its check for misspelt options,
 * so it would hide the real mistake.
 */
function requireOptions(command: Command, names: readonly string[]): void {
  const missing = command.options.filter(
    (one) => names.includes(one.attributeName()) && command.getOptionValue(one.attributeName()) === undefined,
  );
  if (missing.length === 0) return;
  const flags = missing.map((one) => `'${one.flags}'`).join(' and ');
  command.error(`error: required option${missing.length === 1 ? '' : 's'} ${flags} not specified`);
}

function addWhere(command: Command, context: CommandContext): void {
  command
    .command('where')
    .usage('[name]')
    .description(
      'print the addresses of the demo that runs, or one of them for a script: API=$(npm run -s where api)',
    )
    .argument('[name]', places.join(', '))
    .action((name: string | undefined) => where(context, name));
}

const accountHelp = `
Last four digits of the account, and what the destination does:
  0001  credits, and says so in the HTTP answer         0007  closes the connection unanswered, but credits
  0002  credits, and reports it 300 ms later            0008  answers 503 three times, then credits
  0003  rejects: AC04                                   0009  reports the credit three times
  0004  blocks the funds: BLCK                          0010  reports the credit, then a rejection
  0005  answers 202, then nothing                       0011  reports ACWP first, the credit 2 s later
  0006  credits, but reports after the HIGH deadline    any other: like 0002

Exit code: 0 the source got a final status (ACCC, RJCT or BLCK); 3 none within --wait, or no answer at all: the payment may still be made, so do not pay again; 1 a request was refused, or the amount is above a maximum; 2 wrong options or values.
A PSP or payment system of the demo that was given another secret: name it in ISTHMUS_CLIENT_ID, and the secret in
ISTHMUS_CLIENT_SECRET.
Put options after a --; npm keeps whatever comes before it.`;

function addData(command: Command, context: CommandContext): void {
  command
    .command('migrate')
    .usage(' ')
    .description('bring DATABASE_URL, or the embedded database, to the newest schema and write db/schema.sql')
    .action(async () => {
      const { migrateAndDump } = await import('./migrate-command.ts');
      await migrateAndDump(context);
    });
  command
    .command('retention')
    .usage('-- [options]')
    .description(
      'drop data past its retention period from DATABASE_URL, or from the database of the demo (MESSAGES_KEPT_MONTHS, RECORDS_KEPT_YEARS)',
    )
    .option('--dry-run', 'only report what would be dropped, and why other data is kept')
    .action(async ({ dryRun = false }: { readonly dryRun?: boolean }) => {
      const { onDatabase } = await import('./migrate-command.ts');
      const { retain } = await import('./retention-lines.ts');
      const { parseRetentionConfig } = await import('../core/settings/config.ts');
      await onDatabase(context, async (databaseUrl) => {
        const config = parseRetentionConfig({ ...context.env, DATABASE_URL: databaseUrl });
        const failed = await retain(config, { dryRun, say: (line) => context.terminal.line(line) });
        process.exitCode = failed === 0 ? 0 : 1;
      });
    });
  command
    .command('reset')
    .usage('-- [options]')
    .description('remove the data of the demo; the next start begins with the seed data')
    .option('--all', 'the fetched Temporal server too')
    .action(async ({ all }: { readonly all?: true }) => {
      const { resetFolder } = await import('./parts/reset.ts');
      const { removed, left } = resetFolder({ folder: context.folder, all: all === true });
      for (const path of removed) context.terminal.line(`removed ${path}`);
      for (const why of left) context.terminal.line(context.terminal.paint('warning', `! ${why}`));
      if (removed.length === 0) context.terminal.line('nothing to remove');
    });
}

function addTryImage(command: Command, context: CommandContext): void {
  command
    .command('try:image')
    .usage(' ')
    .description('build the image, start docker-compose.yml with it, make one payment, remove everything')
    .action(async () => {
      const { tryImage } = await import('./try-image.ts');
      process.exitCode = await tryImage(context);
    });
}

await runCommand([addDemo, addPay, addWhere, addData, addTryImage]);
