// Finds executions that run but are stuck. An execution whose workflow task keeps failing is ended at once.
// If a worker loses a local activity, the execution waits for nothing, but looks like one that is about to
// continue. It is ended if it ignores overdue work for standstillMs.
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { recordAuditOnce } from '../../db/records/audit.ts';
import type { Db } from '../../db/pool/connection.ts';
import type { Executions, RunningExecution } from './executions.ts';

/**
 * Milliseconds for which an execution may ignore overdue work. It exceeds the longest local activity with the
 * pause before its retry (workflows/policies.ts). It also exceeds the delay of timers after a restart of
 * Temporal.
 */
export const standstillMsDefault = 10_000;

export interface StuckExecutions {
  /**
   * The running execution with this workflow id. If its workflow task keeps failing, this ends it and returns
   * undefined.
   */
  endIfFailing(workflowId: string, subjectId: string): Promise<RunningExecution | undefined>;
  /** Checks the execution again before the sweep ends, if it is idle or was just asked to do the work. */
  watch(execution: RunningExecution, owed: Owed): void;
  /**
   * Checks all watched executions again. Ends those that ignore overdue work, and restarts that work.
   * @returns false if a check failed
   */
  settle(): Promise<boolean>;
}

export interface Owed {
  readonly subjectId: string;
  /**
   * The execution was just asked to do the work. It may be busy with the work, so it is checked again.
   * Without this flag, only an idle execution is checked again.
   */
  readonly isJustAsked?: true;
  isOwed(): Promise<boolean>;
  goOn(): Promise<unknown>;
}

const notSettled = 'an execution that may be stuck could not be looked at; the next sweep does it';

interface Suspect {
  /** Its state when it should have begun the work. */
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
  /** Aborts the wait. The next sweep checks the remaining executions. */
  readonly signal: AbortSignal;
  readonly onEnd: () => void;
}

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
    if (now?.runId !== execution.runId) return; // This is another execution, which has only begun.
    const doesNothing = now.isIdle || (owed.isJustAsked === true && now.hasFailed);
    if (!doesNothing || (await executions.hasActedSince(execution)) || !(await owed.isOwed())) return;
    await end(now, owed.subjectId);
    await owed.goOn();
  }
  /** @returns false if one check failed; the next sweep retries it */
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
