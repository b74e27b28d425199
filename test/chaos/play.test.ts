// How planned faults are played (chaos/play.ts): each ends when its time is over.
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Fault } from '../../chaos/faults/fault.ts';
import { createRandom } from '../../chaos/load/random.ts';
import type { FaultRecord } from '../../chaos/oracle/evidence.ts';
import { playFaults } from '../../chaos/play.ts';
import type { ChaosSystem } from '../../chaos/system/system.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const mostTurns = 100;

test('a fault that only asks whether it is over is told so, though memory is collected meanwhile', async () => {
  let turns = 0;
  const asking: Fault = {
    name: 'asking',
    tells: '',
    seconds: [1, 1],
    groups: [],
    targets: () => ['nothing'],
    play: async ({ isOver }) => {
      for (; !isOver() && turns < mostTurns; turns += 1) {
        collectGarbage();
        await delay(20);
      }
    },
  };
  const played: FaultRecord[] = [];
  await playFaults({
    system: {} as ChaosSystem, // it touches nothing
    planned: [{ fault: asking, target: 'nothing', atMs: 0, durationMs: 200 }],
    random: createRandom(1),
    stopped: new AbortController().signal,
    record: (fault) => played.push(fault),
    say: () => undefined,
  });
  expect(turns).toBeLessThan(mostTurns);
  expect(played).toHaveLength(1);
});
