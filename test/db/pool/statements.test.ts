// The text and the values of a prepared statement, which is compiled only once.
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type CompiledQuery,
} from 'kysely';
import { describe, expect, it } from 'vitest';
import { nameOfPrepared, runPrepared } from '../../../db/pool/statements.ts';

const sent: CompiledQuery[] = [];
const db = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (one) => new PostgresIntrospector(one),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
  log: ({ query }) => void sent.push(query),
});

const isGiven = (id: string) => sql`(id = ${id} or ${sql.ref('other.id')} = ${id})`;
const template = (id: string) => sql`
  with ids as (select unnest(${['a', id]}::text[])), none as (select ${null}::text)
  select ${sql.lit("it's")}, ${sql.lit(3)}, ${sql.raw('now()')}, ${sql.id('public', 'rates')}
  from ${sql.table('public.other')} where ${isGiven(id)} and ${isGiven('b')}
    and kind in (${sql.join([sql.lit('one'), 'two', id])}) and body = ${Buffer.from(id)}`;

describe('a prepared statement', () => {
  it('has the text and the values that Kysely compiles', async () => {
    for (const id of ['x', 'y']) {
      const { sql: text, parameters } = template(id).compile(db);
      await runPrepared(db, 'test statement', template(id));
      expect(sent.at(-1)).toMatchObject({ sql: text, parameters });
      expect(nameOfPrepared(text)).toBe('test statement');
    }
  });

  it('is refused if its name belongs to another text, and is not sent', async () => {
    const two = (one: unknown, other: unknown) => sql`select ${one}, ${other}`;
    await runPrepared(db, 'test name', two(sql`1`, 'x'));
    const before = sent.length;
    for (const other of [
      two('x', sql`1`),
      two(sql`2`, 'x'),
      two('y', 'x'),
      two(sql.lit(2), 'x'),
      sql`select 1`,
    ]) {
      await expect(runPrepared(db, 'test name', other)).rejects.toThrow(
        'two statements are called test name',
      );
    }
    expect(sent).toHaveLength(before);
  });
});
