// Brings a database to the newest schema. Race-safe: whoever migrates is alone, so that several processes may start at
// once.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import pg from 'pg';
import { connect, type Db } from '../pool/connection.ts';
import { migrations } from './index.ts';
import { ensurePartitions } from '../records/partitions.ts';
import { grantRights } from './rights.ts';

export interface MigrationOutcome {
  /** Names of the migrations that this call applied, in order. */
  readonly applied: readonly string[];
}

/**
 * Applies what is missing, brings the rights of the database roles in order, and makes the partitions of the
 * coming days.
 * @param onStep told what begins that may take long, and what an administrator has to do
 * @throws the error of the first migration that failed; it is rolled back, the earlier ones stay; else that of the first
 * partition that could not be made, after the others; ConfigurationError when a role of the database is missing and
 * cannot be made
 */
export async function migrate(
  databaseUrl: string,
  onStep: (what: string) => void = () => undefined,
): Promise<MigrationOutcome> {
  const db = connect(databaseUrl, { applicationName: 'isthmus-migrate', maxConnections: 3 });
  try {
    return await db.connection().execute(async (lock) => {
      await sql`select pg_advisory_lock(hashtext('migrations'))`.execute(lock); // until it disconnects
      const applied = await applyMissing(db, onStep);
      await grantRights(db, onStep);
      const { failed } = await ensurePartitions(db);
      if (failed[0] !== undefined) throw failed[0].error;
      return { applied };
    });
  } finally {
    await db.destroy();
  }
}

const lockNotAvailable = '55P03';
const deadlock = '40P01';
const mostTries = 60; // a minute or two: what holds a table for longer is somebody's report or backup

async function applyMissing(db: Db, onStep: (what: string) => void): Promise<readonly string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
  for (let tries = 1; ; tries += 1) {
    const { error, results } = await migrator.migrateToLatest();
    if (error === undefined) {
      return (results ?? []).filter((r) => r.status === 'Success').map((r) => r.migrationName);
    }
    const code = error instanceof pg.DatabaseError ? error.code : undefined;
    if ((code !== lockNotAvailable && code !== deadlock) || tries === mostTries) {
      throw error instanceof Error ? error : new Error('migration failed', { cause: error });
    }
    onStep('waiting for a table that is in use');
    await sleep(1_000);
  }
}
