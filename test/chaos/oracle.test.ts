// The oracle of chaos/: it finds nothing in the evidence of a clean run, and names each thing that is altered in it.
import { expect, test } from 'vitest';
import { judge } from '../../chaos/oracle/judge.ts';
import { unpackCleanEvidence } from './clean-evidence.ts';

const folder = unpackCleanEvidence();

test('the evidence of a clean run has no breach, and shows every invariant', async () => {
  const { breaches, findings } = await judge(folder);
  expect(breaches).toEqual([]);
  const shown = findings.filter(({ id, outcome }) => id.startsWith('I-') && outcome === 'held');
  expect(shown).toHaveLength(20);
});
