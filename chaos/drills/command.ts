// The command `npm run drill -- <name>`: runs a drill, and prints what was done, the times and the verdict.
import { resolve } from 'node:path';
import type { CommandContext } from '../../cli/command.ts';
import { inThrowawayPlace } from '../../cli/throwaway.ts';
import { numberOf, type DrillOptions } from '../options.ts';
import { drillNamed, drills } from './all.ts';
import type { Drill } from './drill.ts';
import { runDrill, type DrillResult } from './run.ts';

/** @returns the exit code: 1 if the judge found a fault */
export async function drill(
  context: CommandContext,
  asked: string | undefined,
  options: DrillOptions,
): Promise<number> {
  const { terminal, root } = context;
  const name = drillNamed(asked);
  const seconds = numberOf(options.seconds, '--seconds', [1, 3_600]);
  const ratePerSecond = numberOf(options.rate, '--rate', [0.1, 50]);
  return inThrowawayPlace(context, { kind: 'drill', name }, async (place) => {
    const result = await runDrill(name, {
      root,
      place,
      seconds,
      ratePerSecond,
      ...(options.other !== undefined && { otherTree: resolve(options.other) }),
      say: (line) => terminal.line(line),
    });
    for (const line of linesOf(result, drills[name])) terminal.line(line);
    const { faults, lost } = result.judgement;
    const judged = lost === undefined ? 'acknowledged payment' : 'acknowledged payment that is not missing';
    for (const fault of faults) terminal.line(terminal.paint('bad', `✗ ${fault}`));
    terminal.line(
      faults.length === 0
        ? terminal.paint('good', `✓ Every ${judged} has one decision, and all parties agree with it`)
        : terminal.paint('bad', `✗ ${faults.length} faults`),
    );
    return faults.length === 0 ? 0 : 1;
  });
}

function linesOf({ judgement, times }: DrillResult, { page, commands }: Drill): readonly string[] {
  const { acknowledged, ends, toldTwice, lost } = judgement;
  const inSeconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
  const byEnd = Object.entries(ends).map(([end, count]) => `${end}: ${count}`);
  const rows: readonly (readonly [string, string])[] = [
    ['no submission was answered for at most', inSeconds(times.unansweredMs)],
    ['payments under way were decided after at most', inSeconds(times.allDecidedMs)],
    ['their sources were told after at most', inSeconds(times.allToldMs)],
    ['slowest decision after its acceptance', inSeconds(times.slowestDecisionMs)],
    ['acknowledged payments (ACTC)', String(acknowledged)],
    ['decisions', byEnd.join(', ')],
    ['rejected at their deadline', String(ends['RJCT AB03'] ?? 0)],
    ['sent again by their source', String(times.repeated)],
    ['given up by their source', String(times.unanswered)],
    ...(lost === undefined
      ? []
      : ([
          [
            'acknowledged, and missing after the restore',
            `${lost.acknowledged}, ${lost.credited} of them credited`,
          ],
          ['told twice, with the same outcome', String(toldTwice)],
        ] as const)),
  ];
  return [
    '',
    ...rows.map(([what, value]) => `  ${what.padEnd(48)} ${value}`),
    '',
    `On a real system (${page}):`,
    ...commands.map((command, nth) => `  ${nth + 1}. ${command}`),
    '',
  ];
}
