// Building blocks for SQL statements: prepared texts, look-ups in partitioned tables, optional conditions,
// and writes that may lose a race.
import { sql, type Kysely, type RawBuilder } from 'kysely';
import pg from 'pg';
import { assert } from '../../core/assert.ts';
import { ok, refused, type Result } from '../../core/result.ts';

const names = new Map<string, string>();

/**
 * Declares a statement of a hot path: it is parsed and planned once per connection. Measured, that saves a third of the
 * time to read rates, and two thirds of the time to store quotes. Do not use it for texts that vary at run time.
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
 * Runs a template as a prepared statement. Its first run declares it.
 * @param name as for `prepared`; a name must always have the same text
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

/** Whether a statement returns a row. */
export async function isThere<Database>(db: Kysely<Database>, query: RawBuilder<unknown>): Promise<boolean> {
  return (await query.execute(db)).rows.length > 0;
}

/**
 * A subquery for a join that finds one row by its key. For a plain join the planner expects a row from each partition,
 * and scans whole partitions if several are joined. With `limit 1` it uses the key.
 * @param from the table and the condition that finds the row
 */
export const theOne = (from: RawBuilder<unknown>) => sql`lateral (select * from ${from} limit 1)`;

/**
 * SQL: whether there is such a row. It is sought by an index, once for each outer row. `offset 0` keeps the planner from
 * reading the whole table into a hash table, which it does if it expects many outer rows.
 * @param from the table and the condition that finds the row
 */
export const isFound = (from: RawBuilder<unknown>) => sql`exists (select from ${from} offset 0)`;

/** SQL: a time as whole milliseconds since 1970. */
export const epochMs = (at: RawBuilder<unknown>) => sql`floor(extract(epoch from ${at}) * 1000)::float8`;

export type Condition = RawBuilder<unknown>;

/** The condition for a filter value; empty if the value is undefined. */
export const given = <T>(value: T | undefined, condition: (value: T) => Condition): readonly Condition[] =>
  value === undefined ? [] : [condition(value)];

/**
 * The row that was written; `keys-taken`: another submission took one of its keys first, so nothing was
 * written.
 */
export type Written<Row> = Result<Row, 'keys-taken'>;

const uniqueViolation = '23505';

/** @param write a statement that returns the row that it wrote, or no row if it found a key taken */
export async function unlessTaken<Row>(write: () => Promise<readonly Row[]>): Promise<Written<Row>> {
  try {
    const [row] = await write();
    return row === undefined ? refused('keys-taken') : ok(row);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === uniqueViolation) return refused('keys-taken');
    throw error;
  }
}
