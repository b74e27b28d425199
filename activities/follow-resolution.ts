// Draws the consequence of a party's answer, or of the deadline: the next enquiry, or the resolution's one answer, written
// by compare-and-set with its callback (RES-1, RES-2). It sends nothing.
import { assert } from '../core/assert.ts';
import type { Acmt023 } from '../core/iso20022/acmt023.ts';
import type { Acmt024 } from '../core/iso20022/acmt024.ts';
import { reject, type Rejection } from '../core/rejection.ts';
import { followDirectory, isListedReason, type Enquiry } from '../core/resolution.ts';
import { recordAudit } from '../db/audit.ts';
import { messageBody } from '../db/messages.ts';
import {
  findResolution,
  loadRequest,
  recordAnswer,
  recordNextEnquiry,
  type NewAnswer,
  type StoredRequest,
} from '../db/resolutions.ts';
import { parseAnswer } from '../xml/read-answer.ts';
import type { ResolutionAnswer, ResolutionLocalActivities, ResolutionStep } from './contract.ts';
import type { ActivityDependencies } from './dependencies.ts';
import {
  composeEnquiry,
  composePassedOn,
  composeRefusal,
  openRequest,
  type Request,
} from './resolution-messages.ts';

/** An accepted request without answer, as far as is known. */
interface Open {
  readonly stored: StoredRequest;
  readonly request: Request;
  readonly values: Acmt023;
}

export function createFollowResolution(
  deps: ActivityDependencies,
): ResolutionLocalActivities['followResolution'] {
  return async function followResolution({ resolutionId, of, reportMessageId }): Promise<ResolutionStep> {
    const open = await load(deps, resolutionId);
    const standing = open.stored.resolution?.answer;
    if (standing) return { kind: 'answered', answer: standing };
    const values = await readReport(deps, reportMessageId);
    const followUp =
      of === 'directory' && values.verified
        ? followDirectory(open.values, values, deps.reference())
        : ({ ok: true, enquiry: null } as const);
    if (!followUp.ok) return answered(deps, await refusal(deps, open, followUp.rejection));
    if (followUp.enquiry !== null) return enquire(deps, open, followUp.enquiry);
    await noteReason(deps, open, values);
    const report = { values, by: of, messageId: reportMessageId };
    return answered(deps, await composePassedOn(deps.engine, open.request, report));
  };
}

export function createEndResolution(deps: ActivityDependencies): ResolutionLocalActivities['endResolution'] {
  return async function endResolution({ resolutionId }): Promise<ResolutionAnswer> {
    const open = await load(deps, resolutionId);
    const standing = open.stored.resolution?.answer;
    if (standing) return standing;
    const { answer } = await answered(deps, await refusal(deps, open, reject('resolution-deadline')));
    return answer;
  };
}

async function load(deps: ActivityDependencies, resolutionId: string): Promise<Open> {
  const stored = await loadRequest(deps.db, resolutionId);
  const { reading, references } = await openRequest(deps.engine, stored);
  assert(reading.ok, 'a request that was routed is valid');
  return { stored, request: { resolutionId, ...stored, references }, values: reading.value };
}

async function readReport(deps: ActivityDependencies, messageId: string): Promise<Acmt024> {
  const reading = await parseAnswer(deps.engine, await messageBody(deps.db, messageId));
  assert(reading?.ok === true, 'a report is judged before it is stored');
  return reading.value;
}

function refusal(deps: ActivityDependencies, open: Open, rejection: Rejection): Promise<NewAnswer> {
  return composeRefusal(deps.engine, open.request, rejection);
}

/** The first answer wins; whoever comes second reads the one that stands. */
async function answered(
  deps: ActivityDependencies,
  answer: NewAnswer,
): Promise<Extract<ResolutionStep, { kind: 'answered' }>> {
  const isWritten = await recordAnswer(deps.db, answer);
  if (isWritten) {
    const { verified, reasonCode, message } = answer;
    return { kind: 'answered', answer: { verified, reasonCode, answerMessageId: message.messageId } };
  }
  const resolution = await findResolution(deps.db, answer.resolutionId);
  assert(resolution?.answer != null, 'an answer that was not written has one before it');
  return { kind: 'answered', answer: resolution.answer };
}

/** The creditor agent is asked about the account that the directory found. */
async function enquire(deps: ActivityDependencies, open: Open, enquiry: Enquiry): Promise<ResolutionStep> {
  const { values, request } = open;
  const { resolutionId } = request;
  await recordNextEnquiry(
    deps.db,
    resolutionId,
    await composeEnquiry(deps.engine, { ...request, values }, enquiry),
  );
  const resolution = await findResolution(deps.db, resolutionId);
  if (resolution?.answer) return { kind: 'answered', answer: resolution.answer };
  assert(resolution?.enquiry?.of === enquiry.of, 'the next enquiry is stored before it is asked');
  return { kind: 'enquire', enquiry: resolution.enquiry };
}

/** RES-4: a code that the scheme does not list passes as the party said it, and is put on record. */
async function noteReason(
  deps: ActivityDependencies,
  { request }: Open,
  { reasonCode }: Acmt024,
): Promise<void> {
  if (reasonCode === undefined || isListedReason(reasonCode)) return;
  await recordAudit(deps.db, {
    severity: 'info',
    kind: 'resolution.reason-unlisted',
    uetr: request.resolutionId,
    detail: { reasonCode },
  });
}
