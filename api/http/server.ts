// Serves the app on a port. Only requests in plain HTTP/1.1 that arrive completely and in time reach it.
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
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Logger } from 'pino';
import { KnownResponse, logRequest, logUnread, type RequestListeners } from './access-log.ts';
import { requestAddress, trusting } from './client.ts';
import type { Authenticator } from './caller.ts';
import { guardConnections, type ConnectionLimits } from './connections.ts';
import { failureOf } from './problems/failures.ts';
import { thread } from './limits/fair-queue.ts';
import { problem, problemHead, renderProblem } from './problems/problem.ts';
import { malformed } from './problems/refused-requests.ts';
import { maxHeaderLines, refuseForm } from './request-form.ts';
import { refuse } from './unreadable.ts';

export interface RunningServer {
  readonly port: number;
  /** Ends idle connections, lets requests finish for at most 10 s, then resolves. */
  close(): Promise<void>;
}

/** Milliseconds, and numbers of connections. */
export interface ServerLimits extends Omit<ConnectionLimits, 'proxies'> {
  readonly maxConnections: number;
  /** From the first byte of a request, or from the connection, to the end of the headers. */
  readonly headersMs: number;
  /** From the first byte of a request to its last. */
  readonly requestMs: number;
  /** From an answer to the next request. */
  readonly idleMs: number;
}

export interface ServerOptions extends RequestListeners {
  readonly host: string;
  /** 0: the operating system chooses. */
  readonly port: number;
  readonly limits?: Partial<ServerLimits>;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly string[];
  /** Absent: plain HTTP. */
  readonly tls?: ServerTls;
  /** The sender of an `Authorization` header whose token was verified before. */
  readonly knownSender?: Authenticator['knownSender'];
}

const defaultLimits: ServerLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  answerMs: 30_000, // as long as a request may take
  idleMs: 65_000, // longer than the 60 s of common load balancers, so that they close first
  checkMs: 250, // less than 1 s late: one check sees an unread answer, a later one that its time is over
  maxConnections: 16_384, // about 10 KB each when idle
  maxConnectionsPerAddress: 8_192,
};
type KnownServer = Server<typeof IncomingMessage, typeof KnownResponse>;
const closeTimeoutMs = 10_000;
const fullLogMs = 60_000; // one line a minute is enough

export async function startServer(app: OpenAPIHono, options: ServerOptions): Promise<RunningServer> {
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
  server.maxHeadersCount = maxHeaderLines + 1; // Node drops further lines, and refuseForm refuses the request
  const take = (request: IncomingMessage, response: KnownResponse): boolean => {
    if (!connections.begin(request, response)) return false;
    logRequest(options, response);
    const refusal = refuseForm(request);
    if (refusal !== undefined) refuse(response, refusal);
    // Node drops the bytes behind an upgrade offer in the same packet, so the next request may be incomplete
    else if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    return refusal === undefined;
  };
  // an unverified token may be forged, so its request counts for its address
  const askerOf = (request: IncomingMessage) =>
    options.knownSender?.(request.headers.authorization ?? '') ?? requestAddress(request, proxies);
  const answer = (request: IncomingMessage, response: KnownResponse): void => {
    const begin = () => void listener(request, response);
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
  server.on('checkExpectation', take); // refuseForm refuses every other expectation
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
    requireHostHeader: false, // refuseForm has a better text
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
    // No session is resumed: its ticket would vouch for the earlier client certificate even after that expired (RFC
    // 8705)
    secureOptions: constants.SSL_OP_NO_TICKET,
    requestCert: true,
    rejectUnauthorized: false, // most clients have no certificate; it is checked where a token is bound to it
    ...(clientCa !== undefined && { ca: clientCa }),
  });
}

function listenerOf(app: OpenAPIHono, logger: Logger) {
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
