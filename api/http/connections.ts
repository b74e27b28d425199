// The connections of the server (SEC-7): how many there may be, and what is answered on one that cannot go on. Node itself
// bounds heads, bodies and idle time (server.ts). When there are as many as may be, the least recently used gives way, but
// never one that waits for our work.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { socketAddress } from './client.ts';
import { problem, type Problem } from './problem.ts';
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
  /** Accepts a new connection, or refuses it. */
  admit(socket: Socket): void;
  /** TLS is agreed on a connection that was accepted: from now on this is its socket. */
  secure(socket: Socket): void;
  /** @returns false: an earlier answer ends the connection, so that the answer to this request would be lost */
  begin(request: IncomingMessage, response: ServerResponse): boolean;
  /** Refuses a request for a tunnel, after the answers before it; Node has let go of its connection. */
  refuseTunnel(refusal: Problem, request: IncomingMessage): void;
  /** Answers a parser error of Node, after the answers that the client is waiting for, and never instead of one. */
  refuseUnreadable(error: ParserError, socket: Socket): void;
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
  /** Nothing more is read from it: what came last is no request, or was refused. */
  isEnding?: true;
}

/**
 * Requests of one connection that are not answered yet. A client that went on sending without reading its answers would be
 * parsed for ever, and fill the memory. Those that send requests one behind the other keep to ten or so.
 */
const maxUnfinished = 32;
const lingerMs = 500; // for the client to read the refusal: closing a connection with unread bytes discards what was sent

export interface ConnectionListeners {
  /** There are as many connections as are allowed. */
  readonly onFull: () => void;
  /**
   * A request is answered that never becomes one of the server's (OBS-1).
   * @param request what was read of it, if anything
   * @returns its id
   */
  readonly onUnread: (refusal: Problem, request?: IncomingMessage) => string;
}

export function createConnections(
  { maxConnections, maxConnectionsPerAddress, answerMs, checkMs }: ConnectionLimits,
  { onFull, onUnread }: ConnectionListeners,
): Connections {
  const all = new Set<Connection>(); // the least recently used first
  const bySocket = new WeakMap<Socket, Connection>();
  const byEnds = new Map<string, Connection>(); // TLS makes another socket of the same ends
  const perAddress = new Map<string, number>();
  let isDraining = false;
  const timer = setInterval(cutUnread, checkMs).unref();

  function cutUnread(): void {
    const now = performance.now();
    for (const connection of all) {
      const isUnread = connection.socket.writableLength > 0;
      connection.unreadSinceMs = isUnread ? (connection.unreadSinceMs ?? now) : undefined;
      if (now - (connection.unreadSinceMs ?? now) > answerMs) connection.socket.destroy();
    }
  }

  function forget(connection: Connection): void {
    if (!all.delete(connection)) return;
    const { address } = connection;
    const left = (perAddress.get(address) ?? 1) - 1;
    if (left === 0) perAddress.delete(address);
    else perAddress.set(address, left);
  }

  function know(connection: Connection, socket: Socket): void {
    connection.socket = socket;
    bySocket.set(socket, connection);
    socket.once('close', () => {
      if (connection.socket !== socket) return; // TLS goes on
      forget(connection);
      closeUnwritten(connection);
    });
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
    const isOwn = (perAddress.get(address) ?? 0) >= maxConnectionsPerAddress;
    if (!isOwn && all.size < maxConnections) return true;
    onFull();
    return giveWay(isOwn ? address : undefined);
  }

  return {
    admit(socket) {
      const address = socketAddress(socket);
      if (!hasRoom(address)) {
        socket.end(rawRefusal(problem('too-many-connections')));
        socket.destroySoon();
        return;
      }
      const connection = { socket, address, unfinished: new Set<ServerResponse>() };
      all.add(connection);
      perAddress.set(address, (perAddress.get(address) ?? 0) + 1);
      know(connection, socket);
      const ends = endsOf(socket);
      byEnds.set(ends, connection);
      socket.once('close', () => {
        if (byEnds.get(ends) === connection) byEnds.delete(ends);
      });
    },
    secure(socket) {
      const connection = byEnds.get(endsOf(socket));
      if (connection === undefined || !all.has(connection))
        socket.destroy(); // it gave way meanwhile
      else know(connection, socket);
    },
    begin(request, response) {
      const connection = bySocket.get(request.socket);
      if (connection === undefined || !take(connection, response)) return false;
      if (all.delete(connection)) all.add(connection);
      if (isDraining) endAfter(connection);
      return true;
    },
    refuseTunnel(refusal, request) {
      const connection = bySocket.get(request.socket);
      if (connection === undefined) {
        request.socket.destroy();
        return;
      }
      connection.socket.on('error', () => undefined);
      connection.socket.once('end', () => connection.socket.end()).resume(); // nobody else would see that its client leaves
      endBy(connection, () => rawRefusal(refusal, onUnread(refusal, request)));
    },
    refuseUnreadable(error, socket) {
      const connection = isPlainHttp(error) ? byEnds.get(endsOf(socket)) : bySocket.get(socket);
      if (connection?.socket.writable !== true || error.code === 'ECONNRESET') socket.destroy();
      else if (connection.isEnding !== true) endUnreadable(error, connection, onUnread);
    },
    drain() {
      isDraining = true;
      for (const connection of all) endAfter(connection);
    },
    close: () => clearInterval(timer),
  };
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

/** One answer for each request, and none after the one that ends the connection. */
function endUnreadable(
  error: ParserError,
  connection: Connection,
  onUnread: ConnectionListeners['onUnread'],
): void {
  const { socket, latest, unfinished } = connection;
  const isOwn = latest?.req.complete === false; // the unreadable bytes belong to the latest request
  if (isOwn && unfinished.has(latest) && !latest.headersSent) {
    connection.isEnding = true;
    refuse(latest, refusalOf(error)); // after the answers to earlier requests
    silence(latest);
    latest.once('close', () => latest.req.destroy(error)); // notifies readers of the request body
    return;
  }
  endBy(connection, () => {
    if (isOwn) return undefined; // it has its answer
    const refusal = refusalOf(error);
    // a client that connected and sent nothing is told so, but it has asked nothing
    return rawRefusal(refusal, socket.bytesRead === 0 ? undefined : onUnread(refusal));
  });
}

/**
 * Ends the connection after the answers to its requests, so that none of them is lost.
 * @param refusal makes the last that is written; it is asked also where nobody is left to read it
 */
function endBy(connection: Connection, refusal: () => string | undefined): void {
  const { socket, latest, unfinished } = connection;
  connection.isEnding = true;
  const isOver = latest?.shouldKeepAlive === false; // the latest answer is the last
  const end = () => {
    const text = isOver ? undefined : refusal();
    if (!socket.writable) socket.destroy();
    else if (text === undefined) socket.end();
    else socket.end(text);
    setTimeout(() => socket.destroy(), lingerMs).unref();
  };
  if (latest !== undefined && unfinished.has(latest)) latest.once('close', end);
  else end();
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

/** Discards the app's answer to a request that was refused meanwhile. */
function silence(response: ServerResponse): void {
  const ignored = () => response;
  Object.assign(response, { writeHead: ignored, end: ignored, write: () => true, flushHeaders: ignored });
}

/** Of a connection to a port of ours; the host may have several addresses. */
const endsOf = ({ remoteAddress, remotePort, localAddress }: Socket) =>
  `${remoteAddress ?? ''} ${remotePort ?? 0} ${localAddress ?? ''}`;
