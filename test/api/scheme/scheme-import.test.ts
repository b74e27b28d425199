// A scheme moves as one directory (ADM-3): the export of the demo, imported into an empty system, is the demo.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { editsBetween } from '../../../core/scheme/change.ts';
import { checkScheme } from '../../../core/scheme/check.ts';
import { schemeKinds } from '../../../core/scheme/documents.ts';
import { listsOf, readDirectory, SchemeFilesError, writeDirectory } from '../../../db/scheme/directory.ts';
import { importDirectly, withDatabase } from '../../../db/scheme/import.ts';
import { readScheme } from '../../../db/scheme/read.ts';
import { connect } from '../../../db/pool/connection.ts';
import { migrate } from '../../../db/migrations/migrate.ts';
import { loadReferenceData } from '../../../db/scheme/reference.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
const other = await testDatabase('empty');
await migrate(other.url);
const folder = mkdtempSync(join(tmpdir(), 'isthmus-export-'));
afterAll(() => rmSync(folder, { recursive: true }));
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
});
afterAll(() => api.close());

interface Proposed {
  readonly changeId: string | null;
  readonly state: string;
  readonly objects: readonly object[];
}
const because = 'ticket 4711';
const policy = { allowLoopbackHttp: true };
type Lists = Record<string, Record<string, unknown>[]>;
const exported = async () => (await api.get<Lists>('/admin/scheme?hashes=true', 'operator')).body;

it('the export of the demo, imported into an empty system, is the demo', async () => {
  writeDirectory(folder, await exported());
  const scheme = readDirectory(folder);
  const outcome = await withDatabase(other.url, (db) =>
    importDirectly(db, { by: 'a test', because, scheme, options: {} }, policy),
  );
  expect(outcome).toMatchObject({ kind: 'proposed' });
  const [here, there] = [
    connect(database.url, { applicationName: 'isthmus-test' }),
    connect(other.url, { applicationName: 'isthmus-test' }),
  ];
  try {
    expect(await readScheme(there)).toEqual(await readScheme(here));
    // but since when accounts are there, and how improvements are numbered
    const withoutTimes = async (db: typeof here) => ({
      ...(await loadReferenceData(db)),
      bookedAccounts: undefined,
      pspImprovements: undefined,
    });
    expect(await withoutTimes(there)).toEqual(await withoutTimes(here));
    const rates = (db: typeof here) =>
      db
        .selectFrom('rates')
        .select([
          'fxp_id',
          'source_country',
          'source_currency',
          'destination_country',
          'destination_currency',
          'threshold',
          'exchange_rate',
        ])
        .where('expired_at', 'is', null)
        .orderBy('fxp_id')
        .orderBy('source_country')
        .orderBy('source_currency')
        .orderBy('destination_country')
        .orderBy('destination_currency')
        .orderBy('threshold')
        .execute();
    expect(await rates(there)).toEqual(await rates(here));
    expect((await rates(there)).length).toBeGreaterThan(700);
  } finally {
    await here.destroy();
    await there.destroy();
  }
});

it('an export is written as it is reviewed: the same scheme, the same bytes; the demo’s own files are one', () => {
  const seed = join(import.meta.dirname, '..', '..', '..', 'db', 'seed');
  const copy = join(folder, 'copy');
  writeDirectory(copy, listsOf(readDirectory(seed)));
  for (const kind of schemeKinds) {
    const read = (path: string) => readFileSync(join(path, `${kind}.json`), 'utf8');
    expect(read(copy)).toBe(read(seed));
  }
});

it('the demo’s scheme and the example of the guide have no error, and no warning but one for small amounts', () => {
  const guide = join(import.meta.dirname, '..', '..', '..', 'docs', 'how-to', 'example-scheme');
  for (const path of [join(import.meta.dirname, '..', '..', '..', 'db', 'seed'), guide]) {
    const findings = checkScheme(readDirectory(path), policy);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  }
});

it('every fault of a directory is named, with its file and place', () => {
  const broken = join(folder, 'broken');
  const lists = listsOf(readDirectory(folder)) as unknown as Lists;
  const [country, ...countries] = lists['countries'] ?? [];
  writeDirectory(broken, {
    ...lists,
    countries: [{ ...country, countryId: 0, moon: 1 }, ...countries, { ...countries[0] }],
  });
  expect(() => readDirectory(broken)).toThrow(SchemeFilesError);
  expect(() => readDirectory(broken)).toThrow(
    /countries\.json \/0\/countryId: .*\n.*countries\.json \/0: .*moon/,
  );
});

it('what is absent stays unless it is to end, and what is new only is entered where only that is asked', () => {
  const scheme = readDirectory(folder);
  const fewer = { ...scheme, countries: new Map([...scheme.countries].slice(1)) };
  expect(editsBetween(scheme, fewer)).toEqual([]);
  expect(editsBetween(scheme, fewer, { endAbsent: true })).toMatchObject([
    { kind: 'countries', after: null },
  ]);
  const renamed = {
    ...scheme,
    countries: new Map([...scheme.countries].map(([id, one]) => [id, { ...one, name: 'x' }])),
  };
  expect(editsBetween(fewer, renamed, { onlyNew: true })).toMatchObject([
    { kind: 'countries', before: null },
  ]);
});

it('an import is idempotent, and shows its difference first (ADM-3)', async () => {
  const scheme = await exported();
  const again = await api.post<Proposed>('/admin/imports', { because, scheme, endAbsent: true }, 'operator');
  expect(again.body).toMatchObject({ state: 'unchanged', objects: [] });
  const changed = {
    ...scheme,
    countries: (scheme['countries'] ?? []).map((one) => ({ ...one, name: `${String(one['name'])}!` })),
  };
  const preview = await api.post<Proposed>(
    '/admin/imports',
    { because, scheme: changed, preview: true },
    'operator',
  );
  expect(preview.body).toMatchObject({ state: 'preview', changeId: null });
  expect(preview.body.objects).toHaveLength(10);
  const made = await api.post<Proposed>('/admin/imports', { because, scheme: changed }, 'operator');
  expect(made.body.state).toBe('applied');
});
