// Our keys, for operators: those that sign outgoing messages, and those of the built-in issuer.
import type { CommandContext } from '../command.ts';
import { connectGateway } from '../ops/connection.ts';
import type { Terminal } from '../terminal.ts';
import { deliveryKeys, readAnswer } from './answers.ts';
import type { JsonOption } from './changes.ts';

export interface RotateOptions extends JsonOption {
  readonly because: string;
  readonly withdraw?: boolean;
}

/** `delivery-keys` sign outgoing messages; `issuer-keys` sign the tokens of the built-in issuer. */
export type KeysOf = 'delivery-keys' | 'issuer-keys';

export async function listKeys(context: CommandContext, keysOf: KeysOf, { json }: JsonOption): Promise<void> {
  const { terminal } = context;
  const text = await (await connectGateway(context)).get(`/admin/${keysOf}`);
  if (json) terminal.line(text);
  else printKeys(terminal, text);
}

export async function rotateKey(
  context: CommandContext,
  keysOf: KeysOf,
  { because, withdraw = false, json }: RotateOptions,
): Promise<void> {
  const { terminal } = context;
  const text = await (await connectGateway(context)).post(`/admin/${keysOf}`, { because, withdraw });
  if (json) terminal.line(text);
  else printKeys(terminal, text);
}

function printKeys(terminal: Terminal, text: string): void {
  for (const { keyId, state, signsFrom, signsUntil, madeBy, because } of readAnswer(deliveryKeys, text)) {
    const until = signsUntil === null ? '' : ` until ${signsUntil}`;
    terminal.line(`${keyId}  ${state.padEnd(9)}  from ${signsFrom}${until}  by ${madeBy}: ${because}`);
  }
}
