// Judges a stored pacs.008 and writes the payment with its first answer: in one statement, so that nothing is answered
// that is not durable (PAY-2), and with the database's unique keys as the authority on duplicates (DUP-3).
import { randomUUID } from 'node:crypto';
import { assert } from '../core/assert.ts';
import { claimedDebtorAgent, identifyAgent } from '../core/agent.ts';
import { buildForwardedPacs008 } from '../core/iso20022/build-pacs008.ts';
import { messages } from '../core/iso20022/messages.ts';
import { answerRefusedPacs008, originalReferencesOf } from '../core/iso20022/pacs002.ts';
import { readPacs008, type Pacs008, type Reading } from '../core/iso20022/pacs008.ts';
import { compact } from '../core/iso20022/parties.ts';
import { readRefusedPacs008, type RefusedPacs008 } from '../core/iso20022/references.ts';
import type { XmlElement } from '../core/iso20022/tree.ts';
import { rejectionOf } from '../core/iso20022/violation.ts';
import { parseQuoteId } from '../core/ids.ts';
import { checkPayment, findGuidelineFault, type BoundPayment } from '../core/payment.ts';
import { additionalInformation, explain } from '../core/explanation.ts';
import { reject, type Rejection } from '../core/rejection.ts';
import type { AuditEvent } from '../db/audit.ts';
import { recordRefusal, type OutgoingMessage } from '../db/messages.ts';
import {
  findQuoteHolder,
  loadSubmission,
  recordAccepted,
  recordRejected,
  type StoredSubmission,
} from '../db/payments.ts';
import { findQuote } from '../db/quotes.ts';
import { compose, newMessageIdentification } from './compose.ts';
import { boundDefects } from './defects.ts';
import type { Judgement, PaymentLocalActivities, Submission } from '../contract/activities.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { failure } from './failures.ts';

/** A submission that is being judged. */
interface Case {
  readonly messageId: string;
  readonly stored: StoredSubmission;
  /** What every answer to it repeats. */
  readonly references: RefusedPacs008;
  /** Null where it could not be read (SEC-9). */
  readonly document: XmlElement | null;
}

const maxTries = 3; // each further try means that another submission of the same keys was written meanwhile

export function createValidatePayment(deps: ActivityDependencies): PaymentLocalActivities['validatePayment'] {
  return ({ messageId }: Submission): Promise<Judgement> =>
    boundDefects(
      deps.logger,
      () => untilWritten(() => judge(deps, messageId)),
      () => untilWritten(() => judgeBarely(deps, messageId)),
    );
}

async function untilWritten(judgeOnce: () => Promise<Judgement | undefined>): Promise<Judgement> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const judgement = await judgeOnce();
    if (judgement !== undefined) return judgement;
  }
  throw failure('KeysTaken', 'the keys of a submission kept changing hands');
}

/** SEC-9: RJCT NARR of nothing but the keys, which were checked at intake, and an alert. */
async function judgeBarely(deps: ActivityDependencies, messageId: string): Promise<Judgement | undefined> {
  const stored = await loadSubmission(deps.db, messageId);
  if (stored.payment?.messageId === messageId) return standing(deps, stored);
  const { messageIdentification, uetr } = stored;
  const messageNameId = messages.pacs008.identifier;
  const references = { original: { messageId: messageIdentification, messageNameId, uetr } };
  return turnAway(deps, { messageId, stored, references, document: null }, reject('defect'));
}

/** One try; undefined when another submission took one of its keys before it was written. */
async function judge(deps: ActivityDependencies, messageId: string): Promise<Judgement | undefined> {
  const stored = await loadSubmission(deps.db, messageId);
  if (stored.payment?.messageId === messageId) return standing(deps, stored); // DUP-1: at any time, before any check
  const parsed = deps.engine.parse(stored.body, ['pacs008']);
  assert(parsed.ok, 'a stored submission passed intake');
  try {
    const { document } = parsed.message;
    const key = { messageId: stored.messageIdentification, uetr: stored.uetr };
    const references = readRefusedPacs008(document, key, messages.pacs008.identifier);
    const submission: Case = { messageId, stored, references, document };
    const [violation] = await parsed.message.validate();
    const reading: Reading<Pacs008> =
      violation === undefined ? readPacs008(document) : { ok: false, rejection: rejectionOf(violation) };
    const submitted = { reference: deps.reference(), submitter: stored.sourceSystem };
    const rejection = reading.ok
      ? (findGuidelineFault(reading.value, submitted) ?? findDuplicate(reading.value, stored))
      : reading.rejection;
    if (rejection !== undefined) return await turnAway(deps, submission, rejection);
    return reading.ok ? await judgePayment(deps, submission, reading.value) : undefined;
  } finally {
    parsed.message.dispose();
  }
}

/**
 * The judgement that stands: of the very same message again, a status enquiry (DUP-1), or where another execution takes a
 * payment up again from the record (LIF-2).
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
    enquiry: true,
    answerMessageId: payment.answerMessageId,
    instructionDeliveryId,
    route: {
      corridor,
      sourceSystem: payment.sourceSystem,
      destinationSystem,
      priority,
      fxp: fxpNameOf(deps, payment.fxpId),
    },
    deadlineAt: payment.deadlineAt,
    acceptedAt: payment.receivedAt,
    now,
    isTaken: payment.isInstructionTaken,
    ...(payment.lastSentAt !== null && { lastSentAt: payment.lastSentAt }),
    ...(payment.finalReportId !== null && { finalReportId: payment.finalReportId }),
  };
}

/** An FX provider as everybody else names it: by its BIC (PaymentStatus and Fxp are what operators filter by). */
function fxpNameOf(deps: ActivityDependencies, fxpId: string | null): string | null {
  return fxpId === null ? null : (deps.reference().institutions.get(fxpId)?.bics[0] ?? fxpId);
}

/** DUP-2: keys that are taken by another message. */
function findDuplicate(message: Pacs008, stored: StoredSubmission): Rejection | undefined {
  if (stored.payment !== undefined) {
    return reject(
      stored.payment.messageIdentification === message.messageId ? 'duplicate-content' : 'duplicate-uetr',
    );
  }
  return stored.messageIdHeldBy === undefined ? undefined : reject('duplicate-message-id');
}

/** A refused repeat is told in the HTTP answer only; any other rejection is the payment's final status. */
async function turnAway(
  deps: ActivityDependencies,
  submission: Case,
  rejection: Rejection,
): Promise<Judgement | undefined> {
  const isRepeat = submission.stored.payment !== undefined || rejection.key === 'duplicate-message-id';
  return isRepeat ? refuse(deps, submission, rejection) : rejectPayment(deps, submission, rejection);
}

/** DUP-2: answered, never told to the callback address; the payment itself stays untouched. */
async function refuse(
  deps: ActivityDependencies,
  submission: Case,
  rejection: Rejection,
): Promise<Judgement> {
  const { stored } = submission;
  const refused = { verdict: 'refused', reasonCode: rejection.isoCode, ruleId: rejection.ruleId } as const;
  if (stored.earlierAnswerId !== undefined) return { ...refused, answerMessageId: stored.earlierAnswerId };
  const answer = await composeAnswer(deps, submission, rejection);
  const event = eventOf(submission, rejection);
  const answerMessageId = await recordRefusal(deps.db, submission.messageId, { answer, event });
  return { ...refused, answerMessageId };
}

/** What a person must know of a refusal beside its answer. */
function eventOf({ stored, messageId }: Case, { key }: Rejection): AuditEvent | null {
  const about = { uetr: stored.uetr, party: stored.sourceSystem, detail: { messageId } };
  if (key === 'duplicate-content') return { severity: 'security', kind: 'payment.content-changed', ...about };
  return key === 'defect' ? { severity: 'alert', kind: 'message.defect', ...about } : null;
}

async function rejectPayment(
  deps: ActivityDependencies,
  submission: Case,
  rejection: Rejection,
): Promise<Judgement | undefined> {
  const { stored, messageId, document } = submission;
  const answer = await composeAnswer(deps, submission, rejection);
  const debtorAgent = document && claimedDebtorAgent(deps.reference(), document, stored.sourceSystem);
  const isWritten = await recordRejected(deps.db, {
    uetr: stored.uetr,
    sourceSystem: stored.sourceSystem,
    messageId,
    messageIdentification: stored.messageIdentification,
    messageIdIsHeld: stored.messageIdHeldBy !== undefined,
    debtorAgentId: debtorAgent?.institutionId ?? null,
    reasonCode: rejection.isoCode,
    ruleId: rejection.ruleId,
    answer,
    event: eventOf(submission, rejection),
  });
  if (!isWritten) return undefined;
  return {
    verdict: 'decided',
    answerMessageId: answer.messageId,
    decision: {
      status: 'RJCT',
      reasonCode: rejection.isoCode,
      callbackMessageId: answer.messageId,
      confirmationMessageId: null,
    },
  };
}

/** Binds the payment to its quote and accepts it, or rejects it (PAY-3 to PAY-6). */
async function judgePayment(
  deps: ActivityDependencies,
  submission: Case,
  message: Pacs008,
): Promise<Judgement | undefined> {
  const { stored } = submission;
  const quoteId =
    message.agreedRate.quoteId === undefined ? undefined : parseQuoteId(message.agreedRate.quoteId);
  const [quote, quoteHolder] = await Promise.all(
    quoteId === undefined ? [] : [findQuote(deps.db, quoteId), findQuoteHolder(deps.db, quoteId)],
  );
  const checked = checkPayment(message, {
    reference: deps.reference(),
    submitter: stored.sourceSystem,
    receivedAt: stored.receivedAt,
    now: stored.now,
    quote,
    quoteInUse: quoteHolder !== undefined && quoteHolder !== stored.uetr,
  });
  if (!checked.ok) return turnAway(deps, submission, checked.rejection);
  return accept(deps, submission, message, checked.payment);
}

async function accept(
  deps: ActivityDependencies,
  submission: Case,
  message: Pacs008,
  payment: BoundPayment,
): Promise<Judgement | undefined> {
  const { stored, messageId } = submission;
  const { source, destination } = payment;
  const corridor = `${payment.sourceCountry}-${payment.destinationCountry}`;
  const forwarded = await composeForwarded(deps, submission, message, payment);
  const instructionDeliveryId = randomUUID();
  const answer = await composeAnswer(deps, submission);
  const isWritten = await recordAccepted(deps.db, {
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
  if (!isWritten) return undefined;
  return {
    verdict: 'accepted',
    enquiry: false,
    answerMessageId: answer.messageId,
    instructionDeliveryId,
    route: {
      corridor,
      sourceSystem: source.clearingSystemId,
      destinationSystem: destination.clearingSystemId,
      priority: message.priority,
      fxp: fxpNameOf(deps, payment.quote?.fxpId ?? null),
    },
    deadlineAt: payment.deadlineAt,
    acceptedAt: stored.now,
    now: stored.now,
  };
}

/** The converted pacs.008 (MSG-9, MSG-10), and what a confirmation of it will repeat (PAY-9). */
async function composeForwarded(
  deps: ActivityDependencies,
  submission: Case,
  message: Pacs008,
  payment: BoundPayment,
): Promise<{ message: OutgoingMessage; references: RefusedPacs008 }> {
  const { stored } = submission;
  const { destination, sourceLeg, destinationLeg } = payment;
  const identification = newMessageIdentification();
  const creationDateTime = new Date(stored.now).toISOString();
  const instructingAgent = identifyAgent(payment.destinationSap, destination.clearingSystemId);
  // by the very BIC by which the message names it, so that the destination sees one agent, not two
  const { bicfi } = message.creditorAgent;
  const instructedAgent =
    bicfi === undefined ? identifyAgent(payment.creditorAgent, destination.clearingSystemId) : { bicfi };
  const xml = buildForwardedPacs008(message, {
    messageId: identification,
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
      uetr: stored.uetr,
      identification,
      leg: 'destination',
      party: destination.clearingSystemId,
      xml,
    }),
    references: {
      original: {
        ...originalReferencesOf(message),
        ...original,
        messageId: identification,
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
  submission: Case,
  rejection?: Rejection,
): Promise<OutgoingMessage> {
  const { stored, references, messageId } = submission;
  const identification = newMessageIdentification();
  const status = rejection === undefined ? 'ACTC' : 'RJCT';
  const xml = answerRefusedPacs008(
    references,
    compact({
      messageId: identification,
      creationDateTime: new Date(stored.now).toISOString(),
      status,
      reasonCode: rejection?.isoCode,
      additionalInformation: rejection && [additionalInformation(rejection)],
    }),
  );
  return compose(deps.engine, {
    type: 'pacs002',
    uetr: stored.uetr,
    identification,
    leg: 'source',
    party: stored.sourceSystem,
    status,
    reasonCode: rejection?.isoCode,
    inReplyTo: messageId,
    refusal: rejection && explain(rejection),
    xml,
  });
}
