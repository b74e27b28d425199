// Serves the app on a port. Passes on only plain HTTP/1.1 requests that arrive completely and in time.
import { constants } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions as ServerHttpOptions,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { createSecureContext } from 'node:tls';
import { ConfigurationError } from '../../core/settings/environment-variables.ts';
import type { ServerTls } from '../../core/settings/config.ts';
import type { Logger } from 'pino';
import { KnownResponse, logRequest, logUnread, type RequestListeners } from './access-log.ts';
import { requestAddress, trusting } from './client.ts';
import type { Authenticator } from './caller.ts';
import type { KeptAnswers } from './kept-answers.ts';
import { guardConnections, type ConnectionLimits } from './connections.ts';
import { failureOf } from './problems/failures.ts';
import { thread } from './limits/fair-queue.ts';
import { problem, problemHead, renderProblem } from './problems/problem.ts';
import { malformed } from './problems/refused-requests.ts';
import { maxHeaderLines, refuseForm } from './request-form.ts';
import { refuse } from './unreadable.ts';

/** What the server serves. `repeatKept` may answer a request instead of `fetch`. */
export interface ServedApp {
  readonly fetch: Parameters<typeof getRequestListener>[0];
  readonly repeatKept?: KeptAnswers['repeat'];
}

export interface RunningServer {
  readonly port: number;
  /** Closes idle connections, lets running requests finish for at most 10 s, then resolves. */
  close(): Promise<void>;
}

/** Times in milliseconds, and numbers of connections. */
export interface ServerLimits extends Omit<ConnectionLimits, 'proxies'> {
  readonly maxConnections: number;
  /** Maximum time from the first byte of a request, or from the connection, to the end of the headers. */
  readonly headersMs: number;
  /** Maximum time from the first byte of a request to its last byte. */
  readonly requestMs: number;
  /** Maximum time from an answer to the next request. */
  readonly idleMs: number;
}

export interface ServerOptions extends RequestListeners {
  readonly host: string;
  /** 0: the operating system chooses a port. */
  readonly port: number;
  readonly limits?: Partial<ServerLimits>;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly string[];
  /** If absent, the server uses plain HTTP. */
  readonly tls?: ServerTls;
  /** Returns the sender of an `Authorization` header whose token was verified earlier. */
  readonly knownSender?: Authenticator['knownSender'];
}

const defaultLimits: ServerLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  answerMs: 30_000, // the same limit as for a request
  idleMs: 65_000, // longer than the 60 s of common load balancers, so that they close first
  checkMs: 250, // closes less than 1 s late: one check notices the unread answer, a later check its timeout
  maxConnections: 16_384, // about 10 KB of memory for each idle connection
  maxConnectionsPerAddress: 8_192,
};
type KnownServer = Server<typeof IncomingMessage, typeof KnownResponse>;
const closeTimeoutMs = 10_000;
const fullLogMs = 60_000; // logs at most one line per minute

export async function startServer(app: ServedApp, options: ServerOptions): Promise<RunningServer> {
  const limits = { ...defaultLimits, ...options.limits };
  const listener = listenerOf(app, options.logger);
  const server = listenBy(options.tls, limits);
  const proxies = trusting(options.trustedProxies ?? []);
  const connections = guardConnections(
    server,
    { ...limits, proxies },
    {
      onFull: sayingFull(options.logger),
      onUnread: (refusal, request) => {
        const { status } = problemHead(refusal);
        return logUnread(options, { status, ruleId: refusal.ruleId }, request);
      },
    },
  );
  server.maxHeadersCount = maxHeaderLines + 1; // Node drops the lines beyond this; refuseForm then refuses
  const take = (request: IncomingMessage, response: KnownResponse): boolean => {
    if (!connections.begin(request, response)) return false;
    logRequest(options, response);
    const refusal = refuseForm(request);
    if (refusal !== undefined) refuse(response, refusal);
    // Node drops the bytes that follow an upgrade offer in the same packet, so the next request may be
    // incomplete
    else if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    return refusal === undefined;
  };
  // an unverified token may be forged, so its request counts against its address
  const askerOf = (request: IncomingMessage) =>
    options.knownSender?.(request.headers.authorization ?? '') ?? requestAddress(request, proxies);
  const answer = (request: IncomingMessage, response: KnownResponse): void => {
    const begin = () => {
      if (app.repeatKept?.(request, response) !== true) void listener(request, response);
    };
    const { trace } = response;
    const toBegin = trace === undefined ? begin : () => trace.run(begin);
    const takeBack = thread.ask(askerOf(request), toBegin);
    if (takeBack === undefined) refuse(response, problem('too-many-messages'));
    else response.on('close', takeBack);
  };
  server.on('request', (request, response) => {
    if (take(request, response)) answer(request, response);
  });
  server.on('checkContinue', (request, response) => {
    if (!take(request, response)) return;
    response.writeContinue();
    answer(request, response);
  });
  server.on('checkExpectation', take); // refuseForm refuses every expectation except 100-continue
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      connections.drain();
      await closeServer(server);
      connections.close();
    },
  };
}

function listenBy(tls: ServerTls | undefined, limits: ServerLimits): KnownServer {
  const options: ServerHttpOptions<typeof IncomingMessage, typeof KnownResponse> = {
    ServerResponse: KnownResponse,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.checkMs,
    requireHostHeader: false, // refuseForm refuses it with a better message
  };
  if (tls === undefined) return createServer(options);
  const { cert, key, clientCa } = tls;
  try {
    createSecureContext({ cert, key, ca: clientCa });
  } catch (error) {
    throw new ConfigurationError(
      `TLS_CERT, TLS_KEY or TLS_CLIENT_CA cannot be used: ${error instanceof Error ? error.message : String(error)}. ` +
        'TLS_CERT is our certificate with its chain, TLS_KEY the private key of it, TLS_CLIENT_CA certificates of authorities, each PEM.',
    );
  }
  return createTlsServer({
    ...options,
    cert,
    key,
    minVersion: 'TLSv1.2',
    handshakeTimeout: options.headersTimeout,
    // Disable TLS session tickets: a resumed session would accept the earlier client certificate even after
    // its expiry (RFC 8705)
    secureOptions: constants.SSL_OP_NO_TICKET,
    requestCert: true,
    // most clients have no certificate; token checks verify it if a token is bound to one
    rejectUnauthorized: false,
    ...(clientCa !== undefined && { ca: clientCa }),
  });
}

function listenerOf(app: ServedApp, logger: Logger) {
  return getRequestListener(app.fetch, {
    errorHandler: (error) => {
      if (error instanceof RequestError) return renderProblem(malformed('address'));
      logger.error({ err: error }, 'request failed');
      return renderProblem(failureOf(error));
    },
  });
}

function sayingFull(logger: Logger): () => void {
  let saidAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - saidAtMs < fullLogMs) return;
    saidAtMs = performance.now();
    logger.warn('the limit of connections is reached: idle ones are closed, and new ones dropped');
  };
}

async function closeServer(server: KnownServer): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  server.closeIdleConnections();
  const timer = setTimeout(() => {
    server.closeAllConnections();
  }, closeTimeoutMs);
  await closed;
  clearTimeout(timer);
}
