// One sweep finds in the database the work that no workflow is doing, and restarts it in a fixed order.
import { causeOnRecord, type DecisionCause } from '../../core/payments/decision.ts';
import { isSendOverdue, isStatusOwed, type Sends } from '../../core/payments/enquiry-schedule.ts';
import { paymentWorkflowId, redeliveryWorkflowId, resolutionWorkflowId } from '../../contract/ids.ts';
import {
  findNeglected,
  findUndecided,
  findUntoldFinals,
  isNeglected,
  isUnasked,
  isUndecided,
  isUntold,
  sendsOf,
  type UndecidedPayment,
} from '../../db/records/sweep.ts';
import {
  findUnanswered,
  findUnjudged,
  type UnansweredResolution,
  type UnjudgedSubmission,
} from '../../db/payments/unanswered.ts';
import type { Place } from '../../db/pool/paged.ts';
import type { SweepDependencies } from './executions.ts';
import {
  bring,
  nothingFound,
  orNextTime,
  startAgain,
  watchAsked,
  type SweepRun,
  type FoundCounts,
} from './start-again.ts';
import { lookForStuck } from './stuck-executions.ts';

export interface SweepLimits {
  /** How far back to look for items that were stored long ago, in milliseconds. */
  readonly withinMs: number;
  readonly graceMs: number;
  readonly standstillMs: number;
  readonly pieceMs: number;
  readonly pass: Pass;
  readonly signal: AbortSignal;
  /** Renews the lease of the sweep. Called before each kind of work. */
  readonly keepLease: () => Promise<unknown>;
}

const kinds = ['payments', 'lateFinals', 'deliveries', 'resolutions', 'submissions'] as const;
type Kind = (typeof kinds)[number];

/** One pass through each kind of work, from the oldest item to the youngest. It may take several sweeps. */
export interface Pass {
  /** Where the next sweep resumes, by kind. A kind that is absent starts at the beginning. */
  readonly places: Map<Kind, Place>;
  readonly through: Set<Kind>;
}

/** Runs one sweep. `isCut` means that it ran out of time and that the next sweep should start at once. */
export async function sweepOnce(
  deps: SweepDependencies,
  { standstillMs, ...limits }: SweepLimits,
): Promise<{ readonly hasFailed: boolean; readonly isCut: boolean }> {
  const found = { ...nothingFound };
  const stuck = lookForStuck(deps, { standstillMs, signal: limits.signal, onEnd: () => (found.stuck += 1) });
  const sweepRun: SweepRun = { found, stuck, hasFailed: false };
  const failed = new Set<Kind>();
  for (const kind of kinds) {
    await limits.keepLease(); // seam: swept-kinds
    try {
      await pieces[kind](deps, limits, sweepRun);
    } catch (error) {
      failed.add(kind);
      deps.logger.warn({ err: error, kind }, 'the sweep could not look for these; the next one will');
    }
  }
  await limits.keepLease();
  if (!(await stuck.settle()) || failed.size > 0) sweepRun.hasFailed = true;
  if (Object.values(found).some((count) => count > 0)) {
    deps.logger.warn({ found }, 'the sweep found work that nobody was doing, and started it again (LIF-2)');
    for (const [kind, count] of Object.entries(found)) if (count > 0) deps.onFound(kind, count);
  }
  const isLeft = (kind: Kind) => !limits.pass.through.has(kind) && !failed.has(kind);
  return { hasFailed: sweepRun.hasFailed, isCut: kinds.some(isLeft) };
}

type PieceLimits = Omit<SweepLimits, 'standstillMs'>;

/**
 * For each kind of work, the search and the action per item. A failure of one kind does not affect the
 * others.
 */
const pieces: Readonly<
  Record<Kind, (deps: SweepDependencies, limits: PieceLimits, sweepRun: SweepRun) => Promise<void>>
> = {
  payments: (deps, limits, sweepRun) =>
    inPieces(limits, {
      kind: 'payments',
      isUrgent: true,
      find: (from) => findUndecided(deps.db, limits.graceMs, from),
      work: (payment) =>
        orNextTime(deps, { kind: 'payments', subjectId: payment.uetr }, sweepRun, () =>
          sweepPayment(deps, payment, limits.graceMs, sweepRun),
        ),
    }),
  lateFinals: (deps, limits, sweepRun) =>
    inPieces(limits, {
      kind: 'lateFinals',
      find: (from) => findUntoldFinals(deps.db, limits, from),
      work: ({ uetr, reportMessageId }) =>
        startAgain(deps, { kind: 'lateFinals', subjectId: uetr }, sweepRun, () =>
          settle(deps, uetr, reportMessageId),
        ),
    }),
  deliveries: (deps, limits, sweepRun) =>
    inPieces(limits, {
      kind: 'deliveries',
      isUrgent: true,
      find: (from) => findNeglected(deps.db, from),
      work: async ({ subjectId }) => {
        const isOwed = () => isNeglected(deps.db, subjectId);
        const owed = { subjectId, isOwed, goOn: () => deps.executions.redeliver(subjectId) };
        const workflowId = redeliveryWorkflowId(subjectId);
        await orNextTime(deps, { kind: 'deliveries', subjectId }, sweepRun, async () => {
          // A workflow that waits for a worker needs no signal: the signal would only lengthen its history.
          const execution = await deps.executions.running(workflowId);
          if (execution?.awaitsWorker === true && !execution.isFailing) return;
          await startAgain(deps, { kind: 'deliveries', subjectId }, sweepRun, () =>
            bring(sweepRun.stuck, workflowId, owed),
          );
        });
      },
    }),
  resolutions: (deps, limits, sweepRun) =>
    inPieces(limits, {
      kind: 'resolutions',
      find: (from) => findUnanswered(deps.db, { ...limits, workerId: deps.workerId }, from),
      work: (request) =>
        startAgain(deps, { kind: 'resolutions', subjectId: request.messageId }, sweepRun, () =>
          answer(deps, request, sweepRun),
        ),
    }),
  submissions: (deps, limits, sweepRun) =>
    inPieces(limits, {
      kind: 'submissions',
      find: (from) => findUnjudged(deps.db, { ...limits, workerId: deps.workerId }, from),
      work: (submission) =>
        startAgain(deps, { kind: 'submissions', subjectId: submission.subjectId }, sweepRun, () =>
          judge(deps, submission, sweepRun),
        ),
    }),
};

/**
 * Works for at most pieceMs on one kind; the next sweep resumes after the last item. So neither failing items
 * nor a backlog delay the other kinds. After a full search of an urgent kind, the next sweep starts it from
 * the beginning.
 */
async function inPieces<Row extends Place>(
  { pieceMs, pass: { places, through }, signal }: PieceLimits,
  piece: {
    readonly kind: Kind;
    readonly isUrgent?: true;
    readonly find: (from: Place | undefined) => AsyncIterable<Row>;
    readonly work: (row: Row) => Promise<void>;
  },
): Promise<void> {
  const { kind, find, work, isUrgent } = piece;
  let leftMs = pieceMs; // Only the work counts, not the search.
  for await (const row of find(places.get(kind))) {
    if (leftMs <= 0 || signal.aborted) return;
    const begunAt = performance.now();
    await work(row);
    places.set(kind, { at: row.at, id: row.id });
    leftMs -= performance.now() - begunAt;
  }
  through.add(kind);
  if (isUrgent) places.delete(kind);
}

/** Compares a final status that came after the decision with that decision, and confirms it. */
async function settle(
  { activities, executions }: SweepDependencies,
  uetr: string,
  reportMessageId: string,
): Promise<void> {
  const cause = { by: 'destination', reportMessageId, wantsConfirmation: true } as const;
  const decided = await activities.decidePayment({ uetr, cause });
  // Fail, because the next sweep looks back only to the last pass that completed all its work.
  if (decided !== null && 'retryInMs' in decided) throw new Error('a defect kept it from being compared');
  await executions.redeliver(uetr);
}

/** Judges in this process, because the workflow may be stuck or busy. The workflow does the rest. */
async function judge(
  deps: SweepDependencies,
  submission: UnjudgedSubmission,
  { stuck }: SweepRun,
): Promise<void> {
  const { activities, executions } = deps;
  const { messageId, subjectId, type, sourceSystem, messageIdentification } = submission;
  const isOwed = () => isUnasked(deps.db, subjectId);
  if (type === 'pacs008') {
    const workflowId = paymentWorkflowId(subjectId);
    const { verdict } = await activities.validatePayment({ messageId });
    if (verdict === 'refused') return; // The sender learns of a refusal only from the HTTP response.
    if (verdict === 'decided') {
      await executions.redeliver(subjectId);
      await stuck.endIfFailing(workflowId, subjectId);
    } else {
      const goOn = () => executions.start({ ...submission, uetr: subjectId });
      await bring(stuck, workflowId, { subjectId, isOwed, goOn });
    }
  } else {
    const workflowId = resolutionWorkflowId(sourceSystem, messageIdentification);
    const { verdict } = await activities.judgeResolution({ messageId });
    if (verdict === 'refused') return;
    if (verdict === 'answered') {
      await executions.redeliver(subjectId);
      await stuck.endIfFailing(workflowId, subjectId);
    } else await bring(stuck, workflowId, { subjectId, isOwed, goOn: () => executions.resolve(submission) });
  }
}

/**
 * Answers a resolution in this process. If the workflow that should have answered stays idle, ends that
 * workflow.
 */
async function answer(
  { activities, executions }: SweepDependencies,
  { messageId, sourceSystem, messageIdentification }: UnansweredResolution,
  { stuck }: SweepRun,
): Promise<void> {
  const workflowId = resolutionWorkflowId(sourceSystem, messageIdentification);
  await activities.endResolution({ resolutionId: messageId });
  const goOn = () => executions.redeliver(messageId);
  await goOn();
  await watchAsked(
    stuck,
    { workflowId },
    // The work is always overdue: the workflow should have answered.
    { subjectId: messageId, isOwed: () => Promise.resolve(true), goOn },
  );
}

/** Resumes an undecided payment if it has no workflow, or if its workflow ignores the overdue work. */
async function sweepPayment(
  deps: SweepDependencies,
  payment: UndecidedPayment,
  graceMs: number,
  sweepRun: SweepRun,
): Promise<void> {
  const { db, executions } = deps;
  const { stuck } = sweepRun;
  const { uetr, sends } = payment;
  const cause = causeOnRecord(payment);
  if (cause !== undefined) {
    await decideFromRecord(deps, payment, cause, sweepRun);
    return;
  }
  const goOn = () => executions.start(payment);
  const execution = await stuck.endIfFailing(paymentWorkflowId(uetr), uetr);
  if (execution === undefined) {
    // The workflow may have decided before it ended.
    if (await isUndecided(db, uetr))
      await startAgain(deps, { kind: 'payments', subjectId: uetr }, sweepRun, goOn);
    return;
  }
  const isSendOwed = (now: Sends | null): now is Sends => now !== null && isSendOverdue(now, graceMs);
  if (!isSendOwed(sends)) return;
  const send = { subjectId: uetr, isOwed: async () => isSendOwed(await sendsOf(db, uetr)), goOn };
  // A workflow that is about to send answers the status enquiry by that send, even if the breaker delays it.
  if (!isStatusOwed(sends) || !execution.isIdle) {
    stuck.watch(execution, send);
    return;
  }
  await startAgain(deps, { kind: 'enquiries', subjectId: uetr }, sweepRun, async () => {
    await executions.enquire(uetr);
    await watchAsked(stuck, execution, send);
  });
}

const foundBy = {
  destination: 'finals',
  record: 'outcomes',
  deadline: 'deadlines',
  unreachable: 'payments',
} as const satisfies Record<DecisionCause['by'], keyof FoundCounts>;

/**
 * Decides by a stored final status, a confirmed outcome or a past deadline. The database alone suffices, so a
 * stuck workflow cannot delay the payment. Then notifies the workflow, or starts a new one.
 */
async function decideFromRecord(
  deps: SweepDependencies,
  payment: UndecidedPayment,
  cause: DecisionCause,
  sweepRun: SweepRun,
): Promise<void> {
  const { db, executions, activities } = deps;
  const { stuck } = sweepRun;
  const { uetr } = payment;
  if (!(await isUndecided(db, uetr))) return; // The workflow has decided in the meantime.
  const kind = foundBy[cause.by];
  await startAgain(deps, { kind, subjectId: uetr }, sweepRun, async () => {
    await activities.decidePayment({ uetr, cause });
    const goOn = () => executions.start(payment);
    const execution = await stuck.endIfFailing(paymentWorkflowId(uetr), uetr);
    if (execution === undefined) {
      await goOn();
      return;
    }
    await executions.look(uetr);
    await watchAsked(stuck, execution, { subjectId: uetr, isOwed: () => isUntold(db, uetr), goOn });
  });
}
