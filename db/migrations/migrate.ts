// Migrates a database to the newest schema. A lock admits one migrator at a time, so several processes may start at
// once.
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { connect, type Db } from '../pool/connection.ts';
import { migrations } from './index.ts';
import { ensurePartitions } from '../records/partitions.ts';
import { grantRights } from './rights.ts';

export interface MigrationOutcome {
  readonly applied: readonly string[];
  /** Migrations of a newer release, which the database already has; then nothing was changed. */
  readonly newer: readonly string[];
}

/**
 * Applies the missing migrations, updates the rights of the database roles, and makes the partitions of the
 * coming days. Changes nothing if the database has all migrations of this release and newer ones: the rights of
 * this release would close the newer tables to the processes of the newer release.
 * @param say called with each task that an administrator has to do
 * @throws the error of the first migration that failed; it is rolled back, earlier ones stay
 * @throws the error of the first partition that could not be made, after trying the others
 * @throws ConfigurationError if a database role is missing and this login cannot make it
 */
export async function migrate(
  databaseUrl: string,
  say: (what: string) => void = () => undefined,
): Promise<MigrationOutcome> {
  const db = connect(databaseUrl, { applicationName: 'isthmus-migrate', maxConnections: 3 });
  try {
    return await db.connection().execute(async (lock) => {
      await sql`select pg_advisory_lock(hashtext('migrations'))`.execute(lock); // released when the connection closes
      const newer = await newerThanOurs(db);
      if (newer.length > 0) return { applied: [], newer };
      const applied = await applyMissing(db);
      await grantRights(db, say);
      const { failed } = await ensurePartitions(db);
      if (failed[0] !== undefined) throw failed[0].error;
      return { applied, newer };
    });
  } finally {
    await db.destroy();
  }
}

async function applyMissing(db: Db): Promise<readonly string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined)
    throw error instanceof Error ? error : new Error('migration failed', { cause: error });
  return results.filter((r) => r.status === 'Success').map((r) => r.migrationName);
}

/** @returns the migrations after ours if the database has all of ours; else none, and `applyMissing` judges */
async function newerThanOurs(db: Db): Promise<readonly string[]> {
  const { rows: tables } = await sql`select where to_regclass('kysely_migration') is not null`.execute(db);
  if (tables.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  const executed = rows.map(({ name }) => name).sort();
  const own = Object.keys(migrations).sort();
  return own.every((name, nth) => executed[nth] === name) ? executed.slice(own.length) : [];
}

/** The sentence for a database that a newer release has migrated. */
export const newerSchema = (newer: readonly string[]): string =>
  `the schema is of a newer release (${newer.join(', ')}): the release before it runs on it, so there is nothing to do`;
