// POST /iso20022/pacs008 accepts payments, and POST /iso20022/pacs002 accepts the reports of destinations.
// Both store the received message. They pass the id of a new submission or a final report to the payment's
// workflow. The record answers everything else. Neither route judges a payment (MSG-3).
import { z } from '@hono/zod-openapi';
import { assert } from '../../core/assert.ts';
import { elementAt, textAt, type XmlElement } from '../../core/iso20022/tree.ts';
import { priorityOf } from '../../core/iso20022/pacs008.ts';
import { readAgent } from '../../core/iso20022/parties.ts';
import { resolveAgent } from '../../core/payments/agent.ts';
import { expectedOriginal } from '../../core/payments/report.ts';
import { contradicts, type Decision } from '../../core/payments/decision.ts';
import { findDecidable, type DecidablePayment } from '../../db/payments/decisions.ts';
import { alertAtLimit } from '../../db/records/audit.ts';
import { openOrTell } from '../../db/records/changed-messages.ts';
import { isOnRecord, messageBody } from '../../db/records/messages.ts';
import { refuseMessage } from '../../db/records/refused-messages.ts';
import { takeReport, type InvalidReport, type TakenReport } from '../../db/payments/reports.ts';
import { takePacs008, type Known } from '../../db/payments/submissions.ts';
import type { StoredPayment } from '../../db/payments/payments.ts';
import type { XmlEngine } from '../../xml/engine.ts';
import { readMessage } from '../../xml/read-message.ts';
import { createOfDay } from './of-day.ts';
import type { TakenIn, Undecided } from '../http/limits/share-counts.ts';
import type { RouteDependencies, RouteModule } from '../dependencies.ts';
import { refuseCallback } from '../http/input/callback.ts';
import type { Caller } from '../http/caller.ts';
import { aboutRequest, noteRejection, type AboutRequest } from '../http/access-log.ts';
import { bodyOf, openMessage, takeMessage } from '../http/input/intake.ts';
import { reportDocument, submissionDocument, submissionProblems } from './message-documents.ts';
import { isProblem, problem, type Problem } from '../http/problems/problem.ts';
import { baseHeaders } from '../http/response.ts';
import type { Router } from '../http/route.ts';
import type { GiveUpTurn } from '../http/limits/turns.ts';
import type { AwaitedAnswers } from './awaited-answers.ts';
import { repeatsOf } from './repeats.ts';
import { passOn, type PaymentWorkflows } from '../temporal.ts';
import { answerChanged, storedAnswer, xml } from '../http/xml-message.ts';

export interface Iso20022Dependencies {
  readonly engine: XmlEngine;
  readonly workflows: PaymentWorkflows;
  readonly answers: AwaitedAnswers;
  readonly undecided: Undecided;
}

export function iso20022Routes(iso: Iso20022Dependencies): RouteModule {
  return (router, deps) => {
    submissionRoute(router, deps, iso);
    reportRoute(router, deps, iso);
  };
}

function submissionRoute(router: Router, deps: RouteDependencies, iso: Iso20022Dependencies): void {
  router.add(
    {
      method: 'post',
      path: '/iso20022/pacs008',
      operationId: 'submitPacs008',
      summary: 'Submit a payment instruction (endpoint 21)',
      description:
        'Answers ACTC once the payment is stored and validated, or RJCT. The final pacs.002 goes to pacs002Endpoint; ' +
        'with `Prefer: wait=N` (at most 30) the answer waits up to N seconds for it (PAY-1).',
      tag: 'ISO 20022',
      roles: ['ipso'],
      before: takeMessage,
      isSigned: true,
      turns: 'submission',
      query: z.object({
        pacs002Endpoint: z.string().describe("The source operator's address for the pacs.002"),
      }),
      ...submissionDocument,
      problems: ['too-many-undecided', ...submissionProblems],
    },
    ({ query, caller, context, giveUpTurn }) =>
      submit(deps, iso, {
        body: bodyOf(context),
        caller,
        giveUpTurn,
        about: aboutRequest(context),
        callbackUrl: query.pacs002Endpoint,
        waitSeconds: preferredWaitSeconds(context.req.header('prefer')),
      }),
  );
}

interface IncomingSubmission {
  readonly body: Buffer;
  readonly caller: Caller;
  readonly callbackUrl: string;
  readonly waitSeconds: number | undefined;
  readonly giveUpTurn: GiveUpTurn;
  readonly about: AboutRequest;
}

async function submit(
  deps: RouteDependencies,
  iso: Iso20022Dependencies,
  incoming: IncomingSubmission,
): Promise<Response | Problem> {
  const { body, caller, callbackUrl, waitSeconds, giveUpTurn, about } = incoming;
  const waitsUntil = performance.now() + (waitSeconds ?? 0) * 1_000;
  const message = openMessage(iso.engine, { body, name: 'pacs008', about });
  if (isProblem(message)) return message;
  message.parsed.dispose(); // the tree outlives the document; seam: taken-message
  const document = message.parsed.document();
  const sourceSystem = caller.clearingSystemId ?? clearingSystemOf(document);
  const callback = { parameter: 'pacs002Endpoint', address: callbackUrl } as const;
  const refusal = refuseCallback(deps, sourceSystem, callback);
  if (refusal !== undefined) return refusal;
  const { uetr } = message.key;
  assert(uetr !== undefined, 'a pacs.008 without UETR is refused at intake (MSG-2)');
  const ofDay = createOfDay(deps);
  const submission = { type: 'pacs008', party: sourceSystem, body } as const;
  const tooMuch = await ofDay.refuse(submission);
  if (tooMuch !== undefined) return tooMuch;
  const taking = await takeIn(deps, iso, { sourceSystem, uetr });
  if (taking === undefined) {
    await alertAtLimit(deps.db, sourceSystem, 'undecided-payments');
    return problem('too-many-undecided');
  }
  let messageId, judged, isKnown;
  try {
    const { known, timesUnanswerable, isNew, isAddressRefused, ...stored } = await takePacs008(deps.db, {
      uetr,
      messageIdentification: message.key.messageIdentification,
      sourceSystem,
      callbackUrl,
      body,
      mayAsk: repeatsOf(deps, sourceSystem),
    });
    if (isAddressRefused) return problem('callback-address-changed');
    if (isNew) await ofDay.add(submission);
    ({ messageId } = stored);
    isKnown = known !== undefined;
    if (known === undefined) taking.isNew();
    judged =
      known === undefined
        ? await iso.workflows.submit({
            uetr,
            sourceSystem,
            destinationCountry: destinationCountryOf(deps, document),
            priority: priorityOf(document),
            messageId,
            timesUnanswerable,
          })
        : answerKnown(deps, iso, known, { uetr, sourceSystem, messageId }); // seam: known-answer
  } finally {
    taking.end();
  }
  giveUpTurn(isKnown ? 'record' : undefined); // from now on the request only waits for the destination
  const final = await iso.answers.answer(messageId, waitsUntil - performance.now());
  const headers = waitSeconds === undefined ? {} : { 'preference-applied': 'wait' };
  const answer = await storedAnswer(deps.db, final ?? judged.answerMessageId, headers);
  if (!isProblem(answer)) noteRejection(about, answer);
  return answer;
}

/**
 * Counts the submission among the undecided payments of its payment system.
 * @returns undefined if the system is at its limit and the UETR is new
 */
async function takeIn(
  { db, config }: RouteDependencies,
  { undecided }: Iso20022Dependencies,
  { sourceSystem, uetr }: { readonly sourceSystem: string; readonly uetr: string },
): Promise<TakenIn | undefined> {
  const { undecidedPayments: limit } = config.senderLimits;
  const isFull = () => limit > 0 && undecided.of(sourceSystem) >= limit;
  if (isFull() && !(await isOnRecord(db, uetr))) {
    await undecided.recount(); // some of the counted payments may have been decided meanwhile
    if (isFull()) return undefined;
  }
  return undecided.takeIn(sourceSystem);
}

/** Answers a repeated submission with the same bytes from the record, even while Temporal is down. */
function answerKnown(
  deps: RouteDependencies,
  { workflows }: Iso20022Dependencies,
  { subject, due }: Known<StoredPayment>,
  payment: { readonly uetr: string; readonly sourceSystem: string; readonly messageId: string },
): { readonly answerMessageId: string } {
  if (due === 'redelivery') passOn(deps, payment.uetr, workflows.redeliver(payment.uetr));
  if (due === 'enquiry') passOn(deps, payment.uetr, workflows.enquire(payment));
  return { answerMessageId: subject.decision?.callbackMessageId ?? subject.answerMessageId };
}

/**
 * Returns the clearing system in the message. Without authentication (AUTH=none) there is no other source for
 * it.
 */
function clearingSystemOf(document: XmlElement): string {
  const system = elementAt(document, 'FIToFICstmrCdtTrf/GrpHdr/SttlmInf/ClrSys');
  return (system && (textAt(system, 'Prtry') ?? textAt(system, 'Cd'))) ?? '';
}

const maxWaitSeconds = 30;

/**
 * Returns N of `Prefer: wait=N` (RFC 7240), at most 30 (PAY-1); undefined if the header asks for no wait.
 * @internal exported for tests
 */
export function preferredWaitSeconds(prefer = ''): number | undefined {
  const [, seconds] = /(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:[;,]|$)/i.exec(prefer) ?? [];
  return seconds === undefined ? undefined : Math.min(Number(seconds), maxWaitSeconds);
}

/** Only the Temporal UI shows it, because the message is not validated yet. */
function destinationCountryOf(deps: RouteDependencies, document: XmlElement): string | undefined {
  const agent = readAgent(elementAt(document, 'FIToFICstmrCdtTrf/CdtTrfTxInf/CdtrAgt'));
  return agent && resolveAgent(deps.reference.current(), agent)?.countryCode;
}

function reportRoute(router: Router, deps: RouteDependencies, iso: Iso20022Dependencies): void {
  router.add(
    {
      method: 'post',
      path: '/iso20022/pacs002',
      operationId: 'reportPacs002',
      summary: 'Report the status of a payment that was forwarded to you',
      description:
        'For destination operators (PAY-8). A final status is answered with a confirmation pacs.002 that states the ' +
        'decision (PAY-9); an interim one with 202.',
      tag: 'ISO 20022',
      roles: ['ipso'],
      before: takeMessage,
      isSigned: true,
      turns: 'message',
      ...reportDocument,
      problems: [
        'message-refused',
        'unknown-payment',
        'not-the-destination',
        'original-ids-differ',
        'message-invalid',
        'payload-too-large',
        'unsupported-media-type',
        'message-not-kept',
        'message-changed',
      ],
    },
    ({ caller, context, giveUpTurn }) =>
      report(deps, iso, { body: bodyOf(context), caller, giveUpTurn, about: aboutRequest(context) }),
  );
}

async function report(
  deps: RouteDependencies,
  iso: Iso20022Dependencies,
  incoming: IncomingReport,
): Promise<Response | Problem> {
  const received = await receiveReport(deps, iso.engine, incoming);
  if (isProblem(received)) return received;
  const { payment, taken, status } = received;
  // the report is stored; end the turn, so that it does not block other messages of its sender
  incoming.giveUpTurn();
  if (taken.kind === 'interim') return new Response(null, { status: 202, headers: baseHeaders });
  const { uetr, sourceSystem, messageId } = payment;
  if (taken.kind === 'late' && taken.isConfirmationDue) passOn(deps, uetr, iso.workflows.redeliver(uetr));
  const standing =
    taken.kind === 'late'
      ? taken.decision
      : await iso.workflows.reportFinal({
          uetr,
          sourceSystem,
          messageId,
          reportMessageId: taken.reportMessageId,
        });
  if (standing === null) return problem('unavailable', { detail: 'The report is stored. Send it again.' });
  assert(standing.confirmationMessageId !== null, 'a payment that was forwarded has a confirmation');
  const { db } = deps;
  const id = standing.confirmationMessageId;
  const confirmation = await openOrTell(db, id, () => messageBody(db, id));
  if (confirmation === 'changed') return problem('message-changed', { detail: answerChanged });
  if (confirmation === undefined) return problem('message-not-kept');
  return xml(confirmation, contradiction(standing, status));
}

interface IncomingReport {
  readonly body: Buffer;
  readonly caller: Caller;
  readonly giveUpTurn: GiveUpTurn;
  readonly about: AboutRequest;
}

/** A report that the service has accepted. */
interface ReceivedReport {
  readonly payment: DecidablePayment;
  readonly taken: Exclude<TakenReport, { readonly kind: 'invalid' | 'mismatch' }>;
  readonly status: string;
}

/** Accepts a report of the destination, or returns the reason to ignore it (PAY-8). */
async function receiveReport(
  deps: RouteDependencies,
  engine: XmlEngine,
  { body, caller, about }: IncomingReport,
): Promise<ReceivedReport | Problem> {
  const message = openMessage(engine, { body, name: 'pacs002', about });
  if (isProblem(message)) return { ...message, detail: `${message.detail} ${isNowhere} ${ifCredited}` };
  // readMessage disposes of the parsed message, even if it fails
  const reading = await readMessage('pacs002', message.parsed);
  const { uetr } = message.key;
  assert(uetr !== undefined, 'a pacs.002 without OrgnlUETR is refused at intake (MSG-2)');
  const reported = reading.ok ? reading.value.status : reading.refusal.reported;
  if (typeof reported === 'string') about.reported = reported;
  const party = caller.clearingSystemId ?? caller.clientId;
  const payment = await findDecidable(deps.db, uetr);
  if (payment === undefined || !isDestination(caller, payment)) {
    const code = payment === undefined ? 'unknown-payment' : 'not-the-destination';
    await refuseMessage(deps.db, `report.${code}`, {
      subjectId: uetr,
      party,
      inReplyTo: null,
      body,
      fault: { reported },
    });
    const detail =
      payment === undefined
        ? `${unknown(uetr)} ${doesNotCount}`
        : `${notYours(caller, uetr)} This report does not count.`;
    return problem(code, { detail: `${detail} ${ifCredited}` });
  }
  const taken = await takeReport(deps.db, payment, {
    reading,
    body,
    party,
    inReplyTo: null,
    mayAsk: repeatsOf(deps, party),
  });
  if (taken.kind === 'invalid') return invalid(taken.fault);
  if (taken.kind === 'mismatch') {
    const detail = `${expectedOriginal(taken.element)}. ${doesNotCount} ${ifCredited}`;
    return problem('original-ids-differ', { detail });
  }
  assert(reading.ok, 'what counts is valid');
  return { payment, taken, status: reading.value.status };
}

function isDestination(caller: Caller, { destinationSystem }: DecidablePayment): boolean {
  return caller.role === 'all' || caller.clearingSystemId === destinationSystem;
}

function unknown(uetr: string): string {
  return `Isthmus sent no payment ${uetr} on to a destination: check OrgnlUETR.`;
}

function notYours({ clientId }: Caller, uetr: string): string {
  return `Only its destination operator may report on a payment; ${clientId} is not the destination of ${uetr}.`;
}

const doesNotCount = 'This report does not count: send a correct one.';
/** Added to the refusal of a report that names no payment. */
const isNowhere = 'This report does not count, and nothing of it is on record: send a correct one.';
const ifCredited = 'If you have credited it, call the operators of the scheme.';

function invalid({ reason: detail, rejection }: InvalidReport): Problem {
  assert(rejection !== undefined, 'what is no document is refused at intake (MSG-2)');
  const { ruleId, xpath } = rejection;
  return problem('message-invalid', {
    detail: `${detail} ${doesNotCount} ${ifCredited}`,
    ruleId,
    errors: [{ xpath: xpath ?? '/Document', detail }],
  });
}

/** Reports the contradiction in a header, for programs that do not read the confirmation. */
function contradiction(decision: Decision, reported: string): Readonly<Record<string, string>> {
  if (!contradicts(decision, reported)) return {};
  const { status } = decision;
  const stands = `PAY-7 the final status of this payment is ${status}; your ${reported} changes nothing, and an operator is told`;
  return { 'isthmus-contradiction': stands };
}
