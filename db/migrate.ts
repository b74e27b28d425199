// Brings a database to the newest schema. Race-safe: Kysely's migrator holds an advisory lock, so that several
// processes may start at once.
import { Migrator } from 'kysely';
import { connect } from './connection.ts';
import { migrations } from './migrations/index.ts';
import { ensureQuotePartitions } from './partitions.ts';
import { grantRights } from './rights.ts';

export interface MigrationOutcome {
  /** Names of the migrations that this call applied, in order. */
  readonly applied: readonly string[];
}

/**
 * Applies what is missing, brings the rights of the database roles in order (SEC-6), and makes the partitions of the
 * coming days.
 * @throws the error of the first migration that failed; it is rolled back, the earlier ones stay; else that of the first
 * day whose partition could not be made, after those of the other days; ConfigurationError when a role of the database is missing and cannot be made
 */
export async function migrate(databaseUrl: string): Promise<MigrationOutcome> {
  const db = connect(databaseUrl, { applicationName: 'isthmus-migrate', maxConnections: 2 });
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
    const { error, results } = await migrator.migrateToLatest();
    if (error !== undefined)
      throw error instanceof Error ? error : new Error('migration failed', { cause: error });
    await grantRights(db);
    const { failed } = await ensureQuotePartitions(db);
    if (failed[0] !== undefined) throw failed[0].error;
    return { applied: (results ?? []).filter((r) => r.status === 'Success').map((r) => r.migrationName) };
  } finally {
    await db.destroy();
  }
}
