// Handles each item that a sweep found (one-sweep.ts) separately, so that one failure affects no other item.
import { recordAuditOnce } from '../../db/records/audit.ts';
import { isUnanswerable } from '../upkeep/defects.ts';
import type { SweepDependencies } from './executions.ts';
import type { Owed, StuckExecutions } from './stuck-executions.ts';

export const nothingFound = {
  /** Stored and never judged. */
  submissions: 0,
  /** Accepted, undecided and without an execution. */
  payments: 0,
  /** Status enquiries of a source that the execution did not receive. */
  enquiries: 0,
  /** Finals that were stored but did not decide. */
  finals: 0,
  /** Outcomes that operators confirmed but that did not decide. */
  outcomes: 0,
  /** HIGH payments that are past their deadline by the database clock, and still undecided. */
  deadlines: 0,
  /** Payments and resolutions with due deliveries that were not attempted. */
  deliveries: 0,
  /** Finals that came after the decision and lack an alert or a confirmation. */
  lateFinals: 0,
  /** Resolutions past their deadline without an answer. */
  resolutions: 0,
  /** Executions that could not continue and were ended. */
  stuck: 0,
};
export type FoundCounts = typeof nothingFound;

export interface SweepRun {
  readonly found: FoundCounts;
  readonly stuck: StuckExecutions;
  /** Something failed and is left to the next sweep. */
  hasFailed: boolean;
}

/** Starts or signals the workflow, then checks that it acts. */
export async function bring(stuck: StuckExecutions, workflowId: string, owed: Owed): Promise<void> {
  await stuck.endIfFailing(workflowId, owed.subjectId);
  try {
    await owed.goOn();
  } finally {
    await watchAsked(stuck, { workflowId }, owed);
  }
}

/** Watches the execution of that name that runs now, which was just asked to do something. */
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

export async function startAgain(
  deps: SweepDependencies,
  { kind, subjectId }: Found,
  sweepRun: SweepRun,
  start: () => Promise<unknown>,
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
 * Leaves a failed item to the next sweep and lets this one continue. An item that a defect of ours makes unanswerable
 * is on record, and this worker does not try it again.
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
    if (!(await executions.isReachable())) throw error; // otherwise every further item would wait for its time limit
  }
}
