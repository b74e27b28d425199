// A benchmark's cluster and logs grow to gigabytes: they go with it, however it ends.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { postgresFolders } from '../../cli/parts/postgres-home.ts';
import { commandFolder } from '../cli/command.ts';

const place = await commandFolder();
const project = join(import.meta.dirname, '..', '..');
afterAll(() => place.remove());

/** Folders of benchmarks, in the home and in the project. */
const benchFolders = () => [
  ...readFolder(place.folder).filter((name) => name.startsWith('bench')),
  ...readFolder(join(project, '.isthmus')).filter((name) => name.startsWith('bench')),
];

function readFolder(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

describe('npm run bench leaves nothing on the disk', () => {
  it('quotes, after Ctrl-C', async () => {
    const bench = place.run('bench', 'quotes');
    await bench.says('Postgres 18 on');
    const [own = ''] = benchFolders();
    const folders = postgresFolders(join(place.folder, own, 'postgres'));
    bench.child.kill('SIGINT');
    expect(await bench.ended, bench.output()).toBe(130);
    expect(benchFolders()).toEqual([]);
    for (const data of folders) {
      expect({ data, exists: existsSync(data) }).toEqual({ data, exists: false });
    }
  });

  it('payments, after a failure', async () => {
    const bench = place.runWith({ TEMPORAL_CLI: '/bin/false' }, 'bench', 'payments');
    expect(await bench.ended).toBe(1);
    expect(bench.output()).toMatch(/Temporal server did not become healthy/);
    expect(benchFolders()).toEqual([]);
  });

  it('an option that it does not know is told in a sentence', async () => {
    const { code, output } = await place.finish('bench', 'quotes', '--speed', '9');
    expect(code).toBe(2);
    expect(output).toMatch(/^✗ .*--speed.*npm run bench -- --help/m);
    expect(output).not.toMatch(/^\s+at /m);
    expect(benchFolders()).toEqual([]);
  });

  it('payments on Postgres without the programs of the server tells how to build them', async () => {
    const bench = place.runWith(
      { TEMPORAL_SERVER: '/nonexistent' },
      'bench',
      'payments',
      '--engine',
      'postgres',
    );
    expect(await bench.ended).toBe(1);
    expect(bench.output()).toMatch(
      /go install go\.temporal\.io\/server\/cmd\/server@v.*\n.*cmd\/tools\/sql@v/,
    );
    expect(bench.output()).not.toMatch(/^\s+at /m);
    expect(benchFolders()).toEqual([]);
  });

  it('the size is not measured with Temporal in the same Postgres, which would count its CPU twice', async () => {
    const args = ['--engine', 'postgres', '--measure-size', 'measured.json'];
    const { code, output } = await place.finish('bench', 'payments', ...args);
    expect(code).toBe(2);
    expect(output).toMatch(/--measure-size .*--engine postgres/);
    expect(benchFolders()).toEqual([]);
  });

  it('a lost worker needs hosts, and another worker', async () => {
    const { code, output } = await place.finish('bench', 'payments', '--lose-worker');
    expect(code).toBe(2);
    expect(output).toMatch(/--lose-worker needs --hosts/);
    expect(benchFolders()).toEqual([]);
  });
});
