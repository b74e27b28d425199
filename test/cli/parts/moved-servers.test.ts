// A folder may be moved or copied while its demo runs, and another demo be started where it was: a server touches no data
// but that of the folder it was started in, and nobody stops the server of another folder.
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isAlive, stopOrphan } from '../../../cli/parts/child.ts';
import { openHome } from '../../../cli/parts/home.ts';
import { elsewhereOf, postgresFolders } from '../../../cli/parts/postgres-home.ts';
import { startPostgres, withClient, type RunningPostgres } from '../../../cli/parts/postgres.ts';
import { resetFolder } from '../../../cli/parts/reset.ts';
import { startTemporal } from '../../../cli/parts/temporal.ts';

const say = () => undefined;
let root = '';
let place = '';
let moved = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'isthmus-moved-servers-'));
  chmodSync(root, 0o755); // so that Postgres, under root, has its data in the folder itself
  [place, moved] = [join(root, 'place'), join(root, 'moved')];
  mkdirSync(place);
});
afterEach(() => {
  const clusters = [place, moved].flatMap((one) => postgresFolders(join(one, 'postgres')));
  for (const path of [root, ...clusters]) rmSync(path, { recursive: true, force: true });
});

const startAt = (folder: string) => {
  openHome(folder);
  return startPostgres({ env: {}, folder, database: 'isthmus', say });
};
const query = (server: RunningPostgres, sql: string) =>
  withClient(server.url, async (client) => (await client.query<Record<string, string>>(sql)).rows);

describe('Postgres', () => {
  it('keeps what was committed at the old place of a moved folder, when the moved one stops and the other crashes', async () => {
    const first = await startAt(place);
    renameSync(place, moved);
    mkdirSync(place);
    const second = await startAt(place);
    await query(second, "create table credited as select 'kept' as payment");
    await first.stop();
    process.kill(second.pid ?? 0, 'SIGQUIT'); // it writes nothing more, as in a crash
    await second.exited;
    const third = await startAt(place);
    expect(await query(third, 'select payment from credited')).toEqual([{ payment: 'kept' }]);
    await third.stop();
  });

  it('runs on where a copy of its folder is started in its place', async () => {
    const first = await startAt(place);
    await query(first, "create table credited as select 'kept' as payment");
    await query(first, 'checkpoint');
    renameSync(place, moved);
    execFileSync('cp', ['-a', moved, place]);
    const copy = await startAt(place);
    expect(await query(first, 'select payment from credited')).toEqual([{ payment: 'kept' }]);
    expect(isAlive(first.pid ?? 0)).toBe(true);
    await copy.stop();
    await first.stop();
  });
});

describe.runIf(process.getuid?.() === 0)('Postgres of root, where its own user cannot look', () => {
  const data = (folder: string) => elsewhereOf(join(folder, 'postgres')) ?? 'none';
  beforeEach(() => chmodSync(root, 0o700));

  it('takes its data along when its folder is moved, and a new folder at the old place has none of them', async () => {
    const first = await startAt(place);
    await query(first, "create table credited as select 'kept' as payment");
    await first.stop();
    renameSync(place, moved);
    mkdirSync(place);
    const successor = await startAt(place);
    expect(await query(successor, "select to_regclass('credited')::text as found")).toEqual([
      { found: null },
    ]);
    await successor.stop();
    await resetFolder({ folder: place, all: true });
    const second = await startAt(moved);
    expect(await query(second, 'select payment from credited')).toEqual([{ payment: 'kept' }]);
    await second.stop();
    const kept = data(moved);
    expect(existsSync(kept)).toBe(true);
    await resetFolder({ folder: moved, all: false });
    expect(existsSync(kept)).toBe(false);
  });

  it('removes nothing that runs, and starts no second server on it: a copy of its folder has the same data', async () => {
    const first = await startAt(place);
    await query(first, "create table credited as select 'kept' as payment");
    execFileSync('cp', ['-a', place, moved]);
    const inUse = `already runs Isthmus on ${data(place)}`;
    await expect(startAt(moved)).rejects.toThrow(inUse);
    await expect(resetFolder({ folder: moved, all: true })).rejects.toThrow(inUse);
    expect(existsSync(join(moved, 'postgres'))).toBe(true);
    expect(await query(first, 'select payment from credited')).toEqual([{ payment: 'kept' }]);
    await first.stop();
  });

  it('does not begin anew beside data that it can no longer reach, and says so', async () => {
    chmodSync(root, 0o755);
    await (await startAt(place)).stop();
    chmodSync(root, 0o700);
    await expect(startAt(place)).rejects.toThrow(
      /can no longer reach .*place\/postgres\. Move the folder back/,
    );
    expect(data(place)).toBe('none');
  });
});

describe('Temporal', () => {
  it('leaves the write-ahead log of a server at the old place of its folder', async () => {
    const options = {
      env: { ...process.env, TEMPORAL_ADDRESS: '' },
      binFolder: resolve(import.meta.dirname, '..', '..', '..', '.isthmus', 'bin'),
      storage: 'file' as const,
      searchAttributes: [],
      ui: false,
      say,
    };
    const first = await startTemporal({ ...options, folder: place });
    renameSync(place, moved);
    mkdirSync(place);
    const second = await startTemporal({ ...options, folder: place });
    const log = join(place, 'temporal', 'temporal.db-wal');
    expect(existsSync(log)).toBe(true);
    await first.stop();
    expect(existsSync(log)).toBe(true);
    await second.stop();
  });
});

describe.runIf(existsSync('/proc/self/cwd'))('stopOrphan', () => {
  /** One whose parent never hears of its end. */
  async function leftBehind(): Promise<{ pid: number; end: () => void }> {
    const parent = spawn('/bin/sh', ['-c', 'sleep 1000 & echo $!; exec sleep 1000'], {
      cwd: place,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = await new Promise<number>((told) => parent.stdout.once('data', (text) => told(Number(text))));
    await vi.waitUntil(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep'));
    return { pid, end: () => parent.kill('SIGKILL') };
  }

  it('ends where what it stopped is kept as a zombie by a parent that stands still', async () => {
    const { pid, end } = await leftBehind();
    const pidFile = join(place, 'server.pid');
    writeFileSync(pidFile, String(pid));
    const orphan = { mark: 'sleep', cwd: place, path: place, signal: 'SIGTERM' } as const;
    await expect(stopOrphan(pidFile, orphan)).resolves.toBe(true);
    expect(existsSync(pidFile)).toBe(false);
    end();
  });

  it('leaves one alone that works in another folder', async () => {
    const { pid, end } = await leftBehind();
    mkdirSync(moved);
    const pidFile = join(moved, 'server.pid');
    writeFileSync(pidFile, String(pid));
    const orphan = { mark: 'sleep', cwd: moved, path: place, signal: 'SIGTERM' } as const;
    await expect(stopOrphan(pidFile, orphan)).resolves.toBe(false);
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
    end();
  });
});
