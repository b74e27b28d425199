// Building blocks for SQL statements: prepared texts, look-ups in partitioned tables, optional conditions,
// and writes that may lose a race.
import {
  CompiledQuery,
  RawNode,
  sql,
  ValueNode,
  type Kysely,
  type OperationNode,
  type RawBuilder,
} from 'kysely';
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

interface Compiled {
  readonly text: string;
  readonly parts: readonly unknown[];
}

const compiled = new Map<string, Compiled>();

/**
 * Runs a template as a prepared statement. Its first run compiles and declares it. Later runs only pass values, after a
 * comparison of the templates. Plugins of the connection cannot change the statement.
 * @param name as for `prepared`; a name must always have the same text
 */
export async function runPrepared<Row, Database>(
  db: Kysely<Database>,
  name: string,
  template: RawBuilder<Row>,
): Promise<readonly Row[]> {
  const parts: unknown[] = [];
  const values: unknown[] = [];
  takeApart(template.toOperationNode(), parts, values);
  let known = compiled.get(name);
  if (known?.parts.length !== parts.length || !known.parts.every((one, at) => isSame(one, parts[at]))) {
    const text = template.compile(db).sql;
    if (names.get(text) !== name) prepared(name, text);
    compiled.set(name, (known = { text, parts }));
  }
  return (await db.executeQuery<Row>(CompiledQuery.raw(known.text, values))).rows;
}

/**
 * Separates a template into the parts that determine its text, and the values of its placeholders, both in order.
 */
function takeApart(node: OperationNode, parts: unknown[], values: unknown[]): void {
  if (RawNode.is(node)) {
    parts.push(node.sqlFragments);
    for (const parameter of node.parameters) takeApart(parameter, parts, values);
  } else if (ValueNode.is(node) && node.immediate !== true) {
    parts.push('placeholder');
    values.push(node.value);
  } else parts.push(node); // a name or a literal
}

/** Most parts are the very same object, because a template literal in the code has one array of fragments. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => isSame(one[name as never], other[name as never]));
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
