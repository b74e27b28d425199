// What a fault is. Each begins, lasts, and ends by itself; whatever it did is undone when `play` returns, also when it
// is cut short. The tables of this folder hold them by family; all.ts by name.
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../load/random.ts';
import type { Names } from '../system/names.ts';
import type { ChaosSystem } from '../system/system.ts';

/** What a fault is played on. */
export interface Stage {
  readonly system: ChaosSystem;
  /** One of its targets. */
  readonly target: string;
  readonly durationMs: number;
  /** Aborted at its end, or when the run is stopped: then heal and return. */
  readonly over: AbortSignal;
  /** The same, as a question that may be asked after each step. */
  readonly isOver: () => boolean;
  readonly random: Random;
  /** Resolves after that time, or when it is over. */
  readonly wait: (ms: number) => Promise<void>;
}

export interface Fault {
  /** As in `--fault NAME`. */
  readonly name: string;
  /** One sentence for people who decide: what happens to whom. */
  readonly tells: string;
  /** Seconds, the least and the most that the seed may draw in a run of five minutes. */
  readonly seconds: readonly [least: number, most: number];
  /** What it may hit; several at once are one target, joined by a comma. */
  targets(names: Names): readonly string[];
  /** Faults that share a group are never played at the same time: they would undo each other. */
  readonly groups: readonly string[];
  play(stage: Stage): Promise<void>;
}

const healTimeoutMs = 60_000; // another fault may hold the way back closed for a while
const retryMs = 500;

/** Undoes a fault, and again until it is undone. @throws what the last try threw, after a minute */
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
