// `isthmus ops message`: prints one message of a payment, usually a refused one. If the output is a file, it
// receives the exact bytes. On a terminal, control characters are escaped, because another party wrote the
// message.
import { uuidPattern } from '../../core/ids.ts';
import type { CommandContext } from '../command.ts';
import { UserError } from '../errors.ts';
import { visible } from '../foreign-text.ts';
import { read, type Gateway } from '../gateway.ts';
import type { ShownEvidence } from './answers.ts';
import { connectGateway } from './connection.ts';

/** Where the bytes are written, such as standard output. */
export interface Output {
  readonly isTTY?: boolean;
  write(bytes: Uint8Array): unknown;
}

/** @param id the MsgId, or the id that `ops show` prints for a refused message */
export async function printMessage(
  context: CommandContext,
  { uetr, id }: { readonly uetr: string; readonly id: string },
  output: Output = process.stdout,
): Promise<void> {
  const gateway = await connectGateway(context);
  const messageId = uuidPattern.test(id) ? id : await idOf(gateway, uetr, id);
  const answer = await gateway.ask(`/payments/${encodeURIComponent(uetr)}/messages/${messageId}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (output.isTTY !== true) {
    output.write(bytes);
    return;
  }
  for (const line of bytes.toString().split('\n')) context.terminal.line(visible(line));
}

/** @throws UserError if no message of the payment has that MsgId, or if several have it */
async function idOf(gateway: Gateway, uetr: string, messageIdentification: string): Promise<string> {
  const { messages } = read(await gateway.get(`/payments/${encodeURIComponent(uetr)}`)) as ShownEvidence;
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
