// The schema of the first release. Forward only: a released migration is never edited; a later one mends it.
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

/** In an order in which each part refers only to what is there. */
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
 * The comments on tables and columns, as statements. They are written where a reader looks for them: of a table in the
 * line before its `create table`, of a column at the end of its line.
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
