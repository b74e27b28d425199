// Where a payment enters and where its destination answers: POST /iso20022/pacs008 and POST /iso20022/pacs002.
// Both store what they received and hand its id to the payment's workflow; neither judges a payment.
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from '@hono/zod-openapi';
import { assert } from '../core/assert.ts';
import { elementAt, textAt, type XmlElement } from '../core/iso20022/tree.ts';
import { readAgent } from '../core/iso20022/parties.ts';
import { resolveAgent } from '../core/agent.ts';
import { findMismatch, isFinal } from '../core/report.ts';
import { additionalInformation } from '../core/explanation.ts';
import { recordAudit } from '../db/audit.ts';
import { findDecidable, recordContradiction, type DecidablePayment } from '../db/decisions.ts';
import { askAgain, askStatus, nameCallbackAddress } from '../db/deliveries.ts';
import { loadAnswer, messageBody, recordReceived, recordReport } from '../db/messages.ts';
import { findPayment, type StoredDecision, type StoredPayment } from '../db/payments.ts';
import type { XmlEngine } from '../xml/engine.ts';
import { readReport } from '../xml/read-report.ts';
import type { ApiDependencies, RouteModule } from './dependencies.ts';
import { refuseCallback } from './http/callback.ts';
import type { Caller } from './http/caller.ts';
import { bodyOf, openMessage, takeMessage, type TakenMessage } from './http/intake.ts';
import { reportDocument, submissionDocument } from './message-documents.ts';
import { passOn } from './http/pass-on.ts';
import { isProblem, problem, type Problem, type ProblemCode } from './http/problem.ts';
import { baseHeaders } from './http/response.ts';
import type { Router } from './http/route.ts';
import type { PaymentWorkflows } from './temporal.ts';
import { messageTurns } from './http/turns.ts';
import { refusalHeader, xml } from './http/xml-message.ts';

export interface Iso20022Dependencies {
  readonly engine: XmlEngine;
  readonly workflows: PaymentWorkflows;
}

/** The ISO 20022 routes, as a module of the app. */
export function iso20022Routes(iso: Iso20022Dependencies): RouteModule {
  return (router, deps) => {
    submissionRoute(router, deps, iso);
    reportRoute(router, deps, iso);
  };
}

function submissionRoute(router: Router, deps: ApiDependencies, iso: Iso20022Dependencies): void {
  router.add(
    {
      method: 'post',
      path: '/iso20022/pacs008',
      operationId: 'submitPacs008',
      summary: 'Submit a payment instruction',
      description:
        'Answers ACTC once the payment is stored and validated, or RJCT. The final pacs.002 goes to pacs002Endpoint; ' +
        'with `Prefer: wait=N` (at most 30) the answer waits up to N seconds for it (PAY-1).',
      tag: 'ISO 20022',
      roles: ['ipso'],
      before: takeMessage,
      turns: messageTurns,
      query: z.object({
        pacs002Endpoint: z.string().describe("The source operator's address for the pacs.002"),
      }),
      ...submissionDocument,
      problems: [
        'message-refused',
        'callback-address-refused',
        'payload-too-large',
        'unsupported-media-type',
      ],
    },
    ({ query, caller, context, giveUpTurn }) =>
      submit(deps, iso, {
        body: bodyOf(context),
        caller,
        giveUpTurn,
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
  readonly giveUpTurn: () => void;
}

const judgedWithinMs = 500; // as a rule: whoever prefers to wait waits for the destination from then on

async function submit(
  deps: ApiDependencies,
  iso: Iso20022Dependencies,
  incoming: IncomingSubmission,
): Promise<Response | Problem> {
  const { body, caller, callbackUrl, waitSeconds, giveUpTurn } = incoming;
  if (waitSeconds !== undefined) setTimeout(giveUpTurn, judgedWithinMs);
  const message = openMessage(iso.engine, body, 'pacs008');
  if (isProblem(message)) return message;
  message.parsed.dispose(); // the tree outlives the document
  const { document } = message.parsed;
  const sourceSystem = caller.clearingSystemId ?? clearingSystemOf(document);
  const callback = { parameter: 'pacs002Endpoint', address: callbackUrl } as const;
  const refusal = refuseCallback(deps, sourceSystem, callback);
  if (refusal !== undefined) return refusal;
  const uetr = message.key.uetr ?? '';
  const { messageId, isNew } = await recordReceived(deps.db, {
    messageId: randomUUID(),
    uetr,
    type: 'pacs008',
    identification: message.key.messageId,
    leg: 'source',
    party: sourceSystem,
    answerUrl: callbackUrl,
    body,
    sha256: createHash('sha256').update(body).digest(),
  });
  const headers = waitSeconds === undefined ? {} : { 'preference-applied': 'wait' };
  const repeated = isNew
    ? undefined
    : await repeat(deps, iso, { messageId, uetr, sourceSystem, callbackUrl });
  if (repeated !== undefined) {
    const decision = repeated.decision ?? (await decisionWithin(deps, uetr, waitSeconds ?? 0));
    return answerWith(deps, decision?.callbackMessageId ?? repeated.answerMessageId, headers);
  }
  const { answerMessageId } = await iso.workflows.submit({
    uetr,
    sourceSystem,
    destinationCountry: destinationCountryOf(deps, document),
    messageId,
    waitSeconds: waitSeconds ?? 0,
  });
  return answerWith(deps, answerMessageId, headers);
}

/**
 * The very same message again (DUP-1): a status enquiry, answered from the record, also while the engine is down. What
 * could not be passed on then is not lost: the sweep finds the callback that is due (LIF-2), and the destination is asked
 * by the next enquiry of the schedule (TIM-2).
 * @returns undefined when the message is stored and not judged yet
 */
async function repeat(
  deps: ApiDependencies,
  { workflows }: Iso20022Dependencies,
  submission: { messageId: string; uetr: string; sourceSystem: string; callbackUrl: string },
): Promise<StoredPayment | undefined> {
  const { messageId, uetr, sourceSystem, callbackUrl } = submission;
  await nameCallbackAddress(deps.db, { messageId, uetr, url: callbackUrl });
  const payment = await findPayment(deps.db, uetr);
  if (payment?.messageId !== messageId) return undefined;
  if (payment.decision !== null) {
    await askAgain(deps.db, uetr, 'callback', callbackUrl);
    passOn(deps, workflows.redeliver(uetr));
  } else if (await askStatus(deps.db, uetr)) {
    passOn(deps, workflows.enquire({ uetr, sourceSystem, messageId }));
  }
  return payment;
}

const lookEveryMs = 200; // for a decision, by a repeat that waits for it

/** The decision of a payment, once there is one, within so many seconds (PAY-1). */
async function decisionWithin(
  deps: ApiDependencies,
  uetr: string,
  seconds: number,
): Promise<StoredDecision | null> {
  const until = performance.now() + seconds * 1_000;
  let decision: StoredDecision | null = null;
  while (decision === null && performance.now() < until) {
    await delay(lookEveryMs);
    decision = (await findPayment(deps.db, uetr))?.decision ?? null;
  }
  return decision;
}

/** A stored answer in its bytes; what it refuses is told at length beside it (MSG-13). */
async function answerWith(
  deps: ApiDependencies,
  messageId: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const { body, refusal } = await loadAnswer(deps.db, messageId);
  return xml(body, { ...headers, ...refusalHeader(refusal) });
}

const maxWaitSeconds = 30; // PAY-1

/** `wait=N` of RFC 7240, at most 30; undefined when it was not asked for. */
function preferredWaitSeconds(prefer: string | undefined): number | undefined {
  // what stands in quotes is another preference's, unless it is the number itself
  const unquoted = (prefer ?? '').replaceAll(/"((?:[^"\\]|\\.)*)"/g, (_, text: string) =>
    /^\d{1,9}$/.test(text) ? text : '',
  );
  const match = /(?:^|,)\s*wait\s*=\s*(\d{1,9})\s*(?:[;,]|$)/i.exec(unquoted);
  return match === null ? undefined : Math.min(Number(match[1]), maxWaitSeconds);
}

/** With AUTH=none nobody says who submits: the message's own clearing system is believed. */
function clearingSystemOf(document: XmlElement): string {
  const system = elementAt(document, 'FIToFICstmrCdtTrf/GrpHdr/SttlmInf/ClrSys');
  return (system && (textAt(system, 'Prtry') ?? textAt(system, 'Cd'))) ?? '';
}

/** For the Temporal UI only: the message is not validated yet. */
function destinationCountryOf(deps: ApiDependencies, document: XmlElement): string | undefined {
  const agent = readAgent(elementAt(document, 'FIToFICstmrCdtTrf/CdtTrfTxInf/CdtrAgt'));
  return agent && resolveAgent(deps.reference.current(), agent)?.countryCode;
}

function reportRoute(router: Router, deps: ApiDependencies, iso: Iso20022Dependencies): void {
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
      turns: messageTurns,
      ...reportDocument,
      problems: [
        'message-refused',
        'unknown-payment',
        'not-the-destination',
        'original-ids-differ',
        'message-invalid',
        'payload-too-large',
        'unsupported-media-type',
      ],
    },
    ({ caller, context, giveUpTurn }) => report(deps, iso, { body: bodyOf(context), caller, giveUpTurn }),
  );
}

async function report(
  deps: ApiDependencies,
  iso: Iso20022Dependencies,
  { body, caller, giveUpTurn }: Pick<IncomingReport, 'body' | 'caller' | 'giveUpTurn'>,
): Promise<Response | Problem> {
  const message = openMessage(iso.engine, body, 'pacs002');
  if (isProblem(message)) return message;
  const uetr = message.key.uetr ?? '';
  const payment = await findDecidable(deps.db, uetr);
  const isDestination = caller.role === 'all' || caller.clearingSystemId === payment?.destinationSystem;
  if (payment === undefined || !isDestination) {
    message.parsed.dispose();
    return payment === undefined
      ? refuseReport(deps, 'unknown-payment', { uetr, caller, detail: `There is no payment ${uetr}.` })
      : refuseReport(deps, 'not-the-destination', { uetr, caller, detail: notYours(caller, uetr) });
  }
  return takeReport(deps, iso, { message, body, payment, caller, giveUpTurn });
}

function notYours({ clientId }: Caller, uetr: string): string {
  return `Only its destination operator may report on a payment; ${clientId} is not the destination of ${uetr}.`;
}

/** PAY-8: each of these is a security event. */
async function refuseReport(
  deps: ApiDependencies,
  code: ProblemCode,
  { uetr, caller, detail }: { uetr: string; caller: Caller; detail?: string },
): Promise<Problem> {
  await recordAudit(deps.db, {
    severity: 'security',
    kind: `report.${code}`,
    uetr,
    party: caller.clearingSystemId ?? caller.clientId,
  });
  return problem(code, detail === undefined ? {} : { detail });
}

interface IncomingReport {
  readonly message: TakenMessage;
  readonly body: Buffer;
  readonly payment: DecidablePayment;
  readonly caller: Caller;
  readonly giveUpTurn: () => void;
}

async function takeReport(
  deps: ApiDependencies,
  iso: Iso20022Dependencies,
  incoming: IncomingReport,
): Promise<Response | Problem> {
  const { message, body, payment, caller } = incoming;
  const { uetr, destinationSystem: party, decision } = payment;
  const reading = await readReport(message.parsed);
  if (!reading.ok) {
    const detail = additionalInformation(reading.rejection);
    const { ruleId } = reading.rejection;
    return problem('message-invalid', { detail, ruleId, errors: [{ pointer: '', detail }] });
  }
  const mismatch = findMismatch(reading.report, payment.destinationReferences.original);
  if (mismatch !== undefined) {
    const detail = `${mismatch} is not that of the pacs.008 that was sent.`;
    return refuseReport(deps, 'original-ids-differ', { uetr, caller, detail });
  }
  const { status, reasonCode, messageId: identification } = reading.report;
  const isEnd = isFinal(status);
  const reportMessageId = await recordReport(deps.db, {
    uetr,
    identification,
    party,
    status,
    reasonCode,
    isFinal: isEnd,
    body,
    sha256: createHash('sha256').update(body).digest(),
  });
  incoming.giveUpTurn(); // it counts from now on (PAY-7), and keeps none of its sender's others from being stored
  if (!isEnd) return new Response(null, { status: 202, headers: baseHeaders });
  const { sourceSystem, messageId } = payment;
  const standing =
    decision ?? (await iso.workflows.reportFinal({ uetr, sourceSystem, messageId, reportMessageId }));
  if (decision !== null) {
    const reported = { messageId: reportMessageId, status, reasonCode: reasonCode ?? null };
    await recordContradiction(deps.db, { uetr, party, decision, report: reported });
  }
  if (standing === null) return problem('unavailable', { detail: 'The report is stored. Send it again.' });
  assert(standing.confirmationMessageId !== null, 'a payment that was forwarded has a confirmation');
  return xml(await messageBody(deps.db, standing.confirmationMessageId));
}
