// Judges a stored pacs.008 and writes the payment with its first answer: in one statement, so that nothing is answered
// that is not durable (PAY-2, MSG-3), and with the database's unique keys as the authority on duplicates (DUP-3).
import { randomUUID } from 'node:crypto';
import { assert } from '../core/assert.ts';
import { claimedDebtorAgent, identifyAgent } from '../core/agent.ts';
import { buildForwardedPacs008 } from '../core/iso20022/build-pacs008.ts';
import { messages } from '../core/iso20022/messages.ts';
import { originalReferencesOf } from '../core/iso20022/original-transaction.ts';
import { answerPacs008 } from '../core/iso20022/pacs002.ts';
import { readPacs008, type Pacs008 } from '../core/iso20022/pacs008.ts';
import { compact } from '../core/compact.ts';
import { readPacs008References, type Pacs008References } from '../core/iso20022/references.ts';
import { judgePayment } from '../core/judge-payment.ts';
import { fxpNameOf } from '../core/reference.ts';
import type { BoundPayment } from '../core/bind-payment.ts';
import type { XmlElement } from '../core/iso20022/tree.ts';
import { reject, type Rejection } from '../core/rejection.ts';
import { mapValue, ok } from '../core/result.ts';
import { turnAway, type TurnedAway } from '../core/turn-away.ts';
import type { AuditEvent } from '../db/audit.ts';
import type { OutgoingMessage } from '../db/messages.ts';
import { loadSubmission, recordAccepted, recordRejected, type StoredSubmission } from '../db/payments.ts';
import { findQuote } from '../db/quotes.ts';
import type { Written } from '../db/unless-taken.ts';
import { readValid } from '../xml/read-valid.ts';
import { compose, newMessageIdentification } from './compose.ts';
import { boundSubmission } from './defects.ts';
import type { Judgement, PaymentLocalActivities, Submission } from '../contract/activities.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { refuseOnce } from './refuse-once.ts';
import { untilWritten } from './until-written.ts';

/** A submission that is being judged. */
interface Case {
  readonly messageId: string;
  readonly stored: StoredSubmission;
  /** What every answer to it carries. */
  readonly references: Pacs008References;
  /** Null where it could not be read (SEC-9). */
  readonly document: XmlElement | null;
}

export function createValidatePayment(deps: ActivityDependencies): PaymentLocalActivities['validatePayment'] {
  return ({ messageId }: Submission): Promise<Judgement> =>
    boundSubmission(
      deps,
      messageId,
      () => untilWritten(() => judge(deps, messageId)),
      () => untilWritten(() => judgeBarely(deps, messageId)),
    );
}

/** SEC-9: RJCT NARR of nothing but the keys, which were checked at intake, and an alert. */
async function judgeBarely(deps: ActivityDependencies, messageId: string): Promise<Written<Judgement>> {
  const stored = await loadSubmission(deps.db, messageId);
  if (stored.payment?.messageId === messageId) return ok(standing(deps, stored));
  const { messageIdentification, uetr } = stored;
  const messageNameId = messages.pacs008.identifier;
  const references = { original: { messageIdentification, messageNameId, uetr } };
  return answerNo(deps, { messageId, stored, references, document: null }, reject('defect'));
}

/** One try: the message is read, judged in the order of PAY-3, bound to its quote and written. */
async function judge(deps: ActivityDependencies, messageId: string): Promise<Written<Judgement>> {
  const stored = await loadSubmission(deps.db, messageId);
  if (stored.payment?.messageId === messageId) return ok(standing(deps, stored)); // DUP-1: at any time, before any check
  const parsed = deps.engine.parse(stored.body, ['pacs008']);
  assert(parsed.ok, 'a stored submission passed intake');
  try {
    const { messageIdentification, uetr } = stored;
    const { document } = parsed.value;
    const references = readPacs008References(
      document,
      { messageIdentification, uetr },
      messages.pacs008.identifier,
    );
    const submission: Case = { messageId, stored, references, document };
    const judged = judgePayment(await readValid(parsed.value, readPacs008), {
      reference: deps.reference(),
      sourceSystem: stored.sourceSystem,
      storedAt: stored.storedAt,
      now: stored.now,
      recorded: stored,
    });
    if (!judged.ok) return await answerNo(deps, submission, judged.refusal);
    const { message, quoteId, bind } = judged.value;
    const bound = bind(quoteId === undefined ? undefined : await findQuote(deps.db, quoteId));
    return bound.ok
      ? await accept(deps, submission, message, bound.value)
      : await answerNo(deps, submission, bound.refusal);
  } finally {
    parsed.value.dispose();
  }
}

/**
 * The judgement that stands: of the same message again, which is a status enquiry (DUP-1), or when another execution
 * takes the payment up again from the record (LIF-2).
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
    enquiry: payment.isStatusOwed, // asked by a repeat; a submission itself, however late it comes, asks nothing
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

/** A refused repeat is answered in the HTTP answer only; any other rejection is the payment's final status. */
async function answerNo(
  deps: ActivityDependencies,
  submission: Case,
  rejection: Rejection,
): Promise<Written<Judgement>> {
  const { stored } = submission;
  const turned = turnAway(rejection, stored, stored.payment);
  return turned.isRefusal
    ? ok(await refuse(deps, submission, turned))
    : rejectPayment(deps, submission, turned);
}

/** DUP-2: answered, but not at the callback address; the payment is not touched. */
async function refuse(deps: ActivityDependencies, submission: Case, turned: TurnedAway): Promise<Judgement> {
  const { stored } = submission;
  const { rejection } = turned;
  const refused = { verdict: 'refused', reasonCode: rejection.isoCode, ruleId: rejection.ruleId } as const;
  const { messageId } = submission;
  const answerMessageId = await refuseOnce(deps.db, { ...stored, messageId }, async () => ({
    answer: await composeAnswer(deps, submission, turned),
    event: eventOf(submission, turned),
  }));
  const { uetr: subjectId, sourceSystem: party } = stored;
  deps.steps.refused({ subjectId, party, reasonCode: rejection.isoCode, ruleId: rejection.ruleId });
  return { ...refused, answerMessageId };
}

function eventOf({ stored, messageId }: Case, { event }: TurnedAway): AuditEvent | null {
  if (event === undefined) return null;
  return { ...event, subjectId: stored.uetr, party: stored.sourceSystem, detail: { messageId } };
}

/** A payment that is rejected has no destination on record: for the pause of which one it was is told beside it (LIF-5). */
function pauseEventOf(subjectId: string, { party }: Rejection): AuditEvent | null {
  return party === undefined
    ? null
    : { severity: 'info', kind: 'payment.destination-paused', subjectId, party };
}

async function rejectPayment(
  deps: ActivityDependencies,
  submission: Case,
  turned: TurnedAway,
): Promise<Written<Judgement>> {
  const { stored, messageId, document } = submission;
  const { rejection } = turned;
  const answer = await composeAnswer(deps, submission, turned);
  const debtorAgent = document && claimedDebtorAgent(deps.reference(), document, stored.sourceSystem);
  const written = await recordRejected(deps.db, {
    uetr: stored.uetr,
    sourceSystem: stored.sourceSystem,
    messageId,
    messageIdentification: stored.messageIdentification,
    messageIdIsHeld: stored.messageIdHeldBy !== undefined,
    debtorAgentId: debtorAgent?.institutionId ?? null,
    reasonCode: rejection.isoCode,
    ruleId: rejection.ruleId,
    answer,
    event: eventOf(submission, turned) ?? pauseEventOf(stored.uetr, rejection),
  });
  return mapValue(written, () => {
    const { isoCode: reasonCode, ruleId } = rejection;
    const { uetr: subjectId, sourceSystem: party } = stored;
    deps.steps.rejected({ subjectId, party, reasonCode, ruleId, durationMs: ageOf(stored) });
    return {
      verdict: 'decided',
      answerMessageId: answer.messageId,
      decision: {
        status: 'RJCT',
        reasonCode,
        callbackMessageId: answer.messageId,
        confirmationMessageId: null,
      },
    };
  });
}

/** Milliseconds since it was stored, until it was read to be judged, both by the database clock. */
const ageOf = ({ now, storedAt }: StoredSubmission) => Math.round(now - storedAt);

/** The payment is written with its ACTC and its instruction (PAY-2). */
async function accept(
  deps: ActivityDependencies,
  submission: Case,
  message: Pacs008,
  payment: BoundPayment,
): Promise<Written<Judgement>> {
  const { stored, messageId } = submission;
  const { source, destination } = payment;
  const corridor = `${payment.sourceCountry}-${payment.destinationCountry}`;
  const forwarded = await composeForwarded(deps, submission, message, payment);
  const instructionDeliveryId = randomUUID();
  const answer = await composeAnswer(deps, submission);
  const written = await recordAccepted(deps.db, {
    uetr: stored.uetr,
    messageId,
    messageIdentification: stored.messageIdentification,
    payment,
    corridor,
    priority: message.priority,
    acceptanceAt: message.acceptanceDateTime.epochMs,
    answer,
    forwarded: forwarded.message,
    sourceReferences: submission.references,
    destinationReferences: forwarded.references,
    instructionDeliveryId,
  });
  return mapValue(written, (acceptedAt) => {
    const { uetr: subjectId, sourceSystem: party } = stored;
    const { priority } = message;
    deps.steps.accepted({ subjectId, party, corridor, priority, durationMs: ageOf(stored) });
    return {
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
      acceptedAt,
      now: stored.now,
    };
  });
}

/** The converted pacs.008 (MSG-9, MSG-10), and what a confirmation of it will carry (PAY-9). */
async function composeForwarded(
  deps: ActivityDependencies,
  submission: Case,
  message: Pacs008,
  payment: BoundPayment,
): Promise<{ message: OutgoingMessage; references: Pacs008References }> {
  const { stored } = submission;
  const { destination, sourceLeg, destinationLeg } = payment;
  const messageIdentification = newMessageIdentification();
  const creationDateTime = new Date(stored.now).toISOString();
  const instructingAgent = identifyAgent(payment.destinationSap, destination.clearingSystemId);
  // by the very BIC by which the message names it, so that the destination sees one agent, not two
  const { bicfi } = message.creditorAgent;
  const instructedAgent =
    bicfi === undefined ? identifyAgent(payment.creditorAgent, destination.clearingSystemId) : { bicfi };
  const xml = buildForwardedPacs008(message, {
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
  });
  const { original } = submission.references;
  return {
    message: await compose(deps.engine, {
      type: 'pacs008',
      subjectId: stored.uetr,
      messageIdentification,
      leg: 'destination',
      party: destination.clearingSystemId,
      xml,
    }),
    references: {
      original: {
        ...originalReferencesOf(message),
        ...original,
        messageIdentification,
        creationDateTime,
      },
      instructingAgent,
      instructedAgent,
    },
  };
}

/** The first answer to the source: ACTC, or RJCT with its reason (MSG-11). */
function composeAnswer(
  deps: ActivityDependencies,
  { stored, references, messageId }: Case,
  turned?: TurnedAway,
): Promise<OutgoingMessage> {
  const rejection = turned?.rejection;
  const messageIdentification = newMessageIdentification();
  const status = rejection === undefined ? 'ACTC' : 'RJCT';
  const xml = answerPacs008(
    references,
    compact({
      messageIdentification,
      creationDateTime: new Date(stored.now).toISOString(),
      status,
      reasonCode: rejection?.isoCode,
      additionalInformation: turned?.additionalInformation,
    }),
  );
  return compose(deps.engine, {
    type: 'pacs002',
    subjectId: stored.uetr,
    messageIdentification,
    leg: 'source',
    party: stored.sourceSystem,
    status,
    reasonCode: rejection?.isoCode,
    inReplyTo: messageId,
    refusal: turned?.explanation,
    xml,
  });
}
