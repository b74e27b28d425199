/**
 * The HTTP server that every party uses. It reads the complete body of each request and sends one answer. A
 * switch makes it refuse requests. The party itself handles paths and messages.
 */
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { refuseBrowser } from '../core/browser.ts';
import { isUnencoded } from '../core/media-type.ts';
import type { Log } from './options.ts';
import { outageSwitch, parseRefusal, refusalForm, type Refusal } from './outage.ts';

export interface PartyRequest {
  readonly method: string;
  /** The decoded segments of the path, without empty segments. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly webhookHeaders: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export type PartyAnswer =
  | { readonly status: number; readonly contentType?: string; readonly body?: string }
  /** Closes the connection without an answer. */
  | 'reset';

export interface PartyServer {
  /** Base address, such as `http://127.0.0.1:9101`. */
  readonly url: string;
  /**
   * Makes the server refuse requests, or accept them again if the argument is null. `POST /control` does the
   * same with the same fields as JSON.
   */
  refuse(refusal: Refusal | null): void;
  close(): Promise<void>;
}

export interface PartyServerOptions {
  readonly host: string;
  readonly port: number;
  /** Returned in a header of `GET /health`. */
  readonly instanceId: string | undefined;
  readonly log: Log;
  readonly answer: (request: PartyRequest) => Promise<PartyAnswer>;
  /** Called for each request that the switch refused. */
  readonly onRefused: (request: PartyRequest, status: number) => void;
}

const maxBodyBytes = 256 * 1024;
// longer than the keep-alive time of any client, so that no request arrives on a closing socket
const keepAliveMs = 30_000;

export function problem(status: number, detail: string): PartyAnswer {
  const body = JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail });
  return { status, contentType: 'application/problem+json', body };
}

export async function startPartyServer(options: PartyServerOptions): Promise<PartyServer> {
  const { host, port, instanceId, log, answer, onRefused } = options;
  const outage = outageSwitch();

  function control(request: PartyRequest): PartyAnswer {
    const refusal = parseRefusal(request.body);
    if (refusal === undefined) return problem(422, `expected ${refusalForm}`);
    outage.set(refusal);
    return { status: 204 };
  }

  async function answerTo(incoming: IncomingMessage, outgoing: ServerResponse): Promise<PartyAnswer> {
    const body = await readBody(incoming);
    if (body === undefined) {
      outgoing.setHeader('connection', 'close'); // the rest of the body is not read
      return problem(413, 'a message must not exceed 256 KiB');
    }
    const request = toRequest(incoming, body);
    if (request === undefined) return problem(400, 'the request target cannot be read');
    const where = `/${request.path.join('/')}`;
    if (where === '/health' && request.method === 'GET') {
      if (instanceId !== undefined) outgoing.setHeader('isthmus-instance', instanceId);
      return { status: 200, contentType: 'text/plain', body: 'ok' };
    }
    if (request.method !== 'POST') return problem(405, 'only POST is taken');
    if (where === '/control') return controlFault(incoming.headers) ?? control(request);
    const refusal = outage.take(where);
    if (refusal !== undefined) {
      const { status, retryAfterSeconds } = refusal;
      if (retryAfterSeconds !== undefined) outgoing.setHeader('retry-after', retryAfterSeconds);
      onRefused(request, status);
      return problem(status, 'refused on purpose, by /control');
    }
    return mediaFault(incoming.headers) ?? (await answer(request));
  }

  const server = createServer((incoming, outgoing) => {
    answerTo(incoming, outgoing)
      .catch((error: unknown) => {
        if (!incoming.complete) return 'reset' as const; // the client has disconnected
        log('failed', { error: error instanceof Error ? error.message : 'unknown' });
        return problem(500, 'the sandbox failed; its log says why');
      })
      .then((result) => write(incoming, outgoing, result))
      .catch((error: unknown) => log('failed', { error: String(error) }));
  });
  server.keepAliveTimeout = keepAliveMs;
  await listen(server, port, host);
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${nameOf(host)}:${bound}`,
    refuse: (refusal) => outage.set(refusal),
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

/** The host at which clients on this machine reach the server. */
function nameOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** @returns undefined if the body exceeds `maxBodyBytes` */
async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length;
    if (size > maxBodyBytes) {
      incoming.resume(); // discard the rest, so that the client can read the refusal
      return undefined;
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/**
 * Refuses control requests from web pages, because only the person who runs the sandbox may control it.
 * Returns undefined if the request is allowed.
 */
function controlFault(headers: IncomingMessage['headers']): PartyAnswer | undefined {
  const site = headers['sec-fetch-site'];
  const source = {
    host: headers.host,
    origin: headers.origin,
    site: typeof site === 'string' ? site : undefined,
  };
  const refusal = refuseBrowser(source, { origins: [] });
  if (refusal !== undefined) return problem(403, refusal);
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim().toLowerCase() === 'application/json'
    ? undefined
    : problem(415, 'Send Content-Type: application/json, which no page of another origin can.');
}

/** Checks the media type and the encoding. Returns undefined if both are supported. */
function mediaFault(headers: IncomingMessage['headers']): PartyAnswer | undefined {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  if (!['application/xml', 'text/xml'].includes(type.trim())) {
    return problem(415, 'Content-Type must be application/xml or text/xml');
  }
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-8"?$/.test(charset)) {
    return problem(415, 'charset must be utf-8');
  }
  return isUnencoded(headers['content-encoding'])
    ? undefined
    : problem(415, 'Content-Encoding is not supported');
}

/** @returns undefined if the request target is not a valid URL */
function toRequest(incoming: IncomingMessage, body: Uint8Array): PartyRequest | undefined {
  try {
    const url = new URL(incoming.url ?? '/', 'http://party.invalid');
    const path = url.pathname
      .split('/')
      .filter((one) => one !== '')
      .map((one) => decodeURIComponent(one));
    const webhookHeaders = Object.fromEntries(
      Object.entries(incoming.headers).flatMap(([name, value]) =>
        name.startsWith('webhook-') && typeof value === 'string' ? [[name, value]] : [],
      ),
    );
    return { method: incoming.method ?? '', path, query: url.searchParams, webhookHeaders, body };
  } catch {
    return undefined;
  }
}

function write(incoming: IncomingMessage, outgoing: ServerResponse, answer: PartyAnswer): void {
  if (answer === 'reset') {
    incoming.socket.resetAndDestroy();
    return;
  }
  const { status, contentType, body = '' } = answer;
  outgoing.writeHead(status, {
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
    ...(status === 204 ? {} : { 'content-length': Buffer.byteLength(body) }),
  });
  outgoing.end(body);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
