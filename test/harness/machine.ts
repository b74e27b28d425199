// How fast this machine is now, so that fewer test files run at once on one that is slow or busy with something else.
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';

const loop = `
const begun = performance.now();
let sum = 0;
for (let at = 0; at < 1e8; at += 1) sum = (sum + at) % 7919;
console.log(performance.now() - begun);`;

/** What the loop takes on a core on which these tests were quick: a processor of 2023 that nobody shares. */
const quickMs = 200;

/** The share of quick cores that this machine gives now, measured on all of its cores at once: 1 is quick, 0.5 half. */
export async function speedOfMachine(): Promise<number> {
  const times = await Promise.all(
    Array.from({ length: availableParallelism() }, async () =>
      Number((await promisify(execFile)(process.execPath, ['-e', loop])).stdout),
    ),
  );
  return (quickMs * times.length) / times.reduce((sum, ms) => sum + ms, 0);
}
