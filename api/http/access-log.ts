// One line per request (OBS-1): which route, by whom, about which payment, by which rule it was refused, how long it
// took; and its id, which the answer bears too. Never a path, a query or a body: they may hold what is personal.
import { randomBytes } from 'node:crypto';
import {
  ServerResponse,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
} from 'node:http';
import type { Context } from 'hono';
import type { Logger } from 'pino';
import { rateLimitLines, type Standing } from './quotas.ts';

/** What is known of a request, as it comes to be known. */
export interface AboutRequest {
  requestId: string;
  /** Absent where there are no traces. */
  traceId?: string;
  /** As in OpenAPI, `/payments/{uetr}`; absent where none was found. */
  route?: string;
  /** Client id. */
  client?: string;
  /** UETR of the payment, or id of the resolution. */
  subjectId?: string;
  ruleId?: string;
  /** The status that a report states. */
  reported?: string;
}

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * An answer that knows of its request, and bears its id. The id joins the other headers as they are written: by
 * `setHeader` beforehand, Node would set each of them by itself, which cost a tenth of a short answer.
 */
export class KnownResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  readonly about: AboutRequest = { requestId: requestIdOf(this.req) };
  /** Undefined where there are no traces. */
  trace?: RequestTrace;
  /** What is left of its sender's limit; undefined: it has none. */
  standing?: Standing;

  override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
    const { requestId } = this.about;
    if (typeof reason === 'string' || Array.isArray(reason)) {
      this.setHeader('x-request-id', requestId);
      return typeof reason === 'string'
        ? super.writeHead(status, reason, headers)
        : super.writeHead(status, reason);
    }
    const lines = linesOf(reason, requestId);
    if (this.standing !== undefined) lines.push(...rateLimitLines(this.standing));
    return super.writeHead(status, lines);
  }
}

/** Name, value, name, value: the same headers copied into an object with one more cost another tenth of a short answer. */
function linesOf(headers: OutgoingHttpHeaders = {}, requestId: string): OutgoingHttpHeader[] {
  const lines: OutgoingHttpHeader[] = [];
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) lines.push(name, value);
  }
  lines.push('x-request-id', requestId);
  return lines;
}

/** What is known of this request, to be added to. Without a server, as in a test of the app alone, nobody reads it. */
export function aboutRequest(context: Context): AboutRequest {
  const { outgoing } = (context.env ?? {}) as { readonly outgoing?: unknown };
  return outgoing instanceof KnownResponse ? outgoing.about : { requestId: '' };
}

/** What is left to the sender, for the head of its answer. */
export function noteStanding(context: Context, standing: Standing): void {
  const { outgoing } = (context.env ?? {}) as { readonly outgoing?: unknown };
  if (outgoing instanceof KnownResponse) outgoing.standing = standing;
}

/** What an answer with a message says of why it refuses: `Isthmus-Rejection` begins with the rule. */
export function noteRejection(about: AboutRequest, answer: Response): void {
  const ruleId = answer.headers.get('isthmus-rejection')?.split(' ', 1)[0];
  if (ruleId !== undefined) about.ruleId = ruleId;
}

/** A UUID, or the 32 digits of a trace id: text of any other form may name somebody, and would be in the log. */
const requestIdForm = /^(?:[\da-f]{32}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;
const ofProcess = randomBytes(4).toString('hex');
let count = 0;

/** The id that the sender gave (`X-Request-Id`), where it is one, or one of our own. */
function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && requestIdForm.test(given) ? given : ownRequestId();
}

function ownRequestId(): string {
  count += 1;
  return `${ofProcess}-${count.toString(36)}`;
}

/** An answered request, for metrics. */
export interface AnsweredRequest {
  /** `none` where there is no such route. */
  readonly route: string;
  /** `none` where it could not be read. */
  readonly method: string;
  /** Null where nothing was answered, because its client left before. */
  readonly status: number | null;
  /** Undefined where nothing was answered; of a request that was refused unread nobody knows when it began. */
  readonly seconds: number | undefined;
}

/** The span of a request. */
export interface RequestTrace {
  readonly traceId: string;
  /** What answers the request belongs to it. */
  readonly run: (answer: () => void) => void;
  /** @param status null where nothing was answered */
  readonly end: (about: AboutRequest, status: number | null) => void;
}

export interface RequestListeners {
  readonly logger: Logger;
  /** Begins the span of a request, if it is to have one; absent: none has. */
  readonly trace?: ((request: IncomingMessage) => RequestTrace | undefined) | undefined;
  readonly onAnswered?: ((request: AnsweredRequest) => void) | undefined;
}

/**
 * The line of a request that Node's parser refused, or that asks for a tunnel: the app never sees it.
 * @param request what was read of it, if anything
 * @returns the id of the request, for its answer
 */
export function logUnread(
  { logger, onAnswered }: RequestListeners,
  refusal: { readonly status: number; readonly ruleId?: string | undefined },
  request: IncomingMessage | undefined,
): string {
  const method = request?.method ?? 'none';
  const requestId = request === undefined ? ownRequestId() : requestIdOf(request);
  onAnswered?.({ route: 'none', method, status: refusal.status, seconds: undefined });
  logger.info({ requestId, ...refusal, method }, 'request');
  return requestId;
}

/**
 * Begins the line of a request; it is written when its answer has been sent, or its connection is gone (connections.ts
 * makes sure that each is closed).
 */
export function logRequest({ logger, onAnswered, trace }: RequestListeners, response: KnownResponse): void {
  const begunAt = performance.now();
  const span = trace?.(response.req);
  if (span !== undefined) {
    response.trace = span;
    response.about.traceId = span.traceId;
  }
  response.on('close', () => {
    const { about, req, headersSent, statusCode, writableFinished } = response;
    const durationMs = Math.round((performance.now() - begunAt) * 10) / 10;
    const { method = '' } = req;
    const { route = 'none' } = about;
    const status = headersSent ? statusCode : null;
    span?.end(about, status);
    onAnswered?.({ route, method, status, seconds: status === null ? undefined : durationMs / 1_000 });
    // a probe that asks every second whether we are alive says nothing about payments
    const level = route.startsWith('/health/') ? 'debug' : 'info';
    if (!logger.isLevelEnabled(level)) return;
    logger[level](
      { ...about, method, status, durationMs, ...(!writableFinished && { cut: true }) },
      'request',
    );
  });
}
