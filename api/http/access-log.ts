// Logs one line per request (OBS-1): route, client, payment, refusing rule, duration and request id. The
// answer carries the same id (`x-request-id`). Paths, queries and bodies are never logged, because they may
// hold personal data.
import { randomBytes } from 'node:crypto';
import {
  ServerResponse,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
} from 'node:http';
import type { Context } from 'hono';
import type { Logger } from 'pino';
import { rateLimitLines, type Standing } from './limits/quotas.ts';

/** Fields of a request's log line, filled in while the request is processed. */
export interface AboutRequest {
  requestId: string;
  /** Absent if the request is not traced. */
  traceId?: string;
  /** Path template as in OpenAPI, such as `/payments/{uetr}`; absent if no route matched. */
  route?: string;
  /** Client id. */
  client?: string;
  /** UETR of the payment, or id of the resolution. */
  subjectId?: string;
  ruleId?: string;
  /** The ISO status in a received report, such as ACCC. */
  reported?: string;
}

/** An object, or a flat list: name, value, name, value. */
type Headers = OutgoingHttpHeaders | readonly OutgoingHttpHeader[];

/**
 * A response that holds the log fields of its request and sends the request id. It adds the id in
 * `writeHead`. After an earlier call of `setHeader`, Node would set each header separately. That costs a
 * tenth of the time of a short answer.
 */
export class KnownResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  readonly about: AboutRequest = { requestId: requestIdOf(this.req) };
  /** Undefined if the request is not traced. */
  trace?: RequestTrace;
  /** The client's rate limit; undefined if none applies. */
  standing?: Standing;

  override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
    const { requestId } = this.about;
    if (typeof reason === 'string') {
      this.setHeader('x-request-id', requestId);
      return super.writeHead(status, reason, headers as OutgoingHttpHeaders);
    }
    const lines = linesOf(reason);
    lines.push('x-request-id', requestId);
    if (this.standing !== undefined) lines.push(...rateLimitLines(this.standing));
    return super.writeHead(status, lines);
  }
}

/**
 * Returns a new flat list (name, value, name, value). Copying the headers into an object would cost another
 * tenth of the time of a short answer.
 */
function linesOf(headers: Headers = {}): OutgoingHttpHeader[] {
  if (isList(headers)) return [...headers];
  const lines: OutgoingHttpHeader[] = [];
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) lines.push(name, value);
  }
  return lines;
}

/** `Array.isArray` that also narrows readonly arrays. */
const isList = (headers: Headers): headers is readonly OutgoingHttpHeader[] => Array.isArray(headers);

/**
 * The log fields of this request, for the caller to fill in. They are discarded if there is no server, as in
 * tests of the app alone.
 */
export function aboutRequest(context: Context): AboutRequest {
  const { outgoing } = (context.env ?? {}) as { readonly outgoing?: { readonly about?: AboutRequest } };
  return outgoing?.about ?? { requestId: '' };
}

/** Adds the client's rate limit to the headers of the answer. */
export function noteStanding({ env }: Pick<Context, 'env'>, standing: Standing): void {
  const { outgoing } = (env ?? {}) as { readonly outgoing?: unknown };
  if (outgoing instanceof KnownResponse) outgoing.standing = standing;
}

/**
 * Logs the rule that refused a message. The `Isthmus-Rejection` header of the answer begins with the rule id.
 */
export function noteRejection(about: AboutRequest, answer: Response): void {
  const ruleId = answer.headers.get('isthmus-rejection')?.split(' ', 1)[0];
  if (ruleId !== undefined) about.ruleId = ruleId;
}

/** A UUID, or a trace id of 32 hexadecimal digits. Other text could bring personal data into the log. */
const requestIdForm = /^(?:[\da-f]{32}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;
const ofProcess = randomBytes(4).toString('hex');
let count = 0;

/** The sender's `X-Request-Id` if it has the form of an id; otherwise a new id. */
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
  /** `none` if no route matched. */
  readonly route: string;
  /** `none` if the method could not be read. */
  readonly method: string;
  /** HTTP status; null if the client left before the answer began. */
  readonly status: number | null;
  /**
   * Duration. Undefined if there was no answer. Also undefined if Node's parser refused the request, because
   * its start is unknown.
   */
  readonly seconds: number | undefined;
}

/** The trace span of a request. */
export interface RequestTrace {
  readonly traceId: string;
  /** Runs the code that answers the request within the span. */
  readonly run: (answer: () => void) => void;
  /** @param status HTTP status; null if there was no answer */
  readonly end: (about: AboutRequest, status: number | null) => void;
}

export interface RequestListeners {
  readonly logger: Logger;
  /**
   * Starts the span of a request. Returns undefined for a request that is not traced. If absent, tracing is
   * off.
   */
  readonly trace?: ((request: IncomingMessage) => RequestTrace | undefined) | undefined;
  readonly onAnswered?: ((request: AnsweredRequest) => void) | undefined;
}

/**
 * Logs a request that never reaches the app, because Node's parser refused it or because it asks for a tunnel
 * (CONNECT).
 * @param request the part that was read, if any
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
 * Starts the timer of a request. Writes the log line when the answer has been sent or the connection is lost.
 * connections.ts makes sure that every response is closed.
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
    // health probes arrive every second and say nothing about payments
    const level = route.startsWith('/health/') ? 'debug' : 'info';
    if (!logger.isLevelEnabled(level)) return;
    logger[level](
      { ...about, method, status, durationMs, ...(!writableFinished && { cut: true }) },
      'request',
    );
  });
}
