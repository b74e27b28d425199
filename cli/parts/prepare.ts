// Runs before the tests. It fetches the Temporal server with visible progress, and checks that the embedded
// Postgres is installed. So no test file has to do this.
import { resolve } from 'node:path';
import { explain, reasonOf } from '../errors.ts';
import { assertEmbeddedPostgres } from './postgres-home.ts';
import { sayOnTerminal } from './progress.ts';
import { findTemporal } from './temporal-binary.ts';

const { env } = process;
const binFolder = resolve(import.meta.dirname, '..', '..', '.isthmus', 'bin');

try {
  if ((env['TEMPORAL_ADDRESS'] ?? '') === '') await findTemporal({ env, binFolder, say: sayOnTerminal });
  if ((env['DATABASE_URL'] ?? '') === '') assertEmbeddedPostgres();
} catch (error) {
  sayOnTerminal(`✗ ${explain(error) ?? reasonOf(error)}`);
  process.exitCode = 1;
}
