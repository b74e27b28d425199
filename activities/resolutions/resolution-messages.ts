// Composes the messages of a resolution: the acmt.023 of each leg and the acmt.024 to the source. Each
// message is built from values and validated. This module sends and stores nothing.
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
import type { NewAnswer, NewEnquiry } from '../../db/resolutions/resolutions.ts';
import type { SchemaKind, XmlEngine } from '../../xml/engine.ts';
import { readValid } from '../../xml/read-message.ts';
import { compose, newMessageIdentification, type Composition } from '../compose.ts';
import { newRowId } from '../../db/pool/row-ids.ts';

export interface Request {
  readonly resolutionId: string;
  readonly sourceSystem: string;
  /** Time by the database clock, as epoch milliseconds. */
  readonly now: number;
  readonly references: RequestReferences;
}

const ownName = { otherId: 'ISTHMUS' };

/** Reads a request that was judged before, or that Isthmus composed, without judging its values again. */
export const acceptedRequest = (document: XmlElement) => ok(takeAcmt023(document));

/** Reads the values of a stored request, and the references that every answer to it carries. */
export async function openRequest(
  engine: XmlEngine,
  stored: { readonly body: Buffer; readonly messageIdentification: string },
  read: (document: XmlElement) => Result<Acmt023, Rejection> = readAcmt023,
): Promise<{ reading: Result<Acmt023, Rejection>; references: RequestReferences }> {
  const parsed = engine.parse(stored.body, ['acmt023']);
  assert(parsed.ok, 'a stored request passed intake');
  const document = parsed.value.document();
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

/** The party that an enquiry asks, as one id: its BIC, LEI or another id. */
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
  return { of, deliveryId: newRowId(), message };
}

export function composePassedOn(
  engine: XmlEngine,
  request: Request,
  answer: {
    readonly values: Acmt024;
    readonly by: 'directory' | 'creditor-agent';
    readonly messageId: string;
  },
): Promise<NewAnswer> {
  const { values, by: answeredBy, messageId: reportMessageId } = answer;
  const { verified, reasonCode = null } = values;
  return composeAnswer(engine, request, {
    says: { verified, reasonCode, ruleId: null, answeredBy, reportMessageId },
    xmlOf: (key) => passOnAcmt024(values, request.references, key),
    schema: 'intake',
  });
}

export function composeRejection(
  engine: XmlEngine,
  request: Request,
  rejection: Rejection,
): Promise<NewAnswer> {
  const { isoCode: reasonCode, ruleId } = rejection;
  const assignee = { otherId: request.sourceSystem };
  return composeAnswer(engine, request, {
    says: { verified: false, reasonCode, ruleId, answeredBy: 'gateway', reportMessageId: null },
    refusal: explain(rejection),
    xmlOf: (key) =>
      answerAcmt023(request.references, { ...key, assigner: ownName, assignee, verified: false, reasonCode }),
  });
}

/** The keys of a stored request. They were checked at intake. */
export interface RequestKeys extends Omit<Request, 'references'> {
  readonly messageIdentification: string;
}

/**
 * The answer to a request that Isthmus could not judge: `false` with NARR, from checked keys only, and an
 * alert. If the stored request fails its integrity check, that raised its own alert.
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

async function composeAnswer(
  engine: XmlEngine,
  { resolutionId, sourceSystem, now }: Request,
  answer: {
    readonly says: Omit<NewAnswer, 'resolutionId' | 'sourceSystem' | 'message' | 'event'>;
    readonly refusal?: string;
    readonly xmlOf: (key: { messageIdentification: string; creationDateTime: string }) => string;
    readonly schema?: SchemaKind;
  },
): Promise<NewAnswer> {
  const { says, refusal, xmlOf, schema } = answer;
  const messageIdentification = newMessageIdentification();
  const composition: Composition = {
    type: 'acmt024',
    subjectId: resolutionId,
    messageIdentification,
    leg: 'source',
    party: sourceSystem,
    status: String(says.verified),
    reasonCode: says.reasonCode ?? undefined,
    inReplyTo: resolutionId,
    refusal,
    xml: xmlOf({ messageIdentification, creationDateTime: new Date(now).toISOString() }),
  };
  return { resolutionId, sourceSystem, ...says, message: await compose(engine, composition, schema) };
}
