// Faults of the database: crashed, silent, full, read-only or locked, or connections that break during a
// statement.
import pg from 'pg';
import type { ChaosSystem } from '../system/system.ts';
import { breakConnections, eachAndAll, heal, onTheWay, type Fault, type Stage } from './fault.ts';

async function crash({ system, wait, durationMs }: Stage): Promise<void> {
  await system.servers.stopDatabase();
  await wait(durationMs);
  await heal(() => system.servers.startDatabase());
}

/** Rejects writes with SQLSTATE 25006, like a demoted primary. */
async function demote({ system, wait, durationMs }: Stage): Promise<void> {
  const set = async (value: 'on' | 'off') => {
    await onSession(system, async (client) => {
      await client.query('set default_transaction_read_only = off');
      await client.query(`alter system set default_transaction_read_only = ${value}`);
      await client.query('select pg_reload_conf()');
    });
  };
  await set('on');
  await wait(durationMs);
  await heal(() => set('off'));
}

/** Rejects writes with SQLSTATE 53100, like a full disk. Reads still work. */
async function fill({ system, wait, durationMs }: Stage): Promise<void> {
  const tables = [
    'messages',
    'message_bodies',
    'payments',
    'decisions',
    'deliveries',
    'delivery_attempts',
    'audit_events',
  ];
  await onSession(system, async (client) => {
    await client.query(`create or replace function chaos_disk_full() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
    for (const table of tables) {
      await client.query(
        `create or replace trigger chaos_disk_full before insert or update on ${table} for each row execute function chaos_disk_full()`,
      );
    }
  });
  await wait(durationMs);
  await heal(() =>
    onSession(system, async (client) => {
      for (const table of tables) await client.query(`drop trigger if exists chaos_disk_full on ${table}`);
      await client.query('drop function if exists chaos_disk_full()');
    }),
  );
}

/** Holds locks in an unrelated session, like a person with a forgotten transaction. */
const lock = (statement: string) => async (stage: Stage) => {
  await onSession(stage.system, async (client) => {
    await client.query('begin');
    await client.query(statement);
    await stage.wait(stage.durationMs);
    await client.query('rollback');
  });
};

async function onSession(system: ChaosSystem, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({
    connectionString: system.servers.database().url,
    application_name: 'chaos',
    connectionTimeoutMillis: 5_000,
  });
  client.on('error', () => undefined); // another fault may end the connection
  await client.connect();
  try {
    await work(client);
  } finally {
    void client.end().catch(() => undefined); // not awaited: the promise may never settle if the server dies
  }
}

const whole = () => ['database'];
const onWays = { groups: ['database'], targets: eachAndAll } as const;
const onServer = { groups: ['database'], targets: whole } as const;

export const databaseFaults: readonly Fault[] = [
  {
    name: 'database-connections-reset',
    tells: 'Connections to the database are reset again and again, in the middle of statements.',
    seconds: [2, 15],
    ...onWays,
    play: breakConnections('database'),
  },
  {
    name: 'database-vanishes',
    tells: 'The database host vanishes without a word: no answer, no FIN, no RST.',
    seconds: [3, 25],
    ...onWays,
    play: onTheWay('database', 'silent'),
  },
  {
    name: 'database-answers-lost',
    tells: 'What is asked of the database is done, but no answer comes back.',
    seconds: [2, 10],
    ...onWays,
    play: onTheWay('database', 'keep-answer'),
  },
  {
    name: 'database-slow',
    tells: 'Every answer of the database comes 700 ms late.',
    seconds: [5, 20],
    ...onWays,
    play: onTheWay('database', 'slow'),
  },
  {
    name: 'database-refuses',
    tells: 'The database refuses connections, as while it fails over.',
    seconds: [2, 15],
    ...onWays,
    play: onTheWay('database', 'refuse'),
  },
  {
    name: 'database-crashes',
    tells: 'Postgres is ended at once and recovers from its log.',
    seconds: [1, 10],
    ...onServer,
    play: crash,
  },
  {
    name: 'database-read-only',
    tells: 'The database refuses to write (SQLSTATE 25006), as a primary that was demoted.',
    seconds: [2, 15],
    ...onServer,
    play: demote,
  },
  {
    name: 'database-full',
    tells: 'The disk of the database is full: it can be read, not written (SQLSTATE 53100).',
    seconds: [2, 15],
    ...onServer,
    play: fill,
  },
  {
    name: 'rows-locked',
    tells: 'A session of somebody else locks every open delivery and payment.',
    seconds: [5, 30],
    ...onServer,
    play: lock('select 1 from deliveries where delivered_at is null and closed_at is null for update'),
  },
  {
    name: 'table-locked',
    tells: 'A session of somebody else locks the messages against writing.',
    seconds: [3, 12],
    ...onServer,
    play: lock('lock table messages in share mode'),
  },
];
