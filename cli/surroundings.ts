// What a command needs around it, looked at before anything is started: the folder, the servers that a person gave, the
// Postgres from npm. Each thing that will not do is a sentence, within seconds.
import type { CommandContext } from './command.ts';
import { checkDatabase, checkTemporalAddress } from './parts/given.ts';
import { openHome } from './parts/home.ts';
import { assertEmbeddedPostgres } from './parts/postgres-home.ts';

/** @throws UserError */
export async function checkSurroundings({ env, folder }: CommandContext): Promise<void> {
  openHome(folder);
  const databaseUrl = env['DATABASE_URL'] ?? '';
  if (databaseUrl === '') assertEmbeddedPostgres();
  else await checkDatabase(databaseUrl);
  const temporalAddress = env['TEMPORAL_ADDRESS'] ?? '';
  if (temporalAddress !== '') await checkTemporalAddress(temporalAddress);
}
