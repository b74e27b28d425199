// Composes the messages of a resolution: the acmt.023 of each leg and the acmt.024 to the source. Each is built from
// values and validated. This file sends and stores nothing.
import { randomUUID } from 'node:crypto';
import { assert } from '../../core/assert.ts';
import {
  buildForwardedAcmt023,
  notProvided,
  readAcmt023,
  readRequestReferences,
  requestReferencesOf,
  takeAcmt023,
  type Acmt023,
  type RequestLeg,
  type RequestReferences,
} from '../../core/iso20022/acmt023.ts';
import { answerAcmt023, passOnAcmt024, type Acmt024 } from '../../core/iso20022/acmt024.ts';
import { compact } from '../../core/compact.ts';
import { readAgent } from '../../core/iso20022/parties.ts';
import { elementAt, type XmlElement } from '../../core/iso20022/tree.ts';
import { explain } from '../../core/rejections/explanation.ts';
import { reject, type Rejection } from '../../core/rejections/rejection.ts';
import { rejections } from '../../core/rejections/rejection-table.ts';
import { ok, type Result } from '../../core/result.ts';
import { requestRejectionOf, type Enquiry } from '../../core/resolutions/resolution.ts';
import type { OutgoingMessage } from '../../db/records/messages.ts';
import type { NewAnswer, NewEnquiry } from '../../db/resolutions/resolutions.ts';
import type { SchemaKind, XmlEngine } from '../../xml/engine.ts';
import { readValid } from '../../xml/read-valid.ts';
import { compose, newMessageIdentification, type Composition } from '../compose.ts';

export interface Request {
  readonly resolutionId: string;
  readonly sourceSystem: string;
  /** Database clock, epoch milliseconds. */
  readonly now: number;
  readonly references: RequestReferences;
}

const ownName = { otherId: 'ISTHMUS' };

/** Reads a request that was judged before, or that we composed, without judging its values again. */
export const acceptedRequest = (document: XmlElement) => ok(takeAcmt023(document));

/** The values of a stored request, and the references that every answer to it carries. */
export async function openRequest(
  engine: XmlEngine,
  stored: { readonly body: Buffer; readonly messageIdentification: string },
  read: (document: XmlElement) => Result<Acmt023, Rejection> = readAcmt023,
): Promise<{ reading: Result<Acmt023, Rejection>; references: RequestReferences }> {
  const parsed = engine.parse(stored.body, ['acmt023']);
  assert(parsed.ok, 'a stored request passed intake');
  const { document } = parsed.value;
  try {
    const reading = await readValid(parsed.value, read, requestRejectionOf);
    const references = reading.ok
      ? requestReferencesOf(reading.value)
      : readRequestReferences(document, stored.messageIdentification);
    return { reading, references };
  } finally {
    parsed.value.dispose();
  }
}

/** The party that an enquiry asks, as one word: its BIC, or another id. */
export function assigneeOf({ request }: Acmt023): string {
  const { bicfi, lei, otherId, memberId } = readAgent(elementAt(request, 'Assgnmt/Assgne/Agt')) ?? {};
  return bicfi ?? lei ?? otherId ?? memberId?.memberId ?? '';
}

export async function composeEnquiry(
  engine: XmlEngine,
  request: { readonly values: Acmt023; readonly resolutionId: string; readonly now: number },
  { of, destination, assignee, found }: Enquiry,
): Promise<NewEnquiry> {
  const { values, resolutionId, now } = request;
  const messageIdentification = newMessageIdentification();
  const leg = compact<RequestLeg>({
    messageIdentification,
    creationDateTime: new Date(now).toISOString(),
    assignee,
    country: values.destinationCountry,
    account: found?.account,
    creditorAgent: found?.agent,
  });
  const message = await compose(engine, {
    type: 'acmt023',
    subjectId: resolutionId,
    messageIdentification,
    leg: 'destination',
    party: destination.clearingSystemId,
    xml: buildForwardedAcmt023(values, leg),
  });
  return { of, deliveryId: randomUUID(), message };
}

export async function composePassedOn(
  engine: XmlEngine,
  request: Request,
  answer: {
    readonly values: Acmt024;
    readonly by: 'directory' | 'creditor-agent';
    readonly messageId: string;
  },
): Promise<NewAnswer> {
  const { values, by, messageId } = answer;
  const key = answerKey(request);
  const message = await composeAnswer(engine, request, {
    verified: values.verified,
    reasonCode: values.reasonCode,
    messageIdentification: key.messageIdentification,
    xml: passOnAcmt024(values, request.references, key),
    schema: 'intake',
  });
  return {
    ...keysOf(request),
    verified: values.verified,
    reasonCode: values.reasonCode ?? null,
    ruleId: null,
    answeredBy: by,
    reportMessageId: messageId,
    message,
  };
}

export async function composeRejection(
  engine: XmlEngine,
  request: Request,
  rejection: Rejection,
): Promise<NewAnswer> {
  const key = answerKey(request);
  const message = await composeAnswer(engine, request, {
    verified: false,
    reasonCode: rejection.isoCode,
    refusal: explain(rejection),
    messageIdentification: key.messageIdentification,
    xml: answerAcmt023(request.references, {
      ...key,
      assigner: ownName,
      assignee: { otherId: request.sourceSystem },
      verified: false,
      reasonCode: rejection.isoCode,
    }),
  });
  return {
    ...keysOf(request),
    verified: false,
    reasonCode: rejection.isoCode,
    ruleId: rejection.ruleId,
    answeredBy: 'gateway',
    reportMessageId: null,
    message,
  };
}

/** The keys of a stored request, which were checked at intake. */
export interface RequestKeys extends Omit<Request, 'references'> {
  readonly messageIdentification: string;
}

/**
 * The answer to a request that we could not judge: false NARR, from checked keys alone, and an alert. A broken seal of
 * the stored request has its own alert.
 */
export async function composeBare(engine: XmlEngine, keys: RequestKeys, defect: string): Promise<NewAnswer> {
  const { messageIdentification, ...request } = keys;
  const references = { messageIdentification, verificationId: notProvided };
  const answer = await composeRejection(engine, { ...request, references }, reject('defect'));
  if (defect === 'SealBroken') return answer;
  const { resolutionId: subjectId, sourceSystem: party } = keys;
  const event = { kind: rejections.defect.event, subjectId, party, detail: { defect } };
  return { ...answer, event };
}

function answerKey({ now }: Request): { messageIdentification: string; creationDateTime: string } {
  return { messageIdentification: newMessageIdentification(), creationDateTime: new Date(now).toISOString() };
}

function keysOf({ resolutionId, sourceSystem }: Request) {
  return { resolutionId, sourceSystem };
}

function composeAnswer(
  engine: XmlEngine,
  { resolutionId, sourceSystem }: Request,
  answer: {
    readonly verified: boolean;
    readonly reasonCode: string | undefined;
    readonly refusal?: string;
    readonly messageIdentification: string;
    readonly xml: string;
    readonly schema?: SchemaKind;
  },
): Promise<OutgoingMessage> {
  const { verified, reasonCode, refusal, messageIdentification, xml, schema } = answer;
  const composition: Composition = {
    type: 'acmt024',
    subjectId: resolutionId,
    messageIdentification,
    leg: 'source',
    party: sourceSystem,
    status: String(verified),
    reasonCode,
    inReplyTo: resolutionId,
    refusal,
    xml,
  };
  return compose(engine, composition, schema);
}
