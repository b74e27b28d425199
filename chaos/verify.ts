// What `npm run verify:chaos` does: one run, one fault alone, runs for hours, known mistakes, or another look at
// earlier evidence.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CommandContext } from '../cli/command.ts';
import { UsageError } from '../cli/errors.ts';
import { readOptions } from './asked.ts';
import { faults } from './faults/all.ts';
import { runKept } from './kept-run.ts';
import { mutants } from './mutants/all.ts';
import { tryMutants } from './mutants/try.ts';
import type { ChaosOptions } from './options.ts';
import { judge } from './oracle/judge.ts';
import { readEvidence } from './oracle/read-evidence.ts';
import type { Verdict } from './oracle/verdict.ts';
import { tellVerdict } from './report.ts';
import { runForHours } from './rotation.ts';

/** @returns exit code */
export async function verifyChaos(context: CommandContext, options: ChaosOptions): Promise<number> {
  if (options.list === true) return list(context);
  if (options.judge !== undefined) return judgeAgain(context, resolve(options.judge));
  if (options.mutant !== undefined) return tryMutants(context, options, options.mutant);
  const asked = readOptions(options);
  if (asked.hours !== undefined) return runForHours(context, asked, asked.hours);
  const { verdict } = await runKept(context, asked, asked.seed);
  return verdict.breaches.length === 0 ? 0 : 1;
}

function judgeAgain({ terminal }: CommandContext, folder: string): number {
  if (!existsSync(join(folder, 'run.json'))) {
    throw new UsageError(
      `--judge ${folder}: there is no run.json, so this is not the evidence of a finished run.`,
    );
  }
  const verdict: Verdict = judge(readEvidence(folder));
  tellVerdict(terminal, verdict);
  return verdict.breaches.length === 0 ? 0 : 1;
}

function list({ terminal }: CommandContext): number {
  const table = (rows: readonly { readonly name: string; readonly tells: string }[]) => {
    for (const { name, tells } of rows) terminal.line(`  ${terminal.paint('name', name.padEnd(36))}${tells}`);
  };
  terminal.line('Faults, for --fault:');
  table(faults);
  terminal.line('Mistakes, for --mutant, and by what one of each is found:');
  table(mutants.map(({ name, tells, breaks }) => ({ name, tells: `${tells} (${breaks.join(', ')})` })));
  return 0;
}
