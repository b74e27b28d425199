// How one sweep has done what it found (one-sweep.ts): each on its own, so that what fails keeps it from nothing else.
import { recordAuditOnce } from '../../db/records/audit.ts';
import { isUnanswerable } from '../upkeep/defects.ts';
import type { SweepDependencies } from './dependencies.ts';
import type { Owed, StuckExecutions } from './stuck-executions.ts';

/** What was found and started again, by kind. */
export const nothingFound = {
  /** Stored and never judged. */
  submissions: 0,
  /** Accepted, undecided and without an execution. */
  payments: 0,
  /** Statuses that a source asked for, and that its execution did not hear of. */
  enquiries: 0,
  /** Finals that were stored and not applied. */
  finals: 0,
  /** Outcomes that operators have confirmed, and that were not applied. */
  outcomes: 0,
  /** HIGH payments past their deadline by the database clock, and still undecided. */
  deadlines: 0,
  /** Payments and resolutions with deliveries that were due and not attempted. */
  deliveries: 0,
  /** Finals that came after the decision, of which nobody was told: no alert, or no confirmation. */
  lateFinals: 0,
  /** Resolutions past their deadline without answer. */
  resolutions: 0,
  /** Executions that could not go on, and were ended. */
  stuck: 0,
};
export type FoundCounts = typeof nothingFound;

/** What a sweep has found and started again. */
export interface SweepRun {
  readonly found: FoundCounts;
  readonly stuck: StuckExecutions;
  /** Something failed, and is left to the next sweep. */
  hasFailed: boolean;
}

/** Has the execution of that name, running or new, do what is owed. */
export async function bring(stuck: StuckExecutions, workflowId: string, owed: Owed): Promise<void> {
  await stuck.endIfFailing(workflowId, owed.subjectId);
  try {
    await owed.goOn();
  } finally {
    await watchAsked(stuck, { workflowId }, owed);
  }
}

/** Watches an execution that has just been asked for something; the one of that name that runs now. */
export async function watchAsked(
  stuck: StuckExecutions,
  { workflowId }: { readonly workflowId: string },
  owed: Owed,
): Promise<void> {
  const execution = await stuck.endIfFailing(workflowId, owed.subjectId);
  if (execution !== undefined) stuck.watch(execution, { ...owed, isJustAsked: true });
}

interface Found {
  readonly kind: keyof FoundCounts;
  readonly subjectId: string;
}

/** Starts it again, counts it, and records that for anybody who asks about its subject. */
export async function startAgain(
  deps: SweepDependencies,
  { kind, subjectId }: Found,
  sweepRun: SweepRun,
  start: () => Promise<void>,
): Promise<void> {
  const event = {
    kind: 'sweep.started-again',
    subjectId,
    detail: { found: kind },
  } as const;
  await orNextTime(deps, { kind, subjectId }, sweepRun, async () => {
    await start();
    sweepRun.found[kind] += 1;
    await recordAuditOnce(deps.db, event, 'detail');
  });
}

/**
 * What fails is left to the next sweep, and keeps this one from nothing else. What a defect of ours keeps from being
 * done at all is on record, and this worker does not try again.
 */
export async function orNextTime(
  { executions, logger }: SweepDependencies,
  { kind, subjectId }: Found,
  sweepRun: SweepRun,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isUnanswerable(error)) return;
    sweepRun.hasFailed = true;
    logger.warn({ err: error, subjectId, kind }, 'the sweep could not start this again; the next one will');
    if (!(await executions.isReachable())) throw error; // else every one of them would wait for its time limit
  }
}
