// Runs for hours: one seed after the other, and a table of which fault met which state of a payment how often.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandContext } from '../cli/command.ts';
import { largestSeed, type Asked } from './asked.ts';
import { coverageOf, coverageTable, type Coverage, type MetFault } from './coverage.ts';
import { faults } from './faults/all.ts';
import { runKept } from './kept-run.ts';

/** One seed after the other; goes on after a breach, and tells at the end what was met. */
export async function runForHours(context: CommandContext, asked: Asked, hours: number): Promise<number> {
  const { terminal, folder: home } = context;
  const until = performance.now() + hours * 3_600_000;
  const records: MetFault[] = [];
  const broken: number[] = [];
  const unjudged: number[] = [];
  let runs = 0;
  const coverage = () =>
    coverageOf(
      records,
      faults.map((one) => one.name),
    );
  const path = join(home, 'chaos', 'coverage.txt');
  mkdirSync(join(home, 'chaos'), { recursive: true });
  for (let seed = asked.seed; performance.now() < until; seed = (seed + 1) % largestSeed) {
    terminal.line(`▶ Run ${runs + 1}, seed ${seed}`);
    const { verdict, faults: played } = await runKept(context, asked, seed);
    records.push(...played);
    runs += 1;
    if (verdict.breaches.length > 0) broken.push(seed);
    if (verdict.isMostlyUnjudged) unjudged.push(seed);
    writeFileSync(path, written(coverage()));
    terminal.line(`  ${runs} runs so far, ${broken.length} with a breach; what was met: ${path}`);
  }
  const { empty } = coverage();
  terminal.line(coverageTable(coverage()));
  terminal.line(`${empty.length} cells are empty; ${path} names them.`);
  terminal.line(
    `${runs} runs, ${broken.length} with a breach${broken.length === 0 ? '' : `: seeds ${broken.join(', ')}`}`,
  );
  if (unjudged.length > 0)
    terminal.line(
      `The machine was too slow for more than half of ${unjudged.length} runs: seeds ${unjudged.join(', ')}`,
    );
  if (broken.length > 0) return 1;
  return unjudged.length * 2 > runs ? 3 : 0;
}

const written = (coverage: Coverage) =>
  `${coverageTable(coverage)}\n\n${coverage.empty.map((cell) => `- ${cell}`).join('\n')}\n`;
