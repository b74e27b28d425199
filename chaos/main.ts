// Entry point of `npm run verify:chaos`, started by cli/bootstrap.mjs. The command's code is loaded only when
// the command runs.
import type { Command } from 'commander';
import type { CommandContext } from '../cli/command.ts';
import { runCommand } from '../cli/command-line.ts';
import { declareOptions, type ChaosOptions } from './options.ts';

function addChaos(command: Command, context: CommandContext): void {
  declareOptions(command.command('verify:chaos')).action(async (options: ChaosOptions) => {
    const { verifyChaos } = await import('./verify.ts');
    process.exitCode = await verifyChaos(context, options);
  });
}

await runCommand([addChaos]);
