// The order of the test files: the longest first, so that none of them runs alone at the end, and not all at once,
// because they mostly wait. Vitest knows how long each took from its last run only, and a fresh clone had none.
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/**
 * Those of about half a minute and more: the longest first, but those that start a system of their own, and keep the
 * processors busy, one behind the other.
 */
const long = [
  'chaos/minute', // a system
  'faults/engine-away',
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
  // of those that keep the processors busy
  'xml/generated',
  'model/interleavings',
  'fuzz/intake',
  'chaos/oracle',
  'chaos/load',
  // of those whose limits are of seconds
  'faults/killed-after-answer',
  'faults/stopped-processes',
];

/** So many of them at once at the beginning; then one after each of the others, so that they do not all wait together. */
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
