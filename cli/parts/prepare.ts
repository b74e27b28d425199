// Runs before the tests: checks that a Temporal server and a Postgres are available. It fetches them with visible
// progress, so that no test run has to.
import { join, resolve } from 'node:path';
import { explain, reasonOf } from '../errors.ts';
import { checkDatabase, checkTemporalAddress } from './given.ts';
import { assertEmbeddedPostgres, postgresHome } from './postgres-home.ts';
import { sayOnTerminal } from './progress.ts';
import { findTemporal } from './temporal-binary.ts';

const { env } = process;
const folder = resolve(import.meta.dirname, '..', '..', '.isthmus');

try {
  if ((env['TEMPORAL_ADDRESS'] ?? '') !== '') {
    await checkTemporalAddress(env['TEMPORAL_ADDRESS'] ?? '');
    sayOnTerminal(`✓ Temporal: the server at ${env['TEMPORAL_ADDRESS'] ?? ''}`);
  } else {
    sayOnTerminal(
      `✓ Temporal: ${await findTemporal({ env, binFolder: join(folder, 'bin'), say: sayOnTerminal })}`,
    );
  }
  if ((env['DATABASE_URL'] ?? '') !== '') {
    await checkDatabase(env['DATABASE_URL'] ?? '');
    sayOnTerminal('✓ Postgres: the server of DATABASE_URL');
  } else {
    assertEmbeddedPostgres();
    sayOnTerminal(`✓ Postgres: version ${postgresHome(join(folder, 'postgres')).majorVersion} from npm`);
  }
} catch (error) {
  sayOnTerminal(`✗ ${explain(error) ?? reasonOf(error)}`);
  process.exitCode = 1;
}
