// `npm run migrate`: migrates a database to the newest schema and writes db/schema.sql. The tests compare
// that file with a fresh database. A deployment uses cli/migrate.ts instead.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '../db/pool/connection.ts';
import { migrate, newerSchema } from '../db/migrations/migrate.ts';
import { dumpSchema } from '../db/migrations/schema-dump.ts';
import type { CommandContext } from './command.ts';
import { checkDatabase, defaultPostgresPort, startPostgres } from './parts/postgres.ts';
import { openHome } from './parts/home.ts';
import { claimFolder, FolderInUseError, type Claim } from './parts/claim.ts';
import { findRunningDemo } from './demo/run-file.ts';

export function migrateAndDump(context: CommandContext): Promise<void> {
  return onDatabase(context, (databaseUrl) => migrateOne(context, databaseUrl));
}

/**
 * Runs `work` on the database of DATABASE_URL, else on the running demo's database. If neither exists, it
 * starts the embedded Postgres and stops it afterwards.
 */
export async function onDatabase(
  context: CommandContext,
  work: (databaseUrl: string) => Promise<void>,
): Promise<void> {
  const { env, folder, terminal } = context;
  const say = (line: string) => terminal.line(line);
  const given = env['DATABASE_URL'] ?? '';
  if (given !== '') {
    await checkDatabase(given);
    return work(given);
  }
  openHome(folder);
  let claim: Claim;
  try {
    claim = claimFolder(folder);
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    const { databaseUrl } = await findRunningDemo(folder);
    return work(databaseUrl);
  }
  try {
    const postgres = await startPostgres({
      env,
      folder,
      database: 'isthmus',
      preferredPort: defaultPostgresPort,
      say,
    });
    try {
      await work(postgres.url);
    } finally {
      await postgres.stop();
    }
  } finally {
    claim.release();
  }
}

async function migrateOne({ root, terminal }: CommandContext, databaseUrl: string): Promise<void> {
  const { applied, newer } = await migrate(databaseUrl, (step) => terminal.line(`… ${step}`));
  if (newer.length > 0) {
    terminal.line(`✓ ${newerSchema(newer)}; db/schema.sql stays as it is`);
    return;
  }
  terminal.line(applied.length === 0 ? '✓ The schema is current' : `✓ Applied ${applied.join(', ')}`);
  const db = connect(databaseUrl, { applicationName: 'isthmus-migrate', maxConnections: 1 });
  try {
    writeFileSync(join(root, 'db', 'schema.sql'), await dumpSchema(db));
  } finally {
    await db.destroy();
  }
  terminal.line('✓ Wrote db/schema.sql');
}
