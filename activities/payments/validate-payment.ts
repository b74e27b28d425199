// Judges a stored pacs.008 and writes the payment together with its first answer. One statement writes both,
// so every answer is durable. The unique keys of the database decide what is a duplicate.
import { claimedDebtorAgent, identifyAgent } from '../../core/payments/agent.ts';
import { countryPair } from '../../core/quotes/corridor.ts';
import { namedAgentsOf, originalReferencesOf } from '../../core/iso20022/references.ts';
import { judgePayment, quoteNeeded, type AcceptedPacs008 } from '../../core/payments/judge-payment.ts';
import { fxpNameOf } from '../../core/scheme/reference.ts';
import { reject, type Rejection } from '../../core/rejections/rejection.ts';
import { ok, refused, type Result } from '../../core/result.ts';
import { turnAway, type TurnedAway } from '../../core/rejections/turn-away.ts';
import type { AuditEvent } from '../../db/records/audit.ts';
import {
  loadSubmission,
  recordAccepted,
  recordRejected,
  type StoredSubmission,
} from '../../db/payments/payments.ts';
import { findQuote } from '../../db/quotes/quotes.ts';
import type { Written } from '../../db/pool/statements.ts';
import type { Judgement, PaymentLocalActivities, Submission } from '../../contract/activities.ts';
import { compose, newMessageIdentification, type Composition } from '../compose.ts';
import { boundSubmission } from '../upkeep/defects.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { refuseOnce, untilWritten } from './write-once.ts';
import { assert } from '../../core/assert.ts';
import { compact } from '../../core/compact.ts';
import { buildForwardedPacs008, type Forwarding } from '../../core/iso20022/build-pacs008.ts';
import { messages } from '../../core/iso20022/messages.ts';
import { answerPacs008 } from '../../core/iso20022/pacs002.ts';
import { readPacs008, type Pacs008 } from '../../core/iso20022/pacs008.ts';
import { readPacs008References, type Pacs008References } from '../../core/iso20022/references.ts';
import type { XmlElement } from '../../core/iso20022/tree.ts';
import type { XmlEngine } from '../../xml/engine.ts';
import { readValid } from '../../xml/read-message.ts';
import { newRowId } from '../../db/pool/row-ids.ts';

/** A submission that is being judged, with the values that its outcome needs. */
interface Case {
  readonly messageId: string;
  readonly stored: StoredSubmission;
  readonly references: Pacs008References;
  /** The debtor agent that the message names. This agent may see the payment even if it is rejected. */
  readonly debtorAgentId: string | null;
}

interface Judged {
  readonly submission: Case;
  readonly verdict: Result<AcceptedPacs008, Rejection>;
}

type Judge = (
  deps: ActivityDependencies,
  messageId: string,
  stored: StoredSubmission,
) => Judged | Promise<Judged>;

export function createValidatePayment(deps: ActivityDependencies): PaymentLocalActivities['validatePayment'] {
  return ({ messageId }: Submission): Promise<Judgement> => {
    const by = (judge: Judge) => () => judgeAndWrite(deps, messageId, judge);
    return boundSubmission(deps, messageId, by(judge), by(judgeBarely));
  };
}

/** A submission that was judged before gets its stored answer again, without new checks. */
function judgeAndWrite(deps: ActivityDependencies, messageId: string, judge: Judge): Promise<Judgement> {
  return untilWritten(async () => {
    const stored = await loadSubmission(deps.db, messageId);
    if (stored.payment?.messageId === messageId) return ok(standing(deps, stored));
    const { submission, verdict } = await judge(deps, messageId, stored);
    return verdict.ok ? accept(deps, submission, verdict.value) : answerNo(deps, submission, verdict.refusal);
  });
}

/** Reads all input of the judgement, then judges the message in the order of PAY-3. */
async function judge(
  deps: ActivityDependencies,
  messageId: string,
  stored: StoredSubmission,
): Promise<Judged> {
  const { sourceSystem, storedAt, now } = stored;
  const { document, reading, references } = await openSubmission(deps.engine, stored);
  const reference = deps.reference();
  const debtorAgentId = claimedDebtorAgent(reference, document, sourceSystem)?.institutionId ?? null;
  const context = { reference, sourceSystem, storedAt, now, recorded: stored };
  const quoteId = quoteNeeded(reading, context);
  // Read the quote last, so that its state is as recent as possible.
  const quote = quoteId === undefined ? undefined : await findQuote(deps.db, quoteId);
  return {
    submission: { messageId, stored, references, debtorAgentId },
    verdict: judgePayment(reading, { ...context, quote }),
  };
}

/**
 * After a defect: rejects with RJCT NARR and raises an alert. It uses only the keys, which were checked at
 * intake.
 */
function judgeBarely(_deps: ActivityDependencies, messageId: string, stored: StoredSubmission): Judged {
  const { messageIdentification, uetr } = stored;
  const original = { messageIdentification, messageNameId: messages.pacs008.identifier, uetr };
  return {
    submission: { messageId, stored, references: { original }, debtorAgentId: null },
    verdict: refused(reject('defect')),
  };
}

/**
 * Returns the stored judgement, for a status enquiry or for a workflow execution that resumes from the
 * database.
 */
function standing(deps: ActivityDependencies, { payment, now }: StoredSubmission): Judgement {
  assert(payment !== undefined, 'what was judged is known');
  const { decision, instructionDeliveryId, corridor, destinationSystem, priority } = payment;
  if (decision !== null) {
    return { verdict: 'decided', answerMessageId: decision.callbackMessageId, decision };
  }
  assert(
    instructionDeliveryId !== null && corridor !== null && destinationSystem !== null && priority !== null,
    'a payment without decision was accepted',
  );
  return {
    verdict: 'accepted',
    // Only a repeated submission counts as a status enquiry. The first one never does, however late it is
    // judged.
    enquiry: payment.isStatusOwed,
    answerMessageId: payment.answerMessageId,
    instructionDeliveryId,
    route: {
      corridor,
      sourceSystem: payment.sourceSystem,
      destinationSystem,
      priority,
      fxp: fxpNameOf(deps.reference(), payment.fxpId),
    },
    deadlineAt: payment.deadlineAt,
    acceptedAt: payment.judgedAt,
    now,
    isTaken: payment.isInstructionTaken && !payment.isStatusOwed,
    ...(payment.lastSendBeganAt !== null && { lastSentAt: payment.lastSendBeganAt }),
    ...(payment.finalReportId !== null && { finalReportId: payment.finalReportId }),
  };
}

/**
 * Answers a submission that was not accepted. A refused repeat gets only the HTTP answer. A rejection is the
 * final status of the payment.
 */
async function answerNo(
  deps: ActivityDependencies,
  submission: Case,
  rejection: Rejection,
): Promise<Written<Judgement>> {
  const { stored, messageId, debtorAgentId } = submission;
  const { uetr, sourceSystem, messageIdentification } = stored;
  const { isoCode: reasonCode, ruleId } = rejection;
  const step = { subjectId: uetr, party: sourceSystem, reasonCode, ruleId };
  const turned = turnAway(rejection, stored, stored.payment);
  const event = eventOf(submission, turned);
  const composeAnswer = () => compose(deps.engine, firstAnswer(submission, turned));
  if (turned.isRefusal) {
    const once = { messageId, earlierAnswerId: stored.earlierAnswerId };
    const answerMessageId = await refuseOnce(deps.db, once, async () => ({
      answer: await composeAnswer(),
      event,
    }));
    deps.steps.refused(step);
    return ok({ verdict: 'refused', reasonCode, ruleId, answerMessageId });
  }
  const answer = await composeAnswer();
  const written = await recordRejected(deps.db, {
    uetr,
    sourceSystem,
    messageId,
    messageIdentification,
    messageIdIsHeld: stored.messageIdHeldBy !== undefined,
    debtorAgentId,
    reasonCode,
    ruleId,
    answer,
    event: event ?? pauseEventOf(uetr, rejection),
  });
  if (!written.ok) return written;
  deps.steps.rejected({ ...step, durationMs: ageOf(stored) });
  const callbackMessageId = answer.messageId;
  return ok({
    verdict: 'decided',
    answerMessageId: callbackMessageId,
    decision: { status: 'RJCT', reasonCode, callbackMessageId, confirmationMessageId: null },
  });
}

function eventOf({ stored, messageId }: Case, { event }: TurnedAway): AuditEvent | null {
  if (event === undefined) return null;
  return { kind: event, subjectId: stored.uetr, party: stored.sourceSystem, detail: { messageId } };
}

/** A rejected payment has no destination in the database. This event records which destination was paused. */
function pauseEventOf(subjectId: string, { party }: Rejection): AuditEvent | null {
  return party === undefined ? null : { kind: 'payment.destination-paused', subjectId, party };
}

/** Milliseconds from the storage of a submission until it was read for judgement, by the database clock. */
const ageOf = ({ now, storedAt }: StoredSubmission) => Math.round(now - storedAt);

async function accept(
  deps: ActivityDependencies,
  submission: Case,
  accepted: AcceptedPacs008,
): Promise<Written<Judgement>> {
  const { stored, messageId } = submission;
  const { message, payment } = accepted;
  const { source, destination } = payment;
  const corridor = countryPair(payment);
  const { composition, references: destinationReferences } = forwardedPacs008(
    submission,
    accepted,
    deps.engine.forwarding,
  );
  const forwarded = await compose(deps.engine, composition);
  const answer = await compose(deps.engine, firstAnswer(submission));
  const instructionDeliveryId = newRowId();
  const written = await recordAccepted(deps.db, {
    uetr: stored.uetr,
    messageId,
    messageIdentification: stored.messageIdentification,
    payment,
    corridor,
    priority: message.priority,
    acceptanceAt: message.acceptanceDateTime.epochMs,
    answer,
    forwarded,
    sourceReferences: { ...submission.references, agents: namedAgentsOf(message) },
    destinationReferences,
    instructionDeliveryId,
  });
  if (!written.ok) return written;
  const { uetr: subjectId, sourceSystem: party } = stored;
  const { priority } = message;
  deps.steps.accepted({ subjectId, party, corridor, priority, durationMs: ageOf(stored) });
  return ok({
    verdict: 'accepted',
    enquiry: false,
    answerMessageId: answer.messageId,
    instructionDeliveryId,
    route: {
      corridor,
      sourceSystem: source.clearingSystemId,
      destinationSystem: destination.clearingSystemId,
      priority,
      fxp: fxpNameOf(deps.reference(), payment.quote?.fxpId ?? null),
    },
    deadlineAt: payment.deadlineAt,
    acceptedAt: written.value,
    now: stored.now,
    isTaken: false,
  });
}

async function openSubmission(
  engine: XmlEngine,
  stored: StoredSubmission,
): Promise<{ document: XmlElement; reading: Result<Pacs008, Rejection>; references: Pacs008References }> {
  const parsed = engine.parse(await stored.open(), ['pacs008']);
  assert(parsed.ok, 'a stored submission passed intake');
  try {
    const document = parsed.value.document();
    const reading = await readValid(parsed.value, readPacs008);
    const references = readPacs008References(
      document,
      { messageIdentification: stored.messageIdentification, uetr: stored.uetr },
      messages.pacs008.identifier,
    );
    return { document, reading, references };
  } finally {
    parsed.value.dispose();
  }
}

/** Converts the pacs.008 for the destination. Also returns the references that the confirmation needs. */
function forwardedPacs008(
  { stored, references }: Case,
  { message, payment }: AcceptedPacs008,
  forwarding: Forwarding,
): { readonly composition: Composition; readonly references: Pacs008References } {
  const { destination, sourceLeg, destinationLeg } = payment;
  const messageIdentification = newMessageIdentification();
  const creationDateTime = new Date(stored.now).toISOString();
  const instructingAgent = identifyAgent(payment.destinationSap, destination.clearingSystemId);
  // Use the same BIC as the source message, so that the destination does not see two different agents.
  const { bicfi } = message.creditorAgent;
  const instructedAgent =
    bicfi === undefined ? identifyAgent(payment.creditorAgent, destination.clearingSystemId) : { bicfi };
  const leg = {
    messageIdentification,
    creationDateTime,
    clearingSystemId: destination.clearingSystemId,
    interbankSettlementAmount: payment.destinationAmount,
    settlementDate: creationDateTime.slice(0, 10),
    instructingAgent,
    instructedAgent,
    ...(sourceLeg && {
      previousInstructingAgent1: sourceLeg.agent,
      previousInstructingAgent1Account: sourceLeg.account,
    }),
    intermediaryAgent2: destinationLeg.agent,
    intermediaryAgent2Account: destinationLeg.account,
  };
  const xml = buildForwardedPacs008(message, leg, forwarding);
  return {
    composition: {
      type: 'pacs008',
      subjectId: stored.uetr,
      messageIdentification,
      leg: 'destination',
      party: destination.clearingSystemId,
      xml,
    },
    references: {
      original: {
        ...originalReferencesOf(message),
        ...references.original,
        messageIdentification,
        creationDateTime,
      },
      instructingAgent,
      instructedAgent,
    },
  };
}

function firstAnswer({ stored, references, messageId }: Case, turned?: TurnedAway): Composition {
  const reasonCode = turned?.rejection.isoCode;
  const messageIdentification = newMessageIdentification();
  const status = turned === undefined ? 'ACTC' : 'RJCT';
  const xml = answerPacs008(
    references,
    compact({
      messageIdentification,
      creationDateTime: new Date(stored.now).toISOString(),
      status,
      reasonCode,
      additionalInformation: turned?.additionalInformation,
    }),
  );
  return {
    type: 'pacs002',
    subjectId: stored.uetr,
    messageIdentification,
    leg: 'source',
    party: stored.sourceSystem,
    status,
    reasonCode,
    inReplyTo: messageId,
    refusal: turned?.explanation,
    xml,
  };
}
