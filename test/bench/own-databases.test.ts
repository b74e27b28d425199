// A benchmark with Temporal on Postgres has databases of its own: the server of DATABASE_URL may have those of a Temporal
// in use. Stand-ins for Temporal's programs record what they are called with.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { commandFolder } from '../cli/command.ts';
import { testDatabase } from '../harness/database.ts';

const place = await commandFolder();
const database = await testDatabase('empty');
const tools = mkdtempSync(join(tmpdir(), 'isthmus-test-'));
afterAll(() => {
  place.remove();
  rmSync(tools, { recursive: true });
});

function standIn(name: string, script: string): string {
  const path = join(tools, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

test('neither its schema nor its server is in the databases of a Temporal in use', async () => {
  const bench = place.runWith(
    {
      DATABASE_URL: database.url,
      TEMPORAL_SQL_TOOL: standIn('sql-tool', `echo "$SQL_DATABASE" >> ${tools}/schema`),
      TEMPORAL_SERVER: standIn('server', `echo "$DBNAME $VISIBILITY_DBNAME" > ${tools}/served; exit 1`),
    },
    ...['bench', 'payments', '--engine', 'postgres', '--payments', '1'],
  );
  expect(await bench.ended, bench.output()).toBe(1);
  const own = ['isthmus_bench_temporal', 'isthmus_bench_temporal_visibility'];
  expect(new Set(readFileSync(join(tools, 'schema'), 'utf8').trim().split('\n'))).toEqual(new Set(own));
  expect(readFileSync(join(tools, 'served'), 'utf8').trim()).toBe(own.join(' '));
}, 300_000);
