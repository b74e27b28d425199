// A minute of payments under faults, of `npm run verify:chaos`, in every run of the tests: whole system, real faults,
// and the judge.
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, expect, onTestFailed, test } from 'vitest';
import { createRandom } from '../../chaos/load/random.ts';
import { planFaults } from '../../chaos/plan.ts';
import { runOnce } from '../../chaos/run.ts';
import { makeThrowaway, removeThrowaway } from '../../cli/parts/throwaway-folders.ts';
import { root } from '../docs/documents.ts';

const home = join(root, '.isthmus');
const own = makeThrowaway(home, { kind: 'test', name: 'minute' });
const { folder: workFolder } = own;
const evidence = join(home, 'chaos', basename(workFolder));
let isKept = false;
afterAll(() => {
  removeThrowaway(own);
  if (!isKept) rmSync(evidence, { recursive: true, force: true });
});

const seed = 1; // another one: npm run verify:chaos -- --seed N
const minutes = 1;

test('a minute under the faults of seed 1 breaks no invariant', { timeout: 600_000 }, async () => {
  const said: string[] = [];
  const started = performance.now();
  onTestFailed(() => {
    isKept = true;
    process.stderr.write(`${said.join('\n')}\nThe evidence is in ${evidence}\n`);
  });
  const { verdict, faults: played } = await runOnce({
    env: process.env,
    root,
    tree: root,
    seed,
    minutes,
    ratePerSecond: 2, // beside other tests, on two cores
    settleMs: 0, // no minute more for payments that wait for a silent destination: the longer runs judge those
    planned: planFaults({ random: createRandom(seed), minutes, seed }),
    folder: evidence,
    workFolder,
    binFolder: join(home, 'bin'),
    stopped: new AbortController().signal,
    say: (line) => said.push(`${((performance.now() - started) / 1_000).toFixed(0).padStart(4)} s ${line}`),
  });
  expect(verdict.breaches).toEqual([]);
  expect(played.length).toBeGreaterThan(3);
  const examined = verdict.findings.filter(({ outcome }) => outcome === 'held').map(({ id }) => id);
  expect(examined).toEqual(
    expect.arrayContaining(['I-1', 'I-2', 'I-3', 'I-4', 'I-5', 'I-10', 'I-11', 'I-17']),
  );
});
