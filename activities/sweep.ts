// The sweep (LIF-2): at every start of a worker, and from then on every 30 s in one process at a time, it finds what nobody
// is working on and starts it again. The promise does not rest on executions: they may be cancelled, terminated, deleted or
// never started, and their payments still end. In a healthy system it finds nothing (I-20).
import type { Logger } from 'pino';
import { causeOnRecord } from '../core/decision.ts';
import { isSendOverdue, isStatusOwed, type Sends } from '../core/delivery-schedule.ts';
import { messageIdsCountForDays } from '../core/ends.ts';
import { recordAuditOnce } from '../db/audit.ts';
import type { Db } from '../db/connection.ts';
import {
  findNeglected,
  findUndecided,
  findUntoldFinals,
  isNeglected,
  isUndecided,
  isUntold,
  sendsOf,
  takeLease,
} from '../db/sweep.ts';
import {
  findUnanswered,
  findUnjudged,
  isLeftTo,
  isUnanswered,
  isUnjudged,
  timesUnanswered,
  type UnjudgedSubmission,
} from '../db/unanswered.ts';
import { paymentWorkflowId, redeliveryWorkflowId, resolutionWorkflowId } from '../contract/ids.ts';
import type { PaymentLocalActivities } from '../contract/activities.ts';
import type { Executions } from './executions.ts';
import { lookForStuck, standstillMsDefault, type Owed, type StuckExecutions } from './stuck-executions.ts';

export interface SweepOptions {
  /** Milliseconds between two sweeps; default 30 s. Null: only the one at the start. */
  readonly everyMs?: number | null;
  /** Milliseconds for which something new is left to the process that took it; default 15 s. */
  readonly graceMs?: number;
  /** Milliseconds for which an execution that owes something may stand still; default 10 s (stuck-executions.ts). */
  readonly standstillMs?: number;
}

export interface SweepDependencies {
  readonly db: Db;
  readonly executions: Executions;
  readonly activities: Pick<PaymentLocalActivities, 'decidePayment'>;
  readonly logger: Logger;
  /** Of the process that sweeps (dependencies.ts). */
  readonly workerId: string;
}

/** What was found and started again, by kind. */
export interface FoundCounts {
  /** Stored and never judged. */
  submissions: number;
  /** Accepted, undecided and without an execution. */
  payments: number;
  /** Statuses that a source asked for, and that its execution did not hear of (DUP-1). */
  enquiries: number;
  /** Finals that were stored and not applied (PAY-7). */
  finals: number;
  /** HIGH payments past their deadline by the database clock, whose execution waits (TIM-1). */
  deadlines: number;
  /** Payments and resolutions with deliveries that were due and not attempted. */
  deliveries: number;
  /** Finals that came after the decision, of which nobody was told: no alert, or no confirmation (PAY-7, PAY-9). */
  lateFinals: number;
  /** Resolutions past their deadline without answer (RES-1). */
  resolutions: number;
  /** Executions that could not go on, and were ended. */
  stuck: number;
}

export interface RunningSweep {
  stop(): Promise<void>;
}

const everyMsDefault = 30_000; // LIF-2
const graceMsDefault = 15_000; // the api gives up after 10 s, a worker that died is replaced within 5
const day = 24 * 3_600_000;
const wholeMs = messageIdsCountForDays * day; // of the sweep at the start: as long as MsgIds count (DUP-2)
const overlapMs = 10 * 60_000; // of those that follow, beyond the last one that left nothing undone

/** Sweeps at once, then at intervals, until it is stopped. Failures are logged and made good by the next one. */
export function startSweep(deps: SweepDependencies, options: SweepOptions = {}): RunningSweep {
  const { everyMs = everyMsDefault, graceMs = graceMsDefault, standstillMs = standstillMsDefault } = options;
  const { db, executions, logger, workerId } = deps;
  const stopping = new AbortController();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void>;
  const entrusted = new Map<string, Entrusted>();
  let completedAt: number | undefined; // `performance.now()` of the last whole one of ours that left nothing undone

  async function once(): Promise<void> {
    const startedAt = performance.now();
    // the lease is for a process that can do something with it
    if (!(await executions.isReachable())) throw new Error('the engine does not answer');
    const forMs = 1.5 * (everyMs ?? everyMsDefault);
    const isOurs = await takeLease(db, { name: 'sweep', holder: workerId, forMs });
    const isWhole = isOurs || completedAt === undefined; // the first is made in any case: the code may be newer
    if (!isWhole && entrusted.size === 0) return;
    const withinMs = completedAt === undefined ? wholeMs : startedAt - completedAt + overlapMs;
    const limits = { withinMs, graceMs, standstillMs, isWhole, entrusted, signal: stopping.signal };
    if ((await sweep(deps, limits)) && isWhole) completedAt = startedAt;
  }
  function begin(): void {
    running = once()
      .catch((error: unknown) => {
        if (stopping.signal.aborted) return;
        logger.warn({ err: error }, 'the sweep was cut short; the next one goes on');
      })
      .finally(next);
  }
  function next(): void {
    if (everyMs !== null && !isStopped) timer = setTimeout(begin, everyMs);
  }
  begin();
  return {
    stop: async () => {
      isStopped = true;
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

/** What a sweep has found and started again, and whether it could do so with all of it. */
interface Course {
  readonly found: FoundCounts;
  readonly stuck: StuckExecutions;
  readonly entrusted: Map<string, Entrusted>;
  isComplete: boolean;
}

/**
 * A submission that was brought to an execution and is not on record yet. It is remembered from one sweep of the process to the next,
 * because the next may not look back as far as the one that found it, and its execution may have been ended meanwhile (LIF-3).
 */
interface Entrusted {
  readonly kind: 'submissions' | 'resolutions';
  readonly messageId: string;
  readonly subjectId: string;
  readonly workflowId: string;
  /** Whether it is still to be brought by this process. */
  isLeft(): Promise<boolean>;
  /** As of now: it is owed until something is on record that was not. */
  owed(): Promise<Owed>;
}

interface Limits {
  /** How far back to look for what is stored for long. */
  readonly withinMs: number;
  readonly graceMs: number;
}

interface SweepLimits extends Limits, Pick<Course, 'entrusted'> {
  readonly standstillMs: number;
  /** Else another process sweeps, and only what this one has brought is looked after. */
  readonly isWhole: boolean;
  readonly signal: AbortSignal;
}

/** One sweep; answers whether it left nothing undone. */
async function sweep(
  deps: SweepDependencies,
  { standstillMs, isWhole, signal, entrusted, ...limits }: SweepLimits,
): Promise<boolean> {
  const found: FoundCounts = {
    submissions: 0,
    payments: 0,
    enquiries: 0,
    finals: 0,
    deadlines: 0,
    deliveries: 0,
    lateFinals: 0,
    resolutions: 0,
    stuck: 0,
  };
  const stuck = lookForStuck(deps, { standstillMs, signal, onEnd: () => (found.stuck += 1) });
  const course: Course = { found, stuck, entrusted, isComplete: true };
  if (isWhole) await sweepPayments(deps, limits.graceMs, course); // first: what else came under its UETR takes no execution from it
  await bringEntrusted(deps, course);
  if (isWhole) await sweepOthers(deps, limits, course);
  if (!(await stuck.settle())) course.isComplete = false;
  if (Object.values(found).some((count) => count > 0)) {
    deps.logger.warn({ found }, 'the sweep found work that nobody was doing, and started it again (LIF-2)');
  }
  return course.isComplete;
}

/** What is not undecided: submissions, late finals, deliveries, resolutions. */
async function sweepOthers(deps: SweepDependencies, limits: Limits, course: Course): Promise<void> {
  const { db, executions, workerId } = deps;
  const search = { ...limits, workerId };
  for await (const submission of findUnjudged(db, search)) {
    await entrust(deps, course, submissionOf(deps, submission));
  }
  for await (const { uetr, reportMessageId } of findUntoldFinals(db, limits)) {
    await startAgain(deps, { kind: 'lateFinals', subjectId: uetr }, course, async () => {
      const cause = { by: 'destination', reportMessageId, wantsConfirmation: true } as const;
      await deps.activities.decidePayment({ uetr, cause }); // a decision stands: it is compared and confirmed
      await executions.redeliver(uetr);
    });
  }
  for await (const subjectId of findNeglected(db)) {
    const owed = {
      subjectId,
      isOwed: () => isNeglected(db, subjectId),
      goOn: () => executions.redeliver(subjectId),
    };
    await startAgain(deps, { kind: 'deliveries', subjectId }, course, () =>
      bring(course.stuck, redeliveryWorkflowId(subjectId), owed),
    );
  }
  const withinMs = Math.min(limits.withinMs, day);
  for await (const request of findUnanswered(db, { ...search, withinMs })) {
    const { sourceSystem, messageIdentification, messageId } = request;
    const isOwed = () => isUnanswered(db, workerId, messageId);
    const goOn = () => executions.resolve(request);
    await entrust(deps, course, {
      kind: 'resolutions',
      messageId,
      subjectId: messageId,
      workflowId: resolutionWorkflowId(sourceSystem, messageIdentification),
      isLeft: isOwed,
      owed: () => Promise.resolve({ subjectId: messageId, isOwed, goOn }),
    });
  }
}

/** A payment's execution may run, and never have heard of this one. */
function submissionOf(
  { db, executions, workerId }: SweepDependencies,
  submission: UnjudgedSubmission,
): Entrusted {
  const { messageId, subjectId, type, sourceSystem, messageIdentification } = submission;
  const isPayment = type === 'pacs008';
  return {
    kind: 'submissions',
    messageId,
    subjectId,
    workflowId: isPayment
      ? paymentWorkflowId(subjectId)
      : resolutionWorkflowId(sourceSystem, messageIdentification),
    isLeft: () => isLeftTo(db, workerId, messageId),
    owed: async () => {
      const times = await timesUnanswered(db, messageId); // perhaps by another worker, since it was found
      return {
        subjectId,
        isOwed: () => isUnjudged(db, messageId, times),
        goOn: () =>
          isPayment
            ? executions.submit({ ...submission, uetr: subjectId }, times)
            : executions.resolve(submission),
      };
    },
  };
}

/** Brings what was found, unless it was brought before: that is looked after already. */
async function entrust(deps: SweepDependencies, course: Course, one: Entrusted): Promise<void> {
  if (course.entrusted.has(one.messageId)) return;
  course.entrusted.set(one.messageId, one);
  await bringOne(deps, course, one);
}

/** Brings once more what earlier sweeps of this process have brought, as long as it is left to it. */
async function bringEntrusted(deps: SweepDependencies, course: Course): Promise<void> {
  for (const one of [...course.entrusted.values()]) {
    if (await one.isLeft()) await bringOne(deps, course, one);
    else course.entrusted.delete(one.messageId);
  }
}

function bringOne(deps: SweepDependencies, course: Course, one: Entrusted): Promise<void> {
  return startAgain(deps, one, course, async () => bring(course.stuck, one.workflowId, await one.owed()));
}

/**
 * Decides where the record alone suffices, by a stored final or a past deadline, so that an execution that is stuck holds no
 * payment. Then lets the execution know, or starts another.
 */
async function sweepPayments(deps: SweepDependencies, graceMs: number, course: Course): Promise<void> {
  const { db, executions, activities } = deps;
  const { stuck } = course;
  for await (const payment of findUndecided(db, graceMs)) {
    const { uetr, finalReportId, sends } = payment;
    const goOn = () => executions.start(payment);
    const cause = causeOnRecord(payment);
    const isSendOwed = (now: Sends | null | undefined) => now != null && isSendOverdue(now, graceMs);
    const isOwing = cause === undefined && isSendOwed(sends);
    const isAsked = isOwing && sends !== null && isStatusOwed(sends);
    const send = { subjectId: uetr, isOwed: async () => isSendOwed(await sendsOf(db, uetr)), goOn };
    const execution = await stuck.running(paymentWorkflowId(uetr), uetr);
    if (execution !== undefined && isAsked) {
      await startAgain(deps, { kind: 'enquiries', subjectId: uetr }, course, async () => {
        await executions.enquire(uetr);
        await watchAsked(stuck, execution, send);
      });
      continue;
    }
    if (execution !== undefined && isOwing) stuck.watch(execution, send);
    // an execution that has ended, or is about to, may have decided in between
    if (!(await isUndecided(db, uetr))) continue;
    if (cause === undefined && execution !== undefined) continue;
    const kind = cause === undefined ? 'payments' : finalReportId === null ? 'deadlines' : 'finals';
    await startAgain(deps, { kind, subjectId: uetr }, course, async () => {
      if (cause !== undefined) await activities.decidePayment({ uetr, cause });
      if (execution === undefined) {
        await goOn();
        return;
      }
      await executions.look(uetr);
      const telling = { subjectId: uetr, isOwed: () => isUntold(db, uetr), goOn };
      if (cause !== undefined) await watchAsked(stuck, execution, telling);
    });
  }
}

/** Has the execution of that name, running or new, do what is owed; one that fails makes way before. */
async function bring(stuck: StuckExecutions, workflowId: string, owed: Owed): Promise<void> {
  await stuck.running(workflowId, owed.subjectId);
  try {
    await owed.goOn();
  } finally {
    await watchAsked(stuck, { workflowId }, owed);
  }
}

/** Watches an execution that has just been asked for something; the one of that name that runs now. */
async function watchAsked(
  stuck: StuckExecutions,
  { workflowId }: { readonly workflowId: string },
  owed: Owed,
): Promise<void> {
  const execution = await stuck.running(workflowId, owed.subjectId);
  if (execution !== undefined) stuck.watch(execution, { ...owed, isJustAsked: true });
}

/** Starts what was found again, counts it, and records it for anybody who asks about its subject. */
async function startAgain(
  { db, executions, logger }: SweepDependencies,
  { kind, subjectId }: { readonly kind: keyof FoundCounts; readonly subjectId: string },
  course: Course,
  start: () => Promise<void>,
): Promise<void> {
  await recordAuditOnce(db, {
    severity: 'info',
    kind: 'sweep.started-again',
    subjectId,
    detail: { found: kind },
  });
  try {
    await start();
    course.found[kind] += 1;
  } catch (error) {
    course.isComplete = false;
    logger.warn({ err: error, subjectId, kind }, 'the sweep could not start this again; the next one will');
    if (!(await executions.isReachable())) throw error; // else every one of them would wait for its time limit
  }
}
