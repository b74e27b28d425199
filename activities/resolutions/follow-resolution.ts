// Acts on a party's answer, or on the deadline. By compare-and-set, it stores the next enquiry, or the only
// answer of the resolution with its callback. It sends nothing.
import { setTimeout as delay } from 'node:timers/promises';
import { assert } from '../../core/assert.ts';
import type { Acmt023 } from '../../core/iso20022/acmt023.ts';
import type { Acmt024 } from '../../core/iso20022/acmt024.ts';
import { reject } from '../../core/rejections/rejection.ts';
import {
  followDirectory,
  isListedReason,
  type Enquiry,
  type FollowUp,
} from '../../core/resolutions/resolution.ts';
import { ok } from '../../core/result.ts';
import {
  loadEnquiry,
  findResolution,
  loadRequest,
  recordAnswer,
  recordNextEnquiry,
  type NewAnswer,
  type StoredEnquiry,
  type StoredRequest,
  type StoredResolution,
} from '../../db/resolutions/resolutions.ts';
import { messageBody } from '../../db/records/messages.ts';
import { openAndTell } from '../../db/records/changed-messages.ts';
import { parseMessage } from '../../xml/read-message.ts';
import type {
  ResolutionAnswer,
  ResolutionLocalActivities,
  ResolutionStep,
} from '../../contract/activities.ts';
import { boundSubmission } from '../upkeep/defects.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import {
  acceptedRequest,
  composeBare,
  composeEnquiry,
  composePassedOn,
  composeRejection,
  openRequest,
  type Request,
} from './resolution-messages.ts';

/** An accepted request that had no answer yet when it was read. */
interface Open {
  readonly stored: StoredRequest;
  readonly request: Request;
  readonly values: Acmt023;
}

interface Report {
  readonly of: StoredEnquiry['of'];
  readonly messageId: string;
  readonly values: Acmt024;
}

/** The workflow's timer may fire this much early. The activity waits for the rest by the database clock. */
const maxEarlyMs = 250; // Milliseconds. Must exceed leadMs of workflows/resolution.ts.

export function createFollowResolution(
  deps: ActivityDependencies,
): ResolutionLocalActivities['followResolution'] {
  return function followResolution({ resolutionId, of, reportMessageId }): Promise<ResolutionStep> {
    return bounded(deps, resolutionId, async (stored) => {
      const open = await openAgain(deps, resolutionId, stored);
      const report = { of, messageId: reportMessageId, values: await readReport(deps, reportMessageId) };
      const followUp = followUpOf(deps, open, report);
      if (followUp.ok && followUp.value !== null) return enquire(deps, open, followUp.value);
      return answered(deps, await composeAnswer(deps, open, report, followUp));
    });
  };
}

export function createEndResolution(deps: ActivityDependencies): ResolutionLocalActivities['endResolution'] {
  return async function endResolution({ resolutionId }): Promise<ResolutionAnswer> {
    const { answer } = await bounded(deps, resolutionId, async (stored) => {
      const open = await openAgain(deps, resolutionId, stored);
      const { enquiry, remainingMs } = open.stored.resolution;
      if (remainingMs > 0) await delay(Math.min(remainingMs, maxEarlyMs));
      const report = enquiry === null ? undefined : await findReport(deps, enquiry);
      const followUp = report && followUpOf(deps, open, report);
      // A stored answer of a party counts, unless it requires another enquiry.
      const lastWord =
        report !== undefined && followUp !== undefined && !(followUp.ok && followUp.value !== null)
          ? await composeAnswer(deps, open, report, followUp)
          : await composeRejection(deps.engine, open.request, reject('resolution-deadline'));
      return answered(deps, lastWord);
    });
    return answer;
  };
}

type Answered = Extract<ResolutionStep, { kind: 'answered' }>;

/**
 * Returns the stored answer if there is one, otherwise the result of the work. After a defect of Isthmus,
 * returns the minimal answer.
 */
function bounded<Step extends ResolutionStep>(
  deps: ActivityDependencies,
  resolutionId: string,
  work: (stored: StoredRequest) => Promise<Step | Answered>,
): Promise<Step | Answered> {
  const unlessAnswered = (act: typeof work) => async () => {
    const stored = await loadRequest(deps.db, resolutionId);
    const standing = stored.resolution?.answer;
    return standing ? ({ kind: 'answered', answer: standing } as const) : act(stored);
  };
  return boundSubmission(deps, resolutionId, unlessAnswered(work), (defect) =>
    unlessAnswered(async (stored) =>
      answered(deps, await composeBare(deps.engine, { resolutionId, ...stored }, defect)),
    )(),
  );
}

async function openAgain(
  deps: ActivityDependencies,
  resolutionId: string,
  stored: StoredRequest,
): Promise<Open & { readonly stored: { readonly resolution: StoredResolution } }> {
  const kept = { ...stored, body: await stored.open() };
  const { reading, references } = await openRequest(deps.engine, kept, acceptedRequest);
  const { resolution } = stored;
  assert(reading.ok && resolution !== undefined, 'a request that was routed is valid');
  const request = { resolutionId, ...stored, references };
  return { stored: { ...stored, resolution }, request, values: reading.value };
}

async function readReport(deps: ActivityDependencies, messageId: string): Promise<Acmt024> {
  const body = await openAndTell(deps.db, messageId, () => messageBody(deps.db, messageId));
  assert(body !== undefined, 'what a resolution waits for is kept (LIF-6)');
  const reading = await parseMessage(deps.engine, 'acmt024', body);
  assert(reading.ok, 'a report is judged before it is stored');
  return reading.value;
}

/** The stored answer of the last party asked, if the resolution has not acted on it yet. */
async function findReport(
  deps: ActivityDependencies,
  { of, deliveryId }: StoredEnquiry,
): Promise<Report | undefined> {
  const { reportMessageId } = await loadEnquiry(deps.db, deliveryId);
  if (reportMessageId === null) return undefined;
  return { of, messageId: reportMessageId, values: await readReport(deps, reportMessageId) };
}

/** The next enquiry that a report requires; null if the report answers the request. */
function followUpOf(deps: ActivityDependencies, { values }: Open, report: Report): FollowUp {
  return report.of === 'directory' && report.values.verified
    ? followDirectory(values, report.values, deps.reference())
    : ok(null);
}

/** The answer after a report: either the gateway rejects the reported account, or the report is passed on. */
async function composeAnswer(
  deps: ActivityDependencies,
  { request }: Open,
  { of, messageId, values }: Report,
  followUp: FollowUp,
): Promise<NewAnswer> {
  if (!followUp.ok) return composeRejection(deps.engine, request, followUp.refusal);
  const passedOn = await composePassedOn(deps.engine, request, { values, by: of, messageId });
  const { reasonCode } = values;
  if (reasonCode === undefined || isListedReason(reasonCode)) return passedOn;
  // A reason code that the scheme does not list is passed on unchanged, and recorded.
  const { resolutionId: subjectId } = request;
  const event = {
    kind: 'resolution.reason-unlisted',
    subjectId,
    detail: { reasonCode },
  } as const;
  return { ...passedOn, event };
}

async function answered(deps: ActivityDependencies, answer: NewAnswer): Promise<Answered> {
  const isWritten = await recordAnswer(deps.db, answer);
  if (isWritten) {
    const { verified, reasonCode, message } = answer;
    return { kind: 'answered', answer: { verified, reasonCode, answerMessageId: message.messageId } };
  }
  const resolution = await findResolution(deps.db, answer.resolutionId);
  assert(resolution?.answer != null, 'an answer that was not written has one before it');
  return { kind: 'answered', answer: resolution.answer };
}

async function enquire(
  deps: ActivityDependencies,
  { values, request }: Open,
  enquiry: Enquiry,
): Promise<ResolutionStep> {
  const { resolutionId } = request;
  const next = await composeEnquiry(deps.engine, { ...request, values }, enquiry);
  await recordNextEnquiry(deps.db, resolutionId, next);
  const resolution = await findResolution(deps.db, resolutionId);
  if (resolution?.answer) return { kind: 'answered', answer: resolution.answer };
  assert(resolution?.enquiry?.of === enquiry.of, 'the next enquiry is stored before it is asked');
  return { kind: 'enquire', enquiry: resolution.enquiry, remainingMs: resolution.remainingMs };
}
