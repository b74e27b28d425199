// `npm run where`: where the demo of this folder runs, whatever ports it got. Commands in the documents ask it, so that none
// of them talks to another Isthmus on the same machine.
import { printAddresses } from './addresses.ts';
import type { CommandContext } from '../command.ts';
import { UsageError, UserError } from '../errors.ts';
import { placeIn, places } from './places.ts';
import { findRunningDemo } from './run-file.ts';

/**
 * Prints every address, or the one of that name alone.
 * @throws UsageError for a name that there is not; UserError when no demo runs on the folder, or has no such thing
 */
export async function where({ folder, terminal }: CommandContext, name: string | undefined): Promise<void> {
  const place = places.find((one) => one === name);
  if (name !== undefined && place === undefined) throw new UsageError(hasNo(name));
  const run = await findRunningDemo(folder);
  if (name === undefined) {
    printAddresses(terminal, run);
    return;
  }
  const value = place && placeIn(run, place);
  if (value === undefined) throw new UserError(hasNo(name));
  terminal.line(value);
}

const hasNo = (name: string) => `The demo has no ${name}. Name one of: ${places.join(', ')}.`;
