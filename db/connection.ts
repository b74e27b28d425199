// The way to Postgres: one pool per process. Money comes and goes as decimal text, never as a number (MON-1).
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { PreparingClient } from './prepared.ts';
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

export interface ConnectionOptions {
  /** Name shown in pg_stat_activity. */
  readonly applicationName: string;
  /** Largest number of connections of this process. */
  readonly maxConnections?: number;
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
    Client: PreparingClient,
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}
