// Statements of the hot paths, parsed and planned once per connection instead of once per call: measured, the reading
// of rates costs a third, the storing of quotes two thirds. It must not be used for texts that are put together at run
// time.
import type { Kysely, RawBuilder } from 'kysely';
import { assert } from '../../core/assert.ts';

const names = new Map<string, string>();

/**
 * Declares a statement, once, where it is defined.
 * @param name unique; the name of the prepared statement in each connection
 * @returns the text, to be run like any other
 */
export function prepared(name: string, text: string): string {
  assert(![...names.values()].includes(name), `two statements are called ${name}`);
  names.set(text, name);
  return text;
}

/** The name of a declared statement; undefined for any other text. */
export function nameOfPrepared(text: string): string | undefined {
  return names.get(text);
}

/**
 * Runs a template as a prepared statement; its first run declares it.
 * @param name as above; one name, one text: a template whose text varies has no place here
 */
export async function runPrepared<Row, Database>(
  db: Kysely<Database>,
  name: string,
  template: RawBuilder<Row>,
): Promise<readonly Row[]> {
  const statement = template.compile(db);
  if (names.get(statement.sql) !== name) prepared(name, statement.sql);
  return (await db.executeQuery(statement)).rows;
}
