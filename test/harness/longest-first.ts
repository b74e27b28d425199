// Runs the longest test files first, so that none of them runs alone at the end. Vitest knows only the durations of
// its last run, and a fresh clone has none.
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/**
 * Files that take about half a minute or more, the longest first. Files that start a whole system keep the processors
 * busy, so they are spread out.
 */
const long = [
  'chaos/drills', // five systems, one after the other
  'chaos/minute', // a system
  'faults/lost-executions',
  'workflows/resolution-resumed',
  'faults/idle-executions',
  'faults/lost-by-the-engine',
  'cli/demo', // a system
  'faults/lease-without-engine',
  'faults/own-faults',
  'faults/receivers-down',
  'faults/found-by-attack',
  'docs/commands', // a system
  'workflows/payment-uncached',
  'telemetry/traces-as-built', // a system
  // project "busy"
  'portal/pages',
  'portal/document-form',
  'xml/generated',
  'model/interleavings',
  'fuzz/intake',
  'chaos/oracle',
  'chaos/load',
  // project "seconds"
  'faults/engine-away',
  'faults/killed-after-answer',
  'faults/stopped-processes',
];

/** Long files that start together at first. After them, long and short files alternate. */
const atOnce = 3;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files.filter((file) => rank(file) < 0));
    const first = files.filter((file) => rank(file) >= 0).sort((one, other) => rank(one) - rank(other));
    const later = first.splice(atOnce);
    return [...first, ...others.flatMap((file, index) => [file, ...later.slice(index, index + 1)])].concat(
      later.slice(others.length),
    );
  }
}

function rank({ moduleId }: TestSpecification): number {
  return long.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
}
