// Faults of the gateway's processes: kill, freeze and resume, replace one by one, or change the clock. Some
// faults kill a process exactly when a request leaves or an answer arrives.
import { writeFileSync } from 'node:fs';
import type { Names } from '../system/names.ts';
import { victimsOf, type Fault, type Stage } from './fault.ts';

/** Sends a signal to a process. It ignores a missing process, because the supervisor may be restarting it. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function kill(stage: Stage): Promise<void> {
  const [victim] = victimsOf(stage);
  while (!stage.isOver() && victim !== undefined) {
    signal(victim.pid(), 'SIGKILL');
    await stage.wait(stage.random.integer(1_500, 4_000)); // long enough for the process to restart
  }
}

async function stand(stage: Stage): Promise<void> {
  const stood = victimsOf(stage).map((one) => one.pid());
  stood.forEach((pid) => signal(pid, 'SIGSTOP'));
  await stage.wait(stage.durationMs);
  stood.forEach((pid) => signal(pid, 'SIGCONT'));
}

/** Replaces the processes one after the other, as a release does. */
async function replace(stage: Stage): Promise<void> {
  for (const one of victimsOf(stage)) {
    if (stage.isOver()) return;
    const before = one.pid();
    signal(before, 'SIGTERM');
    while (one.pid() === before && !stage.isOver()) await stage.wait(100);
    await stage.wait(1_500); // time for the new process to start
  }
}

/**
 * Kills a process at a moment that a party's proxy sees. `request`: the first byte of the gateway's request
 * arrives. `answer`: the party's answer begins.
 */
const killWhen =
  (moment: 'request' | 'answer', kind: 'source' | 'destination' | 'fxp') => async (stage: Stage) => {
    const [victim] = victimsOf(stage);
    if (victim === undefined) return;
    let left = stage.random.integer(1, 3);
    const aims = [...stage.system.parties.proxies].flatMap(([party, proxy]) =>
      party.startsWith(kind)
        ? [
            proxy.onTraffic((direction) => {
              if (direction !== moment || left === 0 || stage.isOver()) return;
              left -= 1;
              signal(victim.pid(), 'SIGKILL');
            }),
          ]
        : [],
    );
    await stage.wait(stage.durationMs);
    aims.forEach((end) => end());
  };

/** Kills a process while an answer of the database or of Temporal is on the way to the process. */
const killWhileItAsks = (server: 'database' | 'engine') => async (stage: Stage) => {
  const [victim] = victimsOf(stage);
  if (victim === undefined) return;
  let left = stage.random.integer(1, 3);
  let skip = stage.random.integer(0, 40); // answers to skip, so that a kill can hit any query
  const end = victim[server].onTraffic((direction) => {
    if (direction !== 'answer' || left === 0 || stage.isOver()) return;
    skip -= 1;
    if (skip > 0) return;
    skip = stage.random.integer(0, 40);
    left -= 1;
    signal(victim.pid(), 'SIGKILL');
  });
  await stage.wait(stage.durationMs);
  end();
};

const jump = (ms: number) => async (stage: Stage) => {
  const jumped = victimsOf(stage);
  const set = (wrongMs: number) =>
    jumped.forEach((one) => {
      writeFileSync(one.clockFile, String(wrongMs));
      signal(one.pid(), 'SIGUSR2');
    });
  set(ms);
  await stage.wait(stage.durationMs);
  set(0);
};

const apis = (names: Names) => names.apis;
const workers = (names: Names) => names.workers;
const each = (names: Names) => [...names.apis, ...names.workers];
const together = (names: readonly string[]) => [names.join(',')];
const ofWorkers = { groups: ['worker'], targets: workers } as const;
const ofApis = { groups: ['api'], targets: apis } as const;

export const processFaults: readonly Fault[] = [
  {
    name: 'worker-killed',
    tells: 'A worker is killed (kill -9) every few seconds, and comes back each time.',
    seconds: [3, 20],
    ...ofWorkers,
    play: kill,
  },
  {
    name: 'api-killed',
    tells: 'An api is killed (kill -9) every few seconds, and comes back each time.',
    seconds: [3, 20],
    ...ofApis,
    play: kill,
  },
  {
    name: 'worker-killed-while-sending',
    tells: 'A worker is killed at the moment at which its pacs.008 begins to arrive at the destination.',
    seconds: [3, 10],
    ...ofWorkers,
    play: killWhen('request', 'destination'),
  },
  {
    name: 'worker-killed-at-the-answer',
    tells: 'A worker is killed at the moment at which the destination’s answer begins to come back.',
    seconds: [3, 10],
    ...ofWorkers,
    play: killWhen('answer', 'destination'),
  },
  {
    name: 'worker-killed-at-the-callback',
    tells: 'A worker is killed at the moment at which the source acknowledges a final status.',
    seconds: [3, 10],
    ...ofWorkers,
    play: killWhen('answer', 'source'),
  },
  {
    name: 'worker-killed-at-the-notification',
    tells: 'A worker is killed at the moment at which the FX provider acknowledges its fxtr.017.',
    seconds: [3, 10],
    ...ofWorkers,
    play: killWhen('answer', 'fxp'),
  },
  {
    name: 'worker-killed-in-a-statement',
    tells:
      'A worker is killed while an answer of its database is on the way: what was committed, it does not know.',
    seconds: [3, 10],
    ...ofWorkers,
    play: killWhileItAsks('database'),
  },
  {
    name: 'api-killed-in-a-statement',
    tells:
      'An api is killed while an answer of its database is on the way: what was committed, it does not know.',
    seconds: [3, 10],
    ...ofApis,
    play: killWhileItAsks('database'),
  },
  {
    name: 'api-killed-at-the-engine',
    tells: 'An api is killed while an answer of the workflow engine is on the way.',
    seconds: [3, 10],
    ...ofApis,
    play: killWhileItAsks('engine'),
  },
  {
    name: 'worker-stands-still',
    tells:
      'A worker stands still (SIGSTOP), keeps its connections and claims, and goes on later as if nothing had been.',
    seconds: [3, 30],
    ...ofWorkers,
    play: stand,
  },
  {
    name: 'workers-stand-still',
    tells: 'All workers stand still at once (SIGSTOP) and go on later.',
    seconds: [3, 25],
    groups: ['worker'],
    targets: (names) => together(names.workers),
    play: stand,
  },
  {
    name: 'api-stands-still',
    tells: 'An api stands still (SIGSTOP) with its requests open, and goes on later.',
    seconds: [3, 20],
    ...ofApis,
    play: stand,
  },
  {
    name: 'workers-replaced',
    tells: 'The workers are replaced one by one (SIGTERM), as in a release.',
    seconds: [10, 30],
    groups: ['worker'],
    targets: (names) => together(names.workers),
    play: replace,
  },
  {
    name: 'apis-replaced',
    tells: 'The apis are replaced one by one (SIGTERM), as in a release.',
    seconds: [10, 30],
    groups: ['api'],
    targets: (names) => together(names.apis),
    play: replace,
  },
  {
    name: 'clock-ahead',
    tells: 'The clock of a process is 90 seconds ahead; the database’s clock is right.',
    seconds: [5, 30],
    groups: ['clock'],
    targets: each,
    play: jump(90_000),
  },
  {
    name: 'clock-behind',
    tells: 'The clock of a process is 90 seconds behind; the database’s clock is right.',
    seconds: [5, 30],
    groups: ['clock'],
    targets: each,
    play: jump(-90_000),
  },
];
