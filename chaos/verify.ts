// What `npm run verify:chaos` does: one run, one fault alone, runs for hours, or another look at earlier evidence.
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CommandContext } from '../cli/command.ts';
import { UsageError } from '../cli/errors.ts';
import { inThrowawayPlace, type ThrowawayPlace } from '../cli/throwaway.ts';
import { coverageOf, coverageTable } from './coverage.ts';
import type { FaultRecord } from './oracle/evidence.ts';
import { faultNamed, faults } from './faults/all.ts';
import { createRandom } from './load/random.ts';
import { mutantNamed, mutants } from './mutants/all.ts';
import type { Mutant } from './mutants/mutant.ts';
import { copyTree } from './mutants/tree.ts';
import { numberOf, type ChaosOptions } from './options.ts';
import { judge } from './oracle/judge.ts';
import { readEvidence } from './oracle/read-evidence.ts';
import type { Verdict } from './oracle/verdict.ts';
import { planFaults, type PlannedFault } from './plan.ts';
import { tellVerdict } from './report.ts';
import { runOnce, type RunOptions, type RunResult } from './run.ts';
import type { ChaosSystem } from './system/system.ts';

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

interface Asked {
  readonly mutant?: Mutant;
  readonly seed: number;
  readonly minutes: number;
  readonly ratePerSecond: number;
  readonly hours?: number;
  readonly tree?: string;
  readonly keep: boolean;
  /** No fault at all. */
  readonly isCalm?: boolean;
  /** A fault that is played alone. */
  readonly alone?: { readonly name: string; readonly seconds: number; readonly target?: string };
}

const largestSeed = 2 ** 31 - 1;
const beforeSeconds = 15; // of payments without a fault, before the one that is played alone, and after it

function readOptions(options: ChaosOptions): Asked {
  const seed =
    options.seed === undefined
      ? randomInt(1, largestSeed)
      : numberOf(options.seed, '--seed', [0, largestSeed]);
  const hours = options.hours === undefined ? undefined : numberOf(options.hours, '--hours', [0.01, 1_000]);
  const tree = options.tree === undefined ? undefined : resolve(options.tree);
  if (tree !== undefined && !existsSync(join(tree, 'workflows', 'index.ts'))) {
    throw new UsageError(`--tree ${options.tree ?? ''}: there is no copy of this project.`);
  }
  if (options.fault === undefined && (options.seconds !== undefined || options.target !== undefined)) {
    throw new UsageError('--seconds and --target belong to --fault: name one; --list shows them.');
  }
  const fault = options.fault === undefined ? undefined : faultNamed(options.fault);
  const seconds =
    fault &&
    (options.seconds === undefined ? fault.seconds[1] : numberOf(options.seconds, '--seconds', [1, 3_600]));
  return {
    seed,
    minutes:
      seconds === undefined
        ? numberOf(options.minutes ?? '5', '--minutes', [0.2, 600])
        : (seconds + 2 * beforeSeconds) / 60,
    ratePerSecond: numberOf(options.rate, '--rate', [0.1, 100]),
    keep: options.keep === true,
    ...(hours === undefined ? {} : { hours }),
    ...(tree === undefined ? {} : { tree }),
    ...(fault === undefined || seconds === undefined
      ? {}
      : {
          alone: {
            name: fault.name,
            seconds,
            ...(options.target === undefined ? {} : { target: options.target }),
          },
        }),
  };
}

function planOf({ alone, minutes, isCalm }: Asked, seed: number): RunOptions['plan'] {
  if (isCalm === true) return () => [];
  const random = createRandom(seed ^ 0xfa17);
  if (alone === undefined) return (system) => planFaults({ random, faults, minutes, seed }, system);
  const fault = faultNamed(alone.name);
  return (system: ChaosSystem): readonly PlannedFault[] => {
    const targets = fault.targets(system);
    const target = alone.target ?? random.pick(targets);
    const known = new Set(targets.flatMap((one) => [one, ...one.split(',')]));
    if (!target.split(',').every((one) => known.has(one))) {
      throw new UsageError(
        `--target ${target}: ${alone.name} hits ${[...targets].slice(0, -1).join(', ') || targets[0]}.`,
      );
    }
    return [{ fault, target, atMs: beforeSeconds * 1_000, durationMs: alone.seconds * 1_000 }];
  };
}

/** One run; its evidence is kept when something was found, or when that is asked for. */
async function runKept(context: CommandContext, asked: Asked, seed: number): Promise<RunResult> {
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
      const { alone } = asked;
      result = await runOnce({
        env,
        root,
        tree:
          asked.mutant === undefined
            ? (asked.tree ?? root)
            : copyTree(root, join(place.folder, 'tree'), asked.mutant),
        ...(asked.mutant === undefined ? {} : { mutant: asked.mutant.name }),
        seed,
        minutes: asked.minutes,
        ratePerSecond: asked.ratePerSecond,
        ...(alone === undefined ? {} : { onlyFault: alone.name }),
        plan: planOf(asked, seed),
        folder: evidence,
        workFolder: place.folder,
        binFolder: place.binFolder,
        stopped: stopped.signal,
        say,
      });
      if (asked.keep || result.verdict.breaches.length > 0) {
        mkdirSync(join(home, 'chaos'), { recursive: true });
        renameSync(evidence, kept);
      }
      return 0;
    },
  );
  if (result === undefined) process.exit(code); // Ctrl-C
  tellVerdict(terminal, result.verdict);
  if (existsSync(kept)) {
    say(`  Evidence: ${kept}`);
    say(`  Judge it again: npm run verify:chaos -- --judge ${kept}`);
  }
  if (result.verdict.breaches.length > 0) {
    const again =
      asked.alone === undefined
        ? `--minutes ${asked.minutes}`
        : `--fault ${asked.alone.name} --seconds ${asked.alone.seconds}`;
    say(`  Play it again: npm run verify:chaos -- ${again} --seed ${seed}`);
  }
  return result;
}

const timestamp = () => new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');

/** One seed after the other; goes on after a breach, and tells at the end what was met. */
async function runForHours(context: CommandContext, asked: Asked, hours: number): Promise<number> {
  const { terminal, folder: home } = context;
  const until = performance.now() + hours * 3_600_000;
  const records: FaultRecord[] = [];
  const broken: number[] = [];
  let runs = 0;
  for (let seed = asked.seed; performance.now() < until; seed = (seed + 1) % largestSeed) {
    terminal.line(`▶ Run ${runs + 1}, seed ${seed}`);
    const { verdict, faults: played } = await runKept(context, asked, seed);
    records.push(...played);
    runs += 1;
    if (verdict.breaches.length > 0) broken.push(seed);
  }
  const coverage = coverageOf(
    records,
    faults.map((one) => one.name),
  );
  const path = join(home, 'chaos', 'coverage.txt');
  mkdirSync(join(home, 'chaos'), { recursive: true });
  writeFileSync(
    path,
    `${coverageTable(coverage)}\n\n${coverage.empty.map((cell) => `- ${cell}`).join('\n')}\n`,
  );
  terminal.line(coverageTable(coverage));
  terminal.line(`${coverage.empty.length} cells are empty; ${path} names them.`);
  terminal.line(
    `${runs} runs, ${broken.length} with a breach${broken.length === 0 ? '' : `: seeds ${broken.join(', ')}`}`,
  );
  return broken.length === 0 ? 0 : 1;
}

const mutantMinutes = 1; // of payments without a fault, where none is needed to see it

const aimed = ({ target }: { readonly target?: string }) => (target === undefined ? {} : { target });

/** Builds known mistakes in, one after the other: the judge must name each. */
async function tryMutants(context: CommandContext, options: ChaosOptions, name: string): Promise<number> {
  const { terminal } = context;
  const missed: string[] = [];
  for (const mutant of name === 'all' ? mutants : [mutantNamed(name)]) {
    const { shownBy } = mutant;
    terminal.line(terminal.paint('heading', `▶ ${mutant.name}: ${mutant.tells}`));
    const played: ChaosOptions =
      shownBy === undefined
        ? { ...options, minutes: String(mutantMinutes) }
        : { ...options, fault: shownBy.fault, seconds: String(shownBy.seconds), ...aimed(shownBy) };
    const asked = readOptions(played);
    const { verdict } = await runKept(
      context,
      { ...asked, mutant, isCalm: shownBy === undefined },
      asked.seed,
    );
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
  return verdict.breaches.length === 0 ? 0 : 1;
}

function list({ terminal }: CommandContext): number {
  const table = (rows: readonly { readonly name: string; readonly tells: string }[]) => {
    for (const { name, tells } of rows) terminal.line(`  ${terminal.paint('name', name.padEnd(36))}${tells}`);
  };
  terminal.line('Faults, for --fault:');
  table(faults);
  terminal.line('Mistakes, for --mutant:');
  table(mutants);
  return 0;
}
