// The way back from a release with a migration: `migrate` of the older release meets the schema of the newer one.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CommandContext } from '../../../cli/command.ts';
import { migrateAndDump } from '../../../cli/migrate-command.ts';
import { openTerminal } from '../../../cli/terminal.ts';
import { migrate } from '../../../db/migrations/migrate.ts';
import { connect } from '../../../db/pool/connection.ts';
import { testDatabase } from '../../harness/database.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');
const newer = await testDatabase('empty');
const foreign = await testDatabase('empty');
const open = (url: string) => connect(url, { applicationName: 'isthmus-test-newer', maxConnections: 1 });
const [ofNewer, ofForeign] = [open(newer.url), open(foreign.url)];
afterAll(() => Promise.all([ofNewer.destroy(), ofForeign.destroy()]));

const said =
  'the schema is of a newer release (9998-later, 9999-latest): the release before it runs on it, so there is nothing to do';

beforeAll(async () => {
  await Promise.all([migrate(newer.url), migrate(foreign.url)]);
  await sql`insert into kysely_migration (name, timestamp) values
    ('9998-later', '2099-01-01T00:00:00.000Z'), ('9999-latest', '2099-01-01T00:00:00.000Z')`.execute(ofNewer);
  await sql`create table later_table (id int); grant select on later_table to isthmus_api`.execute(ofNewer);
});

test('the older release changes nothing, so that the newer processes keep their rights', async () => {
  expect(await migrate(newer.url)).toEqual({ applied: [], newer: ['9998-later', '9999-latest'] });
  const { rows } = await sql<{ may: boolean }>`
    select has_table_privilege('isthmus_api', 'later_table', 'select') as may`.execute(ofNewer);
  expect(rows).toEqual([{ may: true }]);
});

test('its job says so and ends well, and loads no seed data', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['cli/migrate.ts'], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: newer.url, DEMO: '1' },
  });
  expect(JSON.parse(stdout)).toEqual({ service: 'isthmus-migrate', msg: said });
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from clients`.execute(ofNewer);
  expect(rows).toEqual([{ count: 0 }]);
});

test('npm run migrate says so, and does not write the newer schema into db/schema.sql', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-newer-'));
  let text = '';
  const terminal = openTerminal({ write: (more) => (text += more), colours: false, columns: 200 });
  try {
    const context = { env: { DATABASE_URL: newer.url }, root: folder, folder, terminal };
    await migrateAndDump(context as unknown as CommandContext);
    expect(text).toBe(`✓ ${said}; db/schema.sql stays as it is\n`);
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a database that lacks a migration of this release, or has a foreign one among them, is an error', async () => {
  await sql`update kysely_migration set name = '0002-foreign' where name = '0002-portal-sessions'`.execute(
    ofForeign,
  );
  await expect(migrate(foreign.url)).rejects.toThrow('0002-foreign is missing');
  await sql`update kysely_migration set name = '9999-latest' where name = '0002-foreign'`.execute(ofForeign);
  await expect(migrate(foreign.url)).rejects.toThrow('9999-latest is missing');
});
