// The connections of the server: how many there may be, and what is answered on one that cannot go on. Node itself
// bounds heads, bodies and idle time (server.ts). When there are as many as may be, the least recently used gives way, but
// never one that waits for our work.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { socketAddress } from './client.ts';
import { problem, type Problem } from './problem.ts';
import { methodNotAllowed } from './refused-requests.ts';
import { isPlainHttp, rawRefusal, refusalOf, refuse, type ParserError } from './unreadable.ts';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Of one address, or of one IPv6 network of 64 bits. */
  readonly maxConnectionsPerAddress: number;
  /** Milliseconds that a client may take to read an answer. */
  readonly answerMs: number;
  /** Milliseconds between two checks of the connections: the possible delay of closing one. */
  readonly checkMs: number;
}

export interface Connections {
  /** @returns false: an earlier answer ends the connection, so that the answer to this request would be lost */
  begin(request: IncomingMessage, response: ServerResponse): boolean;
  /** From now on each answer is the last of its connection, and a connection on which nothing was asked ends. */
  drain(): void;
  close(): void;
}

interface Connection {
  /** Beneath TLS until that is agreed. */
  socket: Socket;
  readonly address: string;
  /** The one to the latest request, whether it is finished or not. */
  latest?: ServerResponse;
  /** Answers that have not been closed yet: the whole is sent, or the connection gone. */
  readonly unfinished: Set<ServerResponse>;
  /** When unread data was first seen. */
  unreadSinceMs?: number | undefined;
  /** What came last is no request: nothing more is read. */
  isEnding?: true;
}

const maxUnfinished = 32; // requests of one connection: a client that goes on sending and reads nothing would fill the memory
const lingerMs = 500; // for the client to read the refusal: closing a connection with unread bytes discards what was sent

export interface ConnectionListeners {
  /** There are as many connections as are allowed. */
  readonly onFull: () => void;
  /**
   * A request is answered that never becomes one of the server's.
   * @param request what was read of it, if anything
   * @returns its id
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
    // Node has let go of it: nobody else would see that its client leaves
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
      if (all.delete(connection)) all.add(connection); // it stands last
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
  const all = new Set<Connection>(); // the least recently used first
  const bySocket = new WeakMap<Socket, Connection>();
  const byEnds = new Map<string, Connection>(); // TLS makes another socket of the same ends
  const perAddress = new Map<string, number>();

  function know(connection: Connection, socket: Socket): void {
    connection.socket = socket;
    bySocket.set(socket, connection);
    socket.once('close', () => {
      if (connection.socket !== socket) return; // TLS goes on
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

  /** @param address whose it has to be; undefined: anybody's */
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
    /** Of a socket of TLS that is not agreed. */
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
      else socket.destroy(); // it gave way meanwhile
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
 * Ends a connection on which what came last is no request: after the answers to those before it, and never instead of one.
 * @param onUnread it is answered; gives its id
 */
function end(connection: Connection, refusal: Problem, onUnread: () => string): void {
  const { socket, latest, unfinished } = connection;
  const isOver = latest !== undefined && (!latest.shouldKeepAlive || !latest.req.complete); // it has its answer
  const write = () => {
    // a client that connected and sent nothing is told so, but it has asked nothing
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
  // not once: it comes once, and the wrapping costs
  response.on('close', () => unfinished.delete(response));
  return true;
}

/** Whether its client waits for our work: an answer that has begun waits for the client. */
function isAwaited({ unfinished }: Connection): boolean {
  for (const { headersSent, req } of unfinished) if (!headersSent && req.complete) return true;
  return false;
}

/** Ends the connection with its latest answer, which says so where its head is not sent yet. */
function endAfter(connection: Connection): void {
  const { socket, latest, unfinished } = connection;
  if (latest === undefined && socket.bytesRead === 0) socket.end();
  if (latest === undefined || !unfinished.has(latest)) return;
  if (!latest.headersSent) latest.shouldKeepAlive = false;
  latest.once('close', () => {
    if (connection.latest === latest) socket.destroySoon();
  });
}

/** Whether the latest request has not come whole, and has no answer yet: what is unreadable is its own. */
function isUnanswered(
  connection: Connection,
): connection is Connection & { readonly latest: ServerResponse } {
  const { latest, unfinished } = connection;
  return latest?.req.complete === false && unfinished.has(latest) && !latest.headersSent;
}

function refuseLatest(latest: ServerResponse, refusal: Problem, error: ParserError): void {
  refuse(latest, refusal); // after the answers to earlier requests
  // what the app answers from here on is dropped
  const ignored = () => latest;
  Object.assign(latest, { writeHead: ignored, end: ignored, write: () => true, flushHeaders: ignored });
  latest.once('close', () => latest.req.destroy(error)); // notifies readers of the request body
}

/** When a connection is gone, Node tells only the answer that it is writing, and forgets those behind it. */
function closeUnwritten({ unfinished }: Connection): void {
  // not before Node has told the one that it was writing
  queueMicrotask(() => {
    for (const response of unfinished) {
      response.destroy(); // whatever the app writes from here on is dropped
      response.emit('close');
    }
  });
}

/** Of a connection to a port of ours; the host may have several addresses. */
const endsOf = ({ remoteAddress, remotePort, localAddress }: Socket) =>
  `${remoteAddress ?? ''} ${remotePort ?? 0} ${localAddress ?? ''}`;
