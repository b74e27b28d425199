// `npm run retention`: the retention job on the database at hand. The job of a deployment is cli/retention.ts.
import { parseRetentionConfig } from '../core/settings/config.ts';
import type { CommandContext } from './command.ts';
import { onDatabase } from './migrate-command.ts';
import { retain } from './retention-lines.ts';

/** @returns the exit code: 1 where something could not be dropped */
export async function retainHere(
  context: CommandContext,
  { dryRun }: { readonly dryRun: boolean },
): Promise<number> {
  let failed = 0;
  await onDatabase(context, async (databaseUrl) => {
    const config = parseRetentionConfig({ ...context.env, DATABASE_URL: databaseUrl });
    failed = await retain(config, { dryRun, say: (line) => context.terminal.line(line) });
  });
  return failed === 0 ? 0 : 1;
}
