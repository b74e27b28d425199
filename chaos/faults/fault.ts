// The interface of a fault. Each begins, lasts, and ends by itself. When `play` returns, even early, it has undone its
// effects. Other files of this folder define faults by family; all.ts lists them.
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../load/random.ts';
import type { Names } from '../system/names.ts';
import type { Conduct } from '../system/fault-proxy.ts';
import type { OurProcess } from '../system/processes.ts';
import type { ChaosSystem } from '../system/system.ts';

/** The system and the conditions under which a fault is played. */
export interface Stage {
  readonly system: ChaosSystem;
  /** One of the fault's targets. */
  readonly target: string;
  readonly durationMs: number;
  /** Aborted at the end of the fault's time, or when the run is stopped. The fault must then heal and return. */
  readonly over: AbortSignal;
  /** Whether `over` is aborted; check it after each step. */
  readonly isOver: () => boolean;
  readonly random: Random;
  /** Resolves after `ms`, or when `over` is aborted. */
  readonly wait: (ms: number) => Promise<void>;
}

export interface Fault {
  /** The NAME in `--fault NAME`. */
  readonly name: string;
  /** One sentence for decision makers: what happens to whom. */
  readonly tells: string;
  /** The range of its duration in seconds, from which the seed draws in a run of five minutes. */
  readonly seconds: readonly [least: number, most: number];
  /** Possible targets. Several targets at once are one item, joined by commas. */
  targets(names: Names): readonly string[];
  /** Faults that share a group are never played at the same time, because they would undo each other. */
  readonly groups: readonly string[];
  play(stage: Stage): Promise<void>;
}

/** The processes of ours that the fault hits. */
export const victimsOf = ({ system, target }: Stage): readonly OurProcess[] =>
  [...system.apis, ...system.workers].filter((one) => target.split(',').includes(one.name));

/** Targets of a fault on the way from our processes to a server: each process, or all. */
export const eachAndAll = ({ apis, workers }: Names) => [
  ...apis,
  ...workers,
  [...apis, ...workers].join(','),
];

/** The way to a server behaves so for a while. */
export const onTheWay = (server: 'database' | 'engine', way: Conduct) => async (stage: Stage) => {
  const ways = victimsOf(stage).map((one) => one[server]);
  await Promise.all(ways.map((one) => one.conduct(way)));
  await stage.wait(stage.durationMs);
  await Promise.all(ways.map((one) => one.conduct('pass')));
};

export const breakConnections = (server: 'database' | 'engine') => async (stage: Stage) => {
  while (!stage.isOver()) {
    for (const one of victimsOf(stage)) one[server].reset();
    await stage.wait(stage.random.integer(200, 2_500));
  }
};

const healTimeoutMs = 60_000; // another fault may block the healing for a while
const retryMs = 500;

/** Undoes a fault, and retries until it succeeds. @throws the error of the last try, after a minute */
export async function heal(undo: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + healTimeoutMs;
  for (;;) {
    try {
      await undo();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(retryMs);
    }
  }
}
