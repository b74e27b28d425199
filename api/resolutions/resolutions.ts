// POST /iso20022/acmt023 accepts requests to resolve a proxy or to confirm an account (RES-1). It stores the
// request, passes its id to the resolution's workflow and answers with the stored acmt.024. It judges no
// request.
import { z } from '@hono/zod-openapi';
import { resolveAgent } from '../../core/payments/agent.ts';
import { isCountryCode } from '../../core/ids.ts';
import { readAgent } from '../../core/iso20022/parties.ts';
import { elementAt, textAt, type XmlElement } from '../../core/iso20022/tree.ts';
import { takeAcmt023 } from '../../db/payments/submissions.ts';
import type { XmlEngine } from '../../xml/engine.ts';
import { refuseCallback } from '../http/input/callback.ts';
import type { Caller } from '../http/caller.ts';
import type { RouteDependencies, RouteModule } from '../dependencies.ts';
import { isUnavailable } from '../http/problems/failures.ts';
import { aboutRequest, noteRejection, type AboutRequest } from '../http/access-log.ts';
import { bodyOf, openMessage, takeMessage } from '../http/input/intake.ts';
import { resolutionDocument, submissionProblems } from '../payments/message-documents.ts';
import { isProblem, problem, type Problem } from '../http/problems/problem.ts';
import type { AwaitedAnswers } from '../payments/awaited-answers.ts';
import { passOn, type ResolutionSubmission, type ResolutionWorkflows } from '../temporal.ts';
import { createOfDay } from '../payments/of-day.ts';
import { repeatsOf } from '../payments/repeats.ts';
import type { GiveUpTurn } from '../http/limits/turns.ts';
import { storedAnswer } from '../http/xml-message.ts';

export interface ResolutionDependencies {
  readonly engine: XmlEngine;
  readonly workflows: ResolutionWorkflows;
  readonly answers: AwaitedAnswers;
}

export function resolutionRoutes(parts: ResolutionDependencies): RouteModule {
  return (router, deps) => {
    router.add(
      {
        method: 'post',
        path: '/iso20022/acmt023',
        operationId: 'submitAcmt023',
        summary: 'Resolve a proxy, or confirm an account (endpoint 20)',
        description:
          'Answers with the acmt.024 of the proxy directory or of the creditor agent, or false with a reason; at the ' +
          'deadline, false AB08 (RES-1). The same bytes go to acmt024Endpoint. If the gateway itself refuses, the ' +
          'header `Isthmus-Rejection` names the rule and the XPath, which do not fit into an acmt.024.',
        tag: 'ISO 20022',
        roles: ['ipso'],
        before: takeMessage,
        isSigned: true,
        turns: 'resolution',
        query: z.object({
          acmt024Endpoint: z.string().describe("The source operator's address for the acmt.024"),
        }),
        ...resolutionDocument,
        problems: submissionProblems,
      },
      ({ query, caller, context, giveUpTurn }) =>
        resolve(deps, parts, {
          body: bodyOf(context),
          caller,
          callbackUrl: query.acmt024Endpoint,
          giveUpTurn,
          about: aboutRequest(context),
        }),
    );
  };
}

interface IncomingRequest {
  readonly body: Buffer;
  readonly caller: Caller;
  readonly callbackUrl: string;
  readonly giveUpTurn: GiveUpTurn;
  readonly about: AboutRequest;
}

async function resolve(
  deps: RouteDependencies,
  { engine, workflows, answers }: ResolutionDependencies,
  { body, caller, callbackUrl, giveUpTurn, about }: IncomingRequest,
): Promise<Response | Problem> {
  const message = openMessage(engine, { body, name: 'acmt023', about });
  if (isProblem(message)) return message;
  message.parsed.dispose(); // the tree stays usable after that
  const document = message.parsed.document();
  const sourceSystem = caller.clearingSystemId ?? clearingSystemOf(deps, document);
  const callback = { parameter: 'acmt024Endpoint', address: callbackUrl } as const;
  const refusal = refuseCallback(deps, sourceSystem, callback);
  if (refusal !== undefined) return refusal;
  const ofDay = createOfDay(deps);
  const submission = { type: 'acmt023', party: sourceSystem, body } as const;
  const tooMuch = await ofDay.refuse(submission);
  if (tooMuch !== undefined) return tooMuch;
  const { messageId, isNew, isAddressRefused, known } = await takeAcmt023(deps.db, {
    messageIdentification: message.key.messageIdentification,
    sourceSystem,
    callbackUrl,
    body,
    mayAsk: repeatsOf(deps, sourceSystem),
  });
  if (isAddressRefused) return problem('callback-address-changed');
  if (isNew) await ofDay.add(submission);
  about.subjectId = messageId;
  if (known?.due === 'redelivery') passOn(deps, messageId, workflows.redeliver(messageId));
  const standing = known?.subject.answer;
  if (standing) {
    giveUpTurn('record');
    return storedAnswer(deps.db, standing.answerMessageId);
  }
  const system = deps.reference.current().clearingSystems.get(sourceSystem);
  const maxResolutionSeconds = system?.maxResolutionSeconds ?? 0;
  const from = known && 'record';
  // after the judgement, the request only waits for other parties, so end its turn
  void answers.judged(messageId, maxResolutionSeconds * 1_000).then(() => giveUpTurn(from));
  const { answerMessageId } = await waitForAnswer(workflows, {
    messageId,
    messageIdentification: message.key.messageIdentification,
    sourceSystem,
    destinationCountry: destinationCountryOf(document),
    maxResolutionSeconds,
    isRepeat: known !== undefined,
  });
  giveUpTurn(from);
  const answer = await storedAnswer(deps.db, answerMessageId);
  if (!isProblem(answer)) noteRejection(about, answer);
  return answer;
}

/**
 * Waits for the workflow's answer. If somebody ends the workflow while the source waits, a new one continues
 * from the record.
 */
async function waitForAnswer(
  workflows: ResolutionWorkflows,
  submission: ResolutionSubmission,
): Promise<{ answerMessageId: string }> {
  try {
    return await workflows.resolve(submission);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return workflows.resolve({ ...submission, isRepeat: true });
  }
}

/**
 * Returns the payment system of the message's assigner. Without authentication (AUTH=none) there is no other
 * source for it.
 */
function clearingSystemOf(deps: RouteDependencies, document: XmlElement): string {
  const agent = readAgent(elementAt(document, 'IdVrfctnReq/Assgnmt/Assgnr/Agt'));
  const institution = agent && resolveAgent(deps.reference.current(), agent);
  return institution?.memberships[0]?.clearingSystemId ?? '';
}

/** Only the Temporal UI shows it, because the message is not validated yet. */
function destinationCountryOf(document: XmlElement): string | undefined {
  const country = textAt(document, 'IdVrfctnReq/Assgnmt/Assgne/Agt/FinInstnId/PstlAdr/Ctry');
  return country !== undefined && isCountryCode(country) ? country : undefined;
}
