// `npm run ops` (through cli/bootstrap.mjs) and, in an image, `isthmus ops`: an operator's commands. This file only
// reads the options.
import { Option, type Command } from 'commander';
import { compact } from '../../core/compact.ts';
import { isUuid } from '../../core/ids.ts';
import { addAdmin } from '../admin/main.ts';
import { addAudit } from '../audit/main.ts';
import type { CommandContext } from '../command.ts';
import { runCommand } from '../command-line.ts';
import type { SettleOptions } from './settle.ts';
import type { Act, DeadOptions, JsonOption, ListOptions } from './commands.ts';

const help = `
It asks the gateway at ISTHMUS_URL as the client ISTHMUS_CLIENT_ID, whose secret is in ISTHMUS_CLIENT_SECRET or in the file
ISTHMUS_CLIENT_SECRET_FILE; without ISTHMUS_URL, the demo that runs here. docs/operations/on-duty.md says what to do when.
Exit code: 0 done, 1 it was refused or nobody answered, 2 the options were not understood.`;

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

const json = new Option('--json', 'the answer of the gateway, as it came');
const limit = new Option('--limit <number>', 'how many at most').default('50');

/** Filters by the gateway's own parameter names. */
const followed = {
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
} as const;
const paymentFilters = {
  ...followed,
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

/** The option of a filter, as commander names it. Users type `--message-id`, like MsgId in the message. */
const optionOf = (name: string) => (name === 'messageIdentification' ? 'messageId' : name);

/** `--min-amount` of minAmount. */
const flagOf = (name: string) =>
  `--${optionOf(name).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Puts a UUID into lower case, as messages have it. Other tools may show it in capitals (RFC 9562, 4). */
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
    .action(async (options: ListOptions & Options) => {
      const { listPayments } = await import('./commands.ts');
      await listPayments(context, asked(paymentFilters, options), options);
    });
  withFilters(ops.command('submissions'), submissionFilters)
    .description(
      'what payment systems have sent, newest first: payments and resolutions alike, judged or not; --state stored is what waits for us',
    )
    .addOption(limit)
    .addOption(json)
    .action(async (options: ListOptions & Options) => {
      const { listSubmissions } = await import('./commands.ts');
      await listSubmissions(context, asked(submissionFilters, options), options);
    });
  withFilters(ops.command('alerts'), alertFilters)
    .description(
      'alerts and security events, newest first; those that nobody has closed, unless --state says otherwise',
    )
    .addOption(limit)
    .addOption(json)
    .action(async (options: ListOptions & Options) => {
      const { listAlerts } = await import('./commands.ts');
      await listAlerts(context, asked(alertFilters, options), options);
    });
  ops
    .command('parties')
    .description('who takes what it is sent and who does not, whose breaker is open, whom nobody could tell')
    .option('--minutes <number>', 'how far back attempts are counted, up to 1440', '10')
    .addOption(json)
    .action(async (options: JsonOption & { readonly minutes: string }) => {
      const { listParties } = await import('./commands.ts');
      await listParties(context, options);
    });
  ops
    .command('show')
    .description('one payment with its messages, deliveries and attempts, or one alert')
    .argument('<id>', 'UETR, or id of an alert', asUuid)
    .addOption(json)
    .action(async (id: string, options: JsonOption) => {
      const { show } = await import('./commands.ts');
      await show(context, id, options);
    });
  ops
    .command('message')
    .description(
      'a message of a payment, or one that was refused: into a file byte for byte; on a terminal, nothing in it acts on that',
    )
    .argument('<uetr>', '', asUuid)
    .argument('<id>', 'MsgId, or id of one that does not count, as `ops show <uetr>` names it')
    .action(async (uetr: string, id: string) => {
      const { printMessage } = await import('./message.ts');
      await printMessage(context, { uetr, id });
    });
  withFilters(ops.command('tail'), followed)
    .description('payments as they change, until Ctrl-C')
    .addOption(json)
    .action(async (options: JsonOption & Options) => {
      const { tail } = await import('./tail.ts');
      await tail(context, asked(followed, options), options);
    });
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
    ['note', 'write something down'],
    [
      'close',
      'nothing more is to be done about an alert, or about a payment: --seen says up to which alert you have looked, and where its open alerts are of several kinds, --kind which are over',
    ],
    ['reopen', 'it is not over'],
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
      .action(async (id: string, { note, kind: kinds, all, seen, ...options }: EntryOptions) => {
        const { act } = await import('./commands.ts');
        await act(context, compact<Act>({ action, id, note, kinds, all, seen }), options);
      });
    if (action === 'close') {
      command
        .option('--kind <kind>', 'of a payment, its alerts of that kind only; repeatable', collect)
        .option('--all', 'of a payment, its alerts of every kind')
        .option('--seen <id>', 'of a payment, its last alert that you have looked at: later ones stay open');
    }
  }
}

function addRedeliveries(ops: Command, context: CommandContext): void {
  const kind = new Option('--kind <callback|confirmation|notification|book>', 'repeatable')
    .argParser(collect)
    .default([] as readonly string[]);
  ops
    .command('redeliver')
    .description(
      'deliver the messages of one payment again that were not taken; with --kind, whatever has become of them',
    )
    .argument('<uetr>', '', asUuid)
    .addOption(kind)
    .addOption(json)
    .action(
      async (
        uetr: string,
        { kind: kinds, ...options }: JsonOption & { readonly kind: readonly string[] },
      ) => {
        const { redeliverOne } = await import('./commands.ts');
        await redeliverOne(context, { uetr, kinds }, options);
      },
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
    .action(
      async ({
        kind: kinds,
        ...options
      }: Omit<DeadOptions, 'kinds'> & { readonly kind: readonly string[] }) => {
        const { redeliverDead } = await import('./commands.ts');
        await redeliverDead(context, { ...options, kinds });
      },
    );
}

function addDecisions(ops: Command, context: CommandContext): void {
  ops
    .command('enquire')
    .description('ask the destination of a payment now how it stands')
    .argument('<uetr>', '', asUuid)
    .addOption(json)
    .action(async (uetr: string, options: JsonOption) => {
      const { enquire } = await import('./commands.ts');
      await enquire(context, uetr, options);
    });
  ops
    .command('settle')
    .description('how a payment in doubt ended: one operator records it, another confirms it')
    .argument('<uetr>', '', asUuid)
    .option('--status <ACCC|RJCT|BLCK>', 'record it')
    .option('--reason <code>', 'of the destination, as in AC04; RJCT needs one')
    .option('--evidence <text>', 'how you know: who said it, when, by which reference; no names, no accounts')
    .option('--confirm <ACCC|RJCT|BLCK>', 'confirm what somebody else recorded: the payment is decided')
    .option('--outcome <id>', 'with --confirm: the one whose evidence you have read (ops show)')
    .option('--withdraw <text>', 'take back what nobody has confirmed, and why')
    .addOption(json)
    .action(async (uetr: string, options: SettleOptions) => {
      const { settle } = await import('./settle.ts');
      await settle(context, uetr, options);
    });
}

function addPauses(ops: Command, context: CommandContext): void {
  for (const [act, description] of [
    [
      'pause',
      'no new payments to a payment system, or no quotes of an FX provider; what is under way goes on',
    ],
    ['resume', 'a paused party goes on'],
  ] as const) {
    ops
      .command(act)
      .description(description)
      .argument('<party>', 'payment system, or BIC of the FX provider')
      .option('--because <text>', 'why, in your words')
      .addOption(json)
      .action(async (party: string, options: JsonOption & { readonly because?: string }) => {
        const { pauseOrResume } = await import('./pause.ts');
        await pauseOrResume(context, act, { party, because: options.because, ...options });
      });
  }
  withFilters(ops.command('pauses'), pauseFilters)
    .description('who was paused and resumed, by whom, when and why; newest first')
    .addOption(limit)
    .addOption(json)
    .action(async (options: ListOptions & Options) => {
      const { listPauses } = await import('./pause.ts');
      await listPauses(context, asked(pauseFilters, options), options);
    });
}

function addBooks(ops: Command, context: CommandContext): void {
  ops
    .command('books')
    .description('the books of a day that are sent: to whom, and what became of them')
    .option('--date <YYYY-MM-DD>', 'a day that is over, UTC; default: yesterday')
    .addOption(json)
    .action(async (options: JsonOption & { readonly date?: string }) => {
      const { listBooks } = await import('./books.ts');
      await listBooks(context, options);
    });
}

await runCommand([addOps, addAdmin, addAudit]);
