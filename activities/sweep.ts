// The sweep (LIF-2): at every start of a worker, and from then on every 30 s in one process at a time, it finds what nobody
// is working on and starts it again. The promise does not rest on executions: they may be cancelled, terminated, deleted or
// never started, and their payments still end. In a healthy system it finds nothing (I-20).
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { causeOnRecord } from '../core/decision.ts';
import { isSendOverdue, isStatusOwed, type Sends } from '../core/delivery-schedule.ts';
import { messageIdsCountForDays } from '../core/ends.ts';
import { recordAuditOnce } from '../db/audit.ts';
import type { Db } from '../db/connection.ts';
import {
  findContradictions,
  findNeglected,
  findUnanswered,
  findUndecided,
  findUnjudged,
  isNeglected,
  isUnanswered,
  isUndecided,
  isUnjudged,
  isUntold,
  sendsOf,
  takeLease,
} from '../db/sweep.ts';
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
  /** Finals that came after the decision and differ, of which nobody was told (PAY-7). */
  contradictions: number;
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
  const stopping = new AbortController();
  const openedAt = performance.now();
  let hasRetried = false; // all that earlier code could not answer
  const holder = randomUUID();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void>;
  const brought = new Map<string, Brought>();
  const retried = new Set<string>();
  let completedAt: number | undefined; // `performance.now()` of the last one of ours that left nothing undone

  async function once(): Promise<void> {
    const startedAt = performance.now();
    try {
      const forMs = 1.5 * (everyMs ?? everyMsDefault);
      const isOurs = await takeLease(deps.db, { name: 'sweep', holder, forMs });
      const isFirst = completedAt === undefined; // made in any case: the code may be newer
      if (!isOurs && !isFirst && brought.size === 0) return;
      const withinMs = completedAt === undefined ? wholeMs : startedAt - completedAt + overlapMs;
      if (
        await sweep(deps, {
          withinMs,
          graceMs,
          retriesUnanswerable: !hasRetried,
          standstillMs,
          brought,
          retried,
          onlyBrought: !isOurs && !isFirst,
          signal: stopping.signal,
        })
      ) {
        completedAt = startedAt;
        hasRetried ||= startedAt - openedAt >= graceMs; // one that began earlier has left out what was younger than the grace
      }
    } catch (error) {
      if (stopping.signal.aborted) return;
      deps.logger.warn({ err: error }, 'the sweep was cut short; the next one goes on');
    }
  }
  function next(): void {
    if (everyMs === null || isStopped) return;
    timer = setTimeout(() => {
      running = once().finally(next);
    }, everyMs);
  }
  running = once().finally(next);
  return {
    stop: async () => {
      isStopped = true;
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

/** What a sweep has found so far, and whether it could start all of it again. */
interface Course {
  readonly found: FoundCounts;
  readonly stuck: StuckExecutions;
  readonly brought: Map<string, Brought>;
  /** What earlier code could not answer, and this process has brought once. */
  readonly retried: Set<string>;
  isComplete: boolean;
}

/**
 * What was brought to an execution and is not on record yet. It is remembered from one sweep of the process to the next, because the
 * next may not look back as far as the one that found it, and its execution may have been ended meanwhile (LIF-3).
 */
interface Brought extends Owed {
  readonly kind: 'submissions' | 'resolutions';
  readonly subjectId: string;
  readonly workflowId: string;
}

interface Limits {
  /** How far back to look for what is stored for long. */
  readonly withinMs: number;
  readonly graceMs: number;
  /** Whether what a defect of ours kept from being answered is tried once more: at the start, with code that may be newer (SEC-9). */
  readonly retriesUnanswerable: boolean;
}

interface SweepLimits extends Limits, Pick<Course, 'brought' | 'retried'> {
  readonly standstillMs: number;
  /** Another process sweeps: only what this one has brought is looked after. */
  readonly onlyBrought: boolean;
  readonly signal: AbortSignal;
}

/** One sweep; answers whether it left nothing undone. */
async function sweep(
  deps: SweepDependencies,
  { standstillMs, onlyBrought, signal, ...limits }: SweepLimits,
): Promise<boolean> {
  const found: FoundCounts = {
    submissions: 0,
    payments: 0,
    enquiries: 0,
    finals: 0,
    deadlines: 0,
    deliveries: 0,
    contradictions: 0,
    resolutions: 0,
    stuck: 0,
  };
  const stuck = lookForStuck(deps, { standstillMs, signal, onEnd: () => (found.stuck += 1) });
  const { brought, retried } = limits;
  const course: Course = { found, stuck, brought, retried, isComplete: true };
  if (!onlyBrought) await sweepPayments(deps, limits.graceMs, course); // first: what else came under its UETR takes no execution from it
  await bringAgain(deps, course);
  if (!onlyBrought) await sweepOthers(deps, limits, course);
  if (!(await stuck.settle())) course.isComplete = false;
  if (Object.values(found).some((count) => count > 0)) {
    deps.logger.warn({ found }, 'the sweep found work that nobody was doing, and started it again (LIF-2)');
  }
  return course.isComplete;
}

/** What is not undecided: submissions, late finals, deliveries, resolutions. */
async function sweepOthers(deps: SweepDependencies, limits: Limits, course: Course): Promise<void> {
  const { stuck } = course;
  await sweepSubmissions(deps, limits, course);
  for await (const { uetr, reportMessageId } of findContradictions(deps.db, limits)) {
    await startAgain(deps, { kind: 'contradictions', subjectId: uetr }, course, async () => {
      const cause = { by: 'destination', reportMessageId, wantsConfirmation: true } as const;
      await deps.activities.decidePayment({ uetr, cause }); // a decision stands: it is compared and confirmed
      await deps.executions.redeliver(uetr);
    });
  }
  for await (const subjectId of findNeglected(deps.db)) {
    await startAgain(deps, { kind: 'deliveries', subjectId }, course, () =>
      bring(stuck, redeliveryWorkflowId(subjectId), subjectId, {
        isOwed: () => isNeglected(deps.db, subjectId),
        goOn: () => deps.executions.redeliver(subjectId),
      }),
    );
  }
  for await (const request of findUnanswered(deps.db, {
    ...limits,
    withinMs: Math.min(limits.withinMs, day),
  })) {
    const { sourceSystem, messageIdentification, messageId } = request;
    await bringFirst(deps, course, messageId, {
      kind: 'resolutions',
      subjectId: messageId,
      workflowId: resolutionWorkflowId(sourceSystem, messageIdentification),
      isOwed: () => isUnanswered(deps.db, messageId),
      goOn: () => deps.executions.resolve(request),
    });
  }
}

async function sweepSubmissions(deps: SweepDependencies, limits: Limits, course: Course): Promise<void> {
  const { db, executions } = deps;
  for await (const submission of findUnjudged(db, limits)) {
    const { messageId, subjectId, type, sourceSystem, messageIdentification, unanswered } = submission;
    if (unanswered > 0 && course.retried.has(messageId)) continue;
    if (unanswered > 0) course.retried.add(messageId);
    const isPayment = type === 'pacs008';
    // a payment's execution may run, and never have heard of this one
    await bringFirst(deps, course, messageId, {
      kind: 'submissions',
      subjectId,
      workflowId: isPayment
        ? paymentWorkflowId(subjectId)
        : resolutionWorkflowId(sourceSystem, messageIdentification),
      isOwed: () => isUnjudged(db, submission),
      goOn: () =>
        isPayment
          ? executions.submit({ ...submission, uetr: subjectId }, unanswered)
          : executions.resolve(submission),
    });
  }
}

/** Brings what was found, unless it was brought before: that is looked after already. */
async function bringFirst(
  deps: SweepDependencies,
  course: Course,
  messageId: string,
  found: Brought,
): Promise<void> {
  if (course.brought.has(messageId)) return;
  course.brought.set(messageId, found);
  await bringOne(deps, course, found);
}

/** Brings once more what earlier sweeps of this process have brought, as long as nothing of it is on record. */
async function bringAgain(deps: SweepDependencies, course: Course): Promise<void> {
  for (const [messageId, one] of [...course.brought]) {
    if (await one.isOwed()) await bringOne(deps, course, one);
    else course.brought.delete(messageId);
  }
}

function bringOne(deps: SweepDependencies, course: Course, one: Brought): Promise<void> {
  return startAgain(deps, one, course, () => bring(course.stuck, one.workflowId, one.subjectId, one));
}

/**
 * Decides where the record alone suffices, by a stored final or a past deadline, so that an execution that is stuck holds no
 * payment. Then lets the execution know, or starts another.
 */
async function sweepPayments(deps: SweepDependencies, graceMs: number, course: Course): Promise<void> {
  const { db, executions, activities } = deps;
  for await (const payment of findUndecided(db, graceMs)) {
    const { uetr, finalReportId, sends } = payment;
    const workflowId = paymentWorkflowId(uetr);
    const start = () => executions.start(payment);
    const cause = causeOnRecord(payment);
    const isOverdue = (now: Sends | null | undefined) => now != null && isSendOverdue(now, graceMs);
    const isOwing = cause === undefined && isOverdue(sends);
    const isAsked = isOwing && sends !== null && isStatusOwed(sends);
    const send = { isOwed: async () => isOverdue(await sendsOf(db, uetr)), goOn: start };
    const isRunning = await course.stuck.isWorkedOn(workflowId, uetr, isOwing && !isAsked ? send : null);
    if (isAsked && isRunning) {
      await startAgain(deps, { kind: 'enquiries', subjectId: uetr }, course, async () => {
        await executions.enquire(uetr);
        await course.stuck.isWorkedOn(workflowId, uetr, { ...send, isJustAsked: true });
      });
      continue;
    }
    // an execution that has ended, or is about to, may have decided in between
    if (!(await isUndecided(db, uetr))) continue;
    if (cause === undefined && isRunning) continue;
    const kind = cause === undefined ? 'payments' : finalReportId === null ? 'deadlines' : 'finals';
    await startAgain(deps, { kind, subjectId: uetr }, course, async () => {
      if (cause !== undefined) await activities.decidePayment({ uetr, cause });
      await (isRunning ? executions.look(uetr) : start());
      const telling = { isJustAsked: true, isOwed: () => isUntold(db, uetr), goOn: start } as const;
      if (cause !== undefined && isRunning) await course.stuck.isWorkedOn(workflowId, uetr, telling);
    });
  }
}

/** Has the execution of that name, running or new, do what is owed; one that fails makes way before. */
async function bring(
  stuck: StuckExecutions,
  workflowId: string,
  subjectId: string,
  owed: Owed,
): Promise<void> {
  await stuck.isWorkedOn(workflowId, subjectId, null);
  try {
    await owed.goOn();
  } finally {
    await stuck.isWorkedOn(workflowId, subjectId, { ...owed, isJustAsked: true });
  }
}

/** Counts a finding, records it for anybody who asks about its subject, and starts it again. */
async function startAgain(
  { db, logger }: SweepDependencies,
  { kind, subjectId }: { readonly kind: keyof FoundCounts; readonly subjectId: string },
  course: Course,
  start: () => Promise<void>,
): Promise<void> {
  course.found[kind] += 1;
  await recordAuditOnce(db, {
    severity: 'info',
    kind: 'sweep.started-again',
    subjectId,
    detail: { found: kind },
  });
  try {
    await start();
  } catch (error) {
    course.isComplete = false;
    logger.warn({ err: error, subjectId, kind }, 'the sweep could not start this again; the next one will');
  }
}
