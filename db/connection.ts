// The way to Postgres: one pool per process. Money comes and goes as decimal text, never as a number (MON-1).
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { DatabaseClient } from './client.ts';
import type { Database } from './tables.ts';

export type Db = Kysely<Database>;

const numericArray = 1231;
const textArray = 1009;

// pg leaves numeric and bigint as text, but would turn numeric[] into floats (MON-1).
const getTypeParser = pg.types.getTypeParser as (
  oid: number,
  format?: 'text' | 'binary',
) => (value: string) => unknown;
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    getTypeParser(oid === numericArray ? textArray : oid, format),
};

/** Milliseconds, unless they say otherwise; absent: without limit. */
export interface ConnectionLimits {
  /** Until a new connection is made. */
  readonly connectMs: number;
  /** That a query waits for a connection of the pool. */
  readonly waitMs: number;
  /** `lock_timeout` of the session. */
  readonly lockMs: number;
  /** `statement_timeout` of the session. */
  readonly statementMs: number;
  /** `idle_in_transaction_session_timeout` of the session. */
  readonly idleInTransactionMs: number;
  /** Without an answer for so long the connection is destroyed. */
  readonly answerMs: number;
  /** Age at which a connection is replaced. */
  readonly lifetimeSeconds: number;
}

/** Of the pools of api and worker. */
export const serviceLimits: ConnectionLimits = {
  connectMs: 2_000,
  waitMs: 3_000,
  lockMs: 1_500,
  statementMs: 3_000,
  idleInTransactionMs: 5_000,
  answerMs: 3_500,
  lifetimeSeconds: 600,
};

export interface ConnectionOptions {
  /** Name shown in pg_stat_activity. */
  readonly applicationName: string;
  /** Largest number of connections of this process. */
  readonly maxConnections?: number;
  readonly limits?: Partial<ConnectionLimits>;
}

/** Opens a pool. Nothing connects until the first query; `destroy()` ends it. */
export function connect(databaseUrl: string, options: ConnectionOptions): Db {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    application_name: options.applicationName,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: 5_000, // a request must fail visibly rather than queue for ever
    idleTimeoutMillis: 300_000, // a new connection costs a key derivation on either side and plans every statement anew
    types,
    Client: DatabaseClient,
  });
  // An idle connection that breaks is replaced by the pool, which tells of it; without a listener that would end the process.
  pool.on('error', () => undefined);
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}
