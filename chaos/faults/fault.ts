// The interface of a fault. A fault begins, lasts for a while and ends by itself. When `play` returns, even
// early, the fault has undone its effects. The other files of this folder define the faults by family, and
// all.ts lists them.
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
  /**
   * Aborted at the end of the fault's time, or when the run is stopped. The fault must then undo its effects
   * and return.
   */
  readonly over: AbortSignal;
  /** Whether `over` is aborted. A fault checks it after each step. */
  readonly isOver: () => boolean;
  readonly random: Random;
  /** Resolves after `ms`, or when `over` is aborted. */
  readonly wait: (ms: number) => Promise<void>;
}

export interface Fault {
  /** The NAME of the option `--fault NAME`. */
  readonly name: string;
  /** One sentence for decision makers: which part fails, and how. */
  readonly tells: string;
  /** The range of the duration in seconds. In a run of five minutes, the seed draws a duration from it. */
  readonly seconds: readonly [least: number, most: number];
  /** Returns the possible targets. Several targets that fail together are one item, joined by commas. */
  targets(names: Names): readonly string[];
  /**
   * Faults that share a group are never played at the same time, because they would undo each other's
   * effects.
   */
  readonly groups: readonly string[];
  play(stage: Stage): Promise<void>;
}

/** Returns the api and worker processes that the fault hits. */
export const victimsOf = ({ system, target }: Stage): readonly OurProcess[] =>
  [...system.apis, ...system.workers].filter((one) => target.split(',').includes(one.name));

/**
 * Returns the targets of a fault between the processes and a server: each process, and all processes
 * together.
 */
export const eachAndAll = ({ apis, workers }: Names) => [
  ...apis,
  ...workers,
  [...apis, ...workers].join(','),
];

/** Sets the conduct of the proxies between the processes and a server for the duration of the fault. */
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

const healTimeoutMs = 60_000; // another fault may block the undo for a while
const retryMs = 500;

/**
 * Undoes a fault, and retries until it succeeds.
 * @throws the error of the last try, after a minute
 */
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
