// `npm run retention`: runs the retention job on the local database. A deployment uses cli/retention.ts instead.
import { parseRetentionConfig } from '../core/settings/config.ts';
import type { CommandContext } from './command.ts';
import { onDatabase } from './migrate-command.ts';
import { retain } from './retention-lines.ts';

/** @returns the exit code: 1 if something could not be dropped */
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
