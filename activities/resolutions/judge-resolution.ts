// Judges a stored acmt.023 and writes the resolution with its first enquiry, or with the gateway's own
// answer. One statement writes both, so every answer is durable. The unique key of the database decides what
// is a duplicate.
import {
  loadRequest,
  recordAnsweredAtOnce,
  recordRouted,
  type NewAnswer,
  type StoredRequest,
  type StoredResolution,
} from '../../db/resolutions/resolutions.ts';
import type { Written } from '../../db/pool/statements.ts';
import { assert } from '../../core/assert.ts';
import { reject, type Rejection } from '../../core/rejections/rejection.ts';
import { rejections } from '../../core/rejections/rejection-table.ts';
import { mapValue, ok } from '../../core/result.ts';
import { routeRequest, type Enquiry } from '../../core/resolutions/resolution.ts';
import type { Acmt023 } from '../../core/iso20022/acmt023.ts';
import type { ResolutionJudgement, ResolutionLocalActivities } from '../../contract/activities.ts';
import { boundSubmission } from '../upkeep/defects.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import {
  composeBare,
  composeEnquiry,
  composeRejection,
  openRequest,
  type Request,
} from './resolution-messages.ts';
import { refuseOnce, untilWritten } from '../payments/write-once.ts';

type Judge = (stored: StoredRequest) => Promise<Written<ResolutionJudgement>>;

export function createJudgeResolution(
  deps: ActivityDependencies,
): ResolutionLocalActivities['judgeResolution'] {
  return function judgeResolution({ messageId }): Promise<ResolutionJudgement> {
    const unlessRepeated = (act: Judge) =>
      untilWritten(async () => {
        const stored = await loadRequest(deps.db, messageId);
        return stored.resolution?.resolutionId === messageId ? ok(standing(stored.resolution)) : act(stored);
      });
    return boundSubmission(
      deps,
      messageId,
      () => unlessRepeated((stored) => judge(deps, messageId, stored)),
      (defect) => unlessRepeated((stored) => answerBarely(deps, messageId, stored, defect)),
    );
  };
}

async function judge(
  deps: ActivityDependencies,
  messageId: string,
  stored: StoredRequest,
): Promise<Written<ResolutionJudgement>> {
  const { reading, references } = await openRequest(deps.engine, { ...stored, body: await stored.open() });
  const request: Request = { resolutionId: messageId, ...stored, references };
  if (stored.resolution !== undefined) return ok(await refuseRepeat(deps, request, stored));
  const rejectBy = async (rejection: Rejection) =>
    writeAtOnce(deps, await composeRejection(deps.engine, request, rejection), stored);
  if (!reading.ok) return rejectBy(reading.refusal);
  const routing = routeRequest(reading.value, deps.reference(), stored.sourceSystem);
  return routing.ok
    ? route(deps, request, { stored, values: reading.value, enquiry: routing.value })
    : rejectBy(routing.refusal);
}

/** Answers a request that Isthmus cannot judge. A repeat gets the answer only in the HTTP response. */
async function answerBarely(
  deps: ActivityDependencies,
  messageId: string,
  stored: StoredRequest,
  defect: string,
): Promise<Written<ResolutionJudgement>> {
  const compose = () => composeBare(deps.engine, { resolutionId: messageId, ...stored }, defect);
  if (stored.resolution === undefined) return writeAtOnce(deps, await compose(), stored);
  const reasonCode = reject('defect').isoCode;
  const answerMessageId = await refuseOnce(deps.db, { ...stored, messageId }, async () => {
    const { message, event = null } = await compose();
    return { answer: message, event };
  });
  return ok({ verdict: 'refused', reasonCode, answerMessageId });
}

/** The stored judgement, for a repeated message or a restarted execution. */
function standing({ resolutionId, answer, enquiry, ...times }: StoredResolution): ResolutionJudgement {
  if (answer !== null) return { verdict: 'answered', resolutionId, answer };
  assert(enquiry !== null, 'a resolution without answer was routed');
  return { verdict: 'routed', resolutionId, ...times, enquiry };
}

/** Refuses a repeat with other content, only in the HTTP response. The resolution does not change. */
async function refuseRepeat(
  deps: ActivityDependencies,
  request: Request,
  stored: StoredRequest,
): Promise<ResolutionJudgement> {
  const rejection = reject('duplicate-request');
  const { resolutionId: messageId } = request;
  const answerMessageId = await refuseOnce(deps.db, { ...stored, messageId }, async () => ({
    answer: (await composeRejection(deps.engine, request, rejection)).message,
    event: {
      kind: rejections['duplicate-request'].event,
      subjectId: stored.resolution?.resolutionId,
      party: stored.sourceSystem,
      detail: { messageId },
    },
  }));
  return { verdict: 'refused', reasonCode: rejection.isoCode, answerMessageId };
}

async function writeAtOnce(
  deps: ActivityDependencies,
  answer: NewAnswer,
  { messageIdentification }: StoredRequest,
): Promise<Written<ResolutionJudgement>> {
  const written = await recordAnsweredAtOnce(deps.db, { ...answer, messageIdentification });
  const { resolutionId, verified, reasonCode, message } = answer;
  return mapValue(written, () => {
    deps.steps.resolutionAnswered({ subjectId: resolutionId, verified, reasonCode });
    return {
      verdict: 'answered',
      resolutionId,
      answer: { verified, reasonCode, answerMessageId: message.messageId },
    };
  });
}

async function route(
  deps: ActivityDependencies,
  { resolutionId, sourceSystem, now }: Request,
  routed: { readonly stored: StoredRequest; readonly values: Acmt023; readonly enquiry: Enquiry },
): Promise<Written<ResolutionJudgement>> {
  const { stored, values } = routed;
  const system = deps.reference().clearingSystems.get(sourceSystem);
  assert(system !== undefined, 'a submitter whose callback address is registered has a clearing system');
  const enquiry = await composeEnquiry(deps.engine, { values, resolutionId, now }, routed.enquiry);
  const written = await recordRouted(deps.db, {
    resolutionId,
    sourceSystem,
    messageIdentification: stored.messageIdentification,
    maxResolutionSeconds: system.maxResolutionSeconds,
    destinationCountry: values.destinationCountry,
    enquiry,
  });
  return mapValue(written, (times) => {
    const { of, deliveryId } = enquiry;
    const { party } = enquiry.message;
    deps.steps.resolutionRouted({ subjectId: resolutionId, party, of });
    return {
      verdict: 'routed',
      resolutionId,
      ...times,
      enquiry: { deliveryId, of, destinationSystem: party },
    };
  });
}
