// The drill `lost-primary`: the Postgres primary is killed under payments, and its synchronous standby takes over. No
// payment that was acknowledged may be missing.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withClient, type RunningPostgres } from '../../cli/parts/postgres.ts';
import { until } from '../system/processes.ts';
import { untilNoticed, type Drill, type Stage } from './drill.ts';
import { connectionInfo, startCopy, takeBaseBackup, untilPrimary } from './postgres-copy.ts';

const standbyName = 'standby';
const followsMs = 60_000; // a new standby reads the WAL of its backup first

/** Makes a standby, and lets each commit wait for it from then on. */
async function followSynchronously({ system, place, step }: Stage): Promise<RunningPostgres> {
  const primary = system.servers.database();
  const standby = await step('a standby starts from a base backup', async () => {
    await takeBaseBackup(primary, place);
    return startCopy(place, 'standby', { primary_conninfo: connectionInfo(primary, standbyName) });
  });
  await withClient(primary.url, async (client) => {
    await client.query(`alter system set synchronous_standby_names = '${standbyName}'`);
    await client.query('select pg_reload_conf()');
    const isSynchronous = async () => {
      const { rows } = await client.query(
        `select from pg_stat_replication where application_name = $1 and sync_state = 'sync'`,
        [standbyName],
      );
      return rows.length === 1;
    };
    await until('the standby is synchronous', isSynchronous, followsMs);
  });
  return standby;
}

/** Id of the shared memory that Postgres removes at its end, but not when it is killed. */
function segmentOf(dataFolder: string): string {
  const [, , , , , , keyAndId = ''] = readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n');
  return keyAndId.trim().split(/\s+/).at(-1) ?? '';
}

export const lostPrimary: Drill = {
  tells: 'The Postgres primary is killed, and its synchronous standby takes over.',
  postgresSettings: { wal_keep_size: '512MB' }, // the standby has no replication slot
  prepare: async (stage) => {
    const { system, place, step } = stage;
    const standby = await followSynchronously(stage);
    const { pid, exited, dataFolder = '' } = system.servers.database();
    const segment = segmentOf(dataFolder);
    place.atEnd(() => promisify(execFile)('ipcrm', ['-m', segment]));
    if (pid === undefined) throw new Error('a drill kills only a server that it has started');
    return async () => {
      await step('the primary is killed (kill -9)', async () => {
        process.kill(pid, 'SIGKILL');
        await exited;
      });
      await untilNoticed(stage);
      await step('the standby is promoted', async () => {
        await withClient(standby.url, (client) => client.query('select pg_promote(false)'));
        await untilPrimary(standby);
      });
      await step('the virtual address leads to the new primary', async () => {
        system.useDatabase(standby.url);
        await Promise.resolve();
      });
      return undefined;
    };
  },
  page: 'docs/operations/postgres-and-temporal.md#failover',
  commands: [
    'make sure that the old primary is off and stays off (fencing)',
    "psql -h <standby> -c 'select pg_promote()'",
    'let the address in DATABASE_URL lead to the new primary; restart nothing',
    'attach a new standby, then set synchronous_standby_names on the new primary',
  ],
};
