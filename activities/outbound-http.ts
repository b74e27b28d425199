// The one way out: posts a message to another party's server and classifies what happened (TIM-3, SEC-2, SEC-5).
// It never follows a redirect, never inflates, and never connects to an address that it did not check itself.
import dns from 'node:dns';
import net from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector, request } from 'undici';

export interface OutboundOptions {
  /** Demos only: loopback addresses may be connected to. */
  readonly allowLoopback: boolean;
  /** Milliseconds to connect and, apart from that, to the headers of the answer; default 5 s (SEC-5). */
  readonly headersTimeoutMs?: number;
  /** Milliseconds in all; default 10 s (SEC-5). */
  readonly totalTimeoutMs?: number;
}

/** What came of one post. NOT_SENT: no byte of the request left. MAYBE_SENT: it may have been read (TIM-3). */
export type PostResult =
  | {
      readonly outcome: 'ANSWERED';
      readonly status: number;
      readonly body: Buffer;
      /** From `Retry-After`, milliseconds. */
      readonly retryAfterMs: number | null;
    }
  | { readonly outcome: 'NOT_SENT' | 'MAYBE_SENT'; readonly errorClass: string };

export interface OutboundHttp {
  /** @param timeoutMs replaces the limits of SEC-5, where another rule sets one (RES-1) */
  post(
    url: string,
    body: Buffer,
    headers: Readonly<Record<string, string>>,
    timeoutMs?: number,
  ): Promise<PostResult>;
  close(): Promise<void>;
}

const maxBodyBytes = 64 * 1024; // SEC-5
const maxConnectionsPerOrigin = 64; // CBK-3

/** Raised before the request was written: nothing can have been read. */
class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly errorClass: string;

  constructor(errorClass: string) {
    super(errorClass);
    this.errorClass = errorClass;
  }
}

// Ranges that ipaddr.js calls unicast and that are not the public internet.
const otherForbidden = [ipaddr.parseCIDR('::/96'), ipaddr.parseCIDR('168.63.129.16/32')];

/** SEC-2: only public unicast addresses; loopback where the demo allows it. */
export function isAllowedAddress(address: string, allowLoopback: boolean): boolean {
  const parsed = ipaddr.process(address);
  if (allowLoopback && parsed.range() === 'loopback') return true;
  if (parsed.range() !== 'unicast') return false;
  return !otherForbidden.some(([range, bits]) => parsed.kind() === range.kind() && parsed.match(range, bits));
}

function createConnector(options: OutboundOptions): buildConnector.connector {
  const allowed = (address: string) => isAllowedAddress(address, options.allowLoopback);
  const lookup: net.LookupFunction = (hostname, lookupOptions, callback) => {
    dns.lookup(hostname, { ...lookupOptions, all: true }, (error, addresses) => {
      if (error) {
        callback(error, '', 0);
        return;
      }
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => allowed(address))) {
        callback(new ConnectError('address-forbidden'), '', 0);
      } else if (lookupOptions.all === true) {
        callback(null, addresses);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
  const connect = buildConnector({ timeout: options.headersTimeoutMs ?? 5_000, lookup });
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    if (net.isIP(host) !== 0 && !allowed(host)) {
      callback(new ConnectError('address-forbidden'), null);
      return;
    }
    connect(target, (...result) => {
      const [error, socket] = result;
      if (error !== null) {
        callback(error instanceof ConnectError ? error : new ConnectError(errorClassOf(error)), null);
      } else if (socket.remoteAddress === undefined || !allowed(socket.remoteAddress)) {
        socket.destroy();
        callback(new ConnectError('address-forbidden'), null);
      } else {
        callback(null, socket);
      }
    });
  };
}

const errorClasses: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  ENOTFOUND: 'name-unknown',
  EAI_AGAIN: 'name-unknown',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_RESPONSE_EXCEEDED_SIZE: 'answer-too-large',
  ABORT_ERR: 'timeout',
};

function errorClassOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'timeout';
  const { code } = error as Error & { code?: unknown };
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

class AnswerTooLarge extends Error {
  readonly code = 'UND_ERR_RESPONSE_EXCEEDED_SIZE';
}

async function readBody(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBodyBytes) throw new AnswerTooLarge();
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

export function createOutboundHttp(options: OutboundOptions): OutboundHttp {
  const headersTimeout = options.headersTimeoutMs ?? 5_000; // SEC-5
  const totalTimeout = options.totalTimeoutMs ?? 10_000; // SEC-5
  const pool = {
    connect: createConnector(options),
    connections: maxConnectionsPerOrigin,
    pipelining: 1,
    headersTimeout,
    bodyTimeout: totalTimeout,
  };
  const agent = new Agent(pool);
  // Who may take longer has connections of its own: a silent proxy directory holds none of its operator's payments.
  const patientAgent = new Agent(pool);
  return {
    post: async (url, body, headers, timeoutMs) => {
      try {
        const answer = await request(url, {
          method: 'POST',
          body,
          headers: { ...headers, 'accept-encoding': 'identity' },
          dispatcher: timeoutMs === undefined ? agent : patientAgent,
          ...(timeoutMs !== undefined && { headersTimeout: timeoutMs, bodyTimeout: timeoutMs }),
          signal: AbortSignal.timeout(timeoutMs ?? totalTimeout),
        });
        return {
          outcome: 'ANSWERED',
          status: answer.statusCode,
          body: await readBody(answer.body),
          retryAfterMs: retryAfterMs(answer.headers['retry-after']),
        };
      } catch (error) {
        return error instanceof ConnectError
          ? { outcome: 'NOT_SENT', errorClass: error.errorClass }
          : { outcome: 'MAYBE_SENT', errorClass: errorClassOf(error) };
      }
    },
    close: async () => {
      await Promise.all([agent.destroy(), patientAgent.destroy()]);
    },
  };
}
