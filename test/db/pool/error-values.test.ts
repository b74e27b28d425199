// What an error of the database tells: which rule was broken where, never the values that broke it. It goes on into
// logs and, from an activity, into Temporal's history (SEC-3, I-14).
import { inspect } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../../db/pool/connection.ts';
import { testDatabase } from '../../harness/database.ts';

const database = await testDatabase();
const db = connect(database.url, { applicationName: 'isthmus-test', maxConnections: 2 });
afterAll(() => db.destroy());

const canary = 'CANARY Quetzalcoatl Tan';

beforeAll(async () => {
  await sql`create table people (name text primary key, age int check (age > 0))`.execute(db);
  await sql`insert into people values (${canary}, 1)`.execute(db);
});

describe('an error of the database', () => {
  it.each([
    ['a value of the wrong form', sql`select ${canary}::uuid`, { code: '22P02' }],
    ['a number out of range', sql`select ${'99999999999'}::int`, { code: '22003' }],
    ['broken JSON', sql`select ${`{"name": ${canary}}`}::json`, { code: '22P02' }],
    [
      'a row that breaks a rule',
      sql`insert into people values (${canary}, 0)`,
      { code: '23514', table: 'people', constraint: 'people_age_check' },
    ],
    [
      'a key that is taken',
      sql`insert into people values (${canary}, 2)`,
      { code: '23505', table: 'people', constraint: 'people_pkey' },
    ],
  ])('because of %s names the rule and not the value', async (_reason, statement, told) => {
    const error = await statement.execute(db).then(
      () => undefined,
      (thrown: unknown) => thrown as Error,
    );
    expect(error).toMatchObject(told);
    const text = [inspect(error, { depth: 9 }), JSON.stringify(error), String(error)].join('\n');
    expect(text).not.toMatch(/CANARY|Quetzal|99999/);
    expect(error?.stack).toContain(import.meta.url.split('/').pop());
  });
});
