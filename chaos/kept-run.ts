// Plays one run, prints its verdict, and keeps the evidence of a breach.
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandContext } from '../cli/command.ts';
import { inThrowawayPlace, type ThrowawayPlace } from '../cli/throwaway.ts';
import { planOf, type Asked } from './asked.ts';
import { copyTree } from './mutants/tree.ts';
import { usualRate } from './options.ts';
import { tellVerdict } from './report.ts';
import type { Verdict } from './oracle/verdict.ts';
import { runOnce, type RunResult } from './run.ts';

/**
 * Plays one run and prints the verdict. Keeps the evidence if the oracle found a breach, or if --keep was
 * given.
 */
export async function runKept(context: CommandContext, asked: Asked, seed: number): Promise<RunResult> {
  const { terminal, env, root, folder: home } = context;
  const say = (line: string) => terminal.line(line);
  const kept = join(home, 'chaos', `${timestamp()}-seed-${seed}`);
  const stopped = new AbortController();
  let result: RunResult | undefined;
  const code = await inThrowawayPlace(
    context,
    { kind: 'chaos', name: 'run' },
    async (place: ThrowawayPlace) => {
      place.atEnd(async () => {
        await Promise.resolve();
        stopped.abort();
      });
      const evidence = join(place.folder, 'evidence');
      result = await runOnce({
        env,
        root,
        tree:
          asked.mutant === undefined ? root : copyTree(root, join(place.folder, 'tree'), asked.mutant.lines),
        seed,
        minutes: asked.minutes,
        ratePerSecond: asked.ratePerSecond,
        askedBy: `${optionsOf(asked).join(' ')} --seed ${seed}`,
        planned: planOf(asked, seed),
        folder: evidence,
        workFolder: place.folder,
        binFolder: place.binFolder,
        stopped: stopped.signal,
        say,
      });
      if (asked.keep || result.verdict.breaches.length > 0) {
        keepVerdict(evidence, result.verdict);
        mkdirSync(join(home, 'chaos'), { recursive: true });
        renameSync(evidence, kept);
      }
      return 0;
    },
  );
  if (result === undefined) process.exit(code); // stopped by Ctrl-C
  tellVerdict(terminal, result.verdict);
  if (existsSync(kept)) {
    say(`  Evidence: ${kept}`);
    say(`  Judge it again: npm run verify:chaos -- --judge ${kept}`);
  }
  if (result.verdict.breaches.length > 0) {
    say(`  Play it again: npm run verify:chaos -- ${optionsOf(asked).join(' ')} --seed ${seed}`);
  }
  return result;
}

/** Stores the verdict next to the evidence, for people who receive the folder. */
function keepVerdict(folder: string, verdict: Verdict): void {
  writeFileSync(join(folder, 'verdict.json'), `${JSON.stringify(verdict, null, 2)}\n`);
  const lines: string[] = [];
  tellVerdict({ width: 120, line: (text = '') => void lines.push(text), paint: (_, text) => text }, verdict);
  writeFileSync(join(folder, 'verdict.txt'), `${lines.join('\n')}\n`);
}

const timestamp = () => new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');

/** Returns the command-line options that repeat this run, without the seed. */
function optionsOf({ alone, isCalm, minutes, mutant, ratePerSecond }: Asked): readonly string[] {
  const rate = ratePerSecond === usualRate ? [] : [`--rate ${ratePerSecond}`];
  if (mutant !== undefined) return [`--mutant ${mutant.name}`, ...rate];
  if (alone === undefined) return [`--minutes ${minutes}`, ...(isCalm ? ['--calm'] : []), ...rate];
  const target = alone.target === undefined ? [] : [`--target ${alone.target}`];
  const times = alone.times === 1 ? [] : [`--times ${alone.times}`];
  return [`--fault ${alone.name}`, `--seconds ${alone.seconds}`, ...times, ...target, ...rate];
}
