// `isthmus ops message`: the bytes of one message of a payment, above all of one that was refused (PAY-8). They are
// somebody else's and may be anything, so they must not act on the terminal.
import type { CommandContext } from '../command.ts';
import { visible } from '../foreign-text.ts';
import { connectGateway } from './connection.ts';

/** @param id as `ops show` names it */
export async function printMessage(
  { terminal, ...rest }: CommandContext,
  uetr: string,
  id: string,
): Promise<void> {
  const gateway = await connectGateway({ terminal, ...rest });
  const text = await gateway.get(`/payments/${encodeURIComponent(uetr)}/messages/${encodeURIComponent(id)}`);
  for (const line of text.split('\n')) terminal.line(visible(line));
}
