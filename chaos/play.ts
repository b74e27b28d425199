// Plays the planned faults on a running system, and records each fault.
import { setTimeout as delay } from 'node:timers/promises';
import type { Say } from '../cli/parts/progress.ts';
import type { FaultRecord } from './oracle/evidence.ts';
import type { Stage } from './faults/fault.ts';
import type { PlannedFault } from './plan.ts';
import type { Random } from './load/random.ts';
import type { ChaosSystem } from './system/system.ts';

export interface PlayOptions {
  readonly system: ChaosSystem;
  readonly planned: readonly PlannedFault[];
  readonly random: Random;
  /** Aborted when the run is stopped. The active faults then heal. */
  readonly stopped: AbortSignal;
  readonly record: (fault: FaultRecord) => void;
  readonly say: Say;
}

const healSeconds = 120; // longer than any fault needs to heal (faults/fault.ts)

/**
 * Resolves when the last fault has ended and is healed.
 * @throws if a fault does not end in time
 */
export async function playFaults(options: PlayOptions): Promise<void> {
  const started = performance.now();
  const results = await Promise.allSettled(
    options.planned.map(async (one) => {
      const random = options.random.fork();
      await delay(Math.max(0, one.atMs - (performance.now() - started)), undefined, {
        signal: options.stopped,
      }).catch(() => undefined);
      if (!options.stopped.aborted) await playOne(one, random, options);
    }),
  );
  const failed = results.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function playOne(
  { fault, target, durationMs }: PlannedFault,
  random: Random,
  { system, stopped, record, say }: PlayOptions,
): Promise<void> {
  // AbortSignal.any() with a timeout would be unsafe here. In Node 20, a signal that only AbortSignal.any()
  // references can be garbage-collected, and then it never aborts.
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, durationMs);
  stopped.addEventListener('abort', end, { once: true });
  const over = ending.signal;
  const stage: Stage = {
    system,
    target,
    durationMs,
    over,
    isOver: () => over.aborted,
    random,
    wait: async (ms) => {
      await delay(ms, undefined, { signal: over }).catch(() => undefined);
    },
  };
  const beganAt = new Date().toISOString();
  say(`  ${fault.name} upon ${shortened(target)} for ${(durationMs / 1_000).toFixed(1)} s`);
  const playing = fault.play(stage).catch((error: unknown) => {
    // Two concurrent faults can interfere. For example, a fault that locks rows needs a database session, and
    // fails if the database has just crashed.
    say(`  ${fault.name} could not go on: ${error instanceof Error ? error.message : String(error)}`);
  });
  await within(durationMs / 1_000 + healSeconds, `${fault.name} ends`, playing);
  clearTimeout(timer);
  stopped.removeEventListener('abort', end);
  record({ name: fault.name, target, beganAt, endedAt: new Date().toISOString(), detail: fault.tells });
}

const shortened = (target: string) => {
  const all = target.split(',');
  return all.length > 2 ? `${all.length} at once` : target;
};

/**
 * Limits the time of each step of a run, so that a hanging run reports the step.
 * @throws Error if the work takes longer; the work is not cancelled
 */
export async function within<T>(seconds: number, what: string, work: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const late = delay(seconds * 1_000, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`not within ${seconds} s: ${what}`);
  });
  late.catch(() => undefined); // the delay rejects on abort, after the race
  try {
    return await Promise.race([work, late]);
  } finally {
    ended.abort();
  }
}
