// Limits the server's connections, and answers on those that cannot continue. Node itself limits headers, bodies and
// idle time (server.ts). At the limit, the least recently used connection is closed, but never one that waits for our
// work.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { socketAddress } from './client.ts';
import { problem, type Problem } from '../problems/problem.ts';
import { methodNotAllowed } from '../problems/refused-requests.ts';
import { isPlainHttp, rawRefusal, refusalOf, refuse, type ParserError } from './unreadable.ts';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** For one IPv4 address, or one IPv6 network of 64 bits. */
  readonly maxConnectionsPerAddress: number;
  /** Milliseconds that a client may take to read an answer. */
  readonly answerMs: number;
  /** Milliseconds between two checks of the connections; closing one may be late by as much. */
  readonly checkMs: number;
}

export interface Connections {
  /** @returns false: the connection is ending, so the answer to this request would be lost */
  begin(request: IncomingMessage, response: ServerResponse): boolean;
  /** Ends each connection after its current answer, and at once if nothing was asked on it. */
  drain(): void;
  close(): void;
}

interface Connection {
  /** The TCP socket; after a TLS handshake, the TLS socket. */
  socket: Socket;
  readonly address: string;
  /** The response to the latest request, whether it is finished or not. */
  latest?: ServerResponse;
  /** Responses that are not closed yet. A response closes when it is sent completely, or its connection is gone. */
  readonly unfinished: Set<ServerResponse>;
  /** Monotonic clock, in milliseconds: since when the client has left sent data unread. */
  unreadSinceMs?: number | undefined;
  /** The latest bytes are not a request: nothing more is read. */
  isEnding?: true;
}

const maxUnfinished = 32; // requests per connection: a client that sends and never reads would fill the memory
const lingerMs = 500; // lets the client read the refusal: closing a socket with unread input discards sent data

export interface ConnectionListeners {
  /** The limit of connections is reached. */
  readonly onFull: () => void;
  /**
   * A request is refused that never reaches the server's handlers.
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
  const { all, ...book } = createBook(limits, onFull);
  let isDraining = false;
  const timer = setInterval(() => cutUnread(all, limits), limits.checkMs).unref();
  const isRefused = (refusal: Problem, request?: IncomingMessage) => () => onUnread(refusal, request);
  server.on('connection', book.admit);
  server.on('secureConnection', book.secure);
  server.on('connect', (request, socket) => {
    const connection = book.of(request.socket);
    // Node no longer watches this socket, so notice here that its client leaves
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
    const connection = isPlainHttp(error) ? book.beneath(socket) : book.of(socket);
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
      const connection = book.of(request.socket);
      if (connection === undefined || !take(connection, response)) return false;
      if (all.delete(connection)) all.add(connection); // moves to the end: most recently used
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

function createBook({ maxConnections, maxConnectionsPerAddress }: ConnectionLimits, onFull: () => void) {
  const all = new Set<Connection>(); // least recently used first
  const bySocket = new WeakMap<Socket, Connection>();
  const byEnds = new Map<string, Connection>(); // a TLS socket has the same ends as its TCP socket
  const perAddress = new Map<string, number>();

  function know(connection: Connection, socket: Socket): void {
    connection.socket = socket;
    bySocket.set(socket, connection);
    socket.once('close', () => {
      if (connection.socket !== socket) return; // the TLS socket has taken over
      forget(connection);
      closeUnwritten(connection);
    });
  }

  function forget(connection: Connection): void {
    if (all.delete(connection)) change(connection.address, -1);
  }

  function change(address: string, by: number): void {
    const left = (perAddress.get(address) ?? 0) + by;
    if (left === 0) perAddress.delete(address);
    else perAddress.set(address, left);
  }

  /**
   * Closes the least recently used connection that does not wait for our work.
   * @param address only a connection of this address; undefined: of any
   */
  function giveWay(address?: string): boolean {
    for (const connection of all) {
      if ((address !== undefined && connection.address !== address) || isAwaited(connection)) continue;
      forget(connection);
      connection.socket.destroy();
      return true;
    }
    return false;
  }

  function hasRoom(address: string): boolean {
    const hasAll = (perAddress.get(address) ?? 0) >= maxConnectionsPerAddress;
    if (!hasAll && all.size < maxConnections) return true;
    onFull();
    return giveWay(hasAll ? address : undefined);
  }

  return {
    all,
    of: (socket: Socket) => bySocket.get(socket),
    /** The connection of a TLS socket whose handshake is not done. */
    beneath: (socket: Socket) => byEnds.get(endsOf(socket)),
    admit: (socket: Socket): void => {
      const address = socketAddress(socket);
      if (!hasRoom(address)) {
        socket.end(rawRefusal(problem('too-many-connections')));
        socket.destroySoon();
        return;
      }
      const connection = { socket, address, unfinished: new Set<ServerResponse>() };
      all.add(connection);
      change(address, 1);
      know(connection, socket);
      const ends = endsOf(socket);
      byEnds.set(ends, connection);
      socket.once('close', () => {
        if (byEnds.get(ends) === connection) byEnds.delete(ends);
      });
    },
    secure: (socket: Socket): void => {
      const connection = byEnds.get(endsOf(socket));
      if (connection !== undefined && all.has(connection)) know(connection, socket);
      else socket.destroy(); // giveWay closed the connection during the handshake
    },
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
 * Ends a connection whose latest bytes are not a request. The refusal follows the answers to earlier requests, and
 * replaces none of them.
 * @param onUnread logs the refusal; returns the request id
 */
function end(connection: Connection, refusal: Problem, onUnread: () => string): void {
  const { socket, latest, unfinished } = connection;
  // the latest answer already ends the connection
  const isOver = latest !== undefined && (!latest.shouldKeepAlive || !latest.req.complete);
  const write = () => {
    // a client that connected and sent nothing gets a refusal too, but it has made no request to log
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

/** Whether the client waits for our work. Once an answer has begun, we wait for the client instead. */
function isAwaited({ unfinished }: Connection): boolean {
  for (const { headersSent, req } of unfinished) if (!headersSent && req.complete) return true;
  return false;
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

/** Whether the latest request is incomplete and unanswered: then the unreadable bytes are part of it. */
function isUnanswered(
  connection: Connection,
): connection is Connection & { readonly latest: ServerResponse } {
  const { latest, unfinished } = connection;
  return latest?.req.complete === false && unfinished.has(latest) && !latest.headersSent;
}

function refuseLatest(latest: ServerResponse, refusal: Problem, error: ParserError): void {
  refuse(latest, refusal); // after the answers to earlier requests
  // drop whatever the app answers from here on
  const ignored = () => latest;
  Object.assign(latest, { writeHead: ignored, end: ignored, write: () => true, flushHeaders: ignored });
  latest.once('close', () => latest.req.destroy(error)); // notifies readers of the request body
}

/** Closes all responses of a closed connection: Node closes only the one that it is writing, not those behind it. */
function closeUnwritten({ unfinished }: Connection): void {
  // after Node has closed the response that it was writing
  queueMicrotask(() => {
    for (const response of unfinished) {
      response.destroy(); // whatever the app writes from here on is dropped
      response.emit('close');
    }
  });
}

/** Identifies a connection to our port by both ends; the local address counts because a host may have several. */
const endsOf = ({ remoteAddress, remotePort, localAddress }: Socket) =>
  `${remoteAddress ?? ''} ${remotePort ?? 0} ${localAddress ?? ''}`;
