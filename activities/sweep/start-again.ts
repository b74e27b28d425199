// Handles each item that the sweep found (one-sweep.ts) separately, so that one failure affects no other
// item.
import { recordAuditOnce } from '../../db/records/audit.ts';
import { isUnanswerable } from '../upkeep/defects.ts';
import type { SweepDependencies } from './executions.ts';
import type { Owed, StuckExecutions } from './stuck-executions.ts';

export const nothingFound = {
  /** Submissions that were stored but never judged. */
  submissions: 0,
  /** Payments that are accepted and undecided, but have no execution. */
  payments: 0,
  /** Status enquiries of a source that did not reach the execution. */
  enquiries: 0,
  /** Final statuses that were stored but did not decide the payment. */
  finals: 0,
  /** Outcomes that operators confirmed but that did not decide the payment. */
  outcomes: 0,
  /** HIGH payments that are past their deadline by the database clock, and still undecided. */
  deadlines: 0,
  /** Payments and resolutions with due deliveries that were not attempted. */
  deliveries: 0,
  /** Final statuses that came after the decision and lack an alert or a confirmation. */
  lateFinals: 0,
  /** Resolutions that are past their deadline without an answer. */
  resolutions: 0,
  /** Executions that the sweep ended because they were stuck. */
  stuck: 0,
};
export type FoundCounts = typeof nothingFound;

export interface SweepRun {
  readonly found: FoundCounts;
  readonly stuck: StuckExecutions;
  /** Something failed, so the next sweep must retry it. */
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

/** Watches the running execution with this workflow id, which was just asked to do work. */
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
 * Runs the work on one item. If it fails, the next sweep retries the item, and this sweep continues. If a
 * defect of Isthmus makes an item unanswerable, that is recorded, and this worker does not try the item
 * again.
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
    // Otherwise every further item would wait for its time limit.
    if (!(await executions.isReachable())) throw error;
  }
}
