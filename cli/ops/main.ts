// Declares `npm run ops` (in the container image, `isthmus ops`), the commands of an operator. This file only
// reads the options.
import { Option, type Command } from 'commander';
import { compact } from '../../core/compact.ts';
import { isUuid } from '../../core/ids.ts';
import { addAdmin } from '../admin/main.ts';
import { addAudit } from '../audit/main.ts';
import type { CommandContext } from '../command.ts';
import { runCommand } from '../command-line.ts';
import { addSize } from '../size/main.ts';
import { listBooks } from './books.ts';
import {
  act,
  enquire,
  listAlerts,
  listParties,
  listPayments,
  listSubmissions,
  redeliverDead,
  redeliverOne,
  show,
  type Act,
  type DeadOptions,
  type ListOptions,
} from './commands.ts';
import type { JsonOption } from './connection.ts';
import { printMessage } from './message.ts';
import { listPauses, pauseOrResume } from './pause.ts';
import { settle, type SettleOptions } from './settle.ts';

const help = `
It asks the gateway at ISTHMUS_URL as the client ISTHMUS_CLIENT_ID, whose secret is in ISTHMUS_CLIENT_SECRET or in the file
ISTHMUS_CLIENT_SECRET_FILE; without ISTHMUS_URL, the demo that runs here. docs/operations/on-duty.md says what to do when.
Exit code: 0 done, 1 the gateway refused or did not answer, 2 the options were not understood.`;

function addOps(command: Command, context: CommandContext): void {
  const ops = command
    .command('ops')
    .usage('-- <command> [options]')
    .description('look at payments and alerts, and act on them, as an operator')
    .addHelpText('after', help);
  addLists(ops, context);
  addEntries(ops, context);
  addRedeliveries(ops, context);
  addDecisions(ops, context);
  addPauses(ops, context);
  addBooks(ops, context);
}

const json = new Option('--json', 'print the answer of the gateway unchanged');
const limit = new Option('--limit <number>', 'how many at most').default('50');

/** Filters of the payment list, by the name of the gateway's query parameter. */
const paymentFilters = {
  status: '<ACTC,INDOUBT,ACCC,RJCT,BLCK>',
  state: '<waiting|in-doubt|telling|dead-letter|done>',
  reasonCode: '<code>',
  corridor: '<SG-TH>',
  party: '<payment system, BIC or internalId>',
  priority: '<HIGH|NORM>',
  currency: '<code>',
  minAmount: '<amount>',
  maxAmount: '<amount>',
  uetr: '<uuid>',
  quoteId: '<uuid>',
  endToEndId: '<id>',
  messageIdentification: '<MsgId>',
  from: '<time>',
  to: '<time>',
  olderThan: '<seconds since it was judged>',
} as const;
const alertFilters = {
  state: '<open,taken,closed>',
  severity: '<alert|security>',
  kind: '<kind>',
  party: '<payment system, BIC or internalId>',
  subjectId: '<uuid>',
  takenBy: '<client>',
  from: '<time>',
  to: '<time>',
} as const;

const submissionFilters = {
  message: '<pacs008|acmt023>',
  state: '<stored,asking,answered>',
  party: '<payment system>',
  messageIdentification: '<id>',
  subjectId: '<UETR or id of a resolution>',
  from: '<time>',
  to: '<time>',
  olderThan: '<seconds>',
} as const;

const pauseFilters = { party: '<payment system, BIC or internalId>', from: '<time>', to: '<time>' } as const;

/**
 * Maps a query parameter to the option name in commander. `messageIdentification` becomes `--message-id`,
 * like MsgId in the message.
 */
const optionOf = (name: string) => (name === 'messageIdentification' ? 'messageId' : name);

/** Returns the command-line flag of a query parameter, such as `--min-amount` for `minAmount`. */
const flagOf = (name: string) =>
  `--${optionOf(name).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/**
 * Converts a UUID to lower case, as in messages. Other tools may print it in upper case (RFC 9562, section
 * 4).
 */
const asUuid = (id: string) => (isUuid(id) ? id.toLowerCase() : id);

function withFilters(command: Command, filters: Readonly<Record<string, string>>): Command {
  for (const [name, takes] of Object.entries(filters)) command.option(`${flagOf(name)} ${takes}`, '', asUuid);
  return command;
}

type Options = Readonly<Record<string, string | undefined>>;

const asked = (filters: object, options: Options): Options =>
  Object.fromEntries(Object.keys(filters).map((name) => [name, options[optionOf(name)]]));

function addLists(ops: Command, context: CommandContext): void {
  withFilters(ops.command('list'), paymentFilters)
    .description('payments, newest first')
    .addOption(limit)
    .addOption(json)
    .action((options: ListOptions & Options) =>
      listPayments(context, asked(paymentFilters, options), options),
    );
  withFilters(ops.command('submissions'), submissionFilters)
    .description(
      'submissions of payment systems, newest first: payments and resolutions, judged or not; --state stored shows those that wait for us',
    )
    .addOption(limit)
    .addOption(json)
    .action((options: ListOptions & Options) =>
      listSubmissions(context, asked(submissionFilters, options), options),
    );
  withFilters(ops.command('alerts'), alertFilters)
    .description(
      'alerts and security events, newest first; only those that are not closed, unless --state says otherwise',
    )
    .addOption(limit)
    .addOption(json)
    .action((options: ListOptions & Options) => listAlerts(context, asked(alertFilters, options), options));
  ops
    .command('parties')
    .description(
      'the state of each party: accepted and failed deliveries, open breakers, dead letters, refused signatures',
    )
    .option('--minutes <number>', 'how far back attempts are counted, up to 1440', '10')
    .addOption(json)
    .action((options: JsonOption & { readonly minutes: string }) => listParties(context, options));
  ops
    .command('show')
    .description('one payment with its messages, deliveries and attempts, or one alert')
    .argument('<id>', 'UETR, or id of an alert', asUuid)
    .addOption(json)
    .action((id: string, options: JsonOption) => show(context, id, options));
  ops
    .command('message')
    .description(
      'one message of a payment, also a refused one: exact bytes in a file, control characters escaped on a terminal',
    )
    .argument('<uetr>', '', asUuid)
    .argument('<id>', 'MsgId, or the id of a message that does not count, as `ops show <uetr>` prints it')
    .action((uetr: string, id: string) => printMessage(context, { uetr, id }));
}

const collect = (value: string, previous: readonly string[] = []) => [...previous, value];

interface EntryOptions extends JsonOption {
  readonly note?: string;
  readonly kind?: readonly string[];
  readonly all?: true;
  readonly seen?: string;
}

function addEntries(ops: Command, context: CommandContext): void {
  for (const [action, description] of [
    ['take', 'take care of an alert, or of a payment with all its alerts'],
    ['note', 'add a note'],
    [
      'close',
      'close an alert, or a payment with its alerts: --seen names the last alert that you have looked at; if its open alerts are of several kinds, --kind names those to close',
    ],
    ['reopen', 'open a closed alert or payment again'],
  ] as const) {
    const command = ops
      .command(action)
      .description(description)
      .argument('<id>', 'id of an alert, or UETR', asUuid)
      .option(
        '--note <text>',
        action === 'take'
          ? 'why, if you take it over from somebody; no names, no accounts'
          : 'needed: in your words; no names, no accounts',
      )
      .addOption(json)
      .action((id: string, { note, kind: kinds, all, seen, ...options }: EntryOptions) =>
        act(context, compact<Act>({ action, id, note, kinds, all, seen }), options),
      );
    if (action === 'close') {
      command
        .option('--kind <kind>', 'of a payment, its alerts of that kind only; repeatable', collect)
        .option('--all', 'of a payment, its alerts of every kind')
        .option('--seen <id>', 'of a payment, its last alert that you have looked at: later ones stay open');
    }
  }
}

interface Kinds {
  readonly kind: readonly string[];
}

function addRedeliveries(ops: Command, context: CommandContext): void {
  const kind = new Option('--kind <callback|confirmation|notification|book>', 'repeatable')
    .argParser(collect)
    .default([] as readonly string[]);
  ops
    .command('redeliver')
    .description(
      'deliver the messages of one payment again that were not taken; with --kind, also those that were',
    )
    .argument('<uetr>', '', asUuid)
    .addOption(kind)
    .addOption(json)
    .action((uetr: string, { kind: kinds, ...options }: JsonOption & Kinds) =>
      redeliverOne(context, { uetr, kinds }, options),
    );
  ops
    .command('redeliver-dead')
    .description('deliver dead letters again: names them, and delivers them with --yes')
    .addOption(kind)
    .option('--party <payment system, BIC or internalId>', 'of the receiver')
    .option('--reason <gone|expired>', 'gone: 410; expired: 72 hours')
    .option('--limit <number>', 'how many at most, up to 1000', '100')
    .option('--yes', 'deliver them')
    .addOption(json)
    .action(({ kind: kinds, ...options }: Omit<DeadOptions, 'kinds'> & Kinds) =>
      redeliverDead(context, { ...options, kinds }),
    );
}

function addDecisions(ops: Command, context: CommandContext): void {
  ops
    .command('enquire')
    .description('ask the destination of a payment now how it stands')
    .argument('<uetr>', '', asUuid)
    .addOption(json)
    .action((uetr: string, options: JsonOption) => enquire(context, uetr, options));
  ops
    .command('settle')
    .description('record how a payment in doubt ended: one operator records the outcome, another confirms it')
    .argument('<uetr>', '', asUuid)
    .option('--status <ACCC|RJCT|BLCK>', 'record this outcome')
    .option('--reason <code>', 'of the destination, as in AC04; RJCT needs one')
    .option('--evidence <text>', 'how you know: who said it, when, by which reference; no names, no accounts')
    .option('--confirm <ACCC|RJCT|BLCK>', 'confirm what somebody else recorded: the payment is decided')
    .option('--outcome <id>', 'with --confirm: id of the outcome whose evidence you have read (ops show)')
    .option('--withdraw <text>', 'take back an unconfirmed outcome; say why')
    .addOption(json)
    .action((uetr: string, options: SettleOptions) => settle(context, uetr, options));
}

function addPauses(ops: Command, context: CommandContext): void {
  for (const [what, description] of [
    [
      'pause',
      'stop new payments to a payment system, or quotes from an FX provider; payments under way go on',
    ],
    ['resume', 'end the pause of a party'],
  ] as const) {
    ops
      .command(what)
      .description(description)
      .argument('<party>', 'payment system, or BIC of the FX provider')
      .option('--because <text>', 'why, in your words')
      .addOption(json)
      .action((party: string, { because, ...options }: JsonOption & { readonly because?: string }) =>
        pauseOrResume(context, what, { party, because, ...options }),
      );
  }
  withFilters(ops.command('pauses'), pauseFilters)
    .description('pauses of parties, past and present: by whom, when and why; newest first')
    .addOption(limit)
    .addOption(json)
    .action((options: ListOptions & Options) => listPauses(context, asked(pauseFilters, options), options));
}

function addBooks(ops: Command, context: CommandContext): void {
  ops
    .command('books')
    .description('the books of a day that are sent: receivers and state')
    .option('--date <YYYY-MM-DD>', 'a day that is over, UTC; default: yesterday')
    .addOption(json)
    .action((options: JsonOption & { readonly date?: string }) => listBooks(context, options));
}

await runCommand([addOps, addAdmin, addAudit, addSize]);
