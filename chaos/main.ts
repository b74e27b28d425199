// Entry point of `npm run verify:chaos` and `npm run drill`, started by cli/bootstrap.mjs. The code of a command is
// loaded only when the command runs.
import type { Command } from 'commander';
import type { CommandContext } from '../cli/command.ts';
import { runCommand } from '../cli/command-line.ts';
import { declareDrill, declareOptions, type ChaosOptions, type DrillOptions } from './options.ts';

function addChaos(command: Command, context: CommandContext): void {
  declareOptions(command.command('verify:chaos')).action(async (options: ChaosOptions) => {
    const { verifyChaos } = await import('./verify.ts');
    process.exitCode = await verifyChaos(context, options);
  });
}

function addDrill(command: Command, context: CommandContext): void {
  declareDrill(command.command('drill')).action(async (name: string | undefined, options: DrillOptions) => {
    const { drill } = await import('./drills/command.ts');
    process.exitCode = await drill(context, name, options);
  });
}

await runCommand([addChaos, addDrill]);
