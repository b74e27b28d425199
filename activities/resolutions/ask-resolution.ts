// Sends a stored acmt.023 to the operator of a proxy directory or of a creditor agent, once per call. It
// stores the acmt.024 from the HTTP response. follow-resolution.ts acts on the answer.
import { assert } from '../../core/assert.ts';
import { retryDelayMs } from '../../core/deliveries/delivery-schedule.ts';
import type { RequestReferences } from '../../core/iso20022/acmt023.ts';
import { findRequestMismatch } from '../../core/resolutions/resolution.ts';
import type { ClaimedAttempt } from '../../db/deliveries/deliveries.ts';
import { claimEnquiry, loadEnquiry, type StandingEnquiry } from '../../db/resolutions/resolutions.ts';
import { recordReceived } from '../../db/records/messages.ts';
import { refuseMessage } from '../../db/records/refused-messages.ts';
import { readAnswer } from '../../xml/read-message.ts';
import type { EnquiryActivities } from '../../contract/activities.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { failure } from '../failures.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { acceptedRequest, assigneeOf, openRequest } from './resolution-messages.ts';
import { claimSend, enter, ownFault, send, type AnswerBody } from '../deliveries/send.ts';

const followMs = 100; // Milliseconds to store an answer and act on it before the deadline.
// Milliseconds between retries after the retries of TIM-3. Reading a request twice does no harm to a
// receiver.
const untilDeadlineMs = 1_000;

export function createAskResolution(deps: ActivityDependencies): EnquiryActivities['askResolution'] {
  return function askResolution({ resolutionId, deliveryId }) {
    return withHeartbeat(async () => {
      const enquiry = await loadEnquiry(deps.db, deliveryId);
      const { reportMessageId, kind, party } = enquiry;
      if (reportMessageId !== null) return { reportMessageId };
      const asked = await askedBy(deps, enquiry);
      const way = enter(deps, { kind, party, url: null }, { party: asked });
      if (way === undefined) throw failure('AddressWithdrawn', `${party} has no address`);
      if (!way.admitted) throw failure('Held', `${party}: ${way.reason}`, way.takeTurn(enquiry.remainingMs));
      const claimed = await claimSend(way, (claim) => claimEnquiry(deps.db, deliveryId, { followMs, claim }));
      if (claimed === undefined) throw failure('TooLate', 'answered already, or past the deadline');
      const { attempt } = claimed;
      const read = (body: AnswerBody) => takeAnswer(deps, { resolutionId, attempt }, body);
      const { answer, story, fault } = await send(deps, {
        ...claimed,
        way,
        subjectId: resolutionId,
        read,
      });
      if (answer?.kind === 'message') return { reportMessageId: answer.value };
      if (fault !== undefined) throw ownFault(fault, attempt, `${party}: ${story}`);
      const delayMs = retryDelayMs(attempt.attemptSinceAsked) ?? untilDeadlineMs;
      throw failure('PartyDidNotAnswer', `${party}: ${story}`, delayMs);
    });
  };
}

/**
 * The party that a stored enquiry asks, as one id. Empty if the stored copy was changed; then nothing is
 * sent.
 */
async function askedBy({ engine }: ActivityDependencies, enquiry: StandingEnquiry): Promise<string> {
  const { body, messageIdentification } = enquiry;
  if (body === null) return '';
  const { reading } = await openRequest(engine, { body, messageIdentification }, acceptedRequest);
  return reading.ok ? assigneeOf(reading.value) : '';
}

interface Asked {
  readonly resolutionId: string;
  readonly attempt: ClaimedAttempt;
}

/** The ids that the answer must carry, read from the bytes that were sent. */
async function referencesOf(
  { engine }: ActivityDependencies,
  { body, messageIdentification }: ClaimedAttempt,
): Promise<RequestReferences> {
  assert(body !== null, 'what was answered was sent');
  return (await openRequest(engine, { body, messageIdentification }, acceptedRequest)).references;
}

/**
 * @returns the id of the stored acmt.024; undefined if it does not answer this request and is recorded as
 * refused
 */
async function takeAnswer(
  deps: ActivityDependencies,
  { resolutionId: subjectId, attempt }: Asked,
  answer: AnswerBody,
): Promise<string | undefined> {
  const { db, engine } = deps;
  const { party, messageId: inReplyTo } = attempt;
  const { body } = answer;
  const refuse = async (reason: string): Promise<undefined> => {
    const message = { subjectId, party, inReplyTo, body, fault: { reason } };
    await refuseMessage(db, 'resolution.answer-refused', message);
    return undefined;
  };
  const reading = await readAnswer(engine, 'acmt024', answer);
  if (!reading.ok) return refuse(reading.refusal.reason);
  const { value } = reading;
  const mismatch = findRequestMismatch(value, await referencesOf(deps, attempt));
  if (mismatch !== undefined) return refuse(`${mismatch} must be that of the acmt.023 that you got from us`);
  const { messageId } = await recordReceived(db, {
    subjectId,
    type: 'acmt024',
    messageIdentification: value.messageIdentification,
    leg: 'destination',
    party,
    status: String(value.verified),
    reasonCode: value.reasonCode,
    inReplyTo,
    body,
  });
  return messageId;
}
