// The list of all drills.
import { UsageError } from '../../cli/errors.ts';
import type { Drill } from './drill.ts';
import { lostEngine } from './lost-engine.ts';
import { lostPrimary } from './lost-primary.ts';
import { rollback, upgrade } from './releases.ts';
import { restore } from './restore.ts';

export const drills = {
  upgrade,
  rollback,
  restore,
  'lost-engine': lostEngine,
  'lost-primary': lostPrimary,
} as const satisfies Record<string, Drill>;

export type DrillName = keyof typeof drills;

/** @throws UsageError if the name is missing or unknown; the message lists all drills */
export function drillNamed(name: string | undefined): DrillName {
  const names = Object.keys(drills) as DrillName[];
  const found = names.find((one) => one === name);
  if (found !== undefined) return found;
  const asked = name === undefined ? 'Name a drill.' : `There is no drill ${name}.`;
  throw new UsageError(`${asked} Run npm run drill -- <name>, with one of: ${names.join(', ')}.`);
}
