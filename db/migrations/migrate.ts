// Migrates a database to the newest schema. A lock admits one migrator at a time, so several processes may start at
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
 * Applies the missing migrations, updates the rights of the database roles, and makes the partitions of the coming
 * days.
 * @param onStep called with a message when a long step begins, or when an administrator must act
 * @throws the error of the first migration that failed; it is rolled back, earlier ones stay
 * @throws the error of the first partition that could not be made, after trying the others
 * @throws ConfigurationError if a database role is missing and this login cannot make it
 */
export async function migrate(
  databaseUrl: string,
  onStep: (what: string) => void = () => undefined,
): Promise<MigrationOutcome> {
  const db = connect(databaseUrl, { applicationName: 'isthmus-migrate', maxConnections: 3 });
  try {
    return await db.connection().execute(async (lock) => {
      await sql`select pg_advisory_lock(hashtext('migrations'))`.execute(lock); // released when the connection closes
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
const mostTries = 60; // a minute or two: a lock that lasts longer belongs to a report or a backup

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
    onStep('waiting for a table that another session has locked');
    await sleep(1_000);
  }
}
