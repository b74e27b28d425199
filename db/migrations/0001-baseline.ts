// The schema of the first release. Forward only: never edit a released migration, add a later one that corrects it.
import { sql, type Kysely } from 'kysely';
import { audit } from './baseline/audit.ts';
import { books } from './baseline/books.ts';
import { clients } from './baseline/clients.ts';
import { deliveries } from './baseline/deliveries.ts';
import { keys } from './baseline/keys.ts';
import { messages } from './baseline/messages.ts';
import { partitions } from './baseline/partitions.ts';
import { payments } from './baseline/payments.ts';
import { processes } from './baseline/processes.ts';
import { quotes } from './baseline/quotes.ts';
import { referenceData } from './baseline/reference-data.ts';
import { resolutions } from './baseline/resolutions.ts';
import { schemeChanges } from './baseline/scheme-changes.ts';
import { triggers } from './baseline/triggers.ts';

/** The order matters: each part refers only to earlier ones. */
const parts = [
  referenceData,
  clients,
  schemeChanges,
  quotes,
  keys,
  messages,
  payments,
  deliveries,
  resolutions,
  audit,
  books,
  processes,
  partitions,
  triggers,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const part of parts) await sql.raw(part + commentsOf(part)).execute(db);
}

/**
 * Turns SQL comments into `comment on` statements: the line before a `create table` describes the table, and the end of
 * a column's line describes the column.
 */
function commentsOf(part: string): string {
  const tables = part.matchAll(/^-- (.+)\ncreate (?:unlogged )?table (\w+) \(\n([^]+?)\n\)/gm);
  return [...tables]
    .flatMap(([, comment = '', table = '', columns = '']) => [
      commentOn(`table ${table}`, comment),
      ...[...columns.matchAll(/^ {2}("?\w+"?) .*? -- (.+)$/gm)].map(([, column = '', says = '']) =>
        commentOn(`column ${table}.${column}`, says),
      ),
    ])
    .join('');
}

function commentOn(object: string, comment: string): string {
  return `comment on ${object} is '${comment.replaceAll("'", "''")}';\n`;
}
