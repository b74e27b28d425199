// Makes one request and classifies its outcome. Once a byte may have left, the outcome is MAYBE_SENT. If the
// headers of an answer arrived, their status counts instead, whatever happens to the body. Each request has a
// new connection (docs/decisions.md). So no answer belongs to another request, and no send meets a closing
// connection. Node's HTTP client reads the answer and interim answers (1xx), as RFC 9110 requires.
import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { assert } from '../../core/assert.ts';
import type { Connector } from './connect-checked.ts';
import { errorClassOf } from './error-class.ts';
import { isSuccess } from '../deliveries/send-policies.ts';

/** NOT_SENT: no byte of the request left. MAYBE_SENT: the receiver may have read the request (TIM-3). */
export type PostResult =
  | {
      readonly outcome: 'ANSWERED';
      readonly status: number;
      /** At most 64 KiB, decoded. */
      readonly body: Buffer;
      /**
       * Whether the body is incomplete or could not be decoded. Then `body` holds its beginning, or nothing.
       */
      readonly truncated: boolean;
      /** The delay from `Retry-After`, in milliseconds. */
      readonly retryAfterMs: number | null;
    }
  | { readonly outcome: 'NOT_SENT' | 'MAYBE_SENT'; readonly errorClass: string };

export interface Exchange {
  readonly url: URL;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds from the first byte of the request to the headers of the answer. */
  readonly headersTimeoutMs: number;
  readonly totalTimeoutMs: number;
  /** The value of `performance.now()` after which no byte may leave. */
  readonly sendBefore: number | undefined;
}

const maxBodyBytes = 64 * 1024;
const gzip = /^[ \t]*(x-)?gzip[ \t]*$/i; // RFC 9110, section 8.4.1.3
const maxInterims = 20; // Interim answers (1xx). An endless series would delay the sends to other receivers.

/** Parses a number of seconds or an HTTP date (RFC 9110) into milliseconds; null for anything else. */
function retryAfterMs(value: string | string[] | undefined): number | null {
  if (typeof value !== 'string') return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}

interface Posting {
  /**
   * Node writes the headers together with the body. So write the body only once the request has its socket.
   */
  readonly client: ClientRequest;
  /** Cancels the attempt to connect, or closes the connection. */
  readonly abandon: () => void;
}

function openPosting(
  connector: Connector,
  { protocol, hostname, port, pathname, search }: URL,
  headers: Readonly<Record<string, string>>,
): Posting {
  const defaultPort = protocol === 'https:' ? 443 : 80;
  const host = hostname.replace(/^\[|\]$/g, '');
  const target = { protocol, hostname: host, port: port === '' ? String(defaultPort) : port };
  let cancel: (() => void) | undefined;
  const client = openRequest({
    createConnection: (_, callback) => {
      cancel = connector.connect(target, (...[error, socket]) => {
        callback(error, socket as Duplex); // On an error there is no socket, and Node reads only the error.
      });
      return undefined;
    },
    hostname: host,
    port: target.port,
    defaultPort, // Node omits this port from the `Host` header.
    path: pathname + search,
    method: 'POST',
    headers,
  });
  return {
    client,
    abandon: () => {
      cancel?.();
      client.destroy();
    },
  };
}

interface ExchangeState {
  ended: boolean;
  posting?: Posting;
  begun: boolean;
  isSent: boolean;
  answer?: IncomingMessage;
  isWhole: boolean;
  head?: { readonly status: number; readonly retryAfterMs: number | null };
  isGzip: boolean;
  readonly chunks: Buffer[];
  bytes: number;
  interims: number;
}

interface ExchangeEvents {
  /**
   * Called when connected. @returns whether to send; then the bytes must leave in the same turn of the event
   * loop
   */
  readonly begin: () => boolean;
  /**
   * Ends the exchange; only the first call counts.
   * @param errorClass why it ended; undefined if the whole request was sent and the whole answer read
   */
  readonly end: (errorClass: string | undefined) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Posts once. Resolves at the latest when the total time limit is over or `closing` is aborted.
 * @throws only on a defect, such as an unusable header
 */
export function exchange(connector: Connector, request: Exchange, closing: AbortSignal): Promise<PostResult> {
  return new Promise((resolve, reject) => {
    const state: ExchangeState = {
      ended: false,
      begun: false,
      isSent: false,
      isWhole: false,
      isGzip: false,
      chunks: [],
      bytes: 0,
      interims: 0,
    };
    const timers: NodeJS.Timeout[] = [];
    const after = (ms: number, act: () => void) => void timers.push(setTimeout(act, Math.max(0, ms)));
    const isTooLate = () => request.sendBefore !== undefined && performance.now() >= request.sendBefore;
    const close = () => end('closed');
    const settle = (act: () => void) => {
      if (state.ended) return;
      state.ended = true;
      timers.forEach(clearTimeout);
      closing.removeEventListener('abort', close);
      act();
    };
    const end = (errorClass: string | undefined) =>
      settle(() => {
        resolve(resultOf(state, errorClass));
        state.posting?.abandon();
      });
    // A timer may be late because this process was blocked. So first read the data that arrived meanwhile.
    let isExpired = false;
    const unlessAnswered = (act: () => void) => {
      isExpired = true;
      afterReading(act);
    };
    if (isTooLate() || closing.aborted) {
      end(closing.aborted ? 'closed' : 'too-late');
      return;
    }
    closing.addEventListener('abort', close);
    after(request.totalTimeoutMs, () => unlessAnswered(() => end('timeout')));
    if (request.sendBefore !== undefined) {
      // Even if a part of the request has left, the rest must not leave.
      after(request.sendBefore - performance.now(), () => {
        if (!state.isSent) end('too-late');
      });
    }
    try {
      send(connector, request, state, {
        begin: () => {
          if (isTooLate()) end('too-late');
          if (isExpired) end('timeout');
          if (state.ended) return false;
          state.begun = true;
          after(request.headersTimeoutMs, () => {
            if (state.head === undefined) unlessAnswered(() => state.head ?? end('timeout'));
          });
          return true;
        },
        end,
        failed: (error) => end(isExpired ? 'timeout' : errorClassOf(error)),
      });
    } catch (error) {
      settle(() => reject(error instanceof Error ? error : new Error(String(error))));
    }
  });
}

function send(connector: Connector, request: Exchange, state: ExchangeState, events: ExchangeEvents): void {
  const headers = { ...request.headers, 'content-length': String(request.body.length) };
  const { client, abandon } = (state.posting = openPosting(connector, request.url, headers));
  client.once('socket', (socket) => {
    // Bytes that arrived before the request cannot be its answer.
    if (socket.readableLength > 0) events.end('not-http');
    else if (events.begin()) write();
    if (!state.begun) abandon();
  });
  const write = () => {
    client.write(request.body, (error) => {
      if (error !== null && error !== undefined) return; // The 'error' event reports it.
      state.isSent = true;
      if (state.isWhole) events.end(undefined);
    });
    client.end();
  };
  client.on('information', () => {
    state.interims += 1;
    if (state.interims > maxInterims) events.end('not-http');
  });
  client.once('response', (answer) => readAnswer(state, events, answer));
  client.once('upgrade', () => events.end('not-http')); // The request asked for no upgrade.
  client.on('error', (error) => {
    if (state.answer?.complete) {
      // The answer is complete; only the bytes after it are wrong. So read the chunks that are still
      // buffered.
      while (state.answer.read() !== null);
      state.isWhole = true;
      if (state.isSent) events.end(undefined);
    }
    events.failed(error);
  });
  client.once('close', () => events.end(state.isWhole && state.isSent ? undefined : 'reset'));
}

function readAnswer(state: ExchangeState, events: ExchangeEvents, answer: IncomingMessage): void {
  const { statusCode = 0, headers } = answer;
  // A 1xx is not a final answer. Node hides them, except a 101 without an upgrade (RFC 9110, section 15.2).
  if (statusCode < 200) {
    events.end('not-http');
    return;
  }
  state.answer = answer;
  state.head = { status: statusCode, retryAfterMs: retryAfterMs(headers['retry-after']) };
  state.isGzip = gzip.test(headers['content-encoding'] ?? '');
  answer.on('data', (chunk: Buffer) => {
    state.chunks.push(chunk.subarray(0, maxBodyBytes - state.bytes));
    state.bytes += chunk.length;
    if (state.bytes > maxBodyBytes) events.end('answer-too-large');
  });
  answer.once('end', () => {
    state.isWhole = true;
    // A server may answer early and still read the rest of the request (RFC 9110, section 7.5).
    if (state.isSent) events.end(undefined);
  });
  answer.once('error', events.failed);
}

/** Acts after the data that has arrived is read, which takes two turns of the event loop. */
function afterReading(act: () => void): void {
  setImmediate(() => setImmediate(act));
}

/**
 * Decodes gzip, because some servers compress unasked. Undefined if incomplete, not gzip, or too large when
 * decoded.
 */
function decoded(body: Buffer, isWhole: boolean): Buffer | undefined {
  if (!isWhole) return undefined;
  try {
    // Stops at the limit, as a defence against zip bombs.
    return gunzipSync(body, { maxOutputLength: maxBodyBytes });
  } catch {
    return undefined;
  }
}

/**
 * The outcome of an exchange. A 2xx counts only after the whole request has left, because the receiver cannot
 * have accepted it before. Any other status counts.
 * @param errorClass why the exchange ended; undefined if the whole request was sent and the whole answer read
 */
function resultOf(
  { head, begun, isSent, isWhole, isGzip, chunks }: ExchangeState,
  errorClass: string | undefined,
): PostResult {
  if (head !== undefined && (isSent || !isSuccess(head.status))) {
    const sent = Buffer.concat(chunks);
    const body = isGzip && sent.length > 0 ? decoded(sent, isWhole) : sent;
    return {
      outcome: 'ANSWERED',
      ...head,
      body: body ?? Buffer.alloc(0),
      truncated: !isWhole || body === undefined,
    };
  }
  assert(errorClass !== undefined, 'nothing is read to its end before its head');
  return {
    outcome: begun ? 'MAYBE_SENT' : 'NOT_SENT',
    errorClass,
  };
}
