// The schema as a person reads it: db/schema.sql is what the migrations make, and everything in it is explained.
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { withClient } from '../../../cli/parts/postgres.ts';
import { connect } from '../../../db/pool/connection.ts';
import { migrate } from '../../../db/migrations/migrate.ts';
import { dumpSchema } from '../../../db/migrations/schema-dump.ts';
import { testDatabase } from '../../harness/database.ts';

const migrated = await testDatabase('empty');
const loaded = await testDatabase('empty');
await migrate(migrated.url);
const db = connect(migrated.url, { applicationName: 'isthmus-test-schema', maxConnections: 1 });
afterAll(() => db.destroy());
const file = readFileSync(new URL('../../../db/schema.sql', import.meta.url), 'utf8');

describe('db/schema.sql', () => {
  it('is the schema of a freshly migrated database; if not: npm run migrate', async () => {
    expect(await dumpSchema(db)).toBe(file);
  });

  it('makes the same schema when it is loaded into an empty database', async () => {
    await withClient(loaded.url, (client) => client.query(file));
    const other = connect(loaded.url, { applicationName: 'isthmus-test-schema', maxConnections: 1 });
    try {
      expect(await dumpSchema(other)).toBe(file);
    } finally {
      await other.destroy();
    }
  });

  it('names no partition of a day', async () => {
    const partitions = await sql<{ count: number }>`
      select count(*)::int as count from pg_inherits where inhparent = 'quote_requests'::regclass`.execute(
      db,
    );
    expect(partitions.rows[0]?.count).toBeGreaterThan(1);
    expect(file).not.toMatch(/_\d{8}\b/);
  });
});

describe('the tables', () => {
  it('each have a comment, and so has every column', async () => {
    const { rows } = await sql<{ name: string }>`
      select c.relname || coalesce('.' || a.attname, '') as name
      from pg_class c
      left join lateral (
        select attname, attnum from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped
        union all select null, 0
      ) a on true
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname not like 'kysely\\_%'
        and coalesce(case when a.attnum = 0 then obj_description(c.oid, 'pg_class') else col_description(c.oid, a.attnum) end, '') = ''`.execute(
      db,
    );
    expect(rows.map(({ name }) => name)).toEqual([]);
  });

  it('hold no money in a binary float', async () => {
    const { rows } = await sql<{ name: string }>`
      select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and data_type in ('real', 'double precision', 'money')`.execute(db);
    expect(rows).toEqual([]); // MON-1
  });
});
