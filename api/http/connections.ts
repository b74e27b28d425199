// Limits the number of connections, in total and per address. Writes the last answer on a connection that
// cannot continue. Node itself limits headers, bodies and idle time (server.ts).
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket, type BlockList } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { comesFrom, socketAddress } from './client.ts';
import { problem, type Problem } from './problems/problem.ts';
import { methodNotAllowed } from './problems/refused-requests.ts';
import { rawRefusal, refusalOf, refuse, type ParserError } from './unreadable.ts';

export interface ConnectionLimits {
  /** When this limit is exceeded, the least recently used connection without a pending request is closed. */
  readonly maxConnections: number;
  /** The limit for one IPv4 address, or for one IPv6 network of 64 bits. */
  readonly maxConnectionsPerAddress: number;
  /** Trusted proxies, which may open any number of connections. */
  readonly proxies: BlockList;
  /** Milliseconds that a client may take to read an answer. */
  readonly answerMs: number;
  /** Milliseconds between two checks of the connections. A connection may be closed late by this much. */
  readonly checkMs: number;
}

export interface Connections {
  /** @returns false: the connection is closing, so the answer to this request would be lost */
  begin(request: IncomingMessage, response: ServerResponse): boolean;
  /** Closes each connection after its current answer, and at once if it has received no request. */
  drain(): void;
  close(): void;
}

interface Connection {
  readonly socket: Socket;
  /** The response to the latest request, finished or not. */
  latest?: ServerResponse;
  /**
   * Responses that are not closed yet. A response closes when it is sent completely, or when its connection
   * is lost.
   */
  readonly unfinished: Set<ServerResponse>;
  /** Monotonic clock, in milliseconds: the time since which the client has left sent data unread. */
  unreadSinceMs?: number | undefined;
  /** Set when the latest bytes are not a valid request. The server then reads nothing more. */
  isEnding?: true;
}

const maxUnfinished = 32; // per connection, so that a client that never reads cannot fill the memory
const lingerMs = 500; // lets the client read the refusal: closing a socket with unread input discards sent data

export interface ConnectionListeners {
  /** Called when the limit of all connections is reached. One connection is closed to admit another. */
  readonly onFull: () => void;
  /**
   * Called when a request is refused before it reaches the server's handlers.
   * @param request the part that was read, if any
   * @returns the request id
   */
  readonly onUnread: (refusal: Problem, request?: IncomingMessage) => string;
}

export function guardConnections(
  server: Server,
  limits: ConnectionLimits,
  { onFull, onUnread }: ConnectionListeners,
): Connections {
  const all = new Set<Connection>();
  const bySocket = new WeakMap<Socket, Connection>();
  let isDraining = false;
  const timer = setInterval(() => cutUnread(all, limits), limits.checkMs).unref();
  const isRefused = (refusal: Problem, request?: IncomingMessage) => () => onUnread(refusal, request);
  const know = (socket: Socket) => {
    const connection = { socket, unfinished: new Set<ServerResponse>() };
    all.add(connection);
    bySocket.set(socket, connection);
    socket.once('close', () => {
      all.delete(connection);
      closeUnwritten(connection);
    });
  };
  admitOpened(server, limits, { all, know, onFull });
  server.on('connect', (request, socket) => {
    const connection = bySocket.get(request.socket);
    // Node no longer watches this socket, so this code must notice when its client leaves
    socket
      .on('error', () => undefined)
      .once('end', () => socket.end())
      .resume();
    const refusal = methodNotAllowed('CONNECT', 'GET, HEAD, OPTIONS, POST');
    if (connection === undefined) socket.destroy();
    else end(connection, refusal, isRefused(refusal, request));
  });
  server.on('clientError', (error: ParserError, socket) => {
    if (!(socket instanceof Socket)) return;
    const connection = bySocket.get(socket); // undefined before the TLS handshake is complete
    if (connection?.socket.writable !== true || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    if (connection.isEnding) return;
    connection.isEnding = true;
    const refusal = refusalOf(error);
    if (isUnanswered(connection)) refuseLatest(connection.latest, refusal, error);
    else end(connection, refusal, isRefused(refusal));
  });
  return {
    begin(request, response) {
      const connection = bySocket.get(request.socket);
      if (connection === undefined || !take(connection, response)) return false;
      all.delete(connection);
      all.add(connection); // the most recently used connection is last
      if (isDraining) endAfter(connection);
      return true;
    },
    drain() {
      isDraining = true;
      for (const connection of all) endAfter(connection);
    },
    close: () => clearInterval(timer),
  };
}

interface Opening {
  readonly all: ReadonlySet<Connection>;
  readonly know: (socket: Socket) => void;
  readonly onFull: () => void;
}

/** Admits connections. When the limit is reached, closes another connection for each new one. */
function admitOpened(server: Server, limits: ConnectionLimits, { all, know, onFull }: Opening): void {
  const isTls = server instanceof TlsServer;
  const handshakes = new Map<string, Socket>(); // connections during their TLS handshake, oldest first
  const admit = admitting(limits);
  server.on('connection', (socket: Socket) => {
    if (!admit(socket)) return;
    if (all.size + handshakes.size >= limits.maxConnections) {
      onFull();
      (leastNeeded(handshakes.values(), all) ?? socket).destroy();
    }
    if (socket.destroyed) return;
    if (isTls) {
      const peer = peerOf(socket);
      handshakes.set(peer, socket);
      socket.once('close', () => handshakes.delete(peer));
    } else know(socket);
  });
  server.on('secureConnection', (socket: Socket) => {
    handshakes.delete(peerOf(socket));
    know(socket);
  });
}

const peerOf = ({ remoteAddress = '', remotePort = 0 }: Socket) => `${remoteAddress} ${remotePort}`;

/** The least recently used connection without a pending request; undefined if all have one. */
function leastNeeded(handshakes: Iterable<Socket>, all: Iterable<Connection>): Socket | undefined {
  for (const socket of handshakes) if (!socket.destroyed) return socket;
  for (const { socket, unfinished, latest } of all)
    if (!socket.destroyed && (unfinished.size === 0 || latest?.req.complete === false)) return socket;
  return undefined;
}

/**
 * Makes a function that refuses connections beyond the limit of their address. Connections whose TLS
 * handshake is not complete count too.
 */
function admitting({ maxConnectionsPerAddress, proxies }: ConnectionLimits): (socket: Socket) => boolean {
  const perAddress = new Map<string, number>();
  return (socket) => {
    if (comesFrom(socket, proxies)) return true;
    const address = socketAddress(socket);
    const open = perAddress.get(address) ?? 0;
    if (open >= maxConnectionsPerAddress) {
      socket.end(rawRefusal(problem('too-many-connections')));
      socket.destroySoon();
      return false;
    }
    perAddress.set(address, open + 1);
    socket.once('close', () => {
      const left = (perAddress.get(address) ?? 0) - 1;
      if (left > 0) perAddress.set(address, left);
      else perAddress.delete(address);
    });
    return true;
  };
}

function cutUnread(all: Iterable<Connection>, { answerMs }: ConnectionLimits): void {
  const now = performance.now();
  for (const connection of all) {
    const isUnread = connection.socket.writableLength > 0;
    connection.unreadSinceMs = isUnread ? (connection.unreadSinceMs ?? now) : undefined;
    if (now - (connection.unreadSinceMs ?? now) > answerMs) connection.socket.destroy();
  }
}

/**
 * Ends a connection whose latest bytes are not a request. The refusal follows the answers to earlier
 * requests, and does not replace any of them.
 * @param onUnread logs the refusal; returns the request id
 */
function end(connection: Connection, refusal: Problem, onUnread: () => string): void {
  const { socket, latest, unfinished } = connection;
  // the latest answer already closes the connection
  const isOver = latest !== undefined && (!latest.shouldKeepAlive || !latest.req.complete);
  const write = () => {
    // a client that connected and sent nothing also gets a refusal, but there is no request to log
    const requestId = isOver || socket.bytesRead === 0 ? undefined : onUnread();
    socket.end(isOver ? '' : rawRefusal(refusal, requestId));
    setTimeout(() => socket.destroy(), lingerMs).unref();
  };
  if (latest !== undefined && unfinished.has(latest)) latest.once('close', write);
  else write();
}

function take(connection: Connection, response: ServerResponse): boolean {
  const { latest, socket, unfinished } = connection;
  if (latest?.shouldKeepAlive === false || socket.destroyed) return false;
  if (unfinished.size >= maxUnfinished) {
    socket.destroy();
    return false;
  }
  connection.latest = response;
  unfinished.add(response);
  // `on`, not `once`: the event fires only once anyway, and `once` costs a wrapper
  response.on('close', () => unfinished.delete(response));
  return true;
}

/** Ends the connection after its latest answer, which says `Connection: close` if its headers are not sent yet. */
function endAfter(connection: Connection): void {
  const { socket, latest, unfinished } = connection;
  if (latest === undefined && socket.bytesRead === 0) socket.end();
  if (latest === undefined || !unfinished.has(latest)) return;
  if (!latest.headersSent) latest.shouldKeepAlive = false;
  latest.once('close', () => {
    if (connection.latest === latest) socket.destroySoon();
  });
}

/**
 * Whether the latest request is incomplete and unanswered. If so, the unreadable bytes are part of that
 * request.
 */
function isUnanswered(
  connection: Connection,
): connection is Connection & { readonly latest: ServerResponse } {
  const { latest, unfinished } = connection;
  return latest?.req.complete === false && unfinished.has(latest) && !latest.headersSent;
}

function refuseLatest(latest: ServerResponse, refusal: Problem, error: ParserError): void {
  refuse(latest, refusal); // is sent after the answers to earlier requests
  // the refusal replaces the app's answer, so ignore everything that the app writes from now on
  const ignored = () => latest;
  Object.assign(latest, { writeHead: ignored, end: ignored, write: () => true, flushHeaders: ignored });
  latest.once('close', () => latest.req.destroy(error)); // tells readers of the request body about the error
}

/**
 * Closes all responses of a closed connection. Node closes only the response that it is writing, not those
 * queued behind it.
 */
function closeUnwritten({ unfinished }: Connection): void {
  // run this after Node has closed the response that it was writing
  queueMicrotask(() => {
    for (const response of unfinished) {
      response.destroy(); // discards everything that the app writes from now on
      response.emit('close');
    }
  });
}
