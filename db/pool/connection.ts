// Connects to Postgres: one pool per process. Amounts are read and written as decimal text, never as numbers.
import { Kysely, PostgresDialect, sql, type KyselyPlugin, type PostgresPool } from 'kysely';
import pg from 'pg';
import { DatabaseClient, type DatabaseClientConfig, type TraceStatement } from './client.ts';
import { DatabaseSilent } from './failures.ts';
import type { Database } from '../tables.ts';

export type Db = Kysely<Database>;

const numericArray = 1231;
const textArray = 1009;

// pg returns numeric and bigint as text, but would parse numeric[] into floats.
const getTypeParser = pg.types.getTypeParser as (
  oid: number,
  format?: 'text' | 'binary',
) => (value: string) => unknown;
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    getTypeParser(oid === numericArray ? textArray : oid, format),
};

/** Limits in milliseconds, except where the name says seconds. An absent value means no limit. */
export interface ConnectionLimits {
  readonly connectMs: number;
  /** Maximum time that a query waits for a connection from the pool. */
  readonly waitMs: number;
  /** `lock_timeout` of the session. A caller that cannot get a lock in time retries later. */
  readonly lockMs: number;
  /** `statement_timeout` of the session. */
  readonly statementMs: number;
  /** `idle_in_transaction_session_timeout`: releases the locks of a process that hangs in a transaction. */
  readonly idleInTransactionMs: number;
  /**
   * Maximum time to wait for the answer to a query. Then the connection is destroyed, because its host may
   * have vanished silently.
   */
  readonly answerMs: number;
  readonly lifetimeSeconds: number;
}

/**
 * Limits of the pools of api and worker. Each is below the 4 s of a local activity, so that the activity sees
 * the error.
 */
export const serviceLimits: ConnectionLimits = {
  connectMs: 2_000, // connecting normally takes 20 ms: a key derivation on each side, and a new server process
  waitMs: 3_000, // a request should fail visibly rather than queue for ever
  lockMs: 1_500,
  statementMs: 3_000, // our statements take milliseconds
  idleInTransactionMs: 5_000, // our code leaves microseconds between two statements
  answerMs: 3_500, // above statementMs, so the server reports a slow statement first
  lifetimeSeconds: 600, // new connections follow a database that moved or was rebalanced
};

/** Connections in the pool of an api or a worker; cli/size counts with them. */
export const servicePoolSize = 20;

export interface ConnectionOptions {
  /** Name shown in pg_stat_activity. */
  readonly applicationName: string;
  /** Largest number of connections of this process. */
  readonly maxConnections?: number;
  /**
   * Limits of the connections. By default only connecting is limited, because the statements of migrations
   * and reports may take long.
   */
  readonly limits?: Partial<ConnectionLimits>;
  /** Absent: statements have no trace spans. */
  readonly trace?: TraceStatement | undefined;
  /** Holds the keys for sealed data; absent: nothing is sealed. */
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
    keepAlive: true, // detects a vanished host after 20 s of idleness: Node sends ten probes, a second apart
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

/** Opens a pool. Nothing connects until the first query; `destroy()` closes the pool. */
export function connect(databaseUrl: string, options: ConnectionOptions): Db {
  const { waitMs, lifetimeSeconds } = limitsOf(options);
  const idle = new Set<unknown>();
  const config: DatabaseClientConfig & pg.PoolConfig = {
    ...clientConfig(databaseUrl, options),
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: waitMs,
    idleTimeoutMillis: 300_000, // a new connection costs a key derivation on each side, and plans each statement anew
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
  // The pool replaces an idle connection that breaks. Without this listener the error event would crash the process.
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

/** Counts the connections of the pool, the idle ones, and the queries that wait for one. */
export function poolState(db: Db): {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
} {
  const { totalCount: total = 0, idleCount: idle = 0, waitingCount = 0 } = pools.get(db) ?? {};
  // pg queues every request for a moment, even if a connection is idle
  const waiting = Math.max(0, waitingCount - idle);
  return { total, idle, waiting };
}

export async function isAnswering(db: Db): Promise<boolean> {
  return sql`select 1`.execute(db).then(
    () => true,
    () => false,
  );
}

export interface OneConnection {
  readonly client: DatabaseClient;
  /** Runs its queries on this one connection, one after the other. */
  readonly db: Db;
}

/**
 * Opens a dedicated connection, for LISTEN. The caller must end it.
 * @throws if it cannot connect
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
