// One request and what came of it, classified (TIM-3). From the moment that a byte may have left it is MAYBE_SENT,
// unless the head of an answer came: then its status counts, whatever becomes of the body (CBK-4).
import type { Dispatcher } from 'undici';

/** What came of one post. NOT_SENT: no byte of the request left. MAYBE_SENT: it may have been read (TIM-3). */
export type PostResult =
  | {
      readonly outcome: 'ANSWERED';
      readonly status: number;
      /** At most 64 KiB. */
      readonly body: Buffer;
      /** Whether the body was longer, or broke off, or took too long: what is here is its beginning (CBK-4). */
      readonly truncated: boolean;
      /** From `Retry-After`, milliseconds. */
      readonly retryAfterMs: number | null;
    }
  | { readonly outcome: 'NOT_SENT' | 'MAYBE_SENT'; readonly errorClass: string };

export interface Exchange {
  readonly url: URL;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds from the first byte of the request to the head of the answer. */
  readonly headersTimeoutMs: number;
  /** Milliseconds in all. */
  readonly totalTimeoutMs: number;
  /** `performance.now()` after which no byte may leave. */
  readonly sendBefore: number | undefined;
}

const maxBodyBytes = 64 * 1024; // SEC-5

const errorClasses: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_DESTROYED: 'closed',
  UND_ERR_CLOSED: 'closed',
  ETIMEDOUT: 'timeout',
  ENETUNREACH: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  UND_ERR_HEADERS_OVERFLOW: 'answer-too-large',
  EPROTO: 'tls',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls',
};

/** One word for the record (CBK-4), never a text of the other side. */
export function errorClassOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  const { code, errorClass } = error as Error & { code?: unknown; errorClass?: unknown };
  if (typeof errorClass === 'string') return errorClass;
  if (typeof code !== 'string') return 'failed';
  if (code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') || code.includes('CERT')) return 'tls';
  return errorClasses[code] ?? (code.startsWith('HPE_') ? 'not-http' : 'failed');
}

/** Seconds or an HTTP date (RFC 9110). */
function retryAfterMs(value: string | string[] | undefined): number | null {
  if (typeof value !== 'string') return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}

/** How far an exchange has come. */
interface Progress {
  ended: boolean;
  /** Once a byte may have left. */
  controller?: Dispatcher.DispatchController;
  head?: { readonly status: number; readonly retryAfterMs: number | null };
  readonly chunks: Buffer[];
  bytes: number;
}

/**
 * Posts once; it has ended when the total limit is over.
 * @throws only on a defect: an unusable header, or the like
 */
export function exchange(dispatcher: Dispatcher, request: Exchange): Promise<PostResult> {
  return new Promise((resolve) => {
    const progress: Progress = { ended: false, chunks: [], bytes: 0 };
    const timers: NodeJS.Timeout[] = [];
    const after = (ms: number, act: () => void) => void timers.push(setTimeout(act, Math.max(0, ms)));
    const end = (errorClass: string | undefined) => {
      if (progress.ended) return;
      progress.ended = true;
      timers.forEach(clearTimeout);
      resolve(resultOf(progress, errorClass));
      if (errorClass !== undefined) progress.controller?.abort(new Error(errorClass)); // closes the connection
    };
    const isTooLate = () => request.sendBefore !== undefined && performance.now() >= request.sendBefore;
    if (isTooLate()) {
      end('too-late');
      return;
    }
    // First read what came while this process itself stood still.
    let isExpired = false;
    const unlessAnswered = (act: () => void) => {
      isExpired = true;
      setImmediate(() => setImmediate(act));
    };
    after(request.totalTimeoutMs, () => unlessAnswered(() => end('timeout')));
    if (request.sendBefore !== undefined) {
      after(request.sendBefore - performance.now(), () => progress.controller ?? end('too-late'));
    }
    const { origin, pathname, search } = request.url;
    dispatcher.dispatch(
      { origin, path: pathname + search, method: 'POST', body: request.body, headers: request.headers },
      {
        // Called when the connection stands, in the same turn as the first byte is written, and never if it does not.
        onRequestStart: (controller) => {
          if (isTooLate()) end('too-late');
          if (progress.ended || progress.controller !== undefined) {
            controller.abort(new Error('too-late'));
            return;
          }
          progress.controller = controller;
          after(request.headersTimeoutMs, () => {
            if (progress.head === undefined) unlessAnswered(() => progress.head ?? end('timeout'));
          });
        },
        onResponseStart: (_, status, headers) => {
          if (status < 200) return;
          progress.head = { status, retryAfterMs: retryAfterMs(headers['retry-after']) };
        },
        onResponseData: (_, chunk) => {
          progress.chunks.push(chunk.subarray(0, maxBodyBytes - progress.bytes));
          progress.bytes += chunk.length;
          if (progress.bytes > maxBodyBytes) end('answer-too-large');
        },
        onResponseEnd: () => end(undefined),
        onResponseError: (_, error) => end(isExpired ? 'timeout' : errorClassOf(error)),
      },
    );
  });
}

/** @param errorClass why it ended, unless the answer was read to its end */
function resultOf({ head, controller, chunks }: Progress, errorClass: string | undefined): PostResult {
  if (head !== undefined) {
    return { outcome: 'ANSWERED', ...head, body: Buffer.concat(chunks), truncated: errorClass !== undefined };
  }
  return {
    outcome: controller === undefined ? 'NOT_SENT' : 'MAYBE_SENT',
    errorClass: errorClass ?? 'not-http',
  };
}
