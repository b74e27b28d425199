// `isthmus ops pause` and `resume`: a paused destination gets no new payments, and a paused FX provider's rates give no
// quotes.
// `isthmus ops pauses` lists all pauses, past and present.
import type { CommandContext } from '../command.ts';
import { UsageError } from '../errors.ts';
import { pauses, read, recordedPauses } from './answers.ts';
import type { JsonOption, ListOptions } from './commands.ts';
import { connectGateway, type Query } from './connection.ts';
import { pauseInWords, shortTime } from './show.ts';

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

export async function listPauses(
  context: CommandContext,
  query: Query,
  { limit, json }: ListOptions,
): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  const text = await gateway.get('/pauses', { ...query, limit });
  if (json) {
    terminal.line(text);
    return;
  }
  const found = read(recordedPauses, text);
  if (found.length === 0) terminal.line('Nobody was ever paused like that.');
  for (const one of found) terminal.line(pauseInWords(one));
}
