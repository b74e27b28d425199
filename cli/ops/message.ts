// `isthmus ops message`: one message of a payment, above all one that was refused: into a file byte for byte, for
// whoever keeps it or sends it again; on a terminal so that nothing in it acts on that, for it may hold anything.
import { uuidPattern } from '../../core/ids.ts';
import type { CommandContext } from '../command.ts';
import { UserError } from '../errors.ts';
import { visible } from '../foreign-text.ts';
import { evidence, read } from './answers.ts';
import { connectGateway, type Gateway } from './connection.ts';

/** Where it goes. */
export interface Output {
  readonly isTTY?: boolean;
  write(bytes: Uint8Array): unknown;
}

/** @param id MsgId, or the id of a message that does not count, as `ops show` names it */
export async function printMessage(
  context: CommandContext,
  { uetr, id }: { readonly uetr: string; readonly id: string },
  output: Output = process.stdout,
): Promise<void> {
  const gateway = await connectGateway(context);
  const messageId = uuidPattern.test(id) ? id : await idOf(gateway, uetr, id);
  const bytes = await gateway.getBytes(`/payments/${encodeURIComponent(uetr)}/messages/${messageId}`);
  if (output.isTTY !== true) {
    output.write(bytes);
    return;
  }
  for (const line of bytes.toString().split('\n')) context.terminal.line(visible(line));
}

/** @throws UserError where no message that is shown has that MsgId, or several have */
async function idOf(gateway: Gateway, uetr: string, messageIdentification: string): Promise<string> {
  const { messages } = read(evidence, await gateway.get(`/payments/${encodeURIComponent(uetr)}`));
  const [found, ...others] = messages.filter((one) => one.messageIdentification === messageIdentification);
  if (found === undefined) {
    throw new UserError(
      `No message of ${uetr} has the MsgId ${messageIdentification}: ops show ${uetr} names them all.`,
    );
  }
  if (others.length > 0) {
    const named = [found, ...others].map((one) => `${one.messageId} (${one.direction} ${one.party})`);
    throw new UserError(`Several messages have that MsgId; name one by its id: ${named.join(', ')}.`);
  }
  return found.messageId;
}
