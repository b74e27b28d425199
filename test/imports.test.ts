// The structure of the code, read from its imports. The linter holds what each folder may import, but does not see a
// circle that types close.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { preProcessFile } from 'typescript';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const folders = [
  'core',
  'contract',
  'xml',
  'db',
  'workflows',
  'activities',
  'api',
  'api/http',
  'api/auth',
  'sandbox',
  'cli',
  'fixtures',
  'bench',
  'chaos',
  'chaos/oracle',
];
const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|mjs)$/.test(name))
    .map((name) => join(folder, name)),
);

/** What each file imports of the project: at the start, when it is needed, and types alone. */
const importsOf = new Map(
  files.map((file) => [
    file,
    preProcessFile(readFileSync(join(root, file), 'utf8'))
      .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
      .map(({ fileName }) => join(dirname(file), fileName)),
  ]),
);

/** The innermost that has a row of its own. */
const folderOf = (file: string) =>
  folders.findLast((folder) => file.startsWith(`${folder}/`)) ?? file.slice(0, file.indexOf('/'));

/** The first way that leads back to where it began; undefined: there is none. */
function circleIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (one: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(one)) return [...way.slice(way.indexOf(one)), one];
    if (done.has(one)) return undefined;
    for (const next of graph.get(one) ?? []) {
      const circle = visit(next, [...way, one]);
      if (circle !== undefined) return circle;
    }
    done.add(one);
    return undefined;
  };
  for (const one of graph.keys()) {
    const circle = visit(one, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

test.each(folders)('no file of %s/ imports itself by way of others, not even for a type', (folder) => {
  const own = [...importsOf].filter(([file]) => folderOf(file) === folder);
  expect(own.length).toBeGreaterThan(0);
  expect(circleIn(new Map(own))).toBeUndefined();
});

test('the folders stand one above the other: none imports itself by way of others', () => {
  const graph = new Map(
    folders.map((folder) => {
      const imported = [...importsOf]
        .filter(([file]) => folderOf(file) === folder)
        .flatMap(([, names]) => names);
      const others = new Set(imported.map(folderOf).filter((other) => other !== folder));
      return [folder, [...others].filter((other) => folders.includes(other))] as const;
    }),
  );
  expect(circleIn(graph)).toBeUndefined();
});

test('workflows do not read code sets: a replay would depend on the edition (MSG-4)', async () => {
  const { metafile } = await build({
    entryPoints: [join(root, 'workflows/index.ts')],
    bundle: true,
    write: false,
    metafile: true,
    packages: 'external',
    format: 'esm',
  });
  const files = Object.keys(metafile.inputs);
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => /external-codes|code-sets/.test(file))).toEqual([]);
});
