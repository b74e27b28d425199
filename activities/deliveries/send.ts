// Sends messages of every kind. Each send takes a place at the receiver's gate and commits a claim before the
// socket opens. It then makes one exchange and records the outcome (CBK-4). The kinds differ only by their
// row in send-policies.ts. The caller decides what happens next.
import { randomUUID } from 'node:crypto';
import {
  afterOwnFaultMs,
  giveUpAfterMs,
  isOwnFault,
  keyMissing,
  messageChanged,
  nextAttempt,
} from '../../core/deliveries/delivery-schedule.ts';
import { operatorOf } from '../../core/deliveries/receiver.ts';
import { recordAuditOnce } from '../../db/records/audit.ts';
import { tellChanged } from '../../db/records/changed-messages.ts';
import { SealingKeyMissing } from '../../db/pool/failures.ts';
import {
  settleAttempt,
  type AttemptOutcome,
  type ClaimedAttempt,
  type Following,
} from '../../db/deliveries/deliveries.ts';
import { addressOf, type Addressed } from './addresses.ts';
import { boundDefects, tellKeyMissing } from '../upkeep/defects.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { claimForMs, failure, outlast } from '../failures.ts';
import type { Admission, Held, PostLimits, PostResult } from '../wire/outbound.ts';
import { isSuccess, sendPolicies, type SendPolicy } from './send-policies.ts';
import type { Signer } from '../wire/signer.ts';
import { isWhiteSpace } from '../../core/iso20022/tree.ts';

/** The address of a message, and its place at the receiver's gate. */
export interface Way {
  readonly admitted: true;
  readonly url: string;
  readonly admission: Admission;
  /** Whether the receiver's operator wants signed requests (RFC 9421). */
  readonly isSigned: boolean;
}

/**
 * Takes a place at the gate of the receiver that is registered now. A send that has to wait holds no
 * resources.
 * @param through `anyway` ignores the circuit breaker, for a send that must be tried. `party` names one of
 * several parties behind the receiver. If this party does not answer, the other parties are not delayed.
 * @returns undefined if there is no address
 */
export function enter(
  deps: ActivityDependencies,
  delivery: Addressed,
  through: { readonly anyway?: true; readonly party?: string } = {},
): Way | Held | undefined {
  const address = addressOf(deps, delivery);
  if (address === undefined) return undefined;
  const { url, receiver } = address;
  const isSigned = operatorOf(deps.reference(), delivery.party)?.signsMessages === true;
  const admission =
    through.party !== undefined
      ? deps.outbound.enterFor(url, through.party)
      : through.anyway
        ? deps.outbound.enterAnyway(receiver)
        : deps.outbound.enter(receiver);
  return admission.admitted ? { admitted: true, url, admission, isSigned } : admission;
}

export interface Claimed {
  readonly attempt: ClaimedAttempt;
  /** The value of `performance.now()` until which the message may leave. Undefined means no limit. */
  readonly until: number | undefined;
}

/**
 * Claims one send for a place at the gate, and gives the place back if nothing may be sent. If the database's
 * reply is lost, repeats the same claim: only this call knows that nothing was sent.
 */
export async function claimSend(
  way: Way | undefined,
  claim: (id: string) => Promise<ClaimedAttempt | undefined>,
): Promise<Claimed | undefined> {
  const id = randomUUID();
  let claimed: Claimed | undefined;
  try {
    claimed = await outlast(async () => {
      const beganAt = performance.now(); // Read before the claim, so that the limit is never too late.
      const attempt = await claim(id);
      if (attempt === undefined) return undefined;
      return { attempt, until: attempt.remainingMs === null ? undefined : beganAt + attempt.remainingMs };
    }, claimForMs);
  } finally {
    if (claimed === undefined) way?.admission.leave();
  }
  return claimed;
}

export interface AnswerBody {
  readonly status: number;
  readonly body: Buffer;
  readonly truncated: boolean;
}

export interface Sending<Answer> extends Claimed {
  readonly way: Way | undefined;
  /** UETR of the payment, or id of the resolution. It is recorded with the attempt. */
  readonly subjectId: string;
  /**
   * Reads and records the message in the receiver's answer; may run several times. Only for messages that the
   * receiver answers with a message. Returns undefined if the answer is not about our message; it is then
   * recorded as refused.
   */
  readonly read?: (answer: AnswerBody) => Promise<Answer | undefined>;
}

export interface Sent<Answer> {
  /** The recorded outcome. The send policy of the kind defines how an HTTP status counts. */
  readonly outcome: AttemptOutcome;
  /** The outcome in words, shown in the Temporal UI. */
  readonly story: string;
  /** The receiver's answer. Undefined if there is none, or if it does not count. */
  readonly answer: Reply<Answer> | undefined;
  /**
   * The error class of a fault of Isthmus that prevented the send. Such a fault uses up no attempt and ends
   * no schedule.
   */
  readonly fault: string | undefined;
  readonly next: Following;
}

type Reply<Answer> = { readonly kind: 'receipt' } | { readonly kind: 'message'; readonly value: Answer };

/** Sends once and records the outcome. If there is no address, no socket opens. */
export async function send<Answer = never>(
  deps: ActivityDependencies,
  sending: Sending<Answer>,
): Promise<Sent<Answer>> {
  const { attempt, way } = sending;
  const policy = sendPolicies[attempt.kind];
  const startedAt = performance.now();
  // Leave the gate if nothing was posted, also after a defect. After a post, the place is already free.
  const result = await tracedPost(deps, sending, policy).finally(() => way?.admission.leave());
  const durationMs = Math.round(performance.now() - startedAt);
  const answer = await answerOf(deps, sending, result);
  const isOurs = result.outcome === 'NOT_SENT' && isOwnFault(result.outcome, result.errorClass);
  const next: Following =
    answer === undefined
      ? followingOf(policy, attempt, { result, isOurs, durationMs })
      : { kind: 'delivered' };
  const answered = result.outcome === 'ANSWERED';
  const errorClass = answered ? uncountedAs(result.status, answer) : result.errorClass;
  const outcome = answered && result.status >= 500 ? policy.serverErrorIs : result.outcome;
  await outlast(() =>
    settleAttempt(deps.db, {
      deliveryId: attempt.deliveryId,
      attempt: attempt.attempt,
      asks: attempt.asks,
      url: way?.url ?? attempt.url,
      outcome,
      httpStatus: answered ? result.status : null,
      durationMs,
      errorClass,
      responseExcerpt: answered && answer === undefined ? excerptOf(result.body, policy) : null,
      next,
    }),
  );
  if (attempt.missingKey !== undefined || errorClass === keyMissing)
    await tellKeyMissing(deps, attempt.missingKey);
  else if (attempt.body === null)
    await outlast(() => tellChanged(deps.db, attempt.messageId, deliveryOf(attempt)));
  deps.steps.attempted({
    subjectId: sending.subjectId,
    kind: attempt.kind,
    party: attempt.party,
    attempt: attempt.attempt,
    outcome,
    httpStatus: answered ? result.status : undefined,
    errorClass: errorClass ?? undefined,
    durationMs,
    next: next.kind,
  });
  return { outcome, story: describe(result), answer, fault: isOurs ? result.errorClass : undefined, next };
}

/**
 * The failure to throw if a fault of Isthmus prevented the send. No attempt is used up. Only a deadline, an
 * operator, or an answer that arrives another way ends the retries.
 */
export function ownFault(fault: string, { attempt }: ClaimedAttempt, message: string) {
  const inMs = afterOwnFaultMs(fault, attempt);
  if (fault === messageChanged) return failure('MessageChanged', message, inMs);
  return fault === keyMissing ? failure('KeyMissing', message, inMs) : failure('OwnResources', message);
}

const deliveryOf = ({ deliveryId, kind }: ClaimedAttempt) => ({ deliveryId, kind });

/** A 2xx response whose answer does not count is a failure of the party. */
const uncountedAs = (status: number, answer: unknown): string | null =>
  isSuccess(status) && answer === undefined ? 'not-counted' : null;

async function tracedPost(
  { traces, signer }: ActivityDependencies,
  sending: Sending<unknown>,
  policy: SendPolicy,
): Promise<PostResult> {
  if (traces === undefined) return post(signer, sending, policy);
  const { kind, party, attempt } = sending.attempt;
  const span = traces.begin(`POST ${kind}`, {
    kind: 'client',
    attributes: { party, attempt, subjectId: sending.subjectId, 'http.request.method': 'POST' },
  });
  try {
    const result = await span.run(() => post(signer, sending, policy, { traceparent: span.traceparent }));
    const answered = result.outcome === 'ANSWERED';
    span.set({
      outcome: result.outcome,
      'http.response.status_code': answered ? result.status : undefined,
    });
    if (!answered) span.end(result.errorClass);
    else if (result.status >= 400) span.end(String(result.status));
    return result;
  } finally {
    span.end();
  }
}

async function post(
  signer: Signer,
  { attempt, way, until }: Sending<unknown>,
  policy: SendPolicy,
  traceHeaders?: { readonly traceparent: string },
): Promise<PostResult> {
  if (way === undefined) return { outcome: 'NOT_SENT', errorClass: 'no-usable-address' };
  const { body } = attempt;
  if (body === null) {
    return {
      outcome: 'NOT_SENT',
      errorClass: attempt.missingKey === undefined ? messageChanged : keyMissing,
    };
  }
  const signed = await signatureOf(signer, { ...attempt, body }, way);
  if (signed === undefined) return { outcome: 'NOT_SENT', errorClass: keyMissing };
  const headers = { 'content-type': 'application/xml; charset=utf-8', ...signed, ...traceHeaders };
  return way.admission.post(way.url, body, headers, limitsOf(policy, until)); // seam: sent-bytes
}

/** Undefined if this worker has no key to sign with; then nothing is sent unsigned. */
async function signatureOf(
  signer: Signer,
  { messageIdentification: id, body }: { readonly messageIdentification: string; readonly body: Buffer },
  { isSigned, url }: Way,
): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    return {
      ...signer.headersOf({ id, body }), // seam: delivery-id
      ...(isSigned && (await signer.signedRequest({ url, body }))),
    };
  } catch (error) {
    if (error instanceof SealingKeyMissing) return undefined;
    throw error;
  }
}

function limitsOf({ waits }: SendPolicy, until: number | undefined): PostLimits {
  if (until === undefined) return {};
  if (waits === 'SEC-5') return { sendBefore: until };
  return { sendBefore: until, timeoutMs: Math.max(1, until - performance.now()) };
}

const lessThan = 0x3c;
/**
 * Whether a byte is a control character. Such a byte shows that a body is UTF-16 or compressed, not UTF-8
 * text.
 */
export const isControl = (byte: number) => byte < 0x20 && !isWhiteSpace(byte);

async function answerOf<Answer>(
  deps: ActivityDependencies,
  sending: Sending<Answer>,
  result: PostResult,
): Promise<Reply<Answer> | undefined> {
  if (result.outcome !== 'ANSWERED') return undefined;
  const { isReceipt }: SendPolicy = sendPolicies[sending.attempt.kind];
  const { status, body, truncated } = result;
  const isNoXml = !truncated && !body.some((byte) => byte === lessThan || isControl(byte));
  const receipt = isReceipt(status, isNoXml) ? ({ kind: 'receipt' } as const) : undefined;
  const { read } = sending;
  const holdsNothing = isNoXml && (receipt !== undefined || body.every(isWhiteSpace));
  if (read === undefined || !isSuccess(status) || holdsNothing) return receipt;
  return (await readReply(deps, sending, () => read(result))) ?? receipt;
}

/** Undefined if the message does not count. The database then holds the refusal, or the defect. */
async function readReply<Answer>(
  deps: ActivityDependencies,
  sending: Sending<Answer>,
  read: () => Promise<Answer | undefined>,
): Promise<Reply<Answer> | undefined> {
  const { subjectId } = sending;
  const about = { subjectId, party: sending.attempt.party };
  return boundDefects(
    { logger: deps.logger, about: { subjectId }, what: 'an answer met a defect' },
    () =>
      outlast(async () => {
        const value = await read();
        return value === undefined ? undefined : { kind: 'message', value };
      }),
    () =>
      outlast(async (): Promise<undefined> => {
        await recordAuditOnce(deps.db, { ...about, kind: 'answer.defect' });
        return undefined;
      }),
  );
}

interface Ended {
  readonly result: PostResult;
  readonly isOurs: boolean;
  readonly durationMs: number;
}

function followingOf(
  { schedule }: SendPolicy,
  attempt: ClaimedAttempt,
  { result, isOurs, durationMs }: Ended,
): Following {
  if (schedule === 'TIM-3') return { kind: 'retry', inMs: 0 };
  if (isOurs && result.outcome !== 'ANSWERED' && attempt.elapsedMs < giveUpAfterMs)
    return { kind: 'retry', inMs: afterOwnFaultMs(result.errorClass, attempt.attempt) };
  const answered = result.outcome === 'ANSWERED';
  return nextAttempt({
    attempts: attempt.attemptSinceAsked,
    elapsedMs: attempt.elapsedMs + durationMs,
    httpStatus: answered ? result.status : null,
    retryAfterMs: answered ? result.retryAfterMs : null,
    random: Math.random(),
  });
}

function excerptOf(body: Buffer, { excerptBytes }: SendPolicy): string | null {
  if (excerptBytes === 0) return null;
  return body.subarray(0, excerptBytes).toString('utf8').replaceAll('\u0000', '');
}

function describe(result: PostResult): string {
  return result.outcome === 'ANSWERED' ? `HTTP ${result.status}` : `${result.outcome} (${result.errorClass})`;
}
