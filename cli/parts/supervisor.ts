// Keeps a process of Isthmus running. If the process ends, the supervisor reports it and restarts it, with
// backoff after repeated ends. It must not know what the process does.
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '../../core/settings/environment-variables.ts';
import { UserError } from '../errors.ts';
import { startChild, tail, type Child } from './child.ts';
import { isHalted } from './guard.mjs';
import type { Say } from './progress.ts';

export interface ProcessPlan {
  readonly name: string;
  /** Arguments of Node; the first is the script. */
  readonly args: readonly string[];
  readonly env: Environment;
  readonly logFile: string;
  readonly say: Say;
  /** Called with the pid of each new process. */
  readonly onStart?: (pid: number) => void;
}

export interface SupervisedProcess {
  readonly name: string;
  /** Process id of the current or last process. */
  pid(): number;
  /**
   * Resolves when `isReady` returns true.
   * @throws UserError with the end of the log, if the process first ends three times or needs longer than a
   *   minute
   */
  untilReady(isReady: () => Promise<boolean>): Promise<void>;
  /** Stops the process and does not restart it. */
  stop(): Promise<void>;
}

// delay before each restart in a row; the last value repeats
const restartDelaysMs = [0, 500, 1_000, 2_000, 5_000, 10_000];
const steadyMs = 10_000; // if a process ran this long, its next restart has no delay
const readyTimeoutMs = 60_000; // enough for a cold start on a busy machine
const mostEndsBeforeReady = 3; // more than one, because another program may have taken the port meanwhile

/** @throws UserError if the process cannot be started */
export async function supervise(plan: ProcessPlan): Promise<SupervisedProcess> {
  rmSync(plan.logFile, { force: true });
  let child = await start(plan);
  let ends = 0; // consecutive ends, each within `steadyMs` of the start
  const stopping = new AbortController();
  // a function, because the values change during each await
  const isStopping = () => stopping.signal.aborted || isHalted();

  async function keepRunning(): Promise<void> {
    while (!isStopping()) {
      const startedMs = performance.now();
      const how = await child.exited;
      if (isStopping()) return;
      if (performance.now() - startedMs >= steadyMs) ends = 0;
      ends += 1;
      const delayMs = restartDelaysMs[Math.min(ends, restartDelaysMs.length) - 1] ?? 0;
      const when = delayMs === 0 ? 'now' : `in ${delayMs / 1_000} s`;
      plan.say(`! ${plan.name} (process ${child.pid}) has ended: ${how}. Starting it again ${when}.`);
      await delay(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (isStopping()) return;
      child = await start(plan);
      plan.say(`  ${plan.name} runs again as process ${child.pid}`);
    }
    await child.stop(); // a stop was requested while the child was starting
  }
  const kept = keepRunning().catch((error: unknown) => plan.say(`✗ ${plan.name}: ${String(error)}`));

  return {
    name: plan.name,
    pid: () => child.pid,
    untilReady: async (isReady) => {
      const deadline = performance.now() + readyTimeoutMs;
      while (!(await isReady())) {
        if (ends < mostEndsBeforeReady && performance.now() < deadline) {
          await delay(50);
          continue;
        }
        const reason =
          ends < mostEndsBeforeReady
            ? `is not ready after ${readyTimeoutMs / 1_000} s`
            : 'exits as soon as it is started';
        throw new UserError(
          `${plan.name} ${reason}. Fix what its log reports, then start again. End of ${plan.logFile}:\n${tail(plan.logFile)}`,
        );
      }
    },
    stop: async () => {
      stopping.abort();
      await child.stop();
      await kept;
    },
  };
}

async function start(plan: ProcessPlan): Promise<Child> {
  const child = await startChild({
    command: process.execPath,
    args: plan.args,
    env: plan.env,
    logFile: plan.logFile,
    keepLog: true,
    stopSignal: 'SIGTERM',
  });
  plan.onStart?.(child.pid);
  return child;
}
