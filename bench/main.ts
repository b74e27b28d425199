// Entry file of `npm run bench -- <name>`; cli/bootstrap.mjs starts it. It loads run.ts only if the command
// line is valid.
import type { Command } from 'commander';
import type { CommandContext } from '../cli/command.ts';
import { runCommand } from '../cli/command-line.ts';

function addBench(command: Command, context: CommandContext): void {
  command
    .command('bench')
    .usage('-- <name> [options]')
    .description(
      'measure: payments, overload, size, quotes, limits, xml, fill, growth; bench/README.md says what each one does',
    )
    .argument('[name]')
    .argument('[options...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (name: string | undefined, options: readonly string[]) => {
      const { bench } = await import('./run.ts');
      process.exitCode = await bench(context, name, options);
    });
}

await runCommand([addBench]);
