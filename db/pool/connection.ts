// The way to Postgres: one pool per process. Money comes and goes as decimal text, never as a number.
import { Kysely, PostgresDialect, sql, type KyselyPlugin, type PostgresPool } from 'kysely';
import pg from 'pg';
import { DatabaseClient, type DatabaseClientConfig, type TraceStatement } from './client.ts';
import { DatabaseSilent } from './failures.ts';
import type { Database } from '../tables.ts';

export type Db = Kysely<Database>;

const numericArray = 1231;
const textArray = 1009;

// pg leaves numeric and bigint as text, but would turn numeric[] into floats.
const getTypeParser = pg.types.getTypeParser as (
  oid: number,
  format?: 'text' | 'binary',
) => (value: string) => unknown;
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    getTypeParser(oid === numericArray ? textArray : oid, format),
};

/** Milliseconds, unless they say otherwise; what is absent has no limit. */
export interface ConnectionLimits {
  /** Until a new connection is made and authenticated. */
  readonly connectMs: number;
  /** That a query waits for a connection of the pool. */
  readonly waitMs: number;
  /** `lock_timeout` of the session: what somebody else holds is asked for again later. */
  readonly lockMs: number;
  /** `statement_timeout` of the session. */
  readonly statementMs: number;
  /** `idle_in_transaction_session_timeout`: what a process that stands still has locked is free again. */
  readonly idleInTransactionMs: number;
  /** Without an answer for so long the connection is destroyed: its host may have vanished without a word. */
  readonly answerMs: number;
  /** Age at which a connection is replaced. */
  readonly lifetimeSeconds: number;
}

/** Of the pools of api and worker: each below the 4 s of a local activity, which then hears what failed. */
export const serviceLimits: ConnectionLimits = {
  connectMs: 2_000, // a key derivation and a process on either side: 20 ms
  waitMs: 3_000, // a request fails visibly rather than to queue for ever
  lockMs: 1_500,
  statementMs: 3_000, // ours take milliseconds
  idleInTransactionMs: 5_000, // between two statements of ours lie microseconds
  answerMs: 3_500, // the server tells of a slow statement before
  lifetimeSeconds: 600, // to follow a database that moved or was rebalanced
};

export interface ConnectionOptions {
  /** Name shown in pg_stat_activity. */
  readonly applicationName: string;
  /** Largest number of connections of this process. */
  readonly maxConnections?: number;
  /** Default: those of migrations and reports, which may take their time once they are connected. */
  readonly limits?: Partial<ConnectionLimits>;
  /** Absent: statements have no spans. */
  readonly trace?: TraceStatement | undefined;
  /** The keys of what is sealed; absent: nothing is. */
  readonly vault?: (KyselyPlugin & { readonly dataKeyGone: () => void }) | undefined;
}

const limitsOf = ({ limits }: ConnectionOptions): Partial<ConnectionLimits> => ({
  connectMs: 5_000,
  waitMs: 5_000,
  ...limits,
});

function clientConfig(databaseUrl: string, options: ConnectionOptions): DatabaseClientConfig {
  const { connectMs, answerMs, lockMs, statementMs, idleInTransactionMs } = limitsOf(options);
  return {
    connectionString: databaseUrl,
    application_name: options.applicationName,
    keepAlive: true, // an idle connection whose host is gone breaks after 20 s; Node asks ten times, a second apart
    keepAliveInitialDelayMillis: 10_000,
    connectMs,
    answerMs,
    trace: options.trace,
    onDataKeyGone: options.vault?.dataKeyGone,
    lock_timeout: lockMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    types,
  };
}

/** Opens a pool. Nothing connects until the first query; `destroy()` ends it. */
export function connect(databaseUrl: string, options: ConnectionOptions): Db {
  const { waitMs, lifetimeSeconds } = limitsOf(options);
  const idle = new Set<unknown>();
  const config: DatabaseClientConfig & pg.PoolConfig = {
    ...clientConfig(databaseUrl, options),
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: waitMs,
    idleTimeoutMillis: 300_000, // a new connection costs a key derivation on either side and has to plan every statement again
    maxLifetimeSeconds: lifetimeSeconds,
    Client: DatabaseClient,
    onSilence: () => {
      for (const client of idle) {
        if (client instanceof DatabaseClient)
          client.drop(new DatabaseSilent('another connection fell silent'));
      }
    },
  };
  const pool = new pg.Pool(config);
  pool.on('release', (_error, client) => void idle.add(client));
  pool.on('acquire', (client) => void idle.delete(client));
  pool.on('remove', (client) => void idle.delete(client));
  // An idle connection that breaks is replaced by the pool, which tells of it; without a listener that would end the
  // process.
  pool.on('error', () => undefined);
  const { vault } = options;
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    ...(vault && { plugins: [vault] }),
  });
  pools.set(db, pool);
  return db;
}

const pools = new WeakMap<Db, pg.Pool>();

/** The connections of the pool at this moment: all, those that do nothing, and queries that wait for one. */
export function poolState(db: Db): {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
} {
  const { totalCount: total = 0, idleCount: idle = 0, waitingCount = 0 } = pools.get(db) ?? {};
  // whoever asks is in the queue for a moment, also where a connection is idle
  const waiting = Math.max(0, waitingCount - idle);
  return { total, idle, waiting };
}

/** Whether Postgres answers. */
export async function isAnswering(db: Db): Promise<boolean> {
  return sql`select 1`.execute(db).then(
    () => true,
    () => false,
  );
}

export interface OneConnection {
  readonly client: DatabaseClient;
  /** Runs its queries on that connection, one after another. */
  readonly db: Db;
}

/**
 * Makes one connection that is nobody else's: for LISTEN. Whoever has it ends it.
 * @throws when it cannot be made
 */
export async function connectOne(databaseUrl: string, options: ConnectionOptions): Promise<OneConnection> {
  const config = clientConfig(databaseUrl, options);
  const client = new DatabaseClient(config);
  try {
    await client.connect();
  } catch (error) {
    await client.end();
    throw error;
  }
  const lent = Object.assign(client, { release: () => undefined });
  const pool: PostgresPool = {
    connect: () => Promise.resolve(lent),
    end: () => client.end(),
    options: config,
  };
  return { client, db: new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }) };
}
