// `isthmus ops pause` and `resume`: no new payments to a destination, no quotes of an FX provider, until it goes on (LIF-5).
import type { CommandContext } from '../command.ts';
import { UsageError } from '../errors.ts';
import { pauses, read } from './answers.ts';
import type { JsonOption } from './commands.ts';
import { connectGateway } from './connection.ts';
import { shortTime } from './show.ts';

const paths = { pause: 'pause', resume: 'resumption' } as const;

export async function pauseOrResume(
  context: CommandContext,
  act: keyof typeof paths,
  { party, because, json }: JsonOption & { readonly party: string; readonly because: string | undefined },
): Promise<void> {
  const { terminal } = context;
  if (because === undefined) throw new UsageError('--because is missing: say why, for the next shift.');
  const gateway = await connectGateway(context);
  const text = await gateway.post(`/parties/${encodeURIComponent(party)}/${paths[act]}`, { because });
  if (json) {
    terminal.line(text);
    return;
  }
  const standing = read(pauses, text);
  terminal.line(act === 'pause' ? `✓ ${party} is paused; what is under way goes on` : `✓ ${party} goes on`);
  if (standing.length === 0) terminal.line('Nobody is paused.');
  for (const one of standing) {
    terminal.line(`  paused: ${one.party} since ${shortTime(one.at)} by ${one.by}: ${one.because}`);
  }
}
