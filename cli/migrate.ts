// Entry file of the migrate job (dist/migrate.js). The job migrates the database of DATABASE_URL to the
// newest schema, then exits. With DEMO=1 it also loads the seed data, in which the sandbox has its default
// ports. Repeated and concurrent runs are safe.
import { readFileSync } from 'node:fs';
import { parseCommonConfig } from '../core/settings/config.ts';
import { withFiles } from '../core/settings/settings.ts';
import { migrate, newerSchema } from '../db/migrations/migrate.ts';
import { seed } from '../db/seed.ts';
import { sandboxSettings } from '../sandbox/environment.ts';
import { explain, reasonOf } from './errors.ts';
import { addressesWith, parseReplacements } from './demo/replacements.ts';

async function main(): Promise<void> {
  const { databaseUrl } = parseCommonConfig(withFiles(process.env, (path) => readFileSync(path, 'utf8')));
  const tell = (msg: string) =>
    process.stdout.write(`${JSON.stringify({ service: 'isthmus-migrate', msg })}\n`);
  const { applied, newer } = await migrate(databaseUrl, tell);
  if (newer.length > 0) {
    tell(newerSchema(newer));
    return;
  }
  const said = applied.length === 0 ? 'the schema is current' : `applied ${applied.join(', ')}`;
  tell(said);
  if (process.env['DEMO'] !== '1') return;
  const at = (port: string) => `http://127.0.0.1:${port}`;
  const { destination, fxProvider } = sandboxSettings.ports;
  const sandbox = {
    destination: at(destination.details.default),
    fxProvider: at(fxProvider.details.default),
  };
  await seed(databaseUrl, addressesWith(parseReplacements([], []), sandbox));
  tell('seed data loaded (DEMO=1)');
}

main().catch((error: unknown) => {
  process.stderr.write(`isthmus migrate failed: ${explain(error) ?? reasonOf(error)}\n`);
  process.exitCode = 1;
});
