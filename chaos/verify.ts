// The command `npm run verify:chaos`. It plays one run, a single fault, runs for hours, or known mistakes, or
// it judges earlier evidence again.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CommandContext } from '../cli/command.ts';
import { UsageError } from '../cli/errors.ts';
import { wrap } from '../cli/terminal.ts';
import { largestSeed, readOptions, targetsInWords, type Asked } from './asked.ts';
import { faults } from './faults/all.ts';
import { runKept } from './kept-run.ts';
import { mutantNamed, mutants } from './mutants/all.ts';
import type { ChaosOptions } from './options.ts';
import { judge } from './oracle/judge.ts';
import { readEvidence } from './oracle/read-evidence.ts';
import type { Verdict } from './oracle/verdict.ts';
import { exitCodeOf, tellVerdict } from './report.ts';

/** @returns the exit code */
export async function verifyChaos(context: CommandContext, options: ChaosOptions): Promise<number> {
  if (options.list === true) return list(context);
  if (options.judge !== undefined) return judgeAgain(context, resolve(options.judge));
  if (options.mutant !== undefined) return tryMutants(context, options, options.mutant);
  const asked = readOptions(options);
  if (asked.hours !== undefined) return runForHours(context, asked, asked.hours);
  const { verdict } = await runKept(context, asked, asked.seed);
  return exitCodeOf(verdict);
}

/** Plays runs with one seed after the other, and continues after a breach. */
async function runForHours(context: CommandContext, asked: Asked, hours: number): Promise<number> {
  const { terminal } = context;
  const until = performance.now() + hours * 3_600_000;
  const [broken, unjudged]: [number[], number[]] = [[], []];
  let runs = 0;
  for (let seed = asked.seed; performance.now() < until; seed = (seed + 1) % largestSeed) {
    terminal.line(`▶ Run ${runs + 1}, seed ${seed}`);
    const { verdict } = await runKept(context, asked, seed);
    runs += 1;
    if (verdict.breaches.length > 0) broken.push(seed);
    if (verdict.isMostlyUnjudged) unjudged.push(seed);
    terminal.line(`  ${runs} runs so far, with a breach: seeds ${broken.join(', ') || 'none'}`);
  }
  if (unjudged.length > 0)
    terminal.line(`The machine was too slow for more than half of these runs: seeds ${unjudged.join(', ')}`);
  if (broken.length > 0) return 1;
  return unjudged.length * 2 > runs ? 3 : 0;
}

const mutantMinutes = 2.5; // payments without faults, long enough for every story to occur

const aimed = ({ target, times }: { readonly target?: string; readonly times?: number }) => ({
  ...(target !== undefined && { target }),
  ...(times !== undefined && { times: String(times) }),
});

/**
 * Builds the named mistake, or each known mistake, into a copy of the code. The oracle must find each
 * mistake.
 */
async function tryMutants(context: CommandContext, options: ChaosOptions, name: string): Promise<number> {
  const { terminal } = context;
  const missed: string[] = [];
  for (const mutant of name === 'all' ? mutants : [mutantNamed(name)]) {
    const { shownBy } = mutant;
    terminal.line(terminal.paint('heading', `▶ ${mutant.name}: ${mutant.tells}`));
    const played: ChaosOptions =
      shownBy === undefined
        ? { ...options, minutes: String(mutantMinutes), calm: true }
        : { ...options, fault: shownBy.fault, seconds: String(shownBy.seconds), ...aimed(shownBy) };
    const asked = { ...readOptions(played), mutant };
    const { verdict } = await runKept(context, asked, asked.seed);
    const named = new Set(verdict.breaches.map(({ id }) => id));
    const found = mutant.breaks.filter((id) => named.has(id));
    if (found.length === 0) missed.push(mutant.name);
    terminal.line(
      found.length > 0
        ? terminal.paint('good', `✓ ${mutant.name} was found: ${found.join(', ')}`)
        : terminal.paint(
            'bad',
            `✗ ${mutant.name} was not found; one of ${mutant.breaks.join(', ')} was expected`,
          ),
    );
  }
  if (missed.length > 0) terminal.line(terminal.paint('bad', `✗ Not found: ${missed.join(', ')}`));
  return missed.length === 0 ? 0 : 1;
}

function judgeAgain({ terminal }: CommandContext, folder: string): number {
  if (!existsSync(join(folder, 'run.json'))) {
    throw new UsageError(
      `--judge ${folder}: there is no run.json, so this is not the evidence of a finished run.`,
    );
  }
  const verdict: Verdict = judge(readEvidence(folder));
  tellVerdict(terminal, verdict);
  return exitCodeOf(verdict);
}

function list({ terminal }: CommandContext): number {
  const tell = (name: string, ...lines: readonly string[]) => {
    terminal.line(`  ${terminal.paint('name', name.padEnd(nameWidth))}${lines[0] ?? ''}`);
    for (const line of lines.slice(1)) {
      for (const part of wrap(line, terminal.width - nameWidth - 2)) {
        terminal.line(terminal.paint('muted', `  ${' '.repeat(nameWidth)}${part}`));
      }
    }
  };
  terminal.line('Faults for --fault, and whom --target may name (default: drawn by the seed):');
  for (const fault of faults) tell(fault.name, fault.tells, targetsInWords(fault));
  terminal.line('Mistakes for --mutant, and what finds each (`R:` is a rule, else an invariant):');
  for (const { name, tells, breaks } of mutants) tell(name, tells, breaks.join(', '));
  return 0;
}

const nameWidth = 36;
