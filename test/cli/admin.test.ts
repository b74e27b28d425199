// The answers of `isthmus admin`: each mistake is told with what to do next.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { changeDirectly, withDatabase } from '../../db/scheme/import.ts';
import { testDatabase } from '../harness/database.ts';
import { commandFolder } from './command.ts';

const database = await testDatabase();
const place = await commandFolder();
const folder = mkdtempSync(join(tmpdir(), 'isthmus-admin-'));
afterAll(() => {
  place.remove();
  rmSync(folder, { recursive: true });
});
const broken = join(folder, 'broken.json');
writeFileSync(broken, '{');

async function admin(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const command = place.runWith(env, 'admin', ...args);
  const code = await command.ended;
  return { code, output: command.output() };
}

it.each([
  [['set', 'moons', broken, '--because', 'x'], 2, "'moons' is invalid"],
  [['set', 'countries', broken, '--because', 'x'], 2, 'is not JSON'],
  [['import', '/nowhere', '--because', 'x'], 2, '/nowhere cannot be read: there is no such file or folder'],
  [['first-operators', 'anna', 'boris'], 1, 'DATABASE_URL must name the database'],
  [['list', 'countries'], 1, 'No demo is running'],
])('%j', async (args, code, said) => {
  const told = await admin(args);
  expect(told.output).toContain(said);
  expect(told.code, told.output).toBe(code);
});

it('where there are two operators, nobody passes them by', async () => {
  writeFileSync(join(folder, 'database-url'), `${database.url}\n`); // as an orchestrator passes it
  const env = { DATABASE_URL_FILE: join(folder, 'database-url'), NODE_ENV: '' };
  const more = await admin(['first-operators', 'anna'], env);
  expect([more.code, more.output]).toEqual([
    1,
    expect.stringContaining('There may be 2 first operators, and there are operator, operator2.'),
  ]);
  const seed = join(import.meta.dirname, '..', '..', 'db', 'seed');
  const directly = await admin(['import', seed, '--because', 'x', '--database', '--yes'], env);
  expect([directly.code, directly.output]).toEqual([1, expect.stringContaining('import as one of them')]);
});

it('an operator that two have entered gets its first secret by whoever has the database, once (ADM-2)', async () => {
  const env = { DATABASE_URL: database.url, NODE_ENV: '' };
  const nobody = { institutionId: null, clearingSystemId: null };
  const after = { clientId: 'carol', role: 'operator', ...nobody, demo: false, secrets: [] } as const;
  await withDatabase(database.url, (db) =>
    changeDirectly(
      db,
      { by: 'a test', because: 'x', edits: () => [{ kind: 'clients', id: 'carol', before: null, after }] },
      { allowLoopbackHttp: true },
    ),
  );
  const given = await admin(['first-operators', 'carol'], env);
  expect([given.code, given.output]).toEqual([
    0,
    expect.stringMatching(/operator carol, secret shown this once: \S{43}\n/),
  ]);
  const again = await admin(['first-operators', 'carol'], env);
  expect([again.code, again.output]).toEqual([1, expect.stringContaining('carol has a secret already')]);
});
