// `isthmus admin export`, `compare` and `import`. They write, compare and read the whole scheme as one
// directory of files.
import { resolve } from 'node:path';
import {
  listsOf,
  readDirectory,
  readLists,
  SchemeFilesError,
  writeDirectory,
} from '../../db/scheme/directory.ts';
import { importDirectly, operatorsOf, withDatabase } from '../../db/scheme/import.ts';
import { readScheme } from '../../db/scheme/read.ts';
import { schemeKinds } from '../../core/scheme/documents.ts';
import type { CommandContext } from '../command.ts';
import { UserError } from '../errors.ts';
import { connectGateway, type JsonOption } from '../ops/connection.ts';
import { tellAdmin, unreadable } from './commands.ts';
import { databaseUrlOf } from './first-operators.ts';
import { printFindings, printProposed, type Proposed } from './show.ts';

export async function exportScheme(
  context: CommandContext,
  directory: string,
  { hashes }: { readonly hashes?: true },
): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  const text = await gateway.get('/admin/scheme', { hashes: hashes ? 'true' : undefined });
  const lists = JSON.parse(text) as Parameters<typeof writeDirectory>[1];
  writeDirectory(resolve(directory), lists);
  const counts = schemeKinds.map((kind) => `${lists[kind]?.length ?? 0} ${kind}`);
  terminal.line(`✓ ${directory}: ${counts.join(', ')}`);
  if (hashes) {
    terminal.line(
      terminal.paint(
        'warning',
        '! clients.json has the hashes of client secrets: keep it as you keep secrets.',
      ),
    );
  }
}

export interface ImportOptions extends JsonOption {
  readonly because?: string;
  readonly at?: string;
  readonly onlyNew?: true;
  readonly endAbsent?: true;
  readonly yes?: boolean;
  readonly database?: true;
}

export async function importScheme(
  context: CommandContext,
  directory: string,
  options: ImportOptions,
): Promise<void> {
  const path = resolve(directory);
  try {
    if (options.database) await importIntoDatabase(context, path, options);
    else await importThroughGateway(context, path, options);
  } catch (error) {
    throw error instanceof SchemeFilesError ? new UserError(error.message) : unreadable(directory, error);
  }
}

async function importThroughGateway(
  context: CommandContext,
  path: string,
  { because = 'a comparison', at: effectiveAt, onlyNew, endAbsent, yes, ...options }: ImportOptions,
): Promise<void> {
  readDirectory(path); // called only for its errors, which name the file of each fault
  const body = { because, effectiveAt, onlyNew, endAbsent, preview: !yes, scheme: readLists(path) };
  await tellAdmin(context, options, {
    ask: (gateway) => gateway.post('/admin/imports', body),
    print: (terminal, answer: Proposed) => {
      printProposed(terminal, answer);
      if (answer.state === 'preview') terminal.line('To make this change, run admin import with --yes.');
    },
  });
}

/**
 * Imports directly into the database, without approval. It refuses if two operators exist, because one of
 * them must approve the import through the gateway. FOUR_EYES=0 lifts this check.
 */
async function importIntoDatabase(
  context: CommandContext,
  path: string,
  { because = '', onlyNew, endAbsent, yes }: ImportOptions,
): Promise<void> {
  const { env, terminal } = context;
  const scheme = readDirectory(path);
  await withDatabase(databaseUrlOf(env), async (db) => {
    const operators = operatorsOf(await readScheme(db));
    if (operators.length > 1 && env['FOUR_EYES'] !== '0') {
      throw new UserError(
        `There are operators, ${operators.join(', ')}: import as one of them, without --database, and let another approve it.`,
      );
    }
    if (!yes) {
      const counts = Object.entries(listsOf(scheme)).map(([kind, list]) => `${list.length} ${kind}`);
      terminal.line(`${path} is a scheme: ${counts.join(', ')}. Add --yes to import it.`);
      return;
    }
    const asked = {
      by: 'isthmus admin',
      because,
      scheme,
      options: { onlyNew: onlyNew === true, endAbsent: endAbsent === true },
    };
    const outcome = await importDirectly(db, asked, {
      allowLoopbackHttp: env['ALLOW_LOOPBACK_CALLBACKS'] === '1',
    });
    if (outcome.kind === 'unchanged') {
      terminal.line('Nothing to change: the scheme already is as the directory says.');
      return;
    }
    printFindings(terminal, outcome.findings);
    if (outcome.kind === 'refused') throw new UserError('Nothing is imported: see the errors above.');
    terminal.line(`✓ imported as change ${outcome.changeId}`);
  });
}
