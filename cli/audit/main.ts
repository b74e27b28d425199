// Declares `npm run audit` (in the container image, `isthmus audit`). It checks whether the audit record has
// changed since it was sealed.
import type { Command } from 'commander';
import type { CommandContext } from '../command.ts';
import type { AuditOptions } from './verify.ts';

const help = `
It reads the database of DATABASE_URL, as isthmus_readonly or the owner of the tables, else that of the demo that runs.
Keep the digest that it prints last, or that of a line "record sealed" of a worker's log, where nobody who can write into the
database can write: --head holds the seals against it. Without it nothing is compared but the database with itself, and its
owner can have the record sealed anew. With SEALING_KEYS a seal counts only by a key that was made by somebody who has them.
docs/operations/keys-and-sealing.md says what to do about what it finds.
Exit code: 0 the record matches its seals; 1 it does not, hours after --head were sealed late, or it could not be read; 2 the
options were not understood.`;

export function addAudit(command: Command, context: CommandContext): void {
  const audit = command
    .command('audit')
    .usage('-- verify [options]')
    .description('compare the record with its seals')
    .addHelpText('after', help);
  audit
    .command('verify')
    .description('name every decision and audit event that was changed, removed or added behind our back')
    .option('--head <digest>', 'of a seal, as it was printed or logged: it must be among the seals')
    .option(
      '--key <keys...>',
      'ids or public parts of the only keys that may have signed, as the logs have them ("a key of what is sent was made")',
    )
    .action(async (options: AuditOptions) => {
      const { verifyRecord } = await import('./verify.ts');
      process.exitCode = await verifyRecord(context, options);
    });
}
