// Entry file of the retention job (dist/retention.js). The job drops data that is past its retention period,
// then exits. With --dry-run it only reports such data. DATABASE_URL must log in as the owner of the tables.
// Repeated and concurrent runs are safe.
import { readFileSync } from 'node:fs';
import { parseRetentionConfig } from '../core/settings/config.ts';
import { withFiles } from '../core/settings/settings.ts';
import { explain, reasonOf, UsageError } from './errors.ts';
import { retain } from './retention-lines.ts';

async function main(): Promise<void> {
  const asked = process.argv.slice(2);
  const strange = asked.find((one) => one !== '--dry-run');
  if (strange !== undefined)
    throw new UsageError(`${strange} is not understood: it takes --dry-run, or nothing.`);
  const config = parseRetentionConfig(withFiles(process.env, (path) => readFileSync(path, 'utf8')));
  const say = (msg: string) =>
    process.stdout.write(`${JSON.stringify({ service: 'isthmus-retention', msg })}\n`);
  const failed = await retain(config, { dryRun: asked.length > 0, say });
  process.exitCode = failed === 0 ? 0 : 1;
}

main().catch((error: unknown) => {
  process.stderr.write(`isthmus retention failed: ${explain(error) ?? reasonOf(error)}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
