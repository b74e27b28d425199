// Opens a stored pacs.008 and builds the messages of its judgement: the pacs.008 to the destination and the first
// answer to the source. It validates, sends and stores nothing; `compose.ts` validates.
import { identifyAgent } from '../../core/payments/agent.ts';
import { assert } from '../../core/assert.ts';
import { compact } from '../../core/compact.ts';
import { buildForwardedPacs008, type Forwarding } from '../../core/iso20022/build-pacs008.ts';
import { messages } from '../../core/iso20022/messages.ts';
import {
  originalReferencesOf,
  readPacs008References,
  type Pacs008References,
} from '../../core/iso20022/references.ts';
import { answerPacs008 } from '../../core/iso20022/pacs002.ts';
import { readPacs008, type Pacs008 } from '../../core/iso20022/pacs008.ts';
import type { XmlElement } from '../../core/iso20022/tree.ts';
import type { AcceptedPacs008 } from '../../core/payments/judge-payment.ts';
import type { Rejection } from '../../core/rejections/rejection.ts';
import type { Result } from '../../core/result.ts';
import type { TurnedAway } from '../../core/rejections/turn-away.ts';
import type { StoredSubmission } from '../../db/payments/payments.ts';
import type { XmlEngine } from '../../xml/engine.ts';
import { readValid } from '../../xml/read-message.ts';
import { newMessageIdentification, type Composition } from '../compose.ts';

/** The parts of a stored submission that its answers need. */
export interface AnswerableSubmission {
  readonly messageId: string;
  readonly stored: StoredSubmission;
  readonly references: Pacs008References;
}

/** The parsed content of a stored submission. */
export interface OpenSubmission {
  readonly document: XmlElement;
  readonly reading: Result<Pacs008, Rejection>;
  readonly references: Pacs008References;
}

export async function openSubmission(engine: XmlEngine, stored: StoredSubmission): Promise<OpenSubmission> {
  const parsed = engine.parse(await stored.open(), ['pacs008']);
  assert(parsed.ok, 'a stored submission passed intake');
  try {
    const { document } = parsed.value;
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

/** The converted pacs.008, and the references for its confirmation. */
export function forwardedPacs008(
  { stored, references }: AnswerableSubmission,
  { message, payment }: AcceptedPacs008,
  forwarding: Forwarding,
): { readonly composition: Composition; readonly references: Pacs008References } {
  const { destination, sourceLeg, destinationLeg } = payment;
  const messageIdentification = newMessageIdentification();
  const creationDateTime = new Date(stored.now).toISOString();
  const instructingAgent = identifyAgent(payment.destinationSap, destination.clearingSystemId);
  // Use the same BIC as the message does, so that the destination sees one agent instead of two.
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

/** The first answer to the source: ACTC, or RJCT with its reason. */
export function firstAnswer(
  { stored, references, messageId }: AnswerableSubmission,
  turned?: TurnedAway,
): Composition {
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
