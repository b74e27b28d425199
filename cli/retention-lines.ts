// Runs the retention job and reports each step as a line. cli/retention.ts and `npm run retention` use it.
import type { RetentionConfig } from '../core/settings/config.ts';
import { connect, type Db } from '../db/pool/connection.ts';
import { countUnsealed, dropDataKeys } from '../db/keys/data-keys.ts';
import { dropExpired, findExpired, type Expired, type Hold } from '../db/records/retention.ts';
import { reasonOf } from './errors.ts';

/**
 * Drops the partitions that are past their retention period. A dry run only reports these partitions, and the
 * reasons that keep some of them from being dropped.
 * @param say called with one line for each expired partition, and one line at the end
 * @returns the number of partitions that could not be dropped because of an error. The caller should retry.
 */
export async function retain(
  config: RetentionConfig,
  { dryRun, say }: { readonly dryRun: boolean; readonly say: (line: string) => void },
): Promise<number> {
  const db = connect(config.databaseUrl, { applicationName: 'isthmus-retention', maxConnections: 2 });
  try {
    const expired = await findExpired(db, config);
    const done = { dropped: 0, held: 0, failed: 0 };
    for (const one of expired) {
      try {
        // Find the holds again, because an earlier drop may have removed one.
        const holds = dryRun ? one.holds : await dropExpired(db, config, one);
        done[holds.length > 0 ? 'held' : 'dropped'] += 1;
        say(`${describe(one)}: ${ending(holds, dryRun)}`);
      } catch (error) {
        done.failed += 1;
        say(`${describe(one)}: could not be dropped, nothing was changed: ${reasonOf(error)}. Run it again.`);
      }
    }
    const months = dryRun ? [] : await dropDataKeys(db);
    if (months.length > 0)
      say(`keys under which nothing is sealed any longer: deleted (${months.join(', ')})`);
    if (dryRun) await tellUnsealed(db, say);
    const { dropped, held, failed } = done;
    const kept = `bytes of messages are kept for ${config.messagesMonths} months, records for ${config.recordsYears} years`;
    if (expired.length === 0) say(`nothing is older than it is kept: ${kept}`);
    else if (dryRun) say(`${dropped} would be dropped, ${held} kept; nothing was changed (${kept})`);
    else say(`${dropped} dropped, ${held} kept, ${failed} could not be dropped (${kept})`);
    return failed;
  } finally {
    await db.destroy();
  }
}

/**
 * Reports how many message bodies of each month are not encrypted. It reports nothing if there are no such
 * bodies, or no data keys.
 */
async function tellUnsealed(db: Db, say: (line: string) => void): Promise<void> {
  const months = await countUnsealed(db);
  if (months.length === 0) return;
  const each = months.map(({ month, messages }) => `${month}: ${messages}`).join(', ');
  say(`bytes of messages that are not sealed, and stay so until they are dropped: ${each}`);
}

function describe({ what, until, partitions, rows, bytes }: Expired): string {
  const size = `${(bytes / 1_048_576).toFixed(1)} MiB`;
  const name = what === 'messages' ? 'bytes of messages' : 'records';
  return `${name} until ${until.toISOString().slice(0, 10)} (${partitions.join(', ')}; about ${rows} rows, ${size})`;
}

function ending(holds: readonly Hold[], dryRun: boolean): string {
  if (holds.length === 0) return dryRun ? 'would be dropped' : 'dropped';
  const reasons = holds.map(({ reason, count, examples }) => {
    const more = count > examples.length ? ', ...' : '';
    return `${count} ${reason}${examples.length === 0 ? '' : ` (${examples.join(', ')}${more})`}`;
  });
  return `${dryRun ? 'would be kept' : 'kept'}: ${reasons.join('; ')}`;
}
