// Executions that run by name only, and keep their subject from everybody else: the sweep asks here whether somebody
// works on what the record says is owed. One whose workflow task fails again and again is ended at once. One
// that waits for nothing, because its worker lost a local activity, looks like one that is about to go on: it is ended
// when it has done nothing meanwhile, whatever it was told.
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { recordAuditOnce } from '../../db/records/audit.ts';
import type { Db } from '../../db/pool/connection.ts';
import type { Executions, RunningExecution } from './executions.ts';

/**
 * Milliseconds for which an execution that owes something may stand still: above what a local activity takes at most,
 * with the pause before its next try (workflows/policies.ts), and above what an engine that has just come back needs
 * for late timers.
 */
export const standstillMsDefault = 10_000;

export interface StuckExecutions {
  /** The execution of that name that runs. One whose workflow task fails again and again is ended: undefined. */
  endIfFailing(workflowId: string, subjectId: string): Promise<RunningExecution | undefined>;
  /**
   * Has that one looked at again before the sweep ends, if it waits, or was asked for it a moment ago and may be busy
   * with that.
   */
  watch(execution: RunningExecution, owed: Owed): void;
  /**
   * Looks once more at those that are watched, ends those that do nothing and still owe it, and does it.
   * @returns false where something is left to the next sweep
   */
  settle(): Promise<boolean>;
}

/** What the record says should have come about. */
export interface Owed {
  readonly subjectId: string;
  /**
   * The execution was asked for it a moment ago, so it may be busy with that now. Else only one that is idle is looked
   * at again.
   */
  readonly isJustAsked?: true;
  /** Whether it still does. */
  isOwed(): Promise<boolean>;
  /** What is done when nobody works on it. */
  goOn(): Promise<void>;
}

const notSettled = 'an execution that may be stuck could not be looked at; the next sweep does it';

interface Suspect {
  /** As it was when it should have begun. */
  execution: RunningExecution;
  readonly owed: Owed;
}

interface Dependencies {
  readonly db: Db;
  readonly executions: Executions;
  readonly logger: Logger;
}

interface StandstillLimits {
  readonly standstillMs: number;
  /** Stops waiting; what has not been settled then is found by the next sweep. */
  readonly signal: AbortSignal;
  /** Is called for every execution that was ended. */
  readonly onEnd: () => void;
}

/** The search of one sweep. */
export function lookForStuck(
  { db, executions, logger }: Dependencies,
  { standstillMs, signal, onEnd }: StandstillLimits,
): StuckExecutions {
  const suspects: Suspect[] = [];
  async function end(execution: RunningExecution, subjectId: string): Promise<void> {
    const { workflowId } = execution;
    await executions.end(execution);
    onEnd();
    logger.error({ workflowId, subjectId }, 'an execution could not go on, and was ended (LIF-2)');
    await recordAuditOnce(db, {
      kind: 'execution.stuck',
      subjectId,
      detail: { workflowId },
    });
  }
  async function settleOne({ execution, owed }: Suspect): Promise<void> {
    const now = await executions.running(execution.workflowId);
    if (now?.runId !== execution.runId) return; // another, which has only begun
    const doesNothing = now.isIdle || (owed.isJustAsked === true && now.hasFailed);
    if (!doesNothing || (await executions.hasActedSince(execution)) || !(await owed.isOwed())) return;
    await end(now, owed.subjectId);
    await owed.goOn();
  }
  /** @returns false where one failed, which the next sweep makes good */
  async function each(work: (suspect: Suspect) => Promise<void>): Promise<boolean> {
    let isComplete = true;
    for (const suspect of suspects) {
      try {
        await work(suspect);
      } catch (error) {
        isComplete = false;
        const { execution, owed } = suspect;
        const { workflowId } = execution;
        logger.warn({ err: error, subjectId: owed.subjectId, workflowId }, notSettled);
      }
    }
    return isComplete;
  }
  return {
    endIfFailing: async (workflowId, subjectId) => {
      const execution = await executions.running(workflowId);
      if (execution?.isFailing !== true) return execution;
      await end(execution, subjectId);
      return undefined;
    },
    watch: (execution, owed) => {
      if (execution.isIdle || owed.isJustAsked === true) suspects.push({ execution, owed });
    },
    settle: async () => {
      if (suspects.length === 0) return true;
      const wait = () => setTimeout(standstillMs, undefined, { signal });
      if (suspects.some(({ owed }) => owed.isJustAsked === true)) {
        await wait();
        await each(async (suspect) => {
          const now = await executions.running(suspect.execution.workflowId);
          if (suspect.owed.isJustAsked === true && now !== undefined) suspect.execution = now;
        });
      }
      await wait();
      return each(settleOne);
    },
  };
}
