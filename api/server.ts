// Puts the app on a port. What never reaches the app, because Node could not read it as a request, is answered here in the
// same form (SEC-4).
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import { problem, renderProblem } from './problem.ts';

export interface RunningServer {
  readonly port: number;
  /** Ends idle connections, lets requests finish, then resolves. */
  close(): Promise<void>;
}

/** Milliseconds, and numbers of connections (SEC-7). */
export interface ServerLimits {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly idleMs: number;
  readonly answerMs: number;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
}

const defaultLimits = {
  headersMs: 10_000, // a client that writes slower than that is not one of ours
  requestMs: 30_000, // the largest body has 256 KiB
  idleMs: 65_000, // longer than the 60 s of common load balancers, so that they close first
};
const closeTimeoutMs = 10_000;

/** @param port 0 lets the system choose */
export async function startServer(
  app: OpenAPIHono,
  {
    host,
    port,
    limits,
  }: { readonly host: string; readonly port: number; readonly limits?: Partial<ServerLimits> },
): Promise<RunningServer> {
  const listener = getRequestListener(app.fetch, {
    errorHandler: () =>
      renderProblem(problem('invalid-request', { detail: 'The request line is not understood.' })),
  });
  const server = createServer(
    {
      headersTimeout: limits?.headersMs ?? defaultLimits.headersMs,
      requestTimeout: limits?.requestMs ?? defaultLimits.requestMs,
      keepAliveTimeout: limits?.idleMs ?? defaultLimits.idleMs,
    },
    (request, response) => {
      void listener(request, response);
    },
  );
  server.on('clientError', answerUnreadable);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server) };
}

/** Node could not parse the request: overlong headers or path (431), a timeout (408), or no HTTP at all. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const refusal = unreadable(error.code);
  const body = JSON.stringify({
    type: `urn:isthmus:problem:${refusal.code}`,
    title: refusal.title,
    status: refusal.status,
    detail: refusal.detail,
    code: refusal.code,
  });
  socket.end(
    `HTTP/1.1 ${refusal.status} ${refusal.title}\r\ncontent-type: application/problem+json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

function unreadable(code: string | undefined) {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const detail = 'The address and headers are larger than 16 KiB.';
    return { status: 431, code: 'headers-too-large', title: 'Request Header Fields Too Large', detail };
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const detail = 'The request did not arrive in time.';
    return { status: 408, code: 'request-timeout', title: 'Request Timeout', detail };
  }
  return { status: 400, code: 'invalid-request', title: 'Bad Request', detail: 'This is not HTTP/1.1.' };
}

async function closeServer(server: Server): Promise<void> {
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
