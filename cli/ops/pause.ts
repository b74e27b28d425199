// `isthmus ops pause`, `resume` and `pauses`. A paused destination gets no new payments. The gateway makes no
// quotes from the rates of a paused FX provider. `isthmus ops pauses` lists all current and past pauses.
import type { CommandContext } from '../command.ts';
import { UsageError } from '../errors.ts';
import type { Query } from '../gateway.ts';
import type { ShownPause, StandingPause } from './answers.ts';
import type { ListOptions } from './commands.ts';
import { tell, type JsonOption } from './connection.ts';
import { pauseInWords, shortTime } from './show.ts';

const paths = { pause: 'pause', resume: 'resumption' } as const;

export async function pauseOrResume(
  context: CommandContext,
  act: keyof typeof paths,
  {
    party,
    because,
    ...options
  }: JsonOption & { readonly party: string; readonly because: string | undefined },
): Promise<void> {
  if (because === undefined) throw new UsageError('--because is missing: say why, for the next shift.');
  await tell(context, options, {
    ask: (gateway) => gateway.post(`/parties/${encodeURIComponent(party)}/${paths[act]}`, { because }),
    print: (terminal, standing: readonly StandingPause[]) => {
      terminal.line(
        act === 'pause' ? `✓ ${party} is paused; what is under way goes on` : `✓ ${party} goes on`,
      );
      if (standing.length === 0) terminal.line('Nobody is paused.');
      for (const one of standing) {
        terminal.line(`  paused: ${one.party} since ${shortTime(one.at)} by ${one.by}: ${one.because}`);
      }
    },
  });
}

export function listPauses(
  context: CommandContext,
  query: Query,
  { limit, ...options }: ListOptions,
): Promise<void> {
  return tell(context, options, {
    ask: (gateway) => gateway.get('/pauses', { ...query, limit }),
    print: (terminal, found: readonly ShownPause[]) => {
      if (found.length === 0) terminal.line('Nobody was ever paused like that.');
      for (const one of found) terminal.line(pauseInWords(one));
    },
  });
}
