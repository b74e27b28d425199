// Declares `npm run admin` (in the container image, `isthmus admin`). Its commands set up and change the
// scheme from a shell. This file only reads the options.
import { Argument, Option, type Command } from 'commander';
import { schemeKinds } from '../../core/scheme/documents.ts';
import type { CommandContext } from '../command.ts';
import type { JsonOption } from '../ops/connection.ts';
import {
  decide,
  endObjects,
  listChanges,
  listObjects,
  makeSecret,
  setObjects,
  showChange,
  showKeys,
  showObject,
  showReadiness,
  type ChangeOptions,
  type DecisionOptions,
  type ListOptions,
  type RotateOptions,
  type SecretOptions,
} from './commands.ts';
import type { ImportOptions } from './directory.ts';

const help = `
Like ops, it asks the gateway at ISTHMUS_URL as the client ISTHMUS_CLIENT_ID, an operator. Every change except of names, titles and
order waits for the approval of another operator: admin changes --state pending, admin approve.
docs/how-to/set-up-a-scheme.md leads from an empty system to a payment.
Exit code: 0 done, 1 the gateway refused or did not answer, 2 the options were not understood.`;

const kind = () => new Argument('<kind>', 'kind of object').choices([...schemeKinds]);
const because = () =>
  new Option('--because <text>', 'why, in your words; no names, no accounts').makeOptionMandatory();
const json = () => new Option('--json', 'print the answer of the gateway unchanged');
const at = () =>
  new Option('--at <time>', 'when it takes effect, as in 2026-01-31T00:00:00Z; default: as soon as possible');

export function addAdmin(command: Command, context: CommandContext): void {
  const admin = command
    .command('admin')
    .usage('-- <command> [options]')
    .description('set up and change the scheme: members, endpoints, accounts, fees, clients')
    .addHelpText('after', help);
  addReading(admin, context);
  addChanging(admin, context);
  addDeciding(admin, context);
  addKeys(admin, context);
  addDirectories(admin, context);
}

function addReading(admin: Command, context: CommandContext): void {
  admin
    .command('list')
    .description('every object of a kind')
    .addArgument(kind())
    .addOption(json())
    .action((ofKind: string, options: JsonOption) => listObjects(context, ofKind, options));
  admin
    .command('show')
    .description('one object, and its history of changes')
    .addArgument(kind())
    .argument('<id>', 'TH:THB for a fee formula, <SAP>:<account> for an account, for example')
    .addOption(json())
    .action((ofKind: string, id: string, options: JsonOption) =>
      showObject(context, { kind: ofKind, id }, options),
    );
  admin
    .command('ready')
    .description('what an institution or payment system still lacks before it can go live')
    .argument('<party>', 'internalId of an institution, or payment system')
    .addOption(json())
    .action((party: string, options: JsonOption) => showReadiness(context, party, options));
}

function addChanging(admin: Command, context: CommandContext): void {
  admin
    .command('set')
    .description(
      'enter or change objects: a file with one document, or a list of them; - reads them from standard input',
    )
    .addArgument(kind())
    .argument('<file>')
    .addOption(because())
    .addOption(at())
    .option('--preview', 'only say what it would change')
    .addOption(json())
    .action((ofKind: string, file: string, options: ChangeOptions) =>
      setObjects(context, { kind: ofKind, file }, options),
    );
  admin
    .command('end')
    .description('end objects: they no longer take effect, but nothing is deleted')
    .addArgument(kind())
    .argument('<id...>')
    .addOption(because())
    .addOption(at())
    .option('--preview', 'only say what it would change')
    .addOption(json())
    .action((ofKind: string, ids: readonly string[], options: ChangeOptions) =>
      endObjects(context, { kind: ofKind, ids }, options),
    );
  admin
    .command('secret')
    .description(
      'make another secret for a client, which is shown once; operators make only their own, which works at once',
    )
    .argument('<client>')
    .addOption(because())
    .option('--overlap-hours <number>', 'how many hours its present secrets still work', '24')
    .addOption(json())
    .action((client: string, options: SecretOptions) => makeSecret(context, client, options));
}

function addDeciding(admin: Command, context: CommandContext): void {
  admin
    .command('changes')
    .description('changes of the scheme, newest first')
    .addOption(
      new Option('--state <state>').choices([
        'pending',
        'scheduled',
        'applied',
        'refused',
        'withdrawn',
        'outdated',
      ]),
    )
    .option('--limit <number>', 'how many at most', '50')
    .addOption(json())
    .action((options: ListOptions) => listChanges(context, options));
  admin
    .command('change')
    .description('one change, with its difference')
    .argument('<id>')
    .addOption(json())
    .action((id: string, options: JsonOption) => showChange(context, id, options));
  for (const [act, description] of [
    ['approve', 'approve a change of another operator: it then takes effect'],
    ['refuse', 'refuse a change of another operator'],
    ['withdraw', 'withdraw your own change'],
  ] as const) {
    const one = admin
      .command(act)
      .description(description)
      .argument('<id>', 'of the change')
      .addOption(because())
      .addOption(json());
    if (act === 'approve') {
      one.option('--despite-probes', 'even if a new endpoint has not answered its trial message');
    }
    one.action((id: string, options: DecisionOptions) => decide(context, { act, id }, options));
  }
}

function addKeys(admin: Command, context: CommandContext): void {
  const kinds = [
    ['keys', 'rotate-key', 'delivery-keys', 'what is sent', 'the previous keys also sign for a while'],
    [
      'issuer-keys',
      'rotate-issuer-key',
      'issuer-keys',
      'tokens',
      'tokens that are already signed stay valid until they expire',
    ],
  ] as const;
  for (const [list, rotate, keysOf, what, overlap] of kinds) {
    admin
      .command(list)
      .description(`the keys that sign ${what}, newest first`)
      .addOption(json())
      .action((options: JsonOption) => showKeys(context, keysOf, options));
    admin
      .command(rotate)
      .description(`sign ${what} with another key: ${overlap}`)
      .addOption(because())
      .option('--withdraw', 'end the previous keys at once, because somebody else may have them')
      .addOption(json())
      .action((options: RotateOptions) => showKeys(context, keysOf, options));
  }
}

function addDirectories(admin: Command, context: CommandContext): void {
  admin
    .command('export')
    .description('the whole scheme into a directory of files, one for each kind')
    .argument('<directory>')
    .option('--hashes', 'with the hashes of client secrets, so that clients can log in where it is imported')
    .action(async (directory: string, options: { readonly hashes?: true }) => {
      const { exportScheme } = await import('./directory.ts');
      await exportScheme(context, directory, options);
    });
  for (const [name, description] of [
    ['compare', 'what an import of a directory would change'],
    [
      'import',
      'make the scheme equal to a directory, as one change: shows the difference, and makes the change with --yes',
    ],
  ] as const) {
    const one = admin
      .command(name)
      .description(description)
      .argument('<directory>')
      .option('--only-new', 'only add new objects, and change no others')
      .option('--end-absent', 'end objects that are not in the directory')
      .addOption(json());
    if (name === 'import') {
      one
        .addOption(because())
        .addOption(at())
        .option('--yes', 'make the change')
        .option('--database', 'into the database of DATABASE_URL, while there are no operators to ask');
    }
    one.action(async (directory: string, options: ImportOptions) => {
      const { importScheme } = await import('./directory.ts');
      await importScheme(context, directory, { ...options, yes: name === 'import' && options.yes === true });
    });
  }
  admin
    .command('first-operators')
    .description(
      'enter the first two operators of an empty system, or make the first secret of operators that were entered later, in the ' +
        'database of DATABASE_URL; the secrets are shown once',
    )
    .argument('<client...>', 'a client id for each person')
    .action(async (clients: readonly string[]) => {
      const { makeFirstOperators } = await import('./first-operators.ts');
      await makeFirstOperators(context, clients);
    });
}
