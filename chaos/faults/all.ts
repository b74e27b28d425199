// The list of all faults. `--fault NAME` selects from it, and the seed draws from it.
import { UsageError } from '../../cli/errors.ts';
import { databaseFaults } from './database.ts';
import { engineFaults } from './engine.ts';
import type { Fault } from './fault.ts';
import { operatorActs } from './operators.ts';
import { partyFaults } from './parties.ts';
import { processFaults } from './processes.ts';

export const faults: readonly Fault[] = [
  ...processFaults,
  ...databaseFaults,
  ...engineFaults,
  ...partyFaults,
  ...operatorActs,
];

/** @throws UsageError if there is no fault with this name */
export function faultNamed(name: string): Fault {
  const found = faults.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new UsageError(`There is no fault ${name}. npm run verify:chaos -- --list names them all.`);
}
