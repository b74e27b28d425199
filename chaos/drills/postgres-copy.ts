// A second Postgres of a drill, made from the files of the first: a standby, or a restored backup. The embedded
// Postgres has no pg_basebackup, so this file copies the data folder between pg_backup_start and pg_backup_stop.
import { chownSync, mkdirSync, statSync } from 'node:fs';
import { chown, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { postgresHome, type PostgresHome } from '../../cli/parts/postgres-home.ts';
import { startPostgres, withClient, type RunningPostgres } from '../../cli/parts/postgres.ts';
import type { ThrowawayPlace } from '../../cli/throwaway.ts';
import { until } from '../system/processes.ts';
import { databaseName } from '../system/servers.ts';

/** Folders whose files a base backup leaves out. */
const emptied: ReadonlySet<string> = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);
const leftOut = /^(postmaster\.(pid|opts)|pgsql_tmp.*|pg_internal\.init.*)$/;

const promotionMs = 60_000; // much longer than replaying the WAL of a few minutes takes

/** The folder of the copy. The end of the drill removes it (throwaway-folders.ts). */
const folderOf = ({ folder }: ThrowawayPlace) => join(folder, 'copy');

/** Takes a base backup of a running server. `startCopy` starts it. */
export async function takeBaseBackup(server: RunningPostgres, place: ThrowawayPlace): Promise<void> {
  const from = dataOf(server);
  mkdirSync(folderOf(place), { recursive: true });
  const home = postgresHome(join(folderOf(place), 'postgres'));
  const copy = async (source: string, target: string) => {
    await copyFile(source, target);
    await giveTo(home, target);
  };
  const make = async (path: string) => {
    await mkdir(path, { mode: 0o700 });
    await giveTo(home, path);
  };
  await copy(join(dirname(from), 'password'), join(home.folder, 'password'));
  await withClient(server.url, async (client) => {
    await client.query(`select pg_backup_start('drill', true)`);
    await copyFolder(from, join(home.folder, 'data'), { copy, make });
    const { rows } = await client.query<{ label: string }>(
      'select labelfile as label from pg_backup_stop(false)',
    );
    await writeTo(home, 'backup_label', rows[0]?.label ?? '');
  });
}

/** Makes the user of Postgres the owner of a file or folder. */
async function giveTo({ user }: PostgresHome, path: string): Promise<void> {
  if (user !== undefined) await chown(path, user.uid, user.gid);
}

/** Writes a file into the data folder. */
async function writeTo(home: PostgresHome, name: string, text: string): Promise<void> {
  const path = join(home.folder, 'data', name);
  await writeFile(path, text);
  await giveTo(home, path);
}

interface Tools {
  readonly copy: (source: string, target: string) => Promise<void>;
  readonly make: (path: string) => Promise<void>;
}

/** Ignores files that vanish meanwhile: the WAL from the start of the backup on repeats their changes. */
async function copyFolder(from: string, to: string, tools: Tools): Promise<void> {
  await tools.make(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (leftOut.test(entry.name)) continue;
    if (emptied.has(entry.name)) await tools.make(target);
    else if (entry.isDirectory()) await copyFolder(source, target, tools);
    else
      await tools.copy(source, target).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      });
  }
}

/**
 * Starts the base backup as a server.
 * @param kind `standby` follows the first server; `recovery` replays the archive up to the target in `settings`
 */
export async function startCopy(
  place: ThrowawayPlace,
  kind: 'standby' | 'recovery',
  settings: Readonly<Record<string, string>>,
): Promise<RunningPostgres> {
  await writeTo(postgresHome(join(folderOf(place), 'postgres')), `${kind}.signal`, '');
  const server = await startPostgres({
    env: { ...place.env, DATABASE_URL: '' },
    folder: folderOf(place),
    database: databaseName,
    furtherSettings: settings,
    say: () => undefined,
  });
  place.atEnd(() => server.stop());
  return server;
}

/** Waits until a copy has left recovery, and takes writes. */
export function untilPrimary({ url }: RunningPostgres): Promise<void> {
  const isPrimary = async () => {
    const { rows } = await withClient(url, (client) =>
      client.query<{ is: boolean }>('select not pg_is_in_recovery() as is'),
    );
    return rows[0]?.is === true;
  };
  return until('the copy takes writes', isPrimary, promotionMs);
}

/** Connection of a standby to its primary. `name` is the standby's name in `synchronous_standby_names`. */
export function connectionInfo({ url }: RunningPostgres, name: string): string {
  const { hostname, port, username, password } = new URL(url);
  return `host=${hostname} port=${port} user=${username} password=${password} application_name=${name}`;
}

/**
 * Lets the server archive its WAL beside its data. The server must run with `archive_mode=on`.
 * @returns the folder of the archive
 */
export async function archiveWal(server: RunningPostgres): Promise<string> {
  const archive = join(dirname(dataOf(server)), 'archive');
  const { uid, gid } = statSync(dataOf(server));
  mkdirSync(archive);
  chownSync(archive, uid, gid);
  await withClient(server.url, async (client) => {
    const command = `test ! -f "${archive}/%f" && cp "%p" "${archive}/%f"`;
    await client.query(`alter system set archive_command = ${client.escapeLiteral(command)}`);
    await client.query('select pg_reload_conf()');
  });
  return archive;
}

/** Waits until everything that was written so far is in the archive. */
export async function untilArchived({ url }: RunningPostgres): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ file: string }>('select pg_walfile_name(pg_switch_wal()) as file');
    const isArchived = async () => {
      const { rows: archived } = await client.query<{ is: boolean }>(
        'select last_archived_wal >= $1 as is from pg_stat_archiver',
        [rows[0]?.file],
      );
      return archived[0]?.is === true;
    };
    await until('the archive has the last WAL file', isArchived, promotionMs);
  });
}

function dataOf({ dataFolder }: RunningPostgres): string {
  if (dataFolder === undefined) throw new Error('a drill copies only a server that it has started');
  return dataFolder;
}
