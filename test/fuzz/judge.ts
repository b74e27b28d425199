// Takes one body all the way that a submission takes inside a process, and tells what became of it. Every step runs
// that api and worker run, but for the database; whatever is built on the way must be valid, as `compose` demands of
// it.
import {
  composeEnquiry,
  composePassedOn,
  composeRejection,
  type Request,
} from '../../activities/resolutions/resolution-messages.ts';
import { resolveAgent } from '../../core/payments/agent.ts';
import { dryRun } from '../../core/payments/dry-run.ts';
import { readAcmt023, readRequestReferences, type Acmt023 } from '../../core/iso20022/acmt023.ts';
import { readAcmt024, type Acmt024 } from '../../core/iso20022/acmt024.ts';
import { buildForwardedPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { readCamt054 } from '../harness/camt054.ts';
import { readFxtr017 } from '../../core/iso20022/fxtr017.ts';
import type { QuoteId } from '../../core/ids.ts';
import { messages, type MessageName } from '../../core/iso20022/messages.ts';
import { answerPacs008, readPacs002 } from '../../core/iso20022/pacs002.ts';
import { readPacs008, type Pacs008 } from '../../core/iso20022/pacs008.ts';
import { readPacs028 } from '../harness/pacs028.ts';
import { readMessageKey, readPacs008References, type MessageKey } from '../../core/iso20022/references.ts';
import type { XmlElement } from '../../core/iso20022/tree.ts';
import { rejectionOf } from '../../core/iso20022/violation.ts';
import { compareMessages } from '../../core/rejections/message-difference.ts';
import { exact, renderDecimal } from '../../core/money/money.ts';
import type { SubmissionNow } from '../../core/scheme/ends.ts';
import { judgePayment } from '../../core/payments/judge-payment.ts';
import type { BoundPayment } from '../../core/payments/bind-payment.ts';
import type { StoredQuote } from '../../core/quotes/quote.ts';
import type { ReferenceData } from '../../core/scheme/reference.ts';
import { additionalInformation } from '../../core/rejections/explanation.ts';
import type { Rejection } from '../../core/rejections/rejection.ts';
import { ok, type Result } from '../../core/result.ts';
import { requestRejectionOf, routeRequest } from '../../core/resolutions/resolution.ts';
import { libxml2, officialFaults, officialPresent } from '../xml/fixtures.ts';

const names = Object.keys(messages) as MessageName[];

/** What became of a body: `refused` before it could be answered (MSG-2), `rejected` by an answer, `accepted`. */
export type Outcome = 'refused' | 'rejected' | 'accepted';

/** The quote that a message names, if it is known. */
interface Named {
  readonly quote: StoredQuote | undefined;
}

/** How a fixture is judged: who submits it, when, with which quote. */
export interface Case {
  readonly message: MessageName;
  readonly text: string;
  readonly context: Omit<SubmissionNow, 'reference'> & Named;
}

const readers: Readonly<Record<MessageName, (document: XmlElement) => Result<unknown, Rejection>>> = {
  pacs008: readPacs008,
  pacs002: readPacs002,
  acmt023: readAcmt023,
  acmt024: readAcmt024,
  fxtr017: readFxtr017,
  camt054: readCamt054,
  pacs028: readPacs028,
};

/** Throws where a gateway would answer 5xx, accept what the official schema refuses, or send what is not valid. */
export async function judge(bytes: Buffer, reference: ReferenceData, one: Case): Promise<Outcome> {
  const parsed = libxml2.parse(bytes, names);
  if (!parsed.ok) return 'refused';
  const { type } = parsed.value;
  const document = parsed.value.document();
  const violations = await parsed.value.validate();
  parsed.value.dispose();
  const { sourceSystem, now } = one.context;
  const run = dryRun({ name: type.name, document, violations }, { reference, sourceSystem, now });
  const key = readMessageKey(type.name, document);
  const [violation] = violations;
  if (violation !== undefined) {
    const rejection = type.name === 'acmt023' ? requestRejectionOf(violation) : rejectionOf(violation);
    expectFirst(run.rejections, rejection);
    if (key.ok) await answer(document, key.value, type.name, rejection);
    return key.ok ? 'rejected' : 'refused';
  }
  if (officialPresent) expectNone(officialFaults(type.name, bytes), 'wrong accept');
  const reading = readers[type.name](document);
  if (!key.ok) throw new Error(`a valid ${type.name} without ${key.refusal.element}`);
  const rejection = reading.ok
    ? await carryOn(document, reading.value, { type: type.name, reference, one })
    : reading.refusal;
  if (rejection === undefined) return 'accepted';
  if (!reading.ok || type.name === 'acmt023') expectFirst(run.rejections, rejection);
  await answer(document, key.value, type.name, rejection);
  return 'rejected';
}

function expectFirst(rejections: readonly Rejection[], rejection: Rejection): void {
  if (rejections[0]?.key !== rejection.key || rejections[0].xpath !== rejection.xpath) {
    throw new Error(`the dry run tells ${rejections[0]?.key ?? 'nothing'} first, not ${rejection.key}`);
  }
}

function expectNone(faults: readonly unknown[], what: string): void {
  if (faults.length > 0) throw new Error(`${what}: ${JSON.stringify(faults)}`);
}

/** What is built must be valid by our schema and the official one. */
async function expectValid(type: MessageName, xml: string | Buffer): Promise<XmlElement> {
  const bytes = Buffer.from(xml);
  const parsed = libxml2.parse(bytes, [type]);
  if (!parsed.ok) throw new Error(`built a ${type} that is refused: ${parsed.refusal.detail}`);
  const document = parsed.value.document();
  expectNone(await parsed.value.validate(), `built a ${type} that is not valid`);
  parsed.value.dispose();
  if (officialPresent)
    expectNone(officialFaults(type, bytes), `built a ${type} that the official schema refuses`);
  return document;
}

const own = {
  messageIdentification: 'ISTHMUS20261121000000000001',
  creationDateTime: '2026-11-21T04:00:01.000Z',
};

/** The answer to a submission that is rejected: it repeats of the message what it can carry (MSG-11, RES-4). */
async function answer(
  document: XmlElement,
  key: MessageKey,
  type: MessageName,
  rejection: Rejection | undefined,
): Promise<void> {
  const information = rejection && additionalInformation(rejection);
  if (information !== undefined && information.length > 105) throw new Error('AddtlInf is too long');
  if (type === 'pacs008' && key.uetr !== undefined) {
    const references = readPacs008References(
      document,
      { ...key, uetr: key.uetr },
      messages.pacs008.identifier,
    );
    const statement = rejection && {
      reasonCode: rejection.isoCode,
      additionalInformation: [information ?? ''],
    };
    const status = rejection === undefined ? 'ACTC' : 'RJCT';
    await expectValid('pacs002', answerPacs008(references, { ...own, status, ...statement }));
  }
  if (type === 'acmt023' && rejection !== undefined) {
    const { message } = await composeRejection(libxml2, requestOf(document, key), rejection);
    await expectValid('acmt024', message.body);
  }
}

function requestOf(document: XmlElement, key: MessageKey): Request {
  return {
    resolutionId: '00000000-0000-4000-8000-000000000000',
    sourceSystem: 'SGDFAST',
    now: Date.parse(own.creationDateTime),
    references: readRequestReferences(document, key.messageIdentification),
  };
}

/**
 * A message that reads well, on its way: its rejection, or undefined once all that follows from it was built and found
 * valid.
 */
async function carryOn(
  document: XmlElement,
  value: unknown,
  { type, reference, one }: { type: MessageName; reference: ReferenceData; one: Case },
): Promise<Rejection | undefined> {
  if (type === 'pacs008') return forward(document, value as Pacs008, { ...one.context, reference });
  const request = requestOf(document, { messageIdentification: own.messageIdentification });
  if (type === 'acmt024') {
    const answer = { values: value as Acmt024, by: 'directory', messageId: request.resolutionId } as const;
    await expectValid('acmt024', (await composePassedOn(libxml2, request, answer)).message.body);
  }
  if (type !== 'acmt023') return undefined;
  const values = value as Acmt023;
  const routing = routeRequest(values, reference, one.context.sourceSystem);
  if (!routing.ok) return routing.refusal;
  const { message } = await composeEnquiry(libxml2, { ...request, values }, routing.value);
  await expectValid('acmt023', message.body);
  return undefined;
}

async function forward(
  document: XmlElement,
  value: Pacs008,
  context: SubmissionNow & Named,
): Promise<Rejection | undefined> {
  const judged = judgePayment(ok(value), context);
  if (!judged.ok) return judged.refusal;
  const forwarded = await expectValid('pacs008', buildForwardedPacs008(value, legOf(judged.value.payment)));
  const unexplained = compareMessages(document, forwarded).filter((one) => one.ruleId === undefined);
  expectNone(unexplained, 'forwarded with a difference that no rule asks for');
  await answer(
    document,
    { messageIdentification: value.messageIdentification, uetr: value.uetr },
    'pacs008',
    undefined,
  );
  return undefined;
}

/** What MSG-10 sets; as the worker does when it accepts a payment. */
function legOf(payment: BoundPayment): Parameters<typeof buildForwardedPacs008>[1] {
  const { sourceLeg, destinationLeg, destination, destinationSap, creditorAgent } = payment;
  return {
    ...own,
    clearingSystemId: destination.clearingSystemId,
    interbankSettlementAmount: payment.destinationAmount,
    settlementDate: '2026-11-21',
    instructingAgent: { bicfi: destinationSap.bics[0] ?? '' },
    instructedAgent:
      creditorAgent.bics[0] === undefined ? destinationLeg.agent : { bicfi: creditorAgent.bics[0] },
    ...(sourceLeg && {
      previousInstructingAgent1: sourceLeg.agent,
      previousInstructingAgent1Account: sourceLeg.account,
    }),
    intermediaryAgent2: destinationLeg.agent,
    intermediaryAgent2Account: destinationLeg.account,
  };
}

/**
 * The circumstances in which a valid pacs.008 is accepted: its own clearing system, its own time, the quote that it
 * names.
 */
export function circumstancesOf(document: XmlElement, reference: ReferenceData): Case['context'] {
  const reading = readPacs008(document);
  if (!reading.ok) throw new Error(reading.refusal.key);
  const { value } = reading;
  return {
    sourceSystem: value.clearingSystemId,
    now: value.acceptanceDateTime.epochMs,
    quote: quoteOf(value, reference),
  };
}

function quoteOf(value: Pacs008, reference: ReferenceData): StoredQuote | undefined {
  const { agreedRate, interbankSettlementAmount, charges } = value;
  if (agreedRate.quoteId === undefined) return undefined;
  const institution = (agent: Parameters<typeof resolveAgent>[1]) => {
    const found = resolveAgent(reference, agent, value.clearingSystemId);
    if (found === undefined) throw new Error('the agents of a fixture are known');
    return found;
  };
  const debtorAgent = institution(value.debtorAgent);
  const creditorAgent = institution(value.creditorAgent);
  const sap = (agent: Pacs008['intermediaryAgent1'], country: string) =>
    agent === undefined ? `${country}-HARB` : institution(agent).institutionId;
  const { countryCode: sourceCountry } = debtorAgent;
  const { countryCode: destinationCountry } = creditorAgent;
  const { amount } = interbankSettlementAmount;
  return {
    quoteId: agreedRate.quoteId as QuoteId,
    pspId: debtorAgent.institutionId,
    fxpId: 'SG-MERI',
    rateId: 'rate',
    tierImprovementId: null,
    pspImprovementId: null,
    sourceCountry,
    sourceCurrency: interbankSettlementAmount.currency,
    destinationCountry,
    destinationCurrency: agreedRate.quotedCurrency,
    exchangeRate: agreedRate.preAgreedExchangeRate,
    sourceInterbankSettlementAmount: amount,
    sourceCappedToMaxAmount: false,
    destinationInterbankSettlementAmount: renderDecimal(
      exact(amount).times(exact(agreedRate.preAgreedExchangeRate)),
    ),
    destinationCappedToMaxAmount: false,
    networkSchemeFee: '0',
    creditorAgentFee: charges[1].amount,
    sourceSapId: sap(value.intermediaryAgent1, sourceCountry),
    sourceAccountId: value.intermediaryAgent1Account?.otherId ?? 'MERI-SOURCE',
    destinationSapId: sap(value.intermediaryAgent2, destinationCountry),
    destinationAccountId: value.intermediaryAgent2Account?.otherId ?? 'MERI-DESTINATION',
    issuedAt: value.acceptanceDateTime.epochMs,
    expired: false,
    heldBy: null,
  };
}
