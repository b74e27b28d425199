// Known mistakes, each built into a copy of the code and put under what shows it: the judge must name it.
import type { CommandContext } from '../../cli/command.ts';
import { readOptions } from '../asked.ts';
import { runKept } from '../kept-run.ts';
import type { ChaosOptions } from '../options.ts';
import { mutantNamed, mutants } from './all.ts';

const mutantMinutes = 2.5; // of payments without a fault, where none is needed to see it: every story comes

const aimed = ({ target, times }: { readonly target?: string; readonly times?: number }) => ({
  ...(target !== undefined && { target }),
  ...(times !== undefined && { times: String(times) }),
});

/** Builds known mistakes in, one after the other: the judge must name each. */
export async function tryMutants(
  context: CommandContext,
  options: ChaosOptions,
  name: string,
): Promise<number> {
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
