// `npm run where`: the addresses of the demo that uses this folder, with its actual ports. Commands in the documents
// use it, so that they never reach another Isthmus on the same machine.
import { printAddresses } from './addresses.ts';
import type { CommandContext } from '../command.ts';
import { UsageError, UserError } from '../errors.ts';
import { placeIn, places } from './places.ts';
import { findRunningDemo } from './run-file.ts';

/**
 * Prints every address, or only the named one.
 * @throws UsageError for an unknown name; UserError if no demo runs on the folder or it lacks that address
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
