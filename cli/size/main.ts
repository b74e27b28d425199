// Declares `npm run size` (in the container image, `isthmus size`). It says what a rate of payments needs. It
// asks no gateway and no database.
import type { Command } from 'commander';
import type { CommandContext } from '../command.ts';
import type { SizeOptions } from './command.ts';

const help = `
A model with service times of a benchmark; docs/operations/sizing.md says what it can tell and what not.
Exit code: 0 done, 1 the file of --measured could not be read, 2 the options were not understood.`;

export function addSize(command: Command, context: CommandContext): void {
  command
    .command('size')
    .usage('-- --rate <number> [options]')
    .description(
      'say what a rate of payments needs: cores, shards, connections, disk, partitions; and which limit comes first',
    )
    .requiredOption('--rate <number>', 'payments per second, 1 to 20000')
    .option('--systems <number>', 'payment systems that share the payments evenly (default: 10)')
    .option('--a-day <number>', 'payments a day, for disk and its limits (default: the rate all day)')
    .option(
      '--measured <file>',
      'service times of your machine: npm run bench -- payments --measure-size <file>',
    )
    .option('--json', 'one JSON object instead of the tables')
    .addHelpText('after', help)
    .action(async (options: SizeOptions) => {
      const { size } = await import('./command.ts');
      size(context.terminal, options);
    });
}
